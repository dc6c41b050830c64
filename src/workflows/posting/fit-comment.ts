// Puts a summary together so that it is no longer than the platform takes. Pure.

/** What a summary is made of, top to bottom; what there is nothing to say about is empty. */
export interface SummaryParts {
  readonly heading: string
  readonly text: string
  /** Of the table of findings. */
  readonly rows: readonly string[]
  readonly unplaced: string
  /** How to dismiss what is open. */
  readonly dismissing: string
  readonly states: string
  readonly impact: string
  readonly memories: string
  readonly sources: string
  readonly coverage: string
  readonly footer: string
}

/** From the first to go to the last. Heading, table and footer stay. */
const optionalParts = [
  'memories',
  'sources',
  'impact',
  'coverage',
  'states',
  'unplaced',
  'text',
] as const satisfies readonly (keyof SummaryParts)[]
const leftOut = '*The comment would be longer than the platform takes: some of it is left out.*'

/** Leaves out parts until the comment fits; if need be, the last rows of the table too. */
export function fitComment(whole: SummaryParts, maxLength: number): string {
  let parts = whole
  let text = joinParts(parts)
  for (const part of optionalParts) {
    if (text.length <= maxLength) return text
    parts = { ...parts, [part]: '' }
    text = joinParts(parts, leftOut)
  }
  let room = maxLength - joinParts({ ...parts, rows: [''] }, leftOut).length
  const fitting = parts.rows.findIndex((row) => {
    room -= row.length + 1
    return room < 0
  })
  return fitting === -1
    ? text
    : joinParts({ ...parts, rows: parts.rows.slice(0, fitting) }, leftOut)
}

function joinParts(parts: SummaryParts, note = ''): string {
  const table =
    parts.rows.length === 0
      ? ''
      : ['| | Finding | Where |', '|---|---|---|', ...parts.rows].join('\n')
  const {
    heading,
    text: words,
    unplaced,
    dismissing,
    states,
    impact: reach,
    memories,
    sources,
    coverage,
    footer,
  } = parts
  return [
    heading,
    words,
    table,
    unplaced,
    dismissing,
    states,
    reach,
    memories,
    sources,
    coverage,
    note,
    footer,
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}
