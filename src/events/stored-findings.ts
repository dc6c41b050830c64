// Saves and lists the findings of a pull request, which are kept over all of its runs.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { toJson } from '../db/sql-values.ts'
import type { Finding } from '../domain/finding.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'
import { changingColumns, findingColumns, readFinding, selectFindings } from './select-findings.ts'

/** The run that found them. */
interface FindingRun extends PullRequestRef {
  readonly id: number
}

export interface StoredFinding {
  /** Includes its dismissal as it was recorded. */
  readonly finding: Finding
  /** Of its comment; null if none is known. */
  readonly commentUrl: string | null
  /** It may have a thread on the pull request. */
  readonly isPosted: boolean
  /** The review that saved it last was completed. */
  readonly isSettled: boolean
}

/** PostgreSQL accepts at most 65,535 parameters in a statement. */
const maxRowsPerInsert = 500

/**
 * Saves the findings of a run. The URL of a comment stays if it isn't given.
 *
 * @param commentUrls by fingerprint
 */
export async function saveFindings(
  tx: Db,
  run: FindingRun,
  findings: readonly Finding[],
  commentUrls: ReadonlyMap<string, string | null> = new Map(),
): Promise<void> {
  const rows = findings.map((finding) =>
    findingRow(run, finding, commentUrls.get(finding.fingerprint) ?? null),
  )
  for (let start = 0; start < rows.length; start += maxRowsPerInsert) {
    await upsertFindings(tx, rows.slice(start, start + maxRowsPerInsert))
  }
}

const updatedColumns = [...changingColumns, 'restsOn', 'lastRunId'] as const

async function upsertFindings(tx: Db, rows: ReturnType<typeof findingRow>[]): Promise<void> {
  await tx
    .insertInto('findings')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['repo', 'prNumber', 'fingerprint']).doUpdateSet((eb) => ({
        ...Object.fromEntries(updatedColumns.map((name) => [name, eb.ref(`excluded.${name}`)])),
        commentUrl: sql`coalesce(excluded.comment_url, findings.comment_url)`,
        resolvedAt: sql`
          case when excluded.state = 'resolved' then coalesce(findings.resolved_at, now()) end`,
        // An earlier attempt of the same run stored it, and failed before it was posted.
        resolution: sql`
          case when excluded.state = 'resolved' and findings.first_run_id = excluded.last_run_id
            then 'withdrawn' else excluded.resolution end`,
      })),
    )
    .execute()
}

function findingRow(run: FindingRun, finding: Finding, commentUrl: string | null) {
  const columns = Object.fromEntries(findingColumns.map((name) => [name, finding[name]]))
  return {
    ...(columns as Pick<Finding, (typeof findingColumns)[number]>),
    repo: run.repo,
    prNumber: run.number,
    firstRunId: run.id,
    lastRunId: run.id,
    evidence: toJson(finding.evidence),
    restsOn: toJson(finding.citation ?? null),
    removed: finding.removed ?? false,
    resolution: finding.state === 'resolved' ? (finding.resolution ?? 'fixed') : null,
    commentUrl,
    resolvedAt: finding.state === 'resolved' ? new Date() : null,
  }
}

/** Lists all findings of a pull request with their valid dismissals, the oldest first. */
export async function listStoredFindings(
  db: Db,
  { repo, number }: PullRequestRef,
): Promise<StoredFinding[]> {
  const rows = await selectFindings(db)
    .innerJoin('workflowRuns as r', 'r.id', 'f.lastRunId')
    .select('r.status as lastRunStatus')
    .where('f.repo', '=', repo)
    .where('f.prNumber', '=', number)
    .orderBy('f.id')
    .execute()
  return rows.map(({ lastRunStatus, ...row }) => {
    const { commentUrl, citation, dismissal, ...finding } = readFinding(row)
    return {
      commentUrl,
      isPosted: finding.placement === 'inline' || commentUrl !== null,
      isSettled: lastRunStatus === 'completed',
      finding: { ...finding, ...(citation && { citation }), ...(dismissal && { dismissal }) },
    }
  })
}

/** Whether a later run than this one saved findings of the pull request. */
export async function hasFindingsSince(
  db: Db,
  { repo, number }: PullRequestRef,
  runId: number,
): Promise<boolean> {
  const newer = await db
    .selectFrom('findings')
    .select('id')
    .where('repo', '=', repo)
    .where('prNumber', '=', number)
    .where('lastRunId', '>', runId)
    .limit(1)
    .executeTakeFirst()
  return newer !== undefined
}
