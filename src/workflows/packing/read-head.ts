// Reads and indexes files at the head, each once and within limits.
import type { ReviewContext } from '../../context.ts'
import type { Change } from '../../domain/change.ts'
import type { DiffHunk } from '../../domain/diff.ts'
import { GitError } from '../../domain/errors.ts'
import { blobIdOf } from '../../git/blob-id.ts'
import type { FileIndex } from '../../languages/code-index.ts'
import { type Enclosing, findEnclosing } from './enclosing-lines.ts'

/** A file at the head. */
export interface HeadFile {
  readonly path: string
  readonly text: string
  readonly lines: readonly string[]
  /** The object id of its blob. */
  readonly oid: string
}

/** A changed file at the head. */
export interface HeadView {
  readonly lines: readonly string[]
  /** Undefined without a grammar, and beyond the limits. */
  readonly index: FileIndex | undefined
  /** Returns what encloses a line, outermost first. */
  readonly enclosing: (line: number) => readonly Enclosing[]
}

export interface HeadReader {
  /** Undefined if the file doesn't exist or can't be read, and beyond the limits. */
  readFile(path: string): Promise<HeadFile | undefined>
  /** Undefined without a grammar, and beyond the limits. */
  readIndex(file: HeadFile): Promise<FileIndex | undefined>
  /** Undefined as for `readFile`. */
  readChanged(path: string): Promise<HeadView | undefined>
}

/** Limits per change of the unchanged files that are parsed. */
const maxParsedFiles = 24
const maxParsedLength = 256 * 1024
/** The parser takes no larger files. */
const maxFileLength = 512 * 1024

/**
 * Creates a reader for one change, which caches what it reads.
 *
 * @param maxFiles limits how many files are read
 */
export function createHeadReader(
  ctx: Pick<ReviewContext, 'syntax'>,
  change: Change,
  maxFiles = 150,
): HeadReader {
  const files = new Map<string, Promise<HeadFile | undefined>>()
  const indexes = new Map<string, Promise<FileIndex | undefined>>()
  // The review has parsed the changed files before.
  const changed = new Map(change.diff.files.map((file) => [file.path, file]))
  let filesLeft = maxParsedFiles
  let lengthLeft = maxParsedLength
  const parse = async ({ path, text, lines }: HeadFile): Promise<FileIndex | undefined> => {
    const diff = changed.get(path)
    if (diff !== undefined) {
      const parsable = text.length <= maxFileLength ? text : keepHunks(diff.hunks, lines)
      return ctx.syntax.indexFile(path, parsable)
    }
    if (filesLeft === 0 || text.length > lengthLeft) return undefined
    filesLeft--
    lengthLeft -= text.length
    return ctx.syntax.indexFile(path, text)
  }
  const reader: HeadReader = {
    readFile: (path) => {
      if (!files.has(path) && files.size >= maxFiles) return Promise.resolve(undefined)
      return getOrAdd(files, path, () => readHeadFile(change, path))
    },
    readIndex: (file) => getOrAdd(indexes, file.path, () => parse(file)),
    readChanged: async (path) => {
      const file = await reader.readFile(path)
      const index = file && (await reader.readIndex(file))
      return file && { lines: file.lines, index, enclosing: createFinder(file.lines, index) }
    },
  }
  return reader
}

function getOrAdd<Value>(map: Map<string, Value>, key: string, create: () => Value): Value {
  const value = map.get(key) ?? create()
  map.set(key, value)
  return value
}

/** Empties the lines that aren't in the diff, so that the numbers of the others stay. */
function keepHunks(hunks: readonly DiffHunk[], lines: readonly string[]): string {
  const kept = new Set(hunks.flatMap((hunk) => hunk.lines.map(({ newLine }) => newLine)))
  return lines.map((line, index) => (kept.has(index + 1) ? line : '')).join('\n')
}

/** Finds enclosing definitions, or the nearest block where no definition encloses a line. */
function createFinder(
  lines: readonly string[],
  index: FileIndex | undefined,
): HeadView['enclosing'] {
  const byLine = new Map<number, readonly Enclosing[]>()
  return (line) => {
    const known = byLine.get(line)
    if (known !== undefined) return known
    const definitions = index === undefined ? [] : findDefinitionsAround(index, line)
    const found = definitions.length > 0 ? definitions : findEnclosing(lines, line)
    byLine.set(line, found)
    return found
  }
}

/** Lists the definitions around a line, outermost first. Values are left out. */
function findDefinitionsAround({ symbols }: FileIndex, line: number): Enclosing[] {
  return symbols.filter(
    ({ startLine, endLine, kind }) => kind !== 'value' && startLine < line && line <= endLine,
  )
}

async function readHeadFile({ head }: Change, path: string): Promise<HeadFile | undefined> {
  try {
    const bytes = await head.readFile(path)
    if (bytes === undefined) return undefined
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
    return { path, text, lines: text.split('\n'), oid: blobIdOf(bytes, head.sha.length) }
  } catch (error) {
    if (error instanceof GitError) return undefined
    throw error
  }
}
