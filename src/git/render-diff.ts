// Renders lines of a parsed diff compactly, with line numbers.
import type { DiffLine } from '../domain/diff.ts'

const markers: Readonly<Record<DiffLine['kind'], string>> = {
  context: ' ',
  added: '+',
  deleted: '-',
}

/** Whether all lines have their number in front, or only those that are hard to count to. */
export type NumberedLines = 'all' | 'some'

/**
 * Renders lines for a reader, without a line end after the last. Deleted lines have their number at
 * the base, all others at the head. A line without a number follows the previous line of its side.
 */
export function renderNumberedLines(lines: readonly DiffLine[], numbered: NumberedLines): string {
  let lastHead = Number.NaN
  let lastBase = Number.NaN
  const rendered = lines.map((line) => {
    const number = line.newLine ?? line.oldLine ?? 0
    const isNext = number === (line.newLine === null ? lastBase : lastHead) + 1
    const prefix = numbered === 'all' || !isNext || number % 10 === 0 ? `${number} ` : ''
    if (line.newLine === null) {
      lastBase = number
    } else {
      lastHead = number
      lastBase = Number.NaN
    }
    return `${prefix}${markers[line.kind]}${line.text}`
  })
  return rendered.join('\n')
}
