// Keeps a diff within what a browser can show: a bounded number of files, lines and characters. Pure.
import type { Diff, DiffHunk, DiffLine, FileDiff } from '../../domain/diff.ts'

const maxFiles = 3000
const maxLines = 20_000
const maxCharacters = 3 * 1024 * 1024
/** Of one line; nobody reads on in a minified one. */
const maxLineLength = 1000

/** A hunk whose lines are as in a unified diff. */
export interface ShownHunk extends Omit<DiffHunk, 'lines'> {
  readonly lines: readonly string[]
}

export interface ShownFile extends Omit<FileDiff, 'hunks' | 'truncated'> {
  readonly hunks: readonly ShownHunk[]
  /** Why lines of it are missing; null where all are here. */
  readonly leftOut: string | null
}

export interface ShownDiff {
  readonly files: readonly ShownFile[]
  /** What is missing, one sentence each. */
  readonly notes: readonly string[]
}

interface RemainingCapacity {
  lines: number
  characters: number
}

/**
 * The files in the order of the diff, those that there is no room for without their lines.
 *
 * @param first paths that get room before the others
 */
export function limitDiff(diff: Diff, first: ReadonlySet<string>): ShownDiff {
  const listed = diff.files.slice(0, maxFiles)
  const room: RemainingCapacity = { lines: maxLines, characters: maxCharacters }
  const shown = new Map<FileDiff, ShownFile>()
  for (const file of listed) if (first.has(file.path)) shown.set(file, showFile(file, room))
  for (const file of listed) if (!shown.has(file)) shown.set(file, showFile(file, room))
  const more = diff.files.length - listed.length
  return {
    files: listed.map((file) => shown.get(file) as ShownFile),
    notes: more > 0 ? [...diff.problems, `${more} more files are not listed.`] : diff.problems,
  }
}

function showFile({ hunks, truncated, ...file }: FileDiff, room: RemainingCapacity): ShownFile {
  const lines = hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0)
  const cutLines = hunks.map((hunk) => hunk.lines.flatMap(writeLine))
  const characters = cutLines.reduce(
    (sum, texts) => sum + texts.reduce((length, text) => length + text.length, 0),
    0,
  )
  if (lines > room.lines || characters > room.characters) {
    return { ...file, hunks: [], leftOut: 'The diff is too large to show all of it.' }
  }
  room.lines -= lines
  room.characters -= characters
  const isCut = hunks.some((hunk) => hunk.lines.some(({ text }) => text.length > maxLineLength))
  return {
    ...file,
    hunks: hunks.map((hunk, index) => ({ ...hunk, lines: cutLines[index] as string[] })),
    leftOut: truncated
      ? 'The diff of this file is not whole.'
      : isCut
        ? `Lines of more than ${maxLineLength} characters are cut.`
        : null,
  }
}

const markers = { context: ' ', added: '+', deleted: '-' } as const

function writeLine({ kind, text, noNewlineAtEnd }: DiffLine): string[] {
  const cut = text.length > maxLineLength ? `${text.slice(0, maxLineLength)}…` : text
  const line = `${markers[kind]}${cut}`.toWellFormed()
  return noNewlineAtEnd ? [line, '\\ No newline at end of file'] : [line]
}
