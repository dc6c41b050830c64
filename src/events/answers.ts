// Stores the questions in conversations on pull requests: how many there are, and what they cost.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { AnswerLimit, AnswerPosition } from '../domain/answer.ts'
import type { Finding } from '../domain/finding.ts'
import type { CommentRef } from '../domain/platform-request.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'

/** A comment that asks something. */
export interface RequestingComment {
  readonly ref: PullRequestRef
  readonly comment: Pick<CommentRef, 'id' | 'isInline'>
  /** The finding in whose thread it is; null for another place. */
  readonly finding: Pick<Finding, 'fingerprint' | 'reopened'> | null
  /** It is the login of its author. */
  readonly requester: string
}

interface StoredQuestion {
  readonly id: number
  readonly isAnswered: boolean
  readonly reachedLimit: AnswerLimit | null
}

/** What the answer to a question came to. */
interface AnswerResult {
  readonly reachedLimit: AnswerLimit | null
  /** It is null for an answer without a model. */
  readonly position: AnswerPosition | null
}

export async function readQuestion(
  db: Db,
  { ref, comment }: Pick<RequestingComment, 'ref' | 'comment'>,
): Promise<StoredQuestion | undefined> {
  const row = await db
    .selectFrom('answers')
    .select(['id', 'reachedLimit', 'answeredAt'])
    .where('repo', '=', ref.repo)
    .where('commentId', '=', comment.id)
    .where('isInline', '=', comment.isInline)
    .executeTakeFirst()
  return row && { id: row.id, isAnswered: row.answeredAt !== null, reachedLimit: row.reachedLimit }
}

/** Inserts a question that isn't stored yet. Returns its id. */
export async function insertQuestion(
  tx: Db,
  { ref, comment, finding, requester }: RequestingComment,
  reachedLimit: AnswerLimit | null,
): Promise<number> {
  const row = {
    repo: ref.repo,
    prNumber: ref.number,
    commentId: comment.id,
    isInline: comment.isInline,
    fingerprint: finding?.fingerprint ?? null,
    reopened: finding?.reopened ?? null,
    requester,
    reachedLimit,
  }
  const { id } = await tx
    .insertInto('answers')
    .values(row)
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Stores that a question was answered. Call it in the transaction that stores the answer. */
export async function saveAnswerResult(tx: Db, id: number, result: AnswerResult): Promise<void> {
  await tx
    .updateTable('answers')
    .set({ ...result, answeredAt: sql<Date>`now()` })
    .where('id', '=', id)
    .execute()
}

/**
 * Adds what an attempt to answer a question cost, in US dollars; null if it is unknown. Call it in
 * the transaction that records the spend, so that it counts toward the pull request at any time.
 */
export async function addAnswerCost(tx: Db, id: number, costUsd: number | null): Promise<void> {
  const sum = sql<number | null>`coalesce(cost_usd, 0) + ${costUsd}::float8`
  await tx.updateTable('answers').set({ costUsd: sum }).where('id', '=', id).execute()
}

/** Stores that the answer to a question reports a limit, before it is answered. */
export async function saveReachedLimit(tx: Db, id: number, limit: AnswerLimit): Promise<void> {
  await tx.updateTable('answers').set({ reachedLimit: limit }).where('id', '=', id).execute()
}

/** Numbers of other questions that were answered, or are being answered. */
export interface AnswerCounts {
  /** Counts those in the thread of the finding; it is 0 for another place. */
  readonly thread: number
  readonly pullRequest: number
  /** Counts those of this person in this repository within an hour. */
  readonly hour: number
}

export async function countAnswers(
  db: Db,
  { ref, comment, finding, requester }: RequestingComment,
): Promise<AnswerCounts> {
  const isInThread = sql`fingerprint = ${finding?.fingerprint ?? null}`
  const isRecent = sql`created_at > now() - interval '1 hour'`
  const { rows } = await sql<AnswerCounts>`
    select count(*) filter (where pr_number = ${ref.number} and ${isInThread})::int as "thread",
      count(*) filter (where pr_number = ${ref.number})::int as "pullRequest",
      count(*) filter (where requester = ${requester} and ${isRecent})::int as "hour"
    from answers
    where repo = ${ref.repo} and reached_limit is null
      and (comment_id, is_inline) <> (${comment.id}, ${comment.isInline})
      and (pr_number = ${ref.number} or requester = ${requester})`.execute(db)
  return rows[0]!
}

/** Whether it was reported before that this limit is reached there. */
export async function isLimitReported(
  db: Db,
  { ref, finding, requester }: RequestingComment,
  limit: AnswerLimit,
): Promise<boolean> {
  const row = await db
    .selectFrom('answers')
    .select('id')
    .where('repo', '=', ref.repo)
    .where('prNumber', '=', ref.number)
    .where('reachedLimit', '=', limit)
    .$if(limit === 'thread', (query) =>
      query.where('fingerprint', '=', finding?.fingerprint ?? null),
    )
    .$if(limit === 'hour', (query) =>
      query
        .where('requester', '=', requester)
        .where('createdAt', '>', sql<Date>`now() - interval '1 hour'`),
    )
    .$if(limit === 'budget', (query) =>
      query.where(
        'createdAt',
        '>=',
        sql<Date>`date_trunc('day', now() at time zone 'UTC') at time zone 'UTC'`,
      ),
    )
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Sums the known cost of the answers on a pull request, in US dollars. */
export async function spentOnAnswersUsd(db: Db, { repo, number }: PullRequestRef): Promise<number> {
  const { total } = await db
    .selectFrom('answers')
    .select(sql<number>`coalesce(sum(cost_usd), 0)::float8`.as('total'))
    .where('repo', '=', repo)
    .where('prNumber', '=', number)
    .executeTakeFirstOrThrow()
  return total
}
