// Reads files at the head, and what encloses what in them, once and within limits.

import type { Definition } from '../../code/outline.ts'
import type { ReviewContext } from '../../context.ts'
import type { FileDiff } from '../../domain/diff.ts'
import { GitError } from '../../domain/errors.ts'
import type { Change } from '../../reviewers/reviewer.ts'
import { type Enclosing, findEnclosing, isIndented } from './enclosing-lines.ts'
import type { HeadView } from './file-excerpt.ts'

/** Reads a file of the change at the head; undefined where there is nothing to know, or it would cost too much. */
export type ReadHead = (file: FileDiff) => Promise<HeadView | undefined>

/** Files that are read for one change, and the size of those that are parsed. */
const mostFiles = 60
const mostParsed = 128 * 1024

/** Makes the reader of one change. What was read is kept as long as the reader. */
export function createHeadReader(ctx: Pick<ReviewContext, 'syntax'>, change: Change): ReadHead {
  const known = new Map<FileDiff, Promise<HeadView | undefined>>()
  let parsed = 0
  const read = async (file: FileDiff): Promise<HeadView | undefined> => {
    const text = await readText(change, file.path)
    if (text === undefined) return undefined
    const lines = text.split('\n')
    const found = new Map<number, readonly Enclosing[]>()
    const enclosing = (line: number) => {
      const around = found.get(line) ?? findEnclosing(lines, line)
      found.set(line, around)
      return around
    }
    // The parser is asked only where the indentation says nothing.
    if (!isUnclear(file, enclosing)) return { lines, enclosing }
    parsed += text.length
    if (parsed > mostParsed) return { lines, enclosing }
    const outline = await ctx.syntax.outline(file.path, text)
    return { lines, enclosing: outline ? (line) => enclosingDefinitions(outline, line) : enclosing }
  }
  return (file) => {
    // A new file encloses its own lines, and one that is gone has no head.
    if (file.status === 'added' || file.status === 'deleted') return Promise.resolve(undefined)
    const reading =
      known.get(file) ?? (known.size < mostFiles ? read(file) : Promise.resolve(undefined))
    known.set(file, reading)
    return reading
  }
}

/** Whether a hunk is indented, and nothing seems to enclose it. */
function isUnclear({ hunks }: FileDiff, enclosing: HeadView['enclosing']): boolean {
  return hunks.some(({ lines }) => {
    const first = lines.find(({ kind, text }) => kind === 'added' && text.trim() !== '')
    return first?.newLine != null && isIndented(first.text) && enclosing(first.newLine).length === 0
  })
}

/** The definitions that a line lies in, outermost first; values enclose nothing. */
function enclosingDefinitions(outline: readonly Definition[], line: number): Definition[] {
  return outline.filter(
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
