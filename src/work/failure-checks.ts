// Requests that the checks of failed reviews show the failure, until they do.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'
import { savePlatformRequests } from './platform-requests.ts'
import { type Claim, enqueue } from './work-items.ts'

/** Requests the check of a run that fails, in the caller's transaction. */
export async function requestFailureCheck(
  tx: Db,
  { repo, number }: PullRequestRef,
  { source, runId, message }: { source: string; runId: number; message: string },
): Promise<void> {
  const request = { kind: 'failed_review', number, runId, message } as const
  await savePlatformRequests(tx, [{ source, deliveryId: null, repo, request, work: 'request' }])
}

/** For how long a request is repeated. */
const maxAgeHours = 24

/** Requests the checks again that still show a failed run in progress. */
export async function repeatFailureChecks(db: Db): Promise<void> {
  const { rows } = await sql<PullRequestRef>`
    select p.repo, p.id as number from platform_requests p
    join workflow_runs r on r.id = (p.request->>'runId')::bigint
    where p.request->>'kind' = 'failed_review'
      and p.created_at > now() - make_interval(hours => ${maxAgeHours})
      and r.shown_head_sha is not null and not ${isReplaced(sql`r.shown_head_sha`)}`.execute(db)
  const requests = rows.map((row) => ({ kind: 'request' as const, ...row }))
  await db.transaction().execute((tx) => enqueue(tx, requests))
}

/**
 * Returns the commit whose check shows the failure of a run; null if a later run shows there how it
 * stands, or may be about to.
 *
 * @param headSha its check shows the failure if none shows the run in progress
 */
export async function findFailureCheck(
  db: Db,
  { runId, headSha }: { runId: number; headSha: string },
): Promise<string | null> {
  const sha = sql<string>`coalesce(r.shown_head_sha, ${headSha})`
  const { rows } = await sql<{ sha: string }>`
    select ${sha} as sha from workflow_runs r
    where r.id = ${runId} and not ${isReplaced(sha)}`.execute(db)
  return rows[0]?.sha ?? null
}

/** Removes a request whose check shows the failure, in the caller's transaction. */
export async function removeFailureCheck(tx: Db, { number: id }: Claim): Promise<void> {
  await tx.deleteFrom('platformRequests').where('id', '=', id).execute()
}

/**
 * A condition on a run `r`. A commit has one check for all of its pull requests: a review that
 * ended later wrote it, and knew of the failure.
 */
function isReplaced(sha: RawBuilder<string>): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select from workflow_runs o
    where o.repo = r.repo and (
      (coalesce(o.head_sha, o.shown_head_sha) = ${sha} and o.finished_at > r.finished_at)
      or (o.pr_number = r.pr_number and o.status in ('pending', 'processing'))))`
}
