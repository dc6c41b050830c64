// The service's files as the drawing of diffs wants them: hunks cut into pieces that are drawn one after the other.
import type { ChangeData, HunkData } from 'react-diff-view'
import type { DiffFile, Finding } from '../review-queries.ts'

/** Some lines of a file that are drawn at once. */
export interface DiffChunk {
  readonly hunk: HunkData
  /** Of the hunk that begins here; null where one goes on. */
  readonly heading: string | null
}

export interface FileChunks {
  readonly chunks: readonly DiffChunk[]
  /** Of the longest line, in characters. */
  readonly maxLineLength: number
  /** Which sides end without a newline. */
  readonly missingFinalNewline: readonly ('old' | 'new')[]
}

/** A piece ends at the next line that didn't change, or where it is as long as this twice. */
const chunkLines = 100

/** Reads the lines of a file, as in a unified diff. */
export function splitIntoChunks(file: DiffFile): FileChunks {
  const pieces: DiffChunk[] = []
  const unended = new Set<'old' | 'new'>()
  let longest = 0
  for (const hunk of file.hunks) {
    const changes = convertLines(hunk, unended)
    for (const { content } of changes) longest = Math.max(longest, content.length)
    const heading = `@@ -${hunk.old_start},${hunk.old_lines} +${hunk.new_start},${hunk.new_lines} @@ ${hunk.section}`
    for (const [index, part] of splitChanges(changes).entries()) {
      pieces.push({
        hunk: createHunk(part),
        heading: index === 0 ? escapeInvisibleCharacters(heading) : null,
      })
    }
  }
  return { chunks: pieces, maxLineLength: longest, missingFinalNewline: [...unended] }
}

function convertLines(hunk: DiffFile['hunks'][number], unended: Set<'old' | 'new'>): ChangeData[] {
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
    } else for (const side of sidesOf(changes.at(-1))) unended.add(side)
  }
  return changes
}

function sidesOf(change: ChangeData | undefined): readonly ('old' | 'new')[] {
  if (change === undefined) return []
  return change.type === 'insert' ? ['new'] : change.type === 'delete' ? ['old'] : ['old', 'new']
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
  const [oldStart, newStart] = [firstLineNumber(changes, 'old'), firstLineNumber(changes, 'new')]
  const count = (other: ChangeData['type']) => changes.filter(({ type }) => type !== other).length
  return {
    content: '',
    changes,
    oldStart,
    newStart,
    oldLines: count('insert'),
    newLines: count('delete'),
  }
}

function firstLineNumber(changes: readonly ChangeData[], side: 'old' | 'new'): number {
  for (const change of changes) {
    const line = lineNumberOn(change, side)
    if (line !== null) return line
  }
  return 0
}

/** The number of a line on one side; null where it isn't on it. */
export function lineNumberOn(change: ChangeData, side: 'old' | 'new'): number | null {
  if (change.type === 'normal') return side === 'old' ? change.oldLineNumber : change.newLineNumber
  return (change.type === 'delete') === (side === 'old') ? change.lineNumber : null
}

/** The changes that a finding is about; the last of them is where it is shown. */
export function findChanges(
  pieces: readonly DiffChunk[],
  { side, start_line, end_line }: Finding,
): ChangeData[] {
  const shown = side === 'LEFT' ? 'old' : 'new'
  return pieces.flatMap(({ hunk }) =>
    hunk.changes.filter((change) => {
      const line = lineNumberOn(change, shown)
      return line !== null && line >= start_line && line <= end_line
    }),
  )
}

/** What changes how a line looks and not what it does is written out: direction marks, characters without width. */
export function escapeInvisibleCharacters(text: string): string {
  return text.replace(
    /[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g,
    (hidden) => `⟨U+${hidden.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  )
}
