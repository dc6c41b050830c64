// Answers a comment: does its command, or answers a reply in the thread of a finding.
import { type Actor, countRecentCommands, recordAudit } from '../accounts/audit.ts'
import { findApp } from '../accounts/platform-apps.ts'
import { findUserByPlatformId } from '../accounts/users.ts'
import { type Asker, type CommandName, mayUse } from '../commands/commands.ts'
import { listMentionedNames } from '../commands/mentioned-names.ts'
import { type ParsedComment, parseComment } from '../commands/parse-comment.ts'
import type { AppContext } from '../context.ts'
import type { Db } from '../db/database.ts'
import type { AuditAction } from '../db/schema.ts'
import { transactionWithRetry } from '../db/transaction.ts'
import { PlatformError, RequestError } from '../domain/errors.ts'
import type { Finding } from '../domain/finding.ts'
import type { CommentAnswer, PlatformRequest } from '../domain/platform-request.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'
import { listPostedUrls } from '../events/posted-urls.ts'
import { listStoredFindings } from '../events/stored-findings.ts'
import { redactKnownSecrets } from '../lib/redact-known-secrets.ts'
import { permitsWriting } from '../platforms/permits-writing.ts'
import type { CommentReaction } from '../platforms/platform.ts'
import { saveAnswer } from '../work/platform-requests.ts'
import { assertCanWrite } from '../work/runs.ts'
import { assertHeld, type Claim, finish } from '../work/work-items.ts'
import { type ChosenAccess, withAccess } from './choose-access.ts'
import { type Command, type CommandTask, type CommentTask, refused } from './commanding/command.ts'
import { ask, converse } from './commanding/converse.ts'
import { dismiss, explain, resolve } from './commanding/finding-commands.ts'
import { answerUnknown, configuration, help } from './commanding/help-commands.ts'
import { forget, remember } from './commanding/memory-commands.ts'
import { pause, resume, review, reviewFull } from './commanding/review-commands.ts'
import { answerMarker } from './posting/markers.ts'
import { nameOf } from './request-review.ts'

const commandsByName: Record<CommandName, Command> = {
  review,
  'review full': reviewFull,
  pause,
  resume,
  dismiss,
  resolve,
  explain,
  ask,
  remember,
  forget,
  configuration,
  help,
}

type CommentRequest = Extract<PlatformRequest, { kind: 'comment' }>

interface ClaimedComment {
  readonly claim: Claim
  readonly request: CommentRequest
  readonly signal: AbortSignal
}

/** A comment whose answer is being made, with the right to write to the platform. */
interface OpenComment extends ClaimedComment {
  readonly ref: PullRequestRef
  readonly access: ChosenAccess
  readonly parsed: ParsedComment
  readonly finding: Finding | null
  readonly mention: string
  readonly beforeWrite: () => Promise<void>
}

/** Answers the claimed comment and finishes its work. Throws what stopped it. */
export async function answerComment(ctx: AppContext, comment: ClaimedComment): Promise<void> {
  const { claim } = comment
  await withComment(ctx, comment, async (open) => {
    const answer = open.request.answer ?? (await makeAnswer(ctx, open))
    if (answer !== null) await postAnswer(ctx, open, answer)
  })
  await transactionWithRetry(ctx.db, (tx) => finish(tx, claim))
}

/**
 * Says that a command failed for good, to somebody who may use it. Errors are only logged, because
 * what failed may be the platform. A reply to a finding is left alone.
 */
export async function reportFailedComment(ctx: AppContext, comment: ClaimedComment): Promise<void> {
  const say = async (open: OpenComment) => {
    const { parsed, request } = open
    if (request.answer !== undefined || parsed.kind !== 'command') return
    const { task } = await readTask(ctx, open)
    if (!mayUse(parsed.name, task.asker)) return
    await recordCommand(ctx.db, open, task.person, 'command_failed')
    const body = 'This failed, and is not tried again. The log of the service says why.'
    await postAnswer(ctx, open, refused(body))
  }
  try {
    await withComment(ctx, comment, say)
  } catch (error) {
    ctx.log.error({ err: error }, 'It could not be said that a command failed')
  }
}

/** Does nothing for a comment that is neither a command nor in the thread of a finding. */
async function withComment(
  ctx: AppContext,
  comment: ClaimedComment,
  work: (open: OpenComment) => Promise<void>,
): Promise<void> {
  const { claim, request, signal } = comment
  const names = listMentionedNames(ctx.config, await findApp(ctx.db, ctx.platform.id))
  const parsed = parseComment(request.body, names)
  const ref = { repo: claim.repo, number: request.number }
  const finding = await findThreadFinding(ctx, ref, request.comment.threadId)
  if (parsed.kind === 'none' && finding === null) return
  const mention = `@${names[0]}`
  const useAccess = (access: ChosenAccess) => {
    const beforeWrite = () => assertCanWrite(ctx.db, claim, access)
    return work({ ...comment, ref, access, parsed, finding, mention, beforeWrite })
  }
  await withAccess(ctx, claim.repo, useAccess, signal)
}

async function findThreadFinding(
  { db, platform }: AppContext,
  ref: PullRequestRef,
  threadId: string | null,
): Promise<Finding | null> {
  if (threadId === null) return null
  const opening = { id: threadId, isInline: true }
  const stored = await listStoredFindings(db, ref)
  const found = stored.find(({ commentUrl: url }) => url !== null && platform.isUrlOf(url, opening))
  return found?.finding ?? null
}

/**
 * Does what the comment says and stores the answer, in one transaction: what follows can be
 * repeated. Null if the comment isn't answered.
 */
async function makeAnswer(ctx: AppContext, open: OpenComment): Promise<CommentAnswer | null> {
  const { parsed, beforeWrite } = open
  const { task, mayWrite } = await readTask(ctx, open)
  const name = parsed.kind === 'command' ? parsed.name : null
  if (parsed.kind !== 'none' && !mayWrite && (await isTooMany(ctx, task))) return null
  if (!mayUse(name, task.asker)) return refuse(ctx, open, task)
  if (parsed.kind === 'none') return answerReply(ctx, open, task)
  if (parsed.kind === 'unknown') return store(ctx, open, task, async () => answerUnknown(task))
  await react(ctx, open, 'eyes')
  const command = { ...task, beforeWrite, name: parsed.name, argument: parsed.argument }
  return store(ctx, open, task, await prepare(ctx, command))
}

/** Reads who wrote the comment, and the pull request as it is now. */
async function readTask(
  ctx: AppContext,
  { request, access, ref, finding, mention, signal }: OpenComment,
): Promise<{ task: CommentTask; mayWrite: boolean }> {
  const { comment, sender } = request
  const pullRequest = await ctx.platform.getPullRequest(access, ref.number, signal)
  const permission = await ctx.platform.getPermission(access, sender.login, signal)
  const isAuthor = pullRequest.author.toLowerCase() === sender.login.toLowerCase()
  const user = await findUserByPlatformId(ctx.db, ctx.platform.id, sender.id)
  const person: Actor = { userId: user?.userId ?? null, login: sender.login }
  const asker: Asker = { permission, isAuthor }
  const task = { ref, access, pullRequest, comment, finding, person, asker, mention, signal }
  return { task, mayWrite: permitsWriting(permission) }
}

/** Of people who may not write: nobody can make us write many comments. */
const maxCommandsPerHour = 20

async function isTooMany({ db, log }: AppContext, { person, ref }: CommentTask): Promise<boolean> {
  const count = await countRecentCommands(db, person.login, ref.repo)
  if (count < maxCommandsPerHour) return false
  log.warn({ ...ref, login: person.login }, 'A command was ignored: its sender wrote many')
  return true
}

/** The author of the pull request gets an answer; a stranger gets a reaction. */
async function refuse(
  ctx: AppContext,
  open: OpenComment,
  task: CommentTask,
): Promise<CommentAnswer | null> {
  const { parsed } = open
  if (parsed.kind === 'none') return null
  if (task.asker.isAuthor) {
    const body = 'This command is for people who may write to this repository.'
    return store(ctx, open, task, async () => refused(body))
  }
  await recordCommand(ctx.db, open, task.person, 'command_refused')
  await react(ctx, open, 'confused')
  return null
}

async function prepare(ctx: AppContext, task: CommandTask): ReturnType<Command> {
  try {
    return await commandsByName[task.name](ctx, task)
  } catch (error) {
    const answer = toRefusal(error)
    return async () => answer
  }
}

/** Stores the answer with what `apply` changes, so that both happen once. */
async function store(
  ctx: AppContext,
  open: OpenComment,
  { person }: CommentTask,
  apply: (tx: Db) => Promise<CommentAnswer>,
): Promise<CommentAnswer> {
  const { claim, ref } = open
  const answer = await transactionWithRetry(ctx.db, async (tx) => {
    await assertHeld(tx, claim)
    const made = await apply(tx).catch(toRefusal)
    await recordCommand(tx, open, person, made.isDone ? 'command_done' : 'command_refused')
    await saveAnswer(tx, claim.number, made)
    return made
  })
  const fields = { ...ref, login: person.login, command: nameCommand(open), done: answer.isDone }
  ctx.log.info(fields, 'A command was answered')
  return answer
}

/** Nothing was changed before such an error. */
function toRefusal(error: unknown): CommentAnswer {
  if (error instanceof RequestError) return refused(error.message)
  throw error
}

async function recordCommand(
  tx: Db,
  open: OpenComment,
  person: Actor,
  action: Extract<AuditAction, `command_${string}`>,
): Promise<void> {
  await recordAudit(tx, person, action, `${nameOf(open.ref)} ${nameCommand(open)}`)
}

const nameCommand = ({ parsed }: OpenComment) =>
  parsed.kind === 'command' ? parsed.name : parsed.kind

/** Answers what a person replied to a finding. */
async function answerReply(
  ctx: AppContext,
  { claim, request }: OpenComment,
  task: CommentTask,
): Promise<CommentAnswer | null> {
  const answer = await converse(ctx, task, { text: request.body, isCommand: false })
  if (answer === null) return null
  await transactionWithRetry(ctx.db, async (tx) => {
    await assertHeld(tx, claim)
    await saveAnswer(tx, claim.number, answer)
  })
  return answer
}

async function postAnswer(
  ctx: AppContext,
  open: OpenComment,
  { body, isDone, resolvesThread }: CommentAnswer,
): Promise<void> {
  const { access, ref, request, beforeWrite, signal } = open
  const marker = answerMarker(request.comment)
  const reply = {
    number: ref.number,
    to: request.comment,
    marker,
    body: `${redactKnownSecrets(body, ctx.secrets)}\n\n${marker}`,
    beforeWrite,
  }
  await ctx.platform.ensureReply(access, reply, signal).catch(ignoreMissing)
  if (resolvesThread) await resolveThread(ctx, open)
  if (open.parsed.kind !== 'none') await react(ctx, open, isDone ? '+1' : 'confused')
}

/** Resolves the thread of the comment. A platform that refuses it is only logged. */
async function resolveThread(
  { db, platform, log }: AppContext,
  { access, ref, request, beforeWrite, signal }: OpenComment,
): Promise<void> {
  if (!platform.limits.resolvableThreads) return
  try {
    const urls = await listPostedUrls(db, ref)
    const threads = await platform.listThreads(access, ref.number, urls, signal)
    const { threadId } = request.comment
    const thread = threads.find(({ comments: [first] }) => first?.own && first.id === threadId)
    if (thread === undefined || thread.resolved) return
    await beforeWrite()
    await platform.resolveThread(access, ref.number, thread.id, signal)
  } catch (error) {
    if (!(error instanceof PlatformError) || error.retryable) throw error
    log.info({ ...ref, reason: error.message }, 'The thread of a dismissed finding stays open')
  }
}

/** A comment may be deleted before it is answered. */
async function react(
  { platform }: AppContext,
  { access, request, beforeWrite, signal }: OpenComment,
  reaction: CommentReaction,
): Promise<void> {
  await beforeWrite()
  await platform.addReaction(access, request.comment, reaction, signal).catch(ignoreMissing)
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof PlatformError && error.code === 'platform_not_found')) throw error
}
