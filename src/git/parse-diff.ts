// Parses git's unified diffs into files, hunks and numbered lines, and lists what is incomplete.
import type { Diff, DiffHunk, DiffLine, FileDiff } from '../domain/diff.ts'
import { type FileHeader, readFileHeader } from './diff-header.ts'
import { type LineCursor, peekLine, skipLine, startsWith, takeText } from './line-cursor.ts'
import { printable } from './path-encoding.ts'

const MEBIBYTE = 1024 * 1024
const MAX_PROBLEMS = 50

/** The kinds of lines by their first byte: a blank, `+` or `-`. */
const lineKinds = new Map<number, DiffLine['kind']>([
  [0x20, 'context'],
  [0x2b, 'added'],
  [0x2d, 'deleted'],
])
const AT_SIGN = 0x40
const BACKSLASH = 0x5c

/** The number of lines that may still be stored. */
interface LineBudget {
  lines: number
}

type MutableLine = { -readonly [Key in keyof DiffLine]: DiffLine[Key] }

/**
 * Parses the output of `git diff`. Texts are decoded as UTF-8, with U+FFFD for invalid bytes; for
 * paths see `pathFromBytes`. A file that changed its type (to a symbolic link, for example) gives
 * two entries, as git prints it.
 *
 * Time is linear and memory bounded: everything beyond `maxBytes` (50 MiB) or `maxLines` (a million
 * changed and context lines) is left out. Input without a line end at its end counts as cut: its
 * last line is dropped. If anything is missing or malformed, the file is marked as `truncated` and
 * named in `problems`; a file with an incomplete header, and the combined diff of a merge, are only
 * named there. All lines that are returned have the right numbers. Never throws.
 */
export function parseDiff(
  input: string | Uint8Array,
  options: { maxBytes?: number; maxLines?: number } = {},
): Diff {
  const whole = toBuffer(input)
  const maxBytes = options.maxBytes ?? 50 * MEBIBYTE
  const bytes = whole.subarray(0, maxBytes)
  const cursor: LineCursor = { bytes, end: bytes.lastIndexOf(0x0a) + 1, position: 0 }
  const budget: LineBudget = { lines: options.maxLines ?? 1_000_000 }
  const problems: string[] = []
  const files = readFiles(cursor, budget, problems)

  const lastFile = files.at(-1)
  const isRestUnread = lastFile?.truncated || cursor.position < cursor.end
  if (budget.lines <= 0 && isRestUnread)
    problems.unshift('The diff has too many lines: the rest was left out.')
  if (cursor.end < whole.length) {
    problems.unshift(describeCut(whole, maxBytes))
    truncateLast(files)
  }
  if (files.length === 0 && problems.length === 0 && hasText(bytes))
    problems.push('There is no diff in the text.')
  return { files, problems: limitProblems(problems) }
}

function toBuffer(input: string | Uint8Array): Buffer {
  return typeof input === 'string'
    ? Buffer.from(input, 'utf8')
    : Buffer.from(input.buffer, input.byteOffset, input.byteLength)
}

function truncateLast(files: FileDiff[]): void {
  const last = files.pop()
  if (last !== undefined) files.push({ ...last, truncated: true })
}

function hasText(bytes: Buffer): boolean {
  return /\S/.test(bytes.toString('latin1', 0, 1000))
}

function describeCut(whole: Buffer, maxBytes: number): string {
  if (whole.length <= maxBytes) return 'The diff ends in the middle of a line.'
  const mebibytes = Math.round(maxBytes / MEBIBYTE)
  return `The diff is larger than ${mebibytes} MiB: the rest was left out.`
}

function limitProblems(problems: readonly string[]): readonly string[] {
  if (problems.length <= MAX_PROBLEMS) return problems
  const omitted = problems.length - MAX_PROBLEMS
  return [...problems.slice(0, MAX_PROBLEMS), `There are ${omitted} more problems like these.`]
}

function readFiles(cursor: LineCursor, budget: LineBudget, problems: string[]): FileDiff[] {
  const files: FileDiff[] = []
  while (cursor.position < cursor.end && budget.lines > 0) {
    if (!startsWith(cursor, 'diff --')) {
      skipLine(cursor)
      continue
    }
    const file = readFile(cursor, budget, problems)
    if (file !== undefined) files.push(file)
  }
  return files
}

/** Reads one file, from its `diff --git` line to the next. */
function readFile(
  cursor: LineCursor,
  budget: LineBudget,
  problems: string[],
): FileDiff | undefined {
  const header = readFileHeader(cursor)
  const hunks: DiffHunk[] = []
  const isComplete = header.wellFormed && readHunks(cursor, header, hunks, budget)
  while (cursor.position < cursor.end && !startsWith(cursor, 'diff --')) skipLine(cursor)

  // An incomplete header may name a file, but not what happened to it.
  if (header.path === undefined || !header.wellFormed) {
    const line = printable(header.firstLine)
    problems.push(`The header of a file is not understood or not whole: ${line}`)
    return undefined
  }
  if (!isComplete && budget.lines > 0)
    problems.push(`${printable(header.path)}: the diff of this file is not whole.`)
  const { additions, deletions } = countChanges(hunks)
  return {
    path: header.path,
    oldPath: header.oldPath ?? header.path,
    status: header.status,
    binary: header.binary,
    submodule: header.oldMode === '160000' || header.newMode === '160000',
    oldMode: header.oldMode,
    newMode: header.newMode,
    hunks,
    additions,
    deletions,
    truncated: !isComplete,
  }
}

/** Reads a file's hunks into `hunks`. Returns whether they are complete. */
function readHunks(
  cursor: LineCursor,
  header: FileHeader,
  hunks: DiffHunk[],
  budget: LineBudget,
): boolean {
  while (startsWith(cursor, '@@')) {
    if (!readHunk(cursor, hunks, budget)) return false
  }
  return isAtEndOfHunks(cursor) && (hunks.length > 0 || !header.expectsHunks)
}

function countChanges(hunks: readonly DiffHunk[]): { additions: number; deletions: number } {
  let additions = 0
  let deletions = 0
  for (const hunk of hunks) {
    for (const line of hunk.lines) {
      if (line.kind === 'added') additions++
      else if (line.kind === 'deleted') deletions++
    }
  }
  return { additions, deletions }
}

/** Whether no line of a hunk follows. A further one means that the hunk's counts were wrong. */
function isAtEndOfHunks(cursor: LineCursor): boolean {
  if (cursor.position >= cursor.end) return true
  const marker = cursor.bytes[cursor.position]!
  const isHunkLine = lineKinds.has(marker) || marker === AT_SIGN
  // `-- ` opens the signature below a patch that was sent by mail.
  return !isHunkLine || peekLine(cursor).toString('latin1') === '-- '
}

/**
 * Reads one hunk and adds to `hunks` those of its lines that agree with its header. The header's
 * counts decide where it ends, because a deleted line `-- x` looks like a file header. Returns
 * whether the hunk is complete.
 */
function readHunk(cursor: LineCursor, hunks: DiffHunk[], budget: LineBudget): boolean {
  const header = readHunkHeader(peekLine(cursor).toString('utf8'))
  if (header === undefined || !isAfter(hunks.at(-1), header)) return false
  skipLine(cursor)
  const position: HunkPosition = {
    oldLine: header.oldStart,
    newLine: header.newStart,
    oldEnd: header.oldStart + header.oldCount,
    newEnd: header.newStart + header.newCount,
  }
  const lines = readHunkLines(cursor, position, budget)
  if (lines.length === 0) return false
  const oldCount = position.oldLine - header.oldStart
  const newCount = position.newLine - header.newStart
  hunks.push({ ...header, oldCount, newCount, lines })
  return oldCount === header.oldCount && newCount === header.newCount
}

/** The next line number of each side, and the first one that the hunk no longer contains. */
interface HunkPosition {
  oldLine: number
  newLine: number
  readonly oldEnd: number
  readonly newEnd: number
}

function readHunkLines(
  cursor: LineCursor,
  position: HunkPosition,
  budget: LineBudget,
): MutableLine[] {
  const lines: MutableLine[] = []
  while (cursor.position < cursor.end && isInside(position) && budget.lines > 0) {
    const marker = cursor.bytes[cursor.position]!
    const previous = lines.at(-1)
    if (marker === BACKSLASH && previous !== undefined) {
      previous.noNewlineAtEnd = true
      skipLine(cursor)
      continue
    }
    const line = createLine(marker, position)
    if (line === undefined) break
    line.text = takeText(cursor, cursor.position + 1)
    lines.push(line)
    budget.lines--
  }
  const last = lines.at(-1)
  if (last !== undefined && startsWith(cursor, '\\ ')) {
    last.noNewlineAtEnd = true
    skipLine(cursor)
  }
  return lines
}

function isInside({ oldLine, newLine, oldEnd, newEnd }: HunkPosition): boolean {
  return oldLine < oldEnd || newLine < newEnd
}

/** The line that a marker opens, still without text; undefined if it doesn't belong to the hunk. */
function createLine(marker: number, position: HunkPosition): MutableLine | undefined {
  const kind = lineKinds.get(marker)
  const isOld = kind !== 'added'
  const isNew = kind !== 'deleted'
  if (kind === undefined || (isOld && position.oldLine >= position.oldEnd)) return undefined
  if (isNew && position.newLine >= position.newEnd) return undefined
  return {
    kind,
    text: '',
    oldLine: isOld ? position.oldLine++ : null,
    newLine: isNew ? position.newLine++ : null,
    noNewlineAtEnd: false,
  }
}

type HunkHeader = Omit<DiffHunk, 'lines'>

function readHunkHeader(line: string): HunkHeader | undefined {
  const match = /^@@ -(\d{1,10})(?:,(\d{1,10}))? \+(\d{1,10})(?:,(\d{1,10}))? @@(?: (.*))?$/s.exec(
    line,
  )
  if (match === null) return undefined
  // A count of 1 is left out.
  const oldStart = Number(match[1])
  const oldCount = Number(match[2] ?? 1)
  const newStart = Number(match[3])
  const newCount = Number(match[4] ?? 1)
  const startsBeforeLineOne =
    (oldStart === 0 && oldCount !== 0) || (newStart === 0 && newCount !== 0)
  if (startsBeforeLineOne) return undefined
  return { oldStart, oldCount, newStart, newCount, section: match[5] ?? '' }
}

/** Whether a hunk lies after the previous one, on both sides. */
function isAfter(previous: DiffHunk | undefined, next: HunkHeader): boolean {
  if (previous === undefined) return true
  return (
    firstLine(next.oldStart, next.oldCount) >= lineAfter(previous.oldStart, previous.oldCount) &&
    firstLine(next.newStart, next.newCount) >= lineAfter(previous.newStart, previous.newCount)
  )
}

/** A side without lines has the number of the line before it as its start. */
function firstLine(start: number, count: number): number {
  return count === 0 ? start + 1 : start
}

function lineAfter(start: number, count: number): number {
  return firstLine(start, count) + count
}
