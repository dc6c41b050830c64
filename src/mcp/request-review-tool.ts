// The tool that has a pull request reviewed, and waits for it.
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { z } from 'zod'
import type { Caller } from '../accounts/tokens.ts'
import type { AppContext } from '../context.ts'
import type { Db } from '../db/database.ts'
import { RequestError, UmpireError } from '../domain/errors.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'
import { type ReviewDetail, readReview } from '../events/read-review.ts'
import { createFairSemaphore } from '../lib/semaphore.ts'
import { retryReview } from '../workflows/showing/retry-review.ts'
import {
  findListedEvent,
  listedFindingSchema,
  pullRequestNumber,
  serializeFindings,
} from './finding-tools.ts'
import { defineObjectTool, type McpTool } from './mcp-tool.ts'
import { nameVerdict, repositoryNameInput, statusSchema, verdictSchema } from './review-tools.ts'

type RequestReviewContext = Pick<
  AppContext,
  'db' | 'config' | 'log' | 'platform' | 'keys' | 'wakeUps'
>

/** How often is looked whether a review has ended. */
const pollIntervalMs = 500
const maxWaitSeconds = 600
/** Reviews of one person that are waited for at a time. */
const maxWaitsPerPerson = 20
/** Reviews that one person asks for in an hour: each may cost money, and a program asks. */
const maxRequestsPerHour = 60
const maxConcurrentRequests = 4

/** Has a pull request reviewed once more. */
export function createRequestReviewTool(ctx: RequestReviewContext): McpTool {
  const { db } = ctx
  const waits = createWaitLimiter()
  /** One after the other of each person, or the count of what was asked for would not hold. */
  const asking = createFairSemaphore(maxConcurrentRequests, 1)
  return defineObjectTool({
    kind: 'object',
    name: 'request_review',
    title: 'Review a pull request now',
    description:
      'Reviews a pull request once more at its newest commit, and waits for it. Where the time is over before, the status says so: ' +
      'ask get_pr_verdict and list_pr_findings later. One that is under way already is waited for.',
    isWriting: true,
    isWaiting: true,
    deadlineMs: (maxWaitSeconds + 10) * 1000,
    input: z.object({
      repo: repositoryNameInput,
      pr_number: pullRequestNumber,
      wait_seconds: z
        .int()
        .min(0)
        .max(maxWaitSeconds)
        .default(50)
        .describe('How long to wait for it at most'),
    }),
    output: z.object({
      repo: z.string().optional(),
      pr_number: z.int().optional(),
      status: statusSchema.optional(),
      verdict: verdictSchema.optional(),
      summary: z.string().optional(),
      findings: z.array(listedFindingSchema).optional(),
      error: z.string().optional(),
    }),
    run: async ({ repo, pr_number, wait_seconds }, asker) => {
      const caller = asker.caller as Caller
      const ref = { repo, number: pr_number }
      const known = await findListedEvent(db, ref)
      if (known === undefined)
        throw new UmpireError('not_found', `${repo}#${pr_number} is not known here`)
      const release = await asking.acquire(String(caller.userId), asker.signal)
      const event = await requestReviewOnce(ctx, caller, { ...ref, known }, asker.signal).finally(
        release,
      )
      await waits.wait(caller.userId, () => waitForEnd(db, event, wait_seconds, asker.signal))
      return describe(ref, await readReview(db, [repo], event))
    },
    describeFailure: (_, error) => ({ error }),
  })
}

function describe({ repo, number }: PullRequestRef, review: ReviewDetail | undefined) {
  if (review === undefined) throw new UmpireError('not_found', 'The review is not known any more')
  const isDone = review.status === 'completed'
  return {
    repo,
    pr_number: number,
    status: review.status,
    verdict: isDone ? nameVerdict(review.verdict) : 'UNKNOWN',
    summary: review.ai_summary ?? review.error ?? '',
    findings: isDone ? serializeFindings(review) : [],
  }
}

/** Asks for a review, and returns its event. One that waits or is under way is as good. */
async function requestReviewOnce(
  ctx: RequestReviewContext,
  caller: Caller,
  { known, ...ref }: PullRequestRef & { known: number },
  signal: AbortSignal,
): Promise<number> {
  const waiting = await findWaitingEvent(ctx.db, ref)
  if (waiting !== undefined) return waiting
  await assertRequestRate(ctx.db, caller)
  try {
    return (await retryReview(ctx, caller, known, signal)) ?? known
  } catch (error) {
    // Somebody else may have asked since.
    const other =
      error instanceof RequestError && error.code === 'conflict'
        ? await findWaitingEvent(ctx.db, ref)
        : undefined
    if (other === undefined) throw error
    return other
  }
}

/** What they asked for on other ways counts too. */
async function assertRequestRate(db: Db, { userId }: Caller): Promise<void> {
  const { rows } = await sql<{ recent: boolean }>`
    select count(*) filter (where created_at > now() - interval '1 hour') >= ${sql.lit(maxRequestsPerHour)} as recent
    from (
      select created_at from audit_log
      where user_id = ${userId} and action = 'review_retried' order by id desc limit ${sql.lit(maxRequestsPerHour)}
    ) as latest`.execute(db)
  if (rows[0]?.recent)
    throw new RequestError(
      'too_many',
      `More than ${maxRequestsPerHour} reviews were asked for in an hour: try again later`,
    )
}

async function findWaitingEvent(
  db: Db,
  { repo, number }: PullRequestRef,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('events')
    .select('id')
    .where('repo', '=', repo)
    .where('pr_number', '=', number)
    .where('wants_review', '=', true)
    .where('status', 'in', ['pending', 'processing'])
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.id
}

/** Resolves when the event's review has ended, or the time is over. */
async function waitForEnd(
  db: Db,
  event: number,
  seconds: number,
  signal: AbortSignal,
): Promise<void> {
  const until = performance.now() + seconds * 1000
  for (;;) {
    const row = await db
      .selectFrom('events')
      .select('status')
      .where('id', '=', event)
      .executeTakeFirst()
    const isOpen = row?.status === 'pending' || row?.status === 'processing'
    if (!isOpen || performance.now() >= until) return
    await sleep(pollIntervalMs, undefined, { signal })
  }
}

/** Who waits: one who waits for very much already has the answer that it isn't done. */
function createWaitLimiter() {
  const waiting = new Map<number, number>()
  return {
    async wait(userId: number, work: () => Promise<void>): Promise<void> {
      const own = waiting.get(userId) ?? 0
      if (own >= maxWaitsPerPerson) return
      waiting.set(userId, own + 1)
      try {
        await work()
      } finally {
        const left = (waiting.get(userId) ?? 1) - 1
        if (left > 0) waiting.set(userId, left)
        else waiting.delete(userId)
      }
    },
  }
}
