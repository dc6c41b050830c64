// Commands that ask a model, and replies to findings.
import type { AppContext } from '../../context.ts'
import { RequestError } from '../../domain/errors.ts'
import { answerReply, type PreparedReply } from '../conversing/answer-reply.ts'
import { type Command, type CommentTask, notInThread } from './command.ts'

/** Prepares the answer to a question, or to a plain reply in the thread of a finding. */
export function converse(
  ctx: AppContext,
  { requester, person, ...task }: CommentTask,
  asked: { readonly question: string; readonly isCommand: boolean },
): Promise<PreparedReply> {
  const { isAuthor } = requester
  return answerReply(ctx, { ...task, ...asked, requester: { login: person.login, isAuthor } })
}

export const ask: Command = async (ctx, task) => saveWith(await converseAsCommand(ctx, task))

/** A model can explain the whole change, too. */
export const explain: Command = async (ctx, task) => {
  if (task.finding === null && ctx.models.main === null)
    throw new RequestError('conflict', notInThread(task))
  return saveWith(await converseAsCommand(ctx, task))
}

function converseAsCommand(ctx: AppContext, task: Parameters<Command>[1]): Promise<PreparedReply> {
  return converse(ctx, task, { question: task.argument, isCommand: true })
}

const saveWith =
  ({ answer, save }: PreparedReply): Awaited<ReturnType<Command>> =>
  async (tx) => {
    await save(tx)
    return answer
  }
