// Selects findings together with their dismissals.
import type { Db } from '../db/database.ts'

/** `f` is a finding and `d` its valid dismissal, with nulls when there is none. */
export function selectFindings(db: Db) {
  return db
    .selectFrom('findings as f')
    .leftJoin('dismissals as d', (join) =>
      join
        .onRef('d.repo', '=', 'f.repo')
        .onRef('d.pr_number', '=', 'f.pr_number')
        .onRef('d.fingerprint', '=', 'f.fingerprint')
        .onRef('d.reopened', '=', 'f.reopened'),
    )
}
