// Stores what is requested of checks and pull requests, until a worker answers.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { toJson } from '../db/sql-values.ts'
import type { CommentAnswer, CommentRef, PlatformRequest } from '../domain/platform-request.ts'
import type { PullRequestRef, RepositoryName } from '../domain/pull-request.ts'
import { enqueue } from './work-items.ts'

export interface DeliveredRequest {
  readonly source: string
  readonly deliveryId: string | null
  readonly repo: RepositoryName
  readonly request: PlatformRequest
  /** A model may take minutes to answer, so that has capacity of its own. */
  readonly work: 'request' | 'answer'
}

/** Stores requests and their work in the caller's transaction. Skips repeated deliveries. */
export async function savePlatformRequests(
  tx: Db,
  delivered: readonly DeliveredRequest[],
): Promise<void> {
  for (const [kind, requests] of Map.groupBy(delivered, ({ work }) => work)) {
    const saved = await tx
      .insertInto('platformRequests')
      .values(requests.map(toRow))
      .onConflict((conflict) => conflict.columns(['source', 'deliveryId']).doNothing())
      .returning(['id', 'repo', 'request'])
      .execute()
    await enqueue(
      tx,
      saved.map(({ id: number, repo, request }) => ({
        kind,
        repo,
        number,
        // An answer changes nothing.
        pullNumber: kind === 'answer' ? null : orderedAt(request),
      })),
    )
  }
}

/**
 * What people do at a pull request takes effect in their order: what they did last holds, also if
 * what they did before has to be tried again. Requests at a check contradict none.
 */
function orderedAt(request: PlatformRequest): number | null {
  return 'sender' in request && 'number' in request ? request.number : null
}

/** A comment may be delivered and listed, and is answered once. */
function toRow({ source, deliveryId, repo, request }: DeliveredRequest) {
  const id = request.kind === 'comment' ? idOfComment(repo, request.comment) : deliveryId
  return { source, deliveryId: id, repo, request: toJson(request) }
}

/** No id of a delivery has spaces, so that none can be taken for that of a comment. */
const idOfComment = (repo: RepositoryName, { id, isInline }: CommentRef) =>
  `${isInline ? 'inline' : 'comment'} ${id} in ${repo.toLowerCase()}`

/** Stores the answer to a comment in the caller's transaction, which does what it says. */
export async function saveAnswer(tx: Db, id: number, answer: CommentAnswer): Promise<void> {
  await tx
    .updateTable('platformRequests')
    .set({ request: sql`request || jsonb_build_object('answer', ${toJson(answer)}::jsonb)` })
    .where('id', '=', id)
    .execute()
}

/** Reads a request by its id; undefined if there is none. */
export async function readPlatformRequest(
  db: Db,
  id: number,
): Promise<PlatformRequest | undefined> {
  const row = await db
    .selectFrom('platformRequests')
    .select('request')
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.request
}

/** Later reviews say nothing to a queue that has merged or dropped the group. */
const mergeGroupHours = 24

/**
 * Requests that the checks of a pull request's recent merge groups show how its review stands. Call
 * it under the pull request's lock.
 */
export async function requestGroupUpdates(tx: Db, { repo, number }: PullRequestRef): Promise<void> {
  const { rows } = await sql<{ id: number }>`
    select id from platform_requests
    where ${isMergeGroup} and repo = ${repo} and request->>'number' = ${String(number)}
      and created_at > now() - make_interval(hours => ${mergeGroupHours})`.execute(tx)
  await enqueue(
    tx,
    rows.map(({ id }) => ({ kind: 'request' as const, repo, number: id })),
  )
}

/** Lists the pull requests of which a merge queue made the commit. */
export async function listMergedAt(
  db: Db,
  repo: RepositoryName,
  headSha: string,
): Promise<PullRequestRef[]> {
  const { rows } = await sql<PullRequestRef>`
    select distinct repo, (request->>'number')::int as number from platform_requests
    where ${isMergeGroup} and repo = ${repo} and request->>'headSha' = ${headSha}
      and request->>'number' is not null
    order by number`.execute(db)
  return rows
}

const isMergeGroup = sql<boolean>`request->>'kind' = 'merge_group'`

/** Platforms deliver a request again for a few days, and it must not be answered again. */
const retentionDays = 14

/** Deletes old requests that were answered or dropped. */
export async function pruneRequests(db: Db): Promise<void> {
  await sql`
    delete from platform_requests p
    where created_at < now() - make_interval(days => ${retentionDays})
      and not exists (
        select from work_items w
        where w.kind in ('request', 'answer') and w.repo = p.repo and w.number = p.id)`.execute(db)
}
