// Prepares the answer to what somebody asks about a finding or a change. A model answers with the
// code at hand; without one, what is known about the finding does. Nothing else follows from it.
import { recordSpend } from '../../analytics/model-spend.ts'
import type { AppContext } from '../../context.ts'
import type { Db } from '../../db/database.ts'
import { transactionWithRetry } from '../../db/transaction.ts'
import type { AnswerLimit, AnswerPosition } from '../../domain/answer.ts'
import { noEarlierReviews } from '../../domain/change.ts'
import { ModelError } from '../../domain/errors.ts'
import type { Finding } from '../../domain/finding.ts'
import type { CommentAnswer, CommentRef } from '../../domain/platform-request.ts'
import { ownerOf, type PullRequest, type PullRequestRef } from '../../domain/pull-request.ts'
import { addAnswerCost, saveAnswerResult } from '../../events/answers.ts'
import { readPostedUrls } from '../../events/posted-urls.ts'
import { listStoredFindings } from '../../events/stored-findings.ts'
import type { Budget } from '../../models/index.ts'
import type { Access } from '../../platforms/platform.ts'
import type { Answer, Question, ThreadReply } from '../../reviewers/reviewer.ts'
import { type GatheredChange, gatherChange } from '../gather-change.ts'
import { reserveChangeMemory } from '../gathering/reserve-change-memory.ts'
import { describeFinding } from './describe-finding.ts'
import { describeLimit, reserveAnswer, reserveBudgetReport } from './limit-answers.ts'
import { readReplies, removeHidden } from './read-replies.ts'
import { renderAnswer } from './render-answer.ts'

const maxOpenFindings = 30

/** A comment that asks something, by somebody who may write or is the author. */
interface ReplyTask {
  readonly access: Access
  readonly ref: PullRequestRef
  readonly pullRequest: PullRequest
  readonly comment: CommentRef
  readonly requester: { readonly login: string; readonly isAuthor: boolean }
  /** The finding in whose thread it is; null for a question about the whole change. */
  readonly finding: Finding | null
  /** It is untrusted; empty to have the finding or the change explained. */
  readonly question: string
  /** Whether it is a command. A plain reply may be meant for other people. */
  readonly isCommand: boolean
  /** How we are mentioned, with `@`. */
  readonly mention: string
  readonly budget: Budget
  readonly signal: AbortSignal
}

export interface PreparedReply {
  /** Its text is empty, and it isn't done, if nothing is to be said. */
  readonly answer: CommentAnswer
  /**
   * Stores the position and what it cost its pull request. Call it in the transaction that stores
   * the answer.
   */
  readonly save: (tx: Db) => Promise<void>
}

const silence: CommentAnswer = { body: '', isDone: false }

/**
 * Prepares the answer to a comment whose requester may ask. Until it is saved, it can be repeated.
 *
 * @throws PlatformError if the change can't be read
 */
export async function answerReply(ctx: AppContext, task: ReplyTask): Promise<PreparedReply> {
  const { ref, comment, finding, requester, isCommand, budget } = task
  // It costs nothing, so it isn't counted.
  if (ctx.models.main === null && finding === null)
    return withoutResult(describeWithoutModel(task, noModel))
  const request = { ref, comment, finding, requester: requester.login }
  const reserved = await reserveAnswer(ctx.db, request)
  if (reserved.kind === 'silent') return withoutResult(silence)
  const { id } = reserved
  if (reserved.kind === 'limit') {
    const { answer, ...result } = reportLimit(ctx, reserved.limit)
    return { answer, save: (tx) => saveAnswerResult(tx, id, result) }
  }
  const isRepeated = !isCommand && reserved.counts.thread > 0
  const { answer, ...result } = await askOrDescribe(ctx, task, isRepeated).finally(
    // It is spent, whether the answer can be stored or not.
    () =>
      transactionWithRetry(ctx.db, async (tx) => {
        await recordSpend(tx, ref, budget)
        await addAnswerCost(tx, id, budget.usage.costUsd)
      }),
  )
  const isBudgetSpent = result.reachedLimit !== null
  const isSilent = isBudgetSpent && !(await reserveBudgetReport(ctx.db, request, id))
  return {
    answer: isSilent ? silence : answer,
    save: (tx) => saveAnswerResult(tx, id, result),
  }
}

const withoutResult = (answer: CommentAnswer): PreparedReply => ({ answer, save: async () => {} })

interface Outcome {
  readonly answer: CommentAnswer
  readonly position: AnswerPosition | null
  readonly reachedLimit: AnswerLimit | null
}

function reportLimit({ platform }: AppContext, reachedLimit: AnswerLimit): Outcome {
  const answer = { body: describeLimit(reachedLimit, platform.terms), isDone: false }
  return { answer, position: null, reachedLimit }
}

/**
 * @param isRepeated a plain reply where an answer stands: without a model, there is nothing to add
 */
async function askOrDescribe(
  ctx: AppContext,
  task: ReplyTask,
  isRepeated: boolean,
): Promise<Outcome> {
  const withoutModel = (reason: string) => ({
    answer: isRepeated ? silence : describeWithoutModel(task, reason),
    position: null,
    reachedLimit: null,
  })
  try {
    const found = await askModel(ctx, task)
    if (typeof found === 'string') return withoutModel(found)
    const body = renderAnswer(found, task, ctx.secrets)
    const answer = { body, isDone: body !== '' }
    return { answer, position: found.position, reachedLimit: null }
  } catch (error) {
    task.signal.throwIfAborted()
    if (!(error instanceof ModelError)) throw error
    ctx.log.warn({ err: error, ...task.ref }, 'A model did not answer a question')
    if (error.code === 'model_budget_spent') return reportLimit(ctx, 'budget')
    return withoutModel(error.publicMessage)
  }
}

function describeWithoutModel({ finding, mention }: ReplyTask, reason: string): CommentAnswer {
  if (finding !== null)
    return { body: `${describeFinding(finding, mention)}\n\n${reason}`, isDone: true }
  const help = `\`${mention} explain\` in the thread of a finding says why it was reported.`
  return { body: `${reason} ${help}`, isDone: false }
}

const noModel = 'Questions are answered by a model, and this deployment has none.'
const rulesOnly = (pullRequest: string) =>
  'Questions are answered by a model, and the settings of this repository let rules alone review ' +
  `this ${pullRequest}.`

/** Returns the answer, or a sentence that says why there is none. */
async function askModel(ctx: AppContext, task: ReplyTask): Promise<Answer | string> {
  if (ctx.models.main === null) return noModel
  const { pullRequest, budget, signal } = task
  const question = await readQuestion(ctx, task)
  using memory = await reserveChangeMemory(ctx, pullRequest, signal)
  await using change = await gather(ctx, task)
  memory.fit(change.diff)
  const syntax = ctx.syntax.forReview(ownerOf(task.ref.repo))
  const answerer = ctx.createAnswerer(budget, change, syntax)
  return answerer === null
    ? rulesOnly(ctx.platform.terms.pullRequest)
    : await answerer.answer(change, question, signal)
}

async function gather(
  ctx: AppContext,
  { access, ref, pullRequest, signal }: ReplyTask,
): Promise<GatheredChange> {
  const release = await ctx.gatherSemaphore.acquire(ownerOf(ref.repo), signal)
  try {
    const known = { pullRequest, earlier: noEarlierReviews, withBackground: false }
    return await gatherChange(ctx, access, known, signal)
  } finally {
    release()
  }
}

async function readQuestion(ctx: AppContext, task: ReplyTask): Promise<Question> {
  const { ref, requester, finding, isCommand } = task
  const stored = finding === null ? await listStoredFindings(ctx.db, ref) : []
  const open = stored.filter(({ finding: { state } }) => state === 'open')
  return {
    finding,
    openFindings: open.slice(0, maxOpenFindings).map((one) => one.finding),
    replies: finding === null ? [] : await readThread(ctx, task),
    requester: requester.isAuthor ? 'author' : 'writer',
    text: removeHidden(task.question),
    maySayNothing: !isCommand,
  }
}

async function readThread(
  ctx: AppContext,
  { access, ref, pullRequest, comment, signal }: ReplyTask,
): Promise<ThreadReply[]> {
  const postedUrls = await readPostedUrls(ctx.db, ref)
  const threads = await ctx.platform.listThreads(access, ref.number, postedUrls.all, signal)
  const thread = threads.find(({ comments }) => comments[0]?.id === comment.threadId)
  if (thread === undefined) return []
  const { author } = pullRequest
  return readReplies(ctx, access, thread, { author, before: comment.id }, signal)
}
