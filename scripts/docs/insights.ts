// Renders the definitions of the insights' figures.
import { wrapText } from '../../src/lib/terminal-text.ts'
import { definitions } from '../../web/src/pages/insights/definitions.ts'

export function renderDefinitions(): string {
  return Object.values(definitions)
    .map(({ name, counted, source, excluded }) =>
      [
        `### ${name}`,
        ...[`**Counted.** ${counted}`, `**From.** ${source}`, `**Not counted.** ${excluded}`],
      ]
        .map((text) => wrapText(text, 100).join('\n'))
        .join('\n\n'),
    )
    .join('\n\n')
}
