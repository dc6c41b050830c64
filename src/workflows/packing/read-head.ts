// Reads files at the head, and what encloses what in them, once and within limits.
import type { ReviewContext } from '../../context.ts'
import type { FileDiff } from '../../domain/diff.ts'
import { GitError } from '../../domain/errors.ts'
import type { Change } from '../../reviewers/reviewer.ts'
import type { HeadView } from './file-canvas.ts'

/** Reads a file of the change at the head; undefined where there is nothing to know, or it would cost too much. */
export type ReadHead = (file: FileDiff) => Promise<HeadView | undefined>

/** Files that are read for one change, and the size of what is parsed of them all. */
const mostFiles = 60
const mostCharacters = 1024 * 1024

/** Makes the reader of one change. What was read is kept as long as the reader. */
export function createHeadReader(ctx: Pick<ReviewContext, 'syntax'>, change: Change): ReadHead {
  const known = new Map<FileDiff, Promise<HeadView | undefined>>()
  let characters = 0
  const read = async (file: FileDiff): Promise<HeadView | undefined> => {
    const text = await readText(change, file.path)
    if (text === undefined) return undefined
    const lines = text.split(/\r?\n/)
    characters += text.length
    const isParsed = characters <= mostCharacters && needsOutline(file)
    return { lines, outline: (isParsed ? await ctx.syntax.outline(file.path, text) : undefined) ?? [] }
  }
  return (file) => {
    // A new file encloses its own lines, and one that is gone has no head.
    if (file.status === 'added' || file.status === 'deleted') return Promise.resolve(undefined)
    const reading = known.get(file) ?? (known.size < mostFiles ? read(file) : Promise.resolve(undefined))
    known.set(file, reading)
    return reading
  }
}

/** At the top level of a file nothing encloses a change. */
function needsOutline({ hunks }: FileDiff): boolean {
  return hunks.some(({ lines }) => lines.some(({ kind, text }) => kind !== 'context' && /^\s+\S/.test(text)))
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
