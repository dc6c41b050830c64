// Renders the tables of environment variables, one part of the document for each group.
import type { Variable, VariableGroup } from '../../src/config/variable.ts'
import { wrapText } from '../../src/lib/terminal-text.ts'
import { variableGroups } from '../../src/read-config.ts'
import { renderTable } from './markdown-table.ts'

export const configurationParts = Object.entries(variableGroups).map(([name, group]) => ({
  path: 'docs/configuration.md',
  name,
  render: () => renderGroup(group),
}))

function renderGroup({ title, intro, variables }: VariableGroup): string {
  const table = renderTable(['Variable', 'Default', 'Meaning'], variables.map(describeVariable))
  return [`## ${title}`, ...(intro === undefined ? [] : [wrap(intro)]), table].join('\n\n')
}

function describeVariable({
  name,
  secret,
  default: text,
  defaultDescription = 'none',
  help,
}: Variable): string[] {
  const label = `\`${name}\`${secret ? ' (secret)' : ''}`
  const byDefault = text === undefined ? defaultDescription : `\`${text}\``
  return [label, byDefault, help]
}

/** Breaks a paragraph into lines of at most 100 columns. */
function wrap(paragraph: string): string {
  return wrapText(paragraph, 100).join('\n')
}
