// Selects findings together with their dismissals.
import type { InferResult } from 'kysely'
import type { Db } from '../db/database.ts'
import type { Dismissal } from '../domain/finding.ts'

/** These columns have names of fields of `Finding`, and stay as they were saved first. */
const fixedColumns = ['fingerprint', 'reviewer', 'rule', 'side', 'category'] as const

/** Each run that finds it again updates these columns. */
export const changingColumns = [
  ...(['path', 'startLine', 'endLine', 'quote', 'anchorHash'] as const),
  ...(['severity', 'title', 'body', 'suggestion', 'evidence', 'confidence'] as const),
  ...(['verified', 'state', 'removed', 'reopened', 'placement'] as const),
] as const

export const findingColumns = [...fixedColumns, ...changingColumns] as const

/** `f` is a finding and `d` its valid dismissal, with nulls when there is none. */
export function selectFindings(db: Db) {
  return db
    .selectFrom('findings as f')
    .leftJoin('dismissals as d', (join) =>
      join
        .onRef('d.repo', '=', 'f.repo')
        .onRef('d.prNumber', '=', 'f.prNumber')
        .onRef('d.fingerprint', '=', 'f.fingerprint')
        .onRef('d.reopened', '=', 'f.reopened'),
    )
    .select(findingColumns.map((column) => `f.${column}` as const))
    .select(['f.restsOn', 'f.commentUrl', 'd.login', 'd.via', 'd.reason', 'd.kind'])
}

type FindingRow = InferResult<ReturnType<typeof selectFindings>>[number]

/** The finding has its dismissal and the URL of its comment; both can be null. */
export function readFinding({
  login,
  via,
  reason,
  kind,
  restsOn: citation,
  ...finding
}: FindingRow) {
  const dismissal: Dismissal | null =
    login === null || via === null ? null : { login, via, reason: reason ?? '', kind }
  return { ...finding, citation, dismissal }
}
