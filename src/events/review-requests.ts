// Stores events that request a review again, or request that a verdict is decided again.
import { sql } from 'kysely'
import { isInScope, type Scope } from '../accounts/scope.ts'
import type { Db } from '../db/database.ts'
import type { PullRequestRef, RepositoryName } from '../domain/pull-request.ts'
import { enqueue } from '../work/work-items.ts'
import { refreshListing } from './listing.ts'

/** A person with write permission requested another review, which may cost as much as the first. */
export const retryEvent = 'pull_request.retry'

/** A person with write permission requested a review that reuses nothing of earlier ones. */
export const fullReviewEvent = 'pull_request.full_review'

/** With these, a person requested another review of the same head. */
const requestedReviews: readonly string[] = [retryEvent, fullReviewEvent]

/** A review has become possible: there is a model or token again, or the request was reopened. */
export const redoEvent = 'pull_request.redo'

/** Other tools published what they found, so the review reads it. Models keep their answers. */
export const toolLogsEvent = 'pull_request.tool_results'

/** A finding was dismissed or reopened, so the verdict is decided again without a model. */
export const dismissalEvent = 'pull_request.dismissal'

type RequestEvent =
  | typeof retryEvent
  | typeof fullReviewEvent
  | typeof redoEvent
  | typeof toolLogsEvent
  | typeof dismissalEvent

/** Whether a person requested another review, by the types of the events of a run. */
export function isReviewRequested(eventTypes: readonly string[]): boolean {
  return eventTypes.some((type) => requestedReviews.includes(type))
}

/** Finds the pull request of an event; undefined if the event isn't in the scope or has none. */
export async function findEventPullRequest(
  db: Db,
  scope: Scope,
  id: number,
): Promise<PullRequestRef | undefined> {
  const { rows } = await sql<PullRequestRef>`
    select repo, pr_number as number from events
    where id = ${id} and repo is not null and pr_number is not null
      and ${isInScope(scope)}`.execute(db)
  return rows[0]
}

/** Finds the newest event of a pull request. */
export async function findNewestEvent(
  db: Db,
  { repo, number }: PullRequestRef,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('events')
    .select(({ fn }) => fn.max('id').as('id'))
    .where('repo', '=', repo)
    .where('prNumber', '=', number)
    .executeTakeFirst()
  return row?.id ?? undefined
}

/** Lists the open pull requests with that head, in the order in which they are locked. */
export async function listOpenPullRequestsAt(
  db: Db,
  repo: RepositoryName,
  headSha: string,
): Promise<PullRequestRef[]> {
  return db
    .selectFrom('pullRequests')
    .select(['repo', 'number'])
    .where('repo', '=', repo)
    .where('headSha', '=', headSha)
    .where('state', '=', 'open')
    .orderBy('number')
    .execute()
}

/** Finds the newest event of a pull request whose review is waiting or running. */
export async function findUnfinishedRequest(
  db: Db,
  { repo, number }: PullRequestRef,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('events')
    .select('id')
    .where('repo', '=', repo)
    .where('prNumber', '=', number)
    .where('wantsReview', '=', true)
    .where('status', 'in', ['pending', 'processing'])
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.id
}

/** Whether a person's request for a review of the pull request waits, of these types. */
export async function isRetryWaiting(
  tx: Db,
  { repo, number }: PullRequestRef,
  types: readonly string[] = requestedReviews,
): Promise<boolean> {
  const waiting = await tx
    .selectFrom('events')
    .select('id')
    .where('repo', '=', repo)
    .where('prNumber', '=', number)
    .where('eventType', 'in', types)
    .where('status', '=', 'pending')
    .limit(1)
    .executeTakeFirst()
  return waiting !== undefined
}

/** Whether the review that an event requested is waiting or running. */
export async function isReviewUnfinished(db: Db, id: number): Promise<boolean> {
  const row = await db.selectFrom('events').select('status').where('id', '=', id).executeTakeFirst()
  return row?.status === 'pending' || row?.status === 'processing'
}

/**
 * Stores an event that requests a review of the same pull request as event `id`, and the work. Call
 * it under the pull request's lock.
 */
export async function insertReviewRequest(
  tx: Db,
  ref: PullRequestRef,
  { id, type }: { id: number; type: RequestEvent },
): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into events (event_type, source, repo, pr_number, wants_review, payload)
    select ${type}, source, repo, pr_number, true, payload from events where id = ${id}
    returning id`.execute(tx)
  await tx
    .updateTable('pullRequests')
    .set({ lastEventAt: sql`greatest(last_event_at, now())` })
    .where('repo', '=', ref.repo)
    .where('number', '=', ref.number)
    .execute()
  await refreshListing(tx, ref)
  await enqueue(tx, [{ kind: 'review', ...ref }])
  return (rows[0] as { id: number }).id
}

/**
 * Requests that the verdict is decided again, once for all dismissals that are not yet considered.
 * Call it under the pull request's lock.
 *
 * @returns the id of the event with the request
 */
export async function requestVerdictUpdate(
  tx: Db,
  ref: PullRequestRef,
): Promise<number | undefined> {
  const { rows } = await sql<{ id: number; isWaiting: boolean }>`
    select id, event_type = ${dismissalEvent} and status = 'pending' as is_waiting from events
    where repo = ${ref.repo} and pr_number = ${ref.number} and wants_review
    order by is_waiting desc, id desc limit 1`.execute(tx)
  const [latest] = rows
  if (latest === undefined || latest.isWaiting) return latest?.id
  return insertReviewRequest(tx, ref, { id: latest.id, type: dismissalEvent })
}

/** Lists the types of the events that a run has claimed. */
export async function listClaimedEventTypes(db: Db, runId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('events')
    .select('eventType')
    .distinct()
    .where('runId', '=', runId)
    .where('status', '=', 'processing')
    .execute()
  return rows.map((row) => row.eventType)
}
