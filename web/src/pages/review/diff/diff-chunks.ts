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

interface FoldingRules {
  /** Lines that are shown before and after those of a finding. */
  readonly before: number
  readonly after: number
  /** Shorter gaps between findings stay. */
  readonly minLines: number
  /** Shorter files are shown whole. */
  readonly minFileLines: number
}

const usualFolding: FoldingRules = { before: 6, after: 6, minLines: 16, minFileLines: 80 }
/** For reviews with many findings, which would be very long otherwise. */
const tightFolding: FoldingRules = { before: 2, after: 0, minLines: 4, minFileLines: 20 }

export interface DiffPart extends DiffChunk {
  /** Its lines are far from all findings, so that they are shown on request. */
  readonly isFolded: boolean
}

/** Splits off the lines that are far from all findings. Files without findings stay as they are. */
export function foldDistantLines(
  chunks: readonly DiffChunk[],
  findings: readonly Finding[],
  isTight: boolean,
): readonly DiffPart[] {
  const rules = isTight ? tightFolding : usualFolding
  const lines = chunks.reduce((sum, { hunk }) => sum + hunk.changes.length, 0)
  const marked = new Set(findings.flatMap((finding) => findChanges(chunks, finding)))
  if (marked.size === 0 || lines < rules.minFileLines)
    return chunks.map((chunk) => ({ ...chunk, isFolded: false }))
  return chunks.flatMap((chunk) => foldChunk(chunk, marked, rules))
}

function foldChunk(
  { hunk, heading }: DiffChunk,
  marked: ReadonlySet<ChangeData>,
  { before, after, minLines }: FoldingRules,
): DiffPart[] {
  const { changes } = hunk
  const near = changes.map(() => false)
  for (const [index, change] of changes.entries()) {
    if (!marked.has(change)) continue
    near.fill(true, Math.max(0, index - before), index + after + 1)
  }
  const runs: { changes: ChangeData[]; isFolded: boolean }[] = []
  for (const [index, change] of changes.entries()) {
    const last = runs.at(-1)
    if (last?.isFolded === !near[index]) last.changes.push(change)
    else runs.push({ changes: [change], isFolded: !near[index] })
  }
  return mergeShortGaps(runs, minLines).map((run, index) => ({
    hunk: createHunk(run.changes),
    heading: index === 0 ? heading : null,
    isFolded: run.isFolded,
  }))
}

function mergeShortGaps<Run extends { changes: ChangeData[]; isFolded: boolean }>(
  runs: readonly Run[],
  minLines: number,
): Run[] {
  const merged: Run[] = []
  for (const run of runs) {
    const isFolded = run.isFolded && run.changes.length >= minLines
    const last = merged.at(-1)
    if (last !== undefined && !last.isFolded && !isFolded) last.changes.push(...run.changes)
    else merged.push({ ...run, isFolded })
  }
  return merged
}

/** Alternates removed and added lines, so that the two sides of a split view are aligned. */
export function alignSides(hunk: HunkData): HunkData {
  const changes: ChangeData[] = []
  let deleted: ChangeData[] = []
  let inserted: ChangeData[] = []
  const flush = () => {
    for (let index = 0; index < Math.max(deleted.length, inserted.length); index++)
      changes.push(...deleted.slice(index, index + 1), ...inserted.slice(index, index + 1))
    deleted = []
    inserted = []
  }
  for (const change of hunk.changes) {
    if (change.type === 'normal') flush()
    if (change.type === 'delete') deleted.push(change)
    else if (change.type === 'insert') inserted.push(change)
    else changes.push(change)
  }
  flush()
  return { ...hunk, changes }
}

/** Makes direction marks and zero-width characters visible, because they can disguise code. */
export function escapeInvisibleCharacters(text: string): string {
  return text.replace(
    /[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g,
    (hidden) => `⟨U+${hidden.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  )
}
