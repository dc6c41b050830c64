// Assembles the summary comment within the platform's length limit.

/** Sections of the summary in their order on the pull request. Empty ones are left out. */
interface SummaryParts {
  readonly heading: string
  readonly text: string
  /** Has the open findings, as list items. */
  readonly items: readonly string[]
  /** Shows findings without a line in the diff in full. */
  readonly unplaced: string
  readonly suppressed: string
  readonly states: string
  readonly impact: string
  readonly memories: string
  readonly sources: string
  readonly coverage: string
  /** Says where to read what is left out. */
  readonly truncationNote: string
  readonly footer: string
}

/** Sections that are dropped when the comment is too long, in this order. */
const optionalParts = [
  'memories',
  'sources',
  'impact',
  'coverage',
  'states',
  'suppressed',
  'unplaced',
  'text',
] as const satisfies readonly (keyof SummaryParts)[]

/** Drops sections, and then list items, until the comment has at most `maxLength` characters. */
export function fitComment(whole: SummaryParts, maxLength: number): string {
  let parts = whole
  let comment = joinParts(parts)
  for (const part of optionalParts) {
    if (comment.length <= maxLength) return comment
    parts = { ...parts, [part]: '' }
    comment = joinParts(parts, whole.truncationNote)
  }
  const otherLength = joinParts({ ...parts, items: ['-'] }, whole.truncationNote).length
  const itemCount = countFitting(parts.items, maxLength - otherLength)
  if (itemCount === parts.items.length) return comment
  return joinParts({ ...parts, items: parts.items.slice(0, itemCount) }, whole.truncationNote)
}

function countFitting(items: readonly string[], maxLength: number): number {
  let length = 0
  for (const [index, item] of items.entries()) {
    length += item.length + 1
    if (length > maxLength) return index
  }
  return items.length
}

function joinParts(parts: SummaryParts, note = ''): string {
  return [
    parts.heading,
    parts.text,
    parts.items.join('\n'),
    parts.unplaced,
    parts.suppressed,
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
