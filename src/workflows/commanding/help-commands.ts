// Commands that show what holds: the list of commands, and the settings.
import { commands } from '../../commands/commands.ts'
import { renderSettings } from '../posting/render-settings.ts'
import { answerWith, type Command, type CommandTask, done, refused } from './command.ts'

const whoMay = { writers: 'with write permission', author: 'and the author' } as const

export const help: Command = async ({ platform }, { mention }) => {
  const rows = Object.values(commands).map(
    ({ usage, summary, who }) => `- \`${mention} ${usage}\` ${summary} (${whoMay[who]})`,
  )
  return answerWith(
    done(
      'Commands are for people with write permission; those marked "and the author" are for the ' +
        `author of the ${platform.terms.pullRequest}, too.\n\n${rows.join('\n')}`,
    ),
  )
}

/** Answers a comment that starts with a mention and names no command. */
export function answerUnknown({ mention }: Pick<CommandTask, 'mention'>) {
  const names = Object.keys(commands).map((name) => `\`${name}\``)
  return refused(`That is no command. \`${mention} help\` explains these: ${names.join(', ')}.`)
}

/** Shows nothing that the readers of the pull request can't read. */
export const configuration: Command = async (ctx, { access, pullRequest, signal }) =>
  answerWith(done(await renderSettings(ctx, access, pullRequest.base.sha, signal)))
