// Answers a comment: does its command, or answers a reply in the thread of a finding.
import { type Actor, countRecentCommands, findActor, recordAudit } from '../accounts/audit.ts'
import { type CommandName, mayUse, type Requester } from '../commands/commands.ts'
import type { AppContext } from '../context.ts'
import type { Db } from '../db/database.ts'
import type { AuditAction } from '../db/schema.ts'
import { transactionWithRetry } from '../db/transaction.ts'
import { RequestError } from '../domain/errors.ts'
import type { CommentAnswer } from '../domain/platform-request.ts'
import { permitsWriting } from '../platforms/permits-writing.ts'
import { saveAnswer } from '../work/platform-requests.ts'
import { assertHeld, finish } from '../work/work-items.ts'
import { type Command, type CommandTask, type CommentTask, refused } from './commanding/command.ts'
import { ask, converse, explain } from './commanding/converse.ts'
import { dismiss, resolve } from './commanding/finding-commands.ts'
import { answerUnknown, configuration, help } from './commanding/help-commands.ts'
import { forget, remember } from './commanding/memory-commands.ts'
import { type ClaimedComment, type OpenComment, withComment } from './commanding/open-comment.ts'
import { postAnswer, react } from './commanding/post-answer.ts'
import { pause, resume, review, reviewFull } from './commanding/review-commands.ts'
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
    if (!mayUse(parsed.name, task.requester)) return
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

/**
 * Does what the comment says and stores the answer, in one transaction: what follows can be
 * repeated. Null if the comment isn't answered.
 */
async function makeAnswer(ctx: AppContext, open: OpenComment): Promise<CommentAnswer | null> {
  const { parsed, beforeWrite } = open
  const { task, mayWrite } = await readTask(ctx, open)
  const name = parsed.kind === 'command' ? parsed.name : null
  if (parsed.kind !== 'none' && !mayWrite && (await isTooMany(ctx, task))) return null
  if (!mayUse(name, task.requester)) return refuse(ctx, open, task)
  if (parsed.kind === 'none') return answerReply(ctx, open, task)
  if (parsed.kind === 'unknown') return store(ctx, open, task, async () => answerUnknown(task))
  await react(ctx, open, 'eyes')
  const command = { ...task, beforeWrite, name: parsed.name, argument: parsed.argument }
  return store(ctx, open, task, await prepare(ctx, command))
}

/** Reads who wrote the comment, and the pull request as it is now. */
async function readTask(
  ctx: AppContext,
  { request, access, ref, finding, mention, budget, signal }: OpenComment,
): Promise<{ task: CommentTask; mayWrite: boolean }> {
  const { comment, sender } = request
  const pullRequest = await ctx.platform.getPullRequest(access, ref.number, signal)
  const permission = await ctx.platform.getPermission(access, sender.login, signal)
  const isAuthor = pullRequest.author.toLowerCase() === sender.login.toLowerCase()
  const person = await findActor(ctx.db, ctx.platform.id, sender)
  const requester: Requester = { permission, isAuthor }
  const opened = { ref, access, comment, finding, mention, budget, signal }
  const task = { ...opened, pullRequest, person, requester }
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
  if (task.requester.isAuthor) {
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
  const { answer, save } = await converse(ctx, task, { question: request.body, isCommand: false })
  await transactionWithRetry(ctx.db, async (tx) => {
    await assertHeld(tx, claim)
    await save(tx)
    await saveAnswer(tx, claim.number, answer)
  })
  return answer
}
