// Converts diffs of the API for react-diff-view, split into chunks that render one by one.
import type { ChangeData, HunkData } from 'react-diff-view'
import type { DiffFile, Finding } from '../review-queries.ts'

export interface DiffChunk {
  readonly hunk: HunkData
  /** Heading of the hunk; null for its later chunks. */
  readonly heading: string | null
}

export interface FileChunks {
  readonly chunks: readonly DiffChunk[]
  /** In characters. */
  readonly maxLineLength: number
  readonly missingFinalNewline: readonly ('old' | 'new')[]
}

/** A chunk ends at the next unchanged line after this many lines, at most at twice as many. */
const chunkLines = 100

export function splitIntoChunks(file: DiffFile): FileChunks {
  const chunks: DiffChunk[] = []
  const missingNewlineSides = new Set<'old' | 'new'>()
  let maxLineLength = 0
  for (const hunk of file.hunks) {
    const changes = convertLines(hunk, missingNewlineSides)
    for (const { content } of changes) maxLineLength = Math.max(maxLineLength, content.length)
    const heading = formatHunkHeading(hunk)
    for (const [index, part] of splitChanges(changes).entries()) {
      chunks.push({
        hunk: createHunk(part),
        heading: index === 0 ? escapeInvisibleCharacters(heading) : null,
      })
    }
  }
  return { chunks, maxLineLength, missingFinalNewline: [...missingNewlineSides] }
}

function formatHunkHeading(hunk: DiffFile['hunks'][number]): string {
  const oldRange = `-${hunk.old_start},${hunk.old_lines}`
  const newRange = `+${hunk.new_start},${hunk.new_lines}`
  return `@@ ${oldRange} ${newRange} @@ ${hunk.section}`
}

function convertLines(
  hunk: DiffFile['hunks'][number],
  missingNewlineSides: Set<'old' | 'new'>,
): ChangeData[] {
  const changes: ChangeData[] = []
  let oldLine = hunk.old_start
  let newLine = hunk.new_start
  for (const line of hunk.lines) {
    const content = escapeInvisibleCharacters(line.slice(1))
    if (line.startsWith('+'))
      changes.push({ type: 'insert', isInsert: true, lineNumber: newLine++, content })
    else if (line.startsWith('-'))
      changes.push({ type: 'delete', isDelete: true, lineNumber: oldLine++, content })
    else if (line.startsWith(' ')) {
      changes.push({
        type: 'normal',
        isNormal: true,
        oldLineNumber: oldLine++,
        newLineNumber: newLine++,
        content,
      })
    } else for (const side of sidesOf(changes.at(-1))) missingNewlineSides.add(side)
  }
  return changes
}

function sidesOf(change: ChangeData | undefined): readonly ('old' | 'new')[] {
  if (change === undefined) return []
  if (change.type === 'insert') return ['new']
  if (change.type === 'delete') return ['old']
  return ['old', 'new']
}

function splitChanges(changes: readonly ChangeData[]): ChangeData[][] {
  const parts: ChangeData[][] = []
  let part: ChangeData[] = []
  for (const change of changes) {
    const isFull =
      part.length >= chunkLines && (change.type === 'normal' || part.length >= 2 * chunkLines)
    if (part.length === 0 || isFull) {
      part = []
      parts.push(part)
    }
    part.push(change)
  }
  return parts
}

function createHunk(changes: ChangeData[]): HunkData {
  const oldStart = firstLineNumber(changes, 'old')
  const newStart = firstLineNumber(changes, 'new')
  const countExcept = (excluded: ChangeData['type']) =>
    changes.filter(({ type }) => type !== excluded).length
  return {
    content: '',
    changes,
    oldStart,
    newStart,
    oldLines: countExcept('insert'),
    newLines: countExcept('delete'),
  }
}

function firstLineNumber(changes: readonly ChangeData[], side: 'old' | 'new'): number {
  for (const change of changes) {
    const line = lineNumberOn(change, side)
    if (line !== null) return line
  }
  return 0
}

/** The line number on one side; null if the line is not on that side. */
export function lineNumberOn(change: ChangeData, side: 'old' | 'new'): number | null {
  if (change.type === 'normal') return side === 'old' ? change.oldLineNumber : change.newLineNumber
  return (change.type === 'delete') === (side === 'old') ? change.lineNumber : null
}

/** The changes in the range of a finding. The finding is shown below the last one. */
export function findChanges(
  chunks: readonly DiffChunk[],
  { side, start_line, end_line }: Finding,
): ChangeData[] {
  const findingSide = side === 'LEFT' ? 'old' : 'new'
  return chunks.flatMap(({ hunk }) =>
    hunk.changes.filter((change) => {
      const line = lineNumberOn(change, findingSide)
      return line !== null && line >= start_line && line <= end_line
    }),
  )
}

/** Makes direction marks and zero-width characters visible, because they can disguise code. */
export function escapeInvisibleCharacters(text: string): string {
  return text.replace(
    /[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g,
    (hidden) => `⟨U+${hidden.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  )
}
