// Renders the definitions of the insights' figures.
import { definitions } from '../../web/src/pages/insights/definitions.ts'

export function renderDefinitions(): string {
  return Object.values(definitions)
    .map(({ name, counted, source, excluded }) =>
      [
        `### ${name}`,
        ...[`**Counted.** ${counted}`, `**From.** ${source}`, `**Not counted.** ${excluded}`],
      ]
        .map(wrap)
        .join('\n\n'),
    )
    .join('\n\n')
}

/** Lines end at 100 columns. */
function wrap(text: string): string {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last === undefined || last.length + word.length >= 100) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines.join('\n')
}
