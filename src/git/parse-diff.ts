// Parses git's unified diffs: every line number is right, and what isn't whole is said to be so.
import type { Diff, DiffHunk, FileDiff } from '../domain/diff.ts'
import { type FileHeader, readFileHeader } from './diff-header.ts'
import { type LineCursor, peekLine, skipLine, startsWith, takeText } from './line-cursor.ts'

const MEBIBYTE = 1024 * 1024
const MAX_PROBLEMS = 50

/** How many more lines may be kept. */
interface LineBudget {
  lines: number
}

type MutableLine = {
  -readonly [Key in keyof DiffHunk['lines'][number]]: DiffHunk['lines'][number][Key]
}

/**
 * Parses the output of `git diff`. Texts are decoded as UTF-8, with U+FFFD for what isn't; for paths see
 * `pathFromBytes`. A file that became another type (say, a symbolic link) is two entries, as git prints it.
 *
 * Time is linear and memory bounded: what lies beyond `maxContentBytes` (50 MiB) or `maxLines` (a million changed and
 * context lines) is left out. Input that doesn't end with a line end counts as cut: its last line is dropped.
 * Whatever is missing or malformed marks the file as `truncated` and is named in `problems`; a file with half a
 * header, and the combined diff of a merge, are only named there. Lines that are given have the right numbers.
 * Never throws.
 */
export function parseDiff(
  input: string | Uint8Array,
  options: { maxBytes?: number; maxLines?: number } = {},
): Diff {
  const whole =
    typeof input === 'string'
      ? Buffer.from(input, 'utf8')
      : Buffer.from(input.buffer, input.byteOffset, input.byteLength)
  const maxBytes = options.maxBytes ?? 50 * MEBIBYTE
  const bytes = whole.subarray(0, maxBytes)
  const cursor: LineCursor = { bytes, end: bytes.lastIndexOf(0x0a) + 1, position: 0 }
  const budget: LineBudget = { lines: options.maxLines ?? 1_000_000 }
  const files: FileDiff[] = []
  const problems: string[] = []
  const cut = cursor.end < whole.length

  while (cursor.position < cursor.end && budget.lines > 0) {
    if (!startsWith(cursor, 'diff --')) {
      skipLine(cursor)
      continue
    }
    const file = readFile(cursor, budget, problems)
    if (file !== undefined) files.push(file)
  }

  const last = files.at(-1)
  if (budget.lines <= 0 && (last?.truncated || cursor.position < cursor.end))
    problems.unshift('The diff has too many lines: the rest was left out.')
  if (whole.length > maxBytes)
    problems.unshift(
      `The diff is larger than ${Math.round(maxBytes / MEBIBYTE)} MiB: the rest was left out.`,
    )
  else if (cut) problems.unshift('The diff ends in the middle of a line.')
  else if (
    files.length === 0 &&
    problems.length === 0 &&
    /\S/.test(bytes.toString('latin1', 0, 1000))
  )
    problems.push('There is no diff in the text.')
  if (cut && last !== undefined) files[files.length - 1] = { ...last, truncated: true }
  return { files, problems: problems.length > MAX_PROBLEMS ? shorten(problems) : problems }
}

function shorten(problems: readonly string[]): string[] {
  return [
    ...problems.slice(0, MAX_PROBLEMS),
    `There are ${problems.length - MAX_PROBLEMS} more problems like these.`,
  ]
}

/** Reads one file, from its `diff --git` line to the next. */
function readFile(
  cursor: LineCursor,
  budget: LineBudget,
  problems: string[],
): FileDiff | undefined {
  const header = readFileHeader(cursor)
  const hunks: DiffHunk[] = []
  let whole = header.wellFormed
  while (whole && startsWith(cursor, '@@')) whole = readHunk(cursor, hunks, budget)
  if (whole) whole = endsHere(cursor) && (hunks.length > 0 || !header.expectsHunks)
  while (cursor.position < cursor.end && !startsWith(cursor, 'diff --')) skipLine(cursor)

  // Half a header may name a file, but not what happened to it.
  if (header.path === undefined || !header.wellFormed) {
    problems.push(
      `The header of a file is not understood or not whole: ${printable(header.firstLine)}`,
    )
    return undefined
  }
  if (!whole && budget.lines > 0)
    problems.push(`${printable(header.path)}: the diff of this file is not whole.`)
  return { ...describe(header, header.path), hunks, ...countChanges(hunks), truncated: !whole }
}

function describe(
  header: FileHeader,
  path: string,
): Omit<FileDiff, 'hunks' | 'additions' | 'deletions' | 'truncated'> {
  return {
    path,
    oldPath: header.oldPath ?? path,
    status: header.status,
    binary: header.binary,
    submodule: header.oldMode === '160000' || header.newMode === '160000',
    oldMode: header.oldMode,
    newMode: header.newMode,
  }
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

/** Whether the file's hunks are over: more lines like those of a hunk mean that its counts were wrong. */
function endsHere(cursor: LineCursor): boolean {
  if (cursor.position >= cursor.end) return true
  const marker = cursor.bytes[cursor.position]
  // `-- ` opens the signature below a patch that was sent by mail.
  return (
    !(marker === 0x20 || marker === 0x2b || marker === 0x2d || marker === 0x40) ||
    peekLine(cursor).toString('latin1') === '-- '
  )
}

/**
 * Reads one hunk and adds it to `hunks`, so far as its lines agree with its header. The counts decide where it
 * ends: a deleted line `-- x` looks like a file header otherwise. Returns whether it was whole.
 */
function readHunk(cursor: LineCursor, hunks: DiffHunk[], budget: LineBudget): boolean {
  const header = readHunkHeader(peekLine(cursor).toString('utf8'))
  if (header === undefined || !follows(hunks.at(-1), header)) return false
  skipLine(cursor)
  const lines: MutableLine[] = []
  let oldLine = header.oldStart
  let newLine = header.newStart
  const oldEnd = oldLine + header.oldCount
  const newEnd = newLine + header.newCount
  while (
    cursor.position < cursor.end &&
    (oldLine < oldEnd || newLine < newEnd) &&
    budget.lines > 0
  ) {
    const marker = cursor.bytes[cursor.position]
    const previous = lines.at(-1)
    if (marker === 0x20 && oldLine < oldEnd && newLine < newEnd)
      lines.push({
        kind: 'context',
        text: '',
        oldLine: oldLine++,
        newLine: newLine++,
        noNewlineAtEnd: false,
      })
    else if (marker === 0x2b && newLine < newEnd)
      lines.push({
        kind: 'added',
        text: '',
        oldLine: null,
        newLine: newLine++,
        noNewlineAtEnd: false,
      })
    else if (marker === 0x2d && oldLine < oldEnd)
      lines.push({
        kind: 'deleted',
        text: '',
        oldLine: oldLine++,
        newLine: null,
        noNewlineAtEnd: false,
      })
    else if (marker === 0x5c && previous !== undefined) {
      previous.noNewlineAtEnd = true
      skipLine(cursor)
      continue
    } else break
    lines.at(-1)!.text = takeText(cursor, cursor.position + 1)
    budget.lines--
  }
  const last = lines.at(-1)
  if (last !== undefined && startsWith(cursor, '\\ ')) {
    last.noNewlineAtEnd = true
    skipLine(cursor)
  }
  const oldCount = oldLine - header.oldStart
  const newCount = newLine - header.newStart
  if (lines.length > 0) hunks.push({ ...header, oldCount, newCount, lines })
  return oldCount === header.oldCount && newCount === header.newCount && lines.length > 0
}

type HunkHeader = Omit<DiffHunk, 'lines'>

function readHunkHeader(line: string): HunkHeader | undefined {
  const match = /^@@ -(\d{1,10})(?:,(\d{1,10}))? \+(\d{1,10})(?:,(\d{1,10}))? @@(?: (.*))?$/s.exec(
    line,
  )
  if (match === null) return undefined
  const [oldStart, oldCount, newStart, newCount] = [
    match[1],
    match[2] ?? 1,
    match[3],
    match[4] ?? 1,
  ].map(Number)
  const header = {
    oldStart: oldStart!,
    oldCount: oldCount!,
    newStart: newStart!,
    newCount: newCount!,
  }
  const startsBeforeLineOne =
    (header.oldStart === 0 && oldCount !== 0) || (header.newStart === 0 && newCount !== 0)
  return startsBeforeLineOne ? undefined : { ...header, section: match[5] ?? '' }
}

/** Whether a hunk lies after the one before it, on both sides. */
function follows(previous: DiffHunk | undefined, next: HunkHeader): boolean {
  if (previous === undefined) return true
  // A side without lines names the line before it.
  const after = (start: number, count: number) => (count === 0 ? start + 1 : start + count)
  const first = (start: number, count: number) => (count === 0 ? start + 1 : start)
  return (
    first(next.oldStart, next.oldCount) >= after(previous.oldStart, previous.oldCount) &&
    first(next.newStart, next.newCount) >= after(previous.newStart, previous.newCount)
  )
}

function printable(text: string): string {
  return text.slice(0, 300).replaceAll(/\p{Cc}/gu, '\uFFFD')
}
