// Bounds the number of answers, and says once where a limit is reached.
import type { Db } from '../../db/database.ts'
import { transactionWithRetry } from '../../db/transaction.ts'
import type { AnswerLimit } from '../../domain/answer.ts'
import {
  type AnswerCounts,
  countAnswers,
  insertQuestion,
  isLimitReported,
  type RequestingComment,
  readQuestion,
  saveReachedLimit,
} from '../../events/answers.ts'
import type { Platform } from '../../platforms/platform.ts'
import { lockPullRequest } from '../../work/runs.ts'

/** By thread, by pull request, and by person and repository within an hour. */
const maxAnswers: Readonly<Record<keyof AnswerCounts, number>> = {
  thread: 10,
  pullRequest: 30,
  hour: 20,
}

const noMore = 'There will be no more of them here.'

const limitNotices = (pullRequest: string): Readonly<Record<AnswerLimit, string>> => ({
  thread: `This thread has ${maxAnswers.thread} answers. ${noMore}`,
  pull_request: `This ${pullRequest} has ${maxAnswers.pullRequest} answers. ${noMore}`,
  hour:
    `You got ${maxAnswers.hour} answers in this repository within an hour. There will be no more ` +
    'of them until later.',
  budget:
    `The model budget for answers on this ${pullRequest}, or for today, is spent. There will be ` +
    'no more of them until it is raised or renewed.',
})

/** @param terms the host's words */
export function describeLimit(limit: AnswerLimit, terms: Platform['terms']): string {
  return limitNotices(terms.pullRequest)[limit]
}

/** A question that is to be answered, or why it isn't. */
type Reservation =
  | { readonly kind: 'open'; readonly id: number; readonly counts: AnswerCounts }
  /** A limit is reached, which is to be reported. */
  | { readonly kind: 'limit'; readonly id: number; readonly limit: AnswerLimit }
  /** It was answered before, or its limit was reported before. */
  | { readonly kind: 'silent' }

/**
 * Counts the question before it is answered, so that concurrent ones don't exceed a limit. Called
 * again for a question that wasn't answered, it returns the same.
 */
export function reserveAnswer(db: Db, request: RequestingComment): Promise<Reservation> {
  return transactionWithRetry(db, async (tx) => {
    await lockPullRequest(tx, request.ref)
    const stored = await readQuestion(tx, request)
    if (stored?.isAnswered) return { kind: 'silent' }
    const counts = await countAnswers(tx, request)
    const limit = stored === undefined ? findLimit(counts) : stored.reachedLimit
    const isReported = stored === undefined && limit && (await isLimitReported(tx, request, limit))
    if (isReported) return { kind: 'silent' }
    const id = stored?.id ?? (await insertQuestion(tx, request, limit))
    return limit === null ? { kind: 'open', id, counts } : { kind: 'limit', id, limit }
  })
}

/** Whether the answer to a question is to report that the budget is spent: only the first does. */
export function reserveBudgetReport(
  db: Db,
  request: RequestingComment,
  id: number,
): Promise<boolean> {
  return transactionWithRetry(db, async (tx) => {
    await lockPullRequest(tx, request.ref)
    if (await isLimitReported(tx, request, 'budget')) return false
    await saveReachedLimit(tx, id, 'budget')
    return true
  })
}

function findLimit({ thread, pullRequest, hour }: AnswerCounts): AnswerLimit | null {
  if (thread >= maxAnswers.thread) return 'thread'
  if (pullRequest >= maxAnswers.pullRequest) return 'pull_request'
  return hour >= maxAnswers.hour ? 'hour' : null
}
