// Asks a model to answer what somebody wrote.
import type { AppContext } from '../../context.ts'
import type { CommentAnswer } from '../../domain/platform-request.ts'
import { answerWith, type Command, type CommentTask, refused } from './command.ts'

interface Question {
  /** Empty to have the finding or the change explained. */
  readonly text: string
  /** Whether it is a command. A plain reply may be meant for other people. */
  readonly isCommand: boolean
}

/**
 * Answers a question or a reply to a finding with a model. Null if there is no model, if its budget
 * is used up, or if there is nothing to answer.
 */
export async function converse(
  _ctx: AppContext,
  _task: CommentTask,
  _question: Question,
): Promise<CommentAnswer | null> {
  return null
}

export const ask: Command = async (ctx, task) => {
  const answer = await converse(ctx, task, { text: task.argument, isCommand: true })
  return answerWith(answer ?? noAnswer(ctx, task))
}

function noAnswer({ models }: Pick<AppContext, 'models'>, { mention }: CommentTask): CommentAnswer {
  const reason =
    models.main === null
      ? 'Questions are answered by a model, and this deployment has none.'
      : 'Questions are not answered here yet.'
  const help = `\`${mention} explain\` in the thread of a finding says why it was reported.`
  return refused(`${reason} ${help}`)
}
