// Bounds the number of answers, and says once where a limit is reached.
import type { Db } from '../../db/database.ts'
import { transactionWithRetry } from '../../db/transaction.ts'
import type { AnswerLimit } from '../../domain/answer.ts'
import {
  type AnswerCounts,
  countAnswers,
  insertAnswer,
  isLimitReported,
  type RequestingComment,
  readAnswer,
  saveAnswer,
} from '../../events/answers.ts'
import { lockPullRequest } from '../../work/runs.ts'

/** By thread, by pull request, and by person and repository within an hour. */
const maxAnswers: Readonly<Record<keyof AnswerCounts, number>> = {
  thread: 10,
  pullRequest: 30,
  hour: 20,
}

const noMore = 'There will be no more of them here.'

const notices: Readonly<Record<AnswerLimit, string>> = {
  thread: `This thread has ${maxAnswers.thread} answers. ${noMore}`,
  pull_request: `This pull request has ${maxAnswers.pullRequest} answers. ${noMore}`,
  hour:
    `You got ${maxAnswers.hour} answers in this repository within an hour. There will be no more ` +
    'of them until later.',
  budget:
    'The model budget for answers on this pull request, or for today, is spent. There will be no ' +
    'more of them until it is raised or renewed.',
}

/** A question that is to be answered, with the counts of the others, or its answer. */
type Reservation =
  | { readonly isOpen: true; readonly id: number; readonly counts: AnswerCounts }
  /** The text is empty if nothing is posted. */
  | { readonly isOpen: false; readonly body: string }

/**
 * Counts the question before it is answered, so that concurrent ones don't exceed a limit. Returns
 * the answer that the comment got before, if there is one.
 */
export function reserveAnswer(db: Db, request: RequestingComment): Promise<Reservation> {
  return transactionWithRetry(db, async (tx) => {
    await lockPullRequest(tx, request.ref)
    const stored = await readAnswer(tx, request)
    if (stored !== undefined && stored.body !== null) return { isOpen: false, body: stored.body }
    const counts = await countAnswers(tx, request)
    if (stored !== undefined) return { isOpen: true, id: stored.id, counts }
    const limit = findLimit(counts)
    if (limit === null) return { isOpen: true, id: await insertAnswer(tx, request), counts }
    const body = await describeLimitOnce(tx, request, limit)
    // Only what is posted is stored: further questions leave no trace.
    if (body !== '') await saveLimit(tx, await insertAnswer(tx, request), body, limit)
    return { isOpen: false, body }
  })
}

function findLimit({ thread, pullRequest, hour }: AnswerCounts): AnswerLimit | null {
  if (thread >= maxAnswers.thread) return 'thread'
  if (pullRequest >= maxAnswers.pullRequest) return 'pull_request'
  return hour >= maxAnswers.hour ? 'hour' : null
}

/** Returns the notice for the first question over a limit, and an empty text for the others. */
export async function describeLimitOnce(
  tx: Db,
  request: RequestingComment,
  limit: AnswerLimit,
): Promise<string> {
  return (await isLimitReported(tx, request, limit)) ? '' : notices[limit]
}

async function saveLimit(tx: Db, id: number, body: string, reachedLimit: AnswerLimit) {
  await saveAnswer(tx, id, { body, position: null, reachedLimit, costUsd: 0 })
}
