// Creates the MCP tool that requests a review of a pull request and waits for the result.
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { hasRepeatedAction } from '../accounts/audit.ts'
import type { Caller } from '../accounts/tokens.ts'
import type { RequestHosts } from '../context.ts'
import type { Db } from '../db/database.ts'
import { RequestError, UmpireError } from '../domain/errors.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'
import { findListedEvent } from '../events/listing.ts'
import { type ReviewDetail, readReview } from '../events/read-review.ts'
import { findUnfinishedRequest, isReviewUnfinished } from '../events/review-requests.ts'
import { createFairSemaphore } from '../lib/semaphore.ts'
import { retryReview } from '../workflows/showing/retry-review.ts'
import { listedFindingSchema, listOpenFindings, pullRequestNumber } from './finding-tools.ts'
import { defineObjectTool, type McpTool } from './mcp-tool.ts'
import { nameVerdict, repositoryNameInput, statusSchema, verdictSchema } from './review-tools.ts'

interface RequestReviewContext {
  readonly db: Db
  readonly hosts: RequestHosts
}

const pollIntervalMs = 500
const maxWaitSeconds = 600
const maxConcurrentWaitsPerPerson = 20
/** Each review can cost money, and a program may request many by mistake. */
const maxRequestsPerHour = 60
const maxConcurrentRequests = 4

export function createRequestReviewTool(ctx: RequestReviewContext): McpTool {
  const { db } = ctx
  const waitLimiter = createWaitLimiter()
  /** One request per person at a time: concurrent ones could exceed the hourly limit. */
  const requestSemaphore = createFairSemaphore(maxConcurrentRequests, 1)
  return defineObjectTool({
    kind: 'object',
    name: 'request_review',
    title: 'Review a pull request now',
    description:
      'Reviews a pull request again at its newest commit and waits for the result. If a review ' +
      'is already running, waits for that one. If the wait ends before the review, `status` is ' +
      'pending or processing: call get_pr_verdict and list_pr_findings later.',
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
        .describe('Maximum time to wait for the result'),
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
    run: async ({ repo, pr_number, wait_seconds }, { signal, ...context }) => {
      // Agent tools are available only to callers with a token.
      const caller = context.caller as Caller
      const ref = { repo, number: pr_number }
      const listedEvent = await findListedEvent(db, ref)
      if (listedEvent === undefined) {
        throw new UmpireError('not_found', `${repo}#${pr_number} is not known here`)
      }
      const release = await requestSemaphore.acquire(String(caller.userId), signal)
      const request = requestReviewOnce(ctx, caller, { ...ref, listedEvent }, signal)
      const event = await request.finally(release)
      await waitLimiter.wait(caller.userId, () => waitForEnd(db, event, wait_seconds, signal))
      return describeReview(ref, await readReview(db, [repo], event))
    },
    describeFailure: (_, error) => ({ error }),
  })
}

function describeReview({ repo, number }: PullRequestRef, review: ReviewDetail | undefined) {
  if (review === undefined) throw new UmpireError('not_found', 'The review no longer exists')
  const isDone = review.status === 'completed'
  return {
    repo,
    prNumber: number,
    status: review.status,
    verdict: isDone ? nameVerdict(review.verdict) : ('UNKNOWN' as const),
    summary: review.aiSummary ?? review.error ?? '',
    findings: isDone ? listOpenFindings(review) : [],
  }
}

/** Requests a review and returns its event. Returns the event of a waiting or running review. */
async function requestReviewOnce(
  ctx: RequestReviewContext,
  caller: Caller,
  { listedEvent, ...ref }: PullRequestRef & { listedEvent: number },
  signal: AbortSignal,
): Promise<number> {
  const openEvent = await findUnfinishedRequest(ctx.db, ref)
  if (openEvent !== undefined) return openEvent
  await assertRequestRate(ctx.db, caller)
  try {
    return (await retryReview(ctx, caller, listedEvent, signal)) ?? listedEvent
  } catch (error) {
    // A conflict means that another request started a review in the meantime.
    const isConflict = error instanceof RequestError && error.code === 'conflict'
    const otherEvent = isConflict ? await findUnfinishedRequest(ctx.db, ref) : undefined
    if (otherEvent === undefined) throw error
    return otherEvent
  }
}

/** The limit includes the requests that the person made through the REST API and the page. */
async function assertRequestRate(db: Db, { userId }: Caller): Promise<void> {
  if (!(await hasRepeatedAction(db, userId, 'review_retried', maxRequestsPerHour))) return
  throw new RequestError(
    'too_many',
    `You requested more than ${maxRequestsPerHour} reviews in an hour: try again later`,
  )
}

/** Resolves when the review of the event has ended, or when the time is over. */
async function waitForEnd(
  db: Db,
  event: number,
  seconds: number,
  signal: AbortSignal,
): Promise<void> {
  const deadline = performance.now() + seconds * 1000
  for (;;) {
    if (!(await isReviewUnfinished(db, event)) || performance.now() >= deadline) return
    await sleep(pollIntervalMs, undefined, { signal })
  }
}

/** Limits the waits of each person. Beyond the limit, a wait returns at once. */
function createWaitLimiter() {
  const waitsByUser = new Map<number, number>()
  return {
    async wait(userId: number, work: () => Promise<void>): Promise<void> {
      const waits = waitsByUser.get(userId) ?? 0
      if (waits >= maxConcurrentWaitsPerPerson) return
      waitsByUser.set(userId, waits + 1)
      try {
        await work()
      } finally {
        const remaining = (waitsByUser.get(userId) ?? 1) - 1
        if (remaining > 0) waitsByUser.set(userId, remaining)
        else waitsByUser.delete(userId)
      }
    },
  }
}
