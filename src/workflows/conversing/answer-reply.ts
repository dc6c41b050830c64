// Answers what somebody asks about a finding or a change: by a model with the code at hand, or
// without one from the documentation of the rule. Changes nothing but the stored answer.
import { recordSpend } from '../../analytics/model-spend.ts'
import { listMentionedNames } from '../../commands/mentioned-names.ts'
import type { AppContext } from '../../context.ts'
import { transactionWithRetry } from '../../db/transaction.ts'
import { noEarlierReviews } from '../../domain/change.ts'
import { ModelError } from '../../domain/errors.ts'
import type { Finding } from '../../domain/finding.ts'
import type { CommentRef } from '../../domain/platform-request.ts'
import { ownerOf, type PullRequest, type PullRequestRef } from '../../domain/pull-request.ts'
import {
  type AnswerResult,
  type RequestingComment,
  saveAnswer,
  spentOnAnswersUsd,
} from '../../events/answers.ts'
import { listPostedUrls } from '../../events/posted-urls.ts'
import { listStoredFindings } from '../../events/stored-findings.ts'
import type { Budget } from '../../models/index.ts'
import type { Access } from '../../platforms/platform.ts'
import type { Answer, Question, ThreadReply } from '../../reviewers/reviewer.ts'
import { type GatheredChange, gatherChange } from '../gather-change.ts'
import { reserveChangeMemory } from '../gathering/reserve-change-memory.ts'
import { createBackgroundBudget } from '../remembering/background-budget.ts'
import { describeLimitOnce, reserveAnswer } from './limit-answers.ts'
import { readReplies, removeHidden } from './read-replies.ts'
import { type AnswerSubject, renderAnswer, renderWithoutModel } from './render-answer.ts'

const maxOpenFindings = 30

/** A comment that asks something, by somebody who may write or is the author. */
export interface ReplyTask {
  readonly access: Access
  readonly ref: PullRequestRef
  readonly comment: CommentRef
  readonly requester: { readonly login: string; readonly isAuthor: boolean }
  /** The finding in whose thread it is; null for a question about the whole change. */
  readonly finding: Finding | null
  /** It is untrusted; empty to have the finding or the change explained. */
  readonly question: string
  /** Whether it is a command. A plain reply may be meant for other people. */
  readonly isCommand: boolean
  readonly signal: AbortSignal
}

/**
 * Returns the text that answers a comment, or null if nothing is to be posted. Called again, it
 * returns the same. The caller has checked that the requester may ask.
 *
 * @throws PlatformError if the change can't be read
 */
export async function answerReply(
  ctx: AppContext,
  task: ReplyTask,
): Promise<{ body: string } | null> {
  const { ref, comment, requester, finding, isCommand } = task
  const request: RequestingComment = { ref, comment, finding, requester: requester.login }
  const reserved = await reserveAnswer(ctx.db, request)
  if (!reserved.isOpen) return toReply(reserved.body)
  const budget = createBackgroundBudget(ctx, ref.repo, await spentOnAnswersUsd(ctx.db, ref))
  const isRepeated = !isCommand && reserved.counts.thread > 0
  const result = await respond(ctx, task, { request, budget, isRepeated })
  const body = await transactionWithRetry(ctx.db, async (tx) => {
    await recordSpend(tx, { repo: ref.repo }, budget.uses)
    return saveAnswer(tx, reserved.id, { ...result, costUsd: budget.usage.costUsd })
  })
  return toReply(body)
}

const toReply = (body: string) => (body === '' ? null : { body })

interface Response {
  readonly request: RequestingComment
  readonly budget: Budget
  /** A plain reply where an answer stands: without a model, there is nothing to add. */
  readonly isRepeated: boolean
}

async function respond(
  ctx: AppContext,
  task: ReplyTask,
  { request, budget, isRepeated }: Response,
): Promise<Omit<AnswerResult, 'costUsd'>> {
  const subject = describeSubject(ctx, task)
  const withoutModel = (reason: string) => ({
    body: isRepeated ? '' : renderWithoutModel(subject, reason),
    position: null,
    reachedLimit: null,
  })
  try {
    const answer = await askModel(ctx, task, budget)
    if (typeof answer === 'string') return withoutModel(answer)
    const body = renderAnswer(answer, subject, ctx.secrets)
    return { body, position: answer.position, reachedLimit: null }
  } catch (error) {
    task.signal.throwIfAborted()
    if (!(error instanceof ModelError)) throw error
    ctx.log.warn({ err: error, ...task.ref }, 'A model did not answer a question')
    if (error.code !== 'model_budget_spent') return withoutModel(error.publicMessage)
    const body = await describeLimitOnce(ctx.db, request, 'budget')
    return { body, position: null, reachedLimit: 'budget' }
  }
}

function describeSubject(
  { config, platform }: Pick<AppContext, 'config' | 'platform'>,
  { access, finding }: ReplyTask,
): AnswerSubject {
  const app = access.appSlug === undefined ? undefined : { slug: access.appSlug }
  const [name = config.serviceName] = listMentionedNames(config, app)
  return { finding, name, canResolve: platform.limits.resolvableThreads }
}

const noModel = 'No model is configured here, so questions are not answered.'
const rulesOnly =
  'Rules alone review this pull request, by the settings of its base branch. So no model answers ' +
  'questions about it.'

/** Returns the answer, or a sentence that says why there is none. */
async function askModel(
  ctx: AppContext,
  task: ReplyTask,
  budget: Budget,
): Promise<Answer | string> {
  if (ctx.models.main === null) return noModel
  const { access, ref, signal } = task
  const pullRequest = await ctx.platform.getPullRequest(access, ref.number, signal)
  const question = await readQuestion(ctx, task, pullRequest)
  using memory = await reserveChangeMemory(ctx, pullRequest, signal)
  await using change = await gather(ctx, task, pullRequest)
  memory.fit(change.diff)
  const syntax = ctx.syntax.forReview(ownerOf(ref.repo))
  const answerer = ctx.createAnswerer(budget, change.settings, syntax)
  return answerer === null ? rulesOnly : answerer.answer(change, question, signal)
}

async function gather(
  ctx: AppContext,
  { access, ref, signal }: ReplyTask,
  pullRequest: PullRequest,
): Promise<GatheredChange> {
  const release = await ctx.gatherSemaphore.acquire(ownerOf(ref.repo), signal)
  try {
    const known = { pullRequest, earlier: noEarlierReviews, withBackground: false }
    return await gatherChange(ctx, access, known, signal)
  } finally {
    release()
  }
}

async function readQuestion(
  ctx: AppContext,
  task: ReplyTask,
  { author }: PullRequest,
): Promise<Question> {
  const { ref, requester, finding, isCommand } = task
  const stored = finding === null ? await listStoredFindings(ctx.db, ref) : []
  const open = stored.filter(({ finding: { state } }) => state === 'open')
  return {
    finding,
    openFindings: open.slice(0, maxOpenFindings).map((one) => one.finding),
    replies: finding === null ? [] : await readThread(ctx, task, author),
    requester: requester.isAuthor ? 'author' : 'writer',
    text: removeHidden(task.question),
    maySayNothing: !isCommand,
  }
}

async function readThread(
  ctx: AppContext,
  { access, ref, comment, signal }: ReplyTask,
  author: string,
): Promise<ThreadReply[]> {
  const postedUrls = await listPostedUrls(ctx.db, ref)
  const threads = await ctx.platform.listThreads(access, ref.number, postedUrls, signal)
  const thread = threads.find(({ comments }) => comments[0]?.id === comment.threadId)
  if (thread === undefined) return []
  return readReplies(ctx, access, thread, { author, before: comment.id }, signal)
}
