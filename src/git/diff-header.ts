// Parses the header of one file in a git diff: its paths, its modes, and what happened to it.
import type { FileDiff } from '../domain/diff.ts'
import { type LineCursor, peekLine, skipLine, startsWith } from './line-cursor.ts'
import { pathFromBytes, unquoteBytes } from './path-encoding.ts'

export interface FileHeader {
  /** This is undefined if the header names no path, or an ambiguous one. */
  readonly path: string | undefined
  readonly oldPath: string | undefined
  readonly status: FileDiff['status']
  readonly oldMode: string | null
  readonly newMode: string | null
  readonly binary: boolean
  /** All lines that git prints together are present and valid. */
  readonly wellFormed: boolean
  /** Hunks must follow, because the contents differ and are text. */
  readonly expectsHunks: boolean
  readonly firstLine: string
}

/** What the lines read so far contain. */
interface HeaderDraft {
  /** Null for `/dev/null`: the file doesn't exist on this side. */
  oldName?: Buffer | null | undefined
  newName?: Buffer | null | undefined
  status?: FileDiff['status']
  oldMode?: string | undefined
  newMode?: string | undefined
  /** The `index` line names the old and the new blob. */
  blobIds?: readonly [string, string] | undefined
  isBinary?: boolean
  isMalformed?: boolean
  /** A similarity below 100 % was printed, so an `index` line must follow. */
  hasDifferentContents?: boolean
  hasDetailLines?: boolean
}

/** git gives these ids to empty files, in SHA-1 and SHA-256. */
const emptyBlobIds = [
  'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',
  '473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813',
]

/**
 * The lines of git's extended header (git-diff(1), "Generating patch text with -p") by key, with
 * what the rest of each means. An undefined value means that the line is malformed.
 */
const headerLines = Object.entries<(rest: Buffer, draft: HeaderDraft) => HeaderDraft>({
  'old mode ': (rest) => ({ oldMode: readMode(rest) }),
  'new mode ': (rest) => ({ newMode: readMode(rest) }),
  'new file mode ': (rest) => ({ status: 'added', newMode: readMode(rest) }),
  'deleted file mode ': (rest) => ({ status: 'deleted', oldMode: readMode(rest) }),
  'rename from ': (rest) => ({ status: 'renamed', oldName: readName(rest) }),
  'rename to ': (rest) => ({ newName: readName(rest) }),
  'copy from ': (rest) => ({ status: 'copied', oldName: readName(rest) }),
  'copy to ': (rest) => ({ newName: readName(rest) }),
  'similarity index ': (rest) => ({ hasDifferentContents: rest.toString('latin1') !== '100%' }),
  'dissimilarity index ': () => ({ hasDifferentContents: true }),
  'index ': readIndex,
  '--- ': (rest, { oldName }) => ({ oldName: oldName ?? readPrefixedName(rest, 'a/') }),
  '+++ ': (rest, { newName }) => ({ newName: newName ?? readPrefixedName(rest, 'b/') }),
  'Binary files ': () => ({ isBinary: true }),
})

/**
 * Reads from the `diff --` line to the first hunk or the end of the file's part, and moves the
 * cursor there.
 */
export function readFileHeader(cursor: LineCursor): FileHeader {
  const firstLine = peekLine(cursor)
  // `diff --cc` and `diff --combined` show merges, whose hunks have no line numbers of one side.
  const isGitDiff = startsWith(cursor, 'diff --git ')
  skipLine(cursor)
  const draft: HeaderDraft = {}
  while (isGitDiff && cursor.position < cursor.end && readHeaderLine(cursor, draft))
    draft.hasDetailLines = true
  return finishHeader(draft, firstLine)
}

/** Reads one line into the draft. Returns false, without moving, at a line of no header. */
function readHeaderLine(cursor: LineCursor, draft: HeaderDraft): boolean {
  if (startsWith(cursor, 'GIT binary patch')) {
    draft.isBinary = true
    skipBinaryPatch(cursor)
    return true
  }
  const line = headerLines.find(([key]) => startsWith(cursor, key))
  if (line === undefined) return false
  const [key, read] = line
  const part = read(peekLine(cursor).subarray(key.length), draft)
  if (Object.values(part).includes(undefined)) draft.isMalformed = true
  Object.assign(draft, part)
  skipLine(cursor)
  return true
}

/** The base-85 lines of a binary patch contain no space, so none of them looks like a header. */
function skipBinaryPatch(cursor: LineCursor): void {
  while (cursor.position < cursor.end && !startsWith(cursor, 'diff --')) skipLine(cursor)
}

function finishHeader(draft: HeaderDraft, firstLine: Buffer): FileHeader {
  const status = findStatus(draft)
  const names = findNames(draft, status, firstLine)
  const isComplete = draft.hasDetailLines === true && hasAllLines(draft, status)
  return {
    path: names && pathFromBytes(names.newName),
    oldPath: names && pathFromBytes(names.oldName),
    status,
    oldMode: draft.oldMode ?? null,
    newMode: draft.newMode ?? null,
    binary: draft.isBinary ?? false,
    wellFormed: isComplete && !draft.isMalformed,
    expectsHunks: !draft.isBinary && haveDifferentContents(draft.blobIds),
    firstLine: firstLine.toString('utf8'),
  }
}

function findStatus(draft: HeaderDraft): FileDiff['status'] {
  if (draft.newName === null) return 'deleted'
  if (draft.oldName === null) return 'added'
  return draft.status ?? 'modified'
}

/** The names on both sides; undefined if one of them is missing. */
function findNames(
  draft: HeaderDraft,
  status: FileDiff['status'],
  firstLine: Buffer,
): { oldName: Buffer; newName: Buffer } | undefined {
  let oldName = draft.oldName
  let newName = draft.newName
  // Renames and copies print both names; in other headers one name stands for both sides.
  if (status !== 'renamed' && status !== 'copied') {
    const sameName = readSameName(firstLine.subarray('diff --git '.length))
    oldName = draft.oldName ?? draft.newName ?? sameName
    newName = draft.newName ?? draft.oldName ?? sameName
  }
  return oldName && newName ? { oldName, newName } : undefined
}

/** Whether all lines that git prints together are there; otherwise the header was cut. */
function hasAllLines(draft: HeaderDraft, status: FileDiff['status']): boolean {
  if (draft.blobIds !== undefined || draft.isBinary) return true
  if (status === 'added' || status === 'deleted' || draft.hasDifferentContents) return false
  return (draft.oldMode === undefined) === (draft.newMode === undefined)
}

/** Whether a diff between the blobs has lines. An id of zeros stands for a file that is missing. */
function haveDifferentContents(blobIds: readonly [string, string] | undefined): boolean {
  if (blobIds === undefined) return false
  const contents = blobIds.filter((id) => !/^0+$/.test(id))
  if (contents.length === 2) return blobIds[0] !== blobIds[1]
  const abbreviatedId = contents[0] ?? ''
  return !emptyBlobIds.some((id) => id.startsWith(abbreviatedId))
}

/** Reads `<old id>..<new id>`, with the mode after it if both sides have the same. */
function readIndex(rest: Buffer, { oldMode, newMode }: HeaderDraft): HeaderDraft {
  const match = /^([0-9a-f]{4,64})\.\.([0-9a-f]{4,64})(?: ([0-7]{6}))?$/.exec(
    rest.toString('latin1'),
  )
  if (match === null) return { blobIds: undefined }
  const [, oldId, newId, mode] = match
  const blobIds = [oldId!, newId!] as const
  if (mode === undefined) return { blobIds }
  return { blobIds, oldMode: oldMode ?? mode, newMode: newMode ?? mode }
}

function readMode(rest: Buffer): string | undefined {
  return /^[0-7]{6}$/.exec(rest.toString('latin1'))?.[0]
}

/**
 * A name that fills the line, quoted or not. In `---` and `+++` lines git appends a tab to
 * unquoted names with spaces.
 */
function readName(rest: Buffer): Buffer | undefined {
  if (rest[0] === 0x22) return unquoteBytes(rest, 0)?.bytes
  const tab = rest.indexOf(0x09)
  return tab === -1 ? rest : rest.subarray(0, tab)
}

/** Reads a name after `a/` or `b/`; null for `/dev/null`. */
function readPrefixedName(rest: Buffer, prefix: string): Buffer | null | undefined {
  const name = readName(rest)
  return name?.toString('latin1') === '/dev/null' ? null : name && removePrefix(name, prefix)
}

function removePrefix(name: Buffer, prefix: string): Buffer | undefined {
  const hasPrefix = name.toString('latin1', 0, 2) === prefix && name.length > 2
  return hasPrefix ? name.subarray(2) : undefined
}

/**
 * The name in `a/name b/name`, the only one that git prints for empty files and changed modes.
 * Names may contain spaces, so the line is only unambiguous if both halves are equal.
 */
function readSameName(rest: Buffer): Buffer | undefined {
  const names = splitNames(rest)
  if (names === undefined) return undefined
  const oldName = removePrefix(names[0], 'a/')
  const newName = removePrefix(names[1], 'b/')
  if (oldName === undefined || newName === undefined) return undefined
  return oldName.equals(newName) ? newName : undefined
}

/** The two halves of the line, split at the space in its middle or behind a quoted name. */
function splitNames(rest: Buffer): [Buffer, Buffer] | undefined {
  if (rest[0] !== 0x22) {
    const middle = (rest.length - 1) / 2
    if (!Number.isInteger(middle) || rest[middle] !== 0x20) return undefined
    return [rest.subarray(0, middle), rest.subarray(middle + 1)]
  }
  const first = unquoteBytes(rest, 0)
  if (first === undefined || rest[first.end] !== 0x20) return undefined
  const second = unquoteBytes(rest, first.end + 1)
  if (second === undefined || second.end !== rest.length) return undefined
  return [first.bytes, second.bytes]
}
