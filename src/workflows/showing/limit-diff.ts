// Limits a diff to what a browser can show: bounded files, lines and characters.
import type { Diff, DiffHunk, DiffLine, FileDiff } from '../../domain/diff.ts'

const maxFiles = 3000
const maxLines = 20_000
const maxCharacters = 3 * 1024 * 1024
/** Longer lines are cut, such as those of minified code. */
const maxLineLength = 1000

/** Its lines are in the unified format. */
interface ShownHunk extends Omit<DiffHunk, 'lines'> {
  readonly lines: readonly string[]
}

export interface ShownFile extends Omit<FileDiff, 'hunks' | 'truncated'> {
  readonly hunks: readonly ShownHunk[]
  /** Why lines are missing; null if there are all. */
  readonly leftOut: string | null
}

export interface ShownDiff {
  readonly files: readonly ShownFile[]
  /** Each note is one sentence about missing files. */
  readonly notes: readonly string[]
}

interface RemainingCapacity {
  lines: number
  characters: number
}

/**
 * Keeps the order of the files; files beyond the capacity lose their lines.
 *
 * @param first paths that get capacity before the others
 */
export function limitDiff(diff: Diff, first: ReadonlySet<string>): ShownDiff {
  const listed = diff.files.slice(0, maxFiles)
  const capacity: RemainingCapacity = { lines: maxLines, characters: maxCharacters }
  const shown = new Map<FileDiff, ShownFile>()
  for (const file of listed) if (first.has(file.path)) shown.set(file, showFile(file, capacity))
  for (const file of listed) if (!shown.has(file)) shown.set(file, showFile(file, capacity))
  const omittedCount = diff.files.length - listed.length
  return {
    files: listed.map((file) => shown.get(file) as ShownFile),
    notes:
      omittedCount > 0
        ? [...diff.problems, `${omittedCount} more files are not listed.`]
        : diff.problems,
  }
}

function showFile({ hunks, truncated, ...file }: FileDiff, capacity: RemainingCapacity): ShownFile {
  const lines = hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0)
  const cutLines = hunks.map((hunk) => hunk.lines.flatMap(writeLine))
  const characters = cutLines.reduce(
    (sum, texts) => sum + texts.reduce((length, text) => length + text.length, 0),
    0,
  )
  if (lines > capacity.lines || characters > capacity.characters) {
    return { ...file, hunks: [], leftOut: 'The diff is too large to show all of it.' }
  }
  capacity.lines -= lines
  capacity.characters -= characters
  const isCut = hunks.some((hunk) => hunk.lines.some(({ text }) => text.length > maxLineLength))
  return {
    ...file,
    hunks: hunks.map((hunk, index) => ({ ...hunk, lines: cutLines[index] as string[] })),
    leftOut: describeOmission(truncated, isCut),
  }
}

function describeOmission(truncated: boolean, hasCutLines: boolean): string | null {
  if (truncated) return 'The diff of this file is not whole.'
  return hasCutLines ? `Lines of more than ${maxLineLength} characters are cut.` : null
}

const markers = { context: ' ', added: '+', deleted: '-' } as const

function writeLine({ kind, text, noNewlineAtEnd }: DiffLine): string[] {
  const cut = text.length > maxLineLength ? `${text.slice(0, maxLineLength)}…` : text
  const line = `${markers[kind]}${cut}`.toWellFormed()
  return noNewlineAtEnd ? [line, '\\ No newline at end of file'] : [line]
}
