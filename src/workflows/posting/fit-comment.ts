// Assembles the summary comment within the platform's length limit.

/** Sections of the summary in their order on the pull request. Empty ones are left out. */
interface SummaryParts {
  readonly heading: string
  readonly text: string
  readonly rows: readonly string[]
  /** Shows findings without a line in the diff in full. */
  readonly unplaced: string
  /** How to dismiss open findings. */
  readonly dismissing: string
  readonly states: string
  readonly impact: string
  readonly memories: string
  readonly sources: string
  readonly coverage: string
  readonly footer: string
}

/** Sections that are dropped when the comment is too long, in this order. */
const optionalParts = [
  'memories',
  'sources',
  'impact',
  'coverage',
  'states',
  'unplaced',
  'text',
] as const satisfies readonly (keyof SummaryParts)[]

const truncationNote = '*Parts of this comment are left out, because it would be too long.*'

/** Drops sections, and then table rows, until the comment has at most `maxLength` characters. */
export function fitComment(whole: SummaryParts, maxLength: number): string {
  let parts = whole
  let comment = joinParts(parts)
  for (const part of optionalParts) {
    if (comment.length <= maxLength) return comment
    parts = { ...parts, [part]: '' }
    comment = joinParts(parts, truncationNote)
  }
  const lengthWithoutRows = joinParts({ ...parts, rows: [''] }, truncationNote).length
  const rowCount = countFittingRows(parts.rows, maxLength - lengthWithoutRows)
  if (rowCount === parts.rows.length) return comment
  return joinParts({ ...parts, rows: parts.rows.slice(0, rowCount) }, truncationNote)
}

function countFittingRows(rows: readonly string[], maxLength: number): number {
  let length = 0
  for (const [index, row] of rows.entries()) {
    length += row.length + 1
    if (length > maxLength) return index
  }
  return rows.length
}

function joinParts(parts: SummaryParts, note = ''): string {
  const tableHead = ['| | Finding | Where |', '|---|---|---|']
  const table = parts.rows.length === 0 ? '' : [...tableHead, ...parts.rows].join('\n')
  return [
    parts.heading,
    parts.text,
    table,
    parts.unplaced,
    parts.dismissing,
    parts.states,
    parts.impact,
    parts.memories,
    parts.sources,
    parts.coverage,
    note,
    parts.footer,
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}
