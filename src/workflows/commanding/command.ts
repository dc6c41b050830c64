// Defines what a command gets and returns.
import type { Actor } from '../../accounts/audit.ts'
import type { CommandName, Requester } from '../../commands/commands.ts'
import type { AppContext } from '../../context.ts'
import type { Db } from '../../db/database.ts'
import type { Finding } from '../../domain/finding.ts'
import type { CommentAnswer, CommentRef } from '../../domain/platform-request.ts'
import type { PullRequest, PullRequestRef } from '../../domain/pull-request.ts'
import type { Budget } from '../../models/index.ts'
import type { ChosenAccess } from '../choose-access.ts'

/** A comment that is answered. */
export interface CommentTask {
  readonly ref: PullRequestRef
  readonly access: ChosenAccess
  readonly pullRequest: PullRequest
  readonly comment: CommentRef
  /** Null if the comment isn't in a thread of a finding. */
  readonly finding: Finding | null
  readonly person: Actor
  readonly requester: Requester
  /** It limits what the answer costs. */
  readonly budget: Budget
  /** How we are mentioned, with `@`. */
  readonly mention: string
  readonly signal: AbortSignal
}

export interface CommandTask extends CommentTask {
  readonly name: CommandName
  /** Empty if there is none. */
  readonly argument: string
  /** Throws when writing to the platform must stop. */
  readonly beforeWrite: () => Promise<void>
}

/**
 * Does what a command needs of the platform, and returns what changes the database. That runs in
 * the transaction that stores the answer. Both may throw RequestError: its message is the answer.
 */
export type Command = (
  ctx: AppContext,
  task: CommandTask,
) => Promise<(tx: Db) => Promise<CommentAnswer>>

export const done = (body: string): CommentAnswer => ({ body, isDone: true })

export const refused = (body: string): CommentAnswer => ({ body, isDone: false })

/** For commands that change nothing in the database. */
export const answerWith = (answer: CommentAnswer) => async () => answer

/** Refuses a command that is about one finding. */
export const notInThread = ({ name, mention }: Pick<CommandTask, 'name' | 'mention'>) =>
  `\`${mention} ${name}\` is about one finding: reply with it in the thread of the finding.`
