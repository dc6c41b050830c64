// Reads the header of one file in a git diff: its paths, its modes, and what happened to it.
import type { FileDiff } from '../domain/diff.ts'
import { type LineCursor, peekLine, skipLine, startsWith } from './line-cursor.ts'
import { pathFromBytes, unquoteBytes } from './path-encoding.ts'

/** What a file's header says. */
export interface FileHeader {
  /** Undefined where no path could be read without doubt. */
  readonly path: string | undefined
  readonly oldPath: string | undefined
  readonly status: FileDiff['status']
  readonly oldMode: string | null
  readonly newMode: string | null
  readonly binary: boolean
  /** All lines that git prints together are there and understood. */
  readonly wellFormed: boolean
  /** Whether there must be hunks below: the contents differ and are text. */
  readonly expectsHunks: boolean
  readonly firstLine: string
}

interface Draft {
  oldName?: Buffer | null
  newName?: Buffer | null
  status?: FileDiff['status']
  oldMode?: string
  newMode?: string
  oids?: [string, string]
  binary?: boolean
  malformed?: boolean
  /** The contents are said to differ. */
  unlike?: boolean
  /** The header has more to say than its first line. */
  says?: boolean
}

const emptyBlobs = [
  'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',
  '473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813',
]

/** What each line of a header means; `rest` is what stands after the key. */
const headerLines: readonly (readonly [key: string, read: (draft: Draft, rest: Buffer) => void])[] =
  [
    ['old mode ', (draft, rest) => (draft.oldMode = readMode(draft, rest))],
    ['new mode ', (draft, rest) => (draft.newMode = readMode(draft, rest))],
    [
      'new file mode ',
      (draft, rest) => Object.assign(draft, { status: 'added', newMode: readMode(draft, rest) }),
    ],
    [
      'deleted file mode ',
      (draft, rest) => Object.assign(draft, { status: 'deleted', oldMode: readMode(draft, rest) }),
    ],
    [
      'rename from ',
      (draft, rest) => Object.assign(draft, { status: 'renamed', oldName: readName(draft, rest) }),
    ],
    ['rename to ', (draft, rest) => (draft.newName = readName(draft, rest))],
    [
      'copy from ',
      (draft, rest) => Object.assign(draft, { status: 'copied', oldName: readName(draft, rest) }),
    ],
    ['copy to ', (draft, rest) => (draft.newName = readName(draft, rest))],
    ['similarity index ', (draft, rest) => (draft.unlike = rest.toString('latin1') !== '100%')],
    ['dissimilarity index ', (draft) => (draft.unlike = true)],
    ['index ', readIndex],
    ['--- ', (draft, rest) => (draft.oldName ??= readPrefixedName(draft, rest, 'a/'))],
    ['+++ ', (draft, rest) => (draft.newName ??= readPrefixedName(draft, rest, 'b/'))],
    ['Binary files ', (draft) => (draft.binary = true)],
  ]

/** Reads from the `diff --` line to the first hunk or the end of the file's part; moves the cursor there. */
export function readFileHeader(cursor: LineCursor): FileHeader {
  const firstLine = peekLine(cursor)
  // `diff --cc` and `diff --combined` show a merge against several parents: no side of it has line numbers of its own.
  const git = startsWith(cursor, 'diff --git ')
  skipLine(cursor)
  const draft: Draft = {}
  while (git && cursor.position < cursor.end && readHeaderLine(cursor, draft)) draft.says = true
  return { ...finish(draft, firstLine), firstLine: firstLine.toString('utf8') }
}

function readHeaderLine(cursor: LineCursor, draft: Draft): boolean {
  if (startsWith(cursor, 'GIT binary patch')) {
    draft.binary = true
    // Its lines hold no space, so that none of them can be taken for a header.
    while (cursor.position < cursor.end && !startsWith(cursor, 'diff --')) skipLine(cursor)
    return true
  }
  for (const [key, read] of headerLines) {
    if (!startsWith(cursor, key)) continue
    read(draft, peekLine(cursor).subarray(key.length))
    skipLine(cursor)
    return true
  }
  return false
}

function finish(draft: Draft, firstLine: Buffer): Omit<FileHeader, 'firstLine'> {
  const same = commonName(firstLine.subarray('diff --git '.length))
  let status = draft.status ?? 'modified'
  if (draft.oldName === null) status = 'added'
  if (draft.newName === null) status = 'deleted'
  const moved = status === 'renamed' || status === 'copied'
  const oldName = draft.oldName ?? (moved ? undefined : (draft.newName ?? same))
  const newName = draft.newName ?? (moved ? undefined : (draft.oldName ?? same))
  const known =
    oldName !== undefined && newName !== undefined && oldName !== null && newName !== null
  const complete = isComplete(draft, status)
  return {
    path: known ? pathFromBytes(newName) : undefined,
    oldPath: known ? pathFromBytes(oldName) : undefined,
    status,
    oldMode: draft.oldMode ?? null,
    newMode: draft.newMode ?? null,
    binary: draft.binary ?? false,
    wellFormed: !draft.malformed && draft.says === true && complete,
    expectsHunks: draft.binary !== true && differs(draft.oids),
  }
}

/** Whether all lines are there that git prints together; otherwise the header was cut. */
function isComplete(draft: Draft, status: FileDiff['status']): boolean {
  if (draft.oids !== undefined || draft.binary === true) return true
  const modesMatch = (draft.oldMode === undefined) === (draft.newMode === undefined)
  return status !== 'added' && status !== 'deleted' && draft.unlike !== true && modesMatch
}

function differs(oids: [string, string] | undefined): boolean {
  if (oids === undefined) return false
  const contents = oids.filter((oid) => !/^0+$/.test(oid))
  return contents.length === 2
    ? oids[0] !== oids[1]
    : !emptyBlobs.some((oid) => oid.startsWith(contents[0] ?? ''))
}

function readIndex(draft: Draft, rest: Buffer): void {
  const match = /^([0-9a-f]{4,64})\.\.([0-9a-f]{4,64})(?: ([0-7]{6}))?$/.exec(
    rest.toString('latin1'),
  )
  if (match === null) {
    draft.malformed = true
    return
  }
  draft.oids = [match[1]!, match[2]!]
  if (match[3] !== undefined) {
    draft.oldMode ??= match[3]
    draft.newMode ??= match[3]
  }
}

function readMode(draft: Draft, rest: Buffer): string | undefined {
  const mode = rest.toString('latin1')
  if (/^[0-7]{6}$/.test(mode)) return mode
  draft.malformed = true
  return undefined
}

/** A whole name, quoted or not. git puts a tab behind unquoted names with spaces in `---` and `+++` lines. */
function readName(draft: Draft, rest: Buffer): Buffer | undefined {
  if (rest[0] !== 0x22) {
    const tab = rest.indexOf(0x09)
    return tab === -1 ? rest : rest.subarray(0, tab)
  }
  const quoted = unquoteBytes(rest, 0)
  if (quoted === undefined) draft.malformed = true
  return quoted?.bytes
}

/** A name behind `a/` or `b/`; null for `/dev/null`. */
function readPrefixedName(draft: Draft, rest: Buffer, prefix: string): Buffer | null | undefined {
  const name = readName(draft, rest)
  if (name === undefined) return undefined
  if (name.toString('latin1') === '/dev/null') return null
  const bare = withoutPrefix(name, prefix)
  if (bare === undefined) draft.malformed = true
  return bare
}

function withoutPrefix(name: Buffer, prefix: string): Buffer | undefined {
  return name.toString('latin1', 0, 2) === prefix && name.length > 2 ? name.subarray(2) : undefined
}

/**
 * The name in `a/name b/name`, which is all there is for empty files and changed modes. Names may hold spaces, so
 * the line is only clear when both halves are the same; undefined where they aren't (a rename says it elsewhere).
 */
function commonName(rest: Buffer): Buffer | undefined {
  const middle = splitNames(rest)
  if (middle === undefined) return undefined
  const oldName = withoutPrefix(middle[0], 'a/')
  const newName = withoutPrefix(middle[1], 'b/')
  return oldName !== undefined && newName !== undefined && oldName.equals(newName)
    ? newName
    : undefined
}

function splitNames(rest: Buffer): [Buffer, Buffer] | undefined {
  if (rest[0] !== 0x22) {
    const middle = (rest.length - 1) / 2
    return Number.isInteger(middle) && rest[middle] === 0x20
      ? [rest.subarray(0, middle), rest.subarray(middle + 1)]
      : undefined
  }
  const first = unquoteBytes(rest, 0)
  const second =
    first === undefined || rest[first.end] !== 0x20 ? undefined : unquoteBytes(rest, first.end + 1)
  return first === undefined || second?.end !== rest.length
    ? undefined
    : [first.bytes, second.bytes]
}
