// Reads files at the head and what encloses their lines, each once and within limits.

import type { ReviewContext } from '../../context.ts'
import type { Change } from '../../domain/change.ts'
import type { FileDiff } from '../../domain/diff.ts'
import { GitError } from '../../domain/errors.ts'
import type { CodeSymbol } from '../../languages/code-index.ts'
import { type Enclosing, findEnclosing, isIndented } from './enclosing-lines.ts'
import type { HeadView } from './file-excerpt.ts'

/**
 * Reads a changed file at the head. Undefined for added and deleted files, and beyond the limits.
 */
export type ReadHead = (file: FileDiff) => Promise<HeadView | undefined>

/** Limits per change: the number of files read, and the characters parsed. */
const maxFiles = 60
const maxParsedLength = 128 * 1024

/** Creates a reader for one change, which caches what it reads. */
export function createHeadReader(ctx: Pick<ReviewContext, 'syntax'>, change: Change): ReadHead {
  const cache = new Map<FileDiff, Promise<HeadView | undefined>>()
  let parsed = 0
  const read = async (file: FileDiff): Promise<HeadView | undefined> => {
    const text = await readText(change, file.path)
    if (text === undefined) return undefined
    const lines = text.split('\n')
    const enclosingByLine = new Map<number, readonly Enclosing[]>()
    const enclosing = (line: number) => {
      const around = enclosingByLine.get(line) ?? findEnclosing(lines, line)
      enclosingByLine.set(line, around)
      return around
    }
    // Parsing is only needed where the indentation doesn't show what encloses a line.
    if (!isUnclear(file, enclosing)) return { lines, enclosing }
    parsed += text.length
    if (parsed > maxParsedLength) return { lines, enclosing }
    const symbols = (await ctx.syntax.indexFile(file.path, text))?.symbols
    return { lines, enclosing: symbols ? (line) => enclosingDefinitions(symbols, line) : enclosing }
  }
  return (file) => {
    // The diff of an added file has all of its lines, and a deleted file has no head.
    if (file.status === 'added' || file.status === 'deleted') return Promise.resolve(undefined)
    const reading =
      cache.get(file) ?? (cache.size < maxFiles ? read(file) : Promise.resolve(undefined))
    cache.set(file, reading)
    return reading
  }
}

/** Whether a hunk is indented, but its indentation doesn't show what encloses it. */
function isUnclear({ hunks }: FileDiff, enclosing: HeadView['enclosing']): boolean {
  return hunks.some(({ lines }) => {
    const first = lines.find(({ kind, text }) => kind === 'added' && text.trim() !== '')
    return first?.newLine != null && isIndented(first.text) && enclosing(first.newLine).length === 0
  })
}

/** Lists the definitions around a line, outermost first. Values are left out. */
function enclosingDefinitions(symbols: readonly CodeSymbol[], line: number): CodeSymbol[] {
  return symbols.filter(
    ({ startLine, endLine, kind }) => kind !== 'value' && startLine < line && line <= endLine,
  )
}

async function readText(change: Change, path: string): Promise<string | undefined> {
  try {
    const bytes = await change.head.readFile(path)
    return bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  } catch (error) {
    if (error instanceof GitError) return undefined
    throw error
  }
}
