// Commands that show what holds: the list of commands, and the settings.
import { commands } from '../../commands/commands.ts'
import { defaultSettings, settingsPath } from '../../domain/repository-settings.ts'
import { createPlatformSnapshot } from '../gathering/platform-snapshot.ts'
import { loadSettings } from '../gathering/read-settings.ts'
import { breakCommands } from '../posting/break-commands.ts'
import { codeFence, codeSpan, escapeLine } from '../posting/escape-markdown.ts'
import { answerWith, type Command, type CommandTask, done, refused } from './command.ts'

const whoMay = { writers: 'with write permission', author: 'and the author' } as const

export const help: Command = async (_ctx, { mention }) => {
  const rows = Object.values(commands).map(
    ({ usage, summary, who }) => `- \`${mention} ${usage}\` ${summary} (${whoMay[who]})`,
  )
  return answerWith(
    done(
      'Commands are for people with write permission; those marked "and the author" are for the ' +
        `author of the pull request, too.\n\n${rows.join('\n')}`,
    ),
  )
}

/** Answers a comment that starts with a mention and names no command. */
export function answerUnknown({ mention }: Pick<CommandTask, 'mention'>) {
  const names = Object.keys(commands).map((name) => `\`${name}\``)
  return refused(`That is no command. \`${mention} help\` explains these: ${names.join(', ')}.`)
}

const maxSettingsLength = 5000

/** Shows nothing that the pull request's readers can't read: its base branch has the settings. */
export const configuration: Command = async ({ platform }, { access, pullRequest, signal }) => {
  const base = createPlatformSnapshot(platform, access, pullRequest.base.sha, signal)
  const { settings, notes } = await loadSettings(base, pullRequest)
  const changed = listValues(settings).filter(
    (line, index) => line !== listValues(defaultSettings)[index],
  )
  const where = `${codeSpan(settingsPath)} at the base branch ${codeSpan(pullRequest.base.branch)}`
  const heading =
    changed.length === 0
      ? `All settings have their defaults: ${where} changes none.`
      : `Settings of ${where} that differ from the defaults:`
  const block = codeFence('', changed.join('\n').slice(0, maxSettingsLength))
  const problems = notes.map((note) => `- ${escapeLine(note, { maxLength: 400 })}`)
  const parts = [heading, ...(changed.length === 0 ? [] : [block]), problems.join('\n')]
  return answerWith(done(breakCommands(parts.filter((part) => part !== '').join('\n\n'))))
}

/** Settings whose names in the file differ. */
const namesInFile: Readonly<Record<string, string>> = {
  minSeverity: 'severity',
  disabledRules: 'rules.disable',
}

/** Lists all values, one line each, with the keys that they have in the file. */
function listValues(settings: object, prefix = ''): string[] {
  return Object.entries(settings).flatMap(([key, value]) => {
    const snakeCase = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    const name = `${prefix}${namesInFile[key] ?? snakeCase}`
    const isMapping = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isMapping ? listValues(value, `${name}.`) : [`${name}: ${JSON.stringify(value)}`]
  })
}
