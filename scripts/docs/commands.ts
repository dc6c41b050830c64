// Renders the table of commands, with who may use each.
import { commands } from '../../src/commands/commands.ts'
import { renderTable } from './markdown-table.ts'

const who = {
  writers: 'write permission',
  author: 'write permission, or the author of the pull request',
} as const

export function renderCommands(): string {
  const rows = Object.values(commands).map((command) => [
    `\`${command.usage}\``,
    command.summary,
    who[command.who],
  ])
  return renderTable(['Command', 'What it does', 'Who may'], rows)
}
