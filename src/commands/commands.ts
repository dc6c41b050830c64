// Lists the commands that people write in comments, and who may use them.
import { permitsWriting } from '../platforms/permits-writing.ts'
import type { RepositoryPermission } from '../platforms/platform.ts'

interface Command {
  /** What follows the mention. The first word, or both, name the command. */
  readonly usage: string
  readonly summary: string
  /**
   * `writers` may write to the repository. `author` includes the author of the pull request: of
   * what only answers.
   */
  readonly who: 'writers' | 'author'
  /** What follows the name; a command without one stands alone on its line. */
  readonly argument: 'none' | 'optional' | 'required'
}

/** What costs money or changes something is for writers. */
export const commands = {
  review: {
    usage: 'review',
    summary: 'reviews again',
    who: 'writers',
    argument: 'none',
  },
  'review full': {
    usage: 'review full',
    summary: 'reviews as if for the first time',
    who: 'writers',
    argument: 'none',
  },
  pause: {
    usage: 'pause',
    summary: 'pauses the reviews',
    who: 'writers',
    argument: 'none',
  },
  resume: {
    usage: 'resume',
    summary: 'ends the pause',
    who: 'writers',
    argument: 'none',
  },
  dismiss: {
    usage: 'dismiss [reason]',
    summary: 'dismisses the finding of this thread',
    who: 'writers',
    argument: 'optional',
  },
  resolve: {
    usage: 'resolve',
    summary: 'resolves this thread, which dismisses its finding',
    who: 'writers',
    argument: 'none',
  },
  explain: {
    usage: 'explain',
    summary: 'says why the finding of this thread was reported, and how to dismiss it',
    who: 'author',
    argument: 'none',
  },
  ask: {
    usage: 'ask <question>',
    summary: 'answers a question about the change',
    who: 'author',
    argument: 'required',
  },
  remember: {
    usage: 'remember <rule>',
    summary: 'adds what you wrote to the memory of this repository',
    who: 'writers',
    argument: 'required',
  },
  forget: {
    usage: 'forget <id>',
    summary: 'removes a memory that a person wrote',
    who: 'writers',
    argument: 'required',
  },
  configuration: {
    usage: 'configuration',
    summary: 'shows the settings that files set, and where each comes from',
    who: 'author',
    argument: 'none',
  },
  help: {
    usage: 'help',
    summary: 'shows this list',
    who: 'author',
    argument: 'none',
  },
} as const satisfies Record<string, Command>

export type CommandName = keyof typeof commands

/** Whether a model answers a command. */
export const isQuestion = (name: CommandName) => name === 'ask' || name === 'explain'

/** Who wrote a comment. */
export interface Requester {
  readonly permission: RepositoryPermission
  /** Whether they opened the pull request. */
  readonly isAuthor: boolean
}

/** Whether somebody may use a command; null is a comment that names none. */
export function mayUse(name: CommandName | null, { permission, isAuthor }: Requester): boolean {
  const isForAuthor = name === null || commands[name].who === 'author'
  return permitsWriting(permission) || (isForAuthor && isAuthor)
}
