// Selects findings together with who dismissed them.
import type { Db } from '../db/database.ts'

/** Findings as `f`, each with the dismissal that counts for it as `d`: nulls where there is none. */
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
