// Reads files of a snapshot as lines, with a cache of the files that were read last.
import type { Snapshot } from '../domain/snapshot.ts'

/**
 * The lines of a file without line ends; undefined if there is no file, `null` if it can't be read
 * (because it is too large, for example).
 */
export type FileLines = readonly string[] | undefined | null

export type LineReader = (path: string) => Promise<FileLines>

/** Consecutive requests mostly concern a few files. */
const maxCachedFiles = 16

/** Creates a reader with its own cache, which should live no longer than one piece of work. */
export function createLineReader(snapshot: Snapshot): LineReader {
  const cache = new Map<string, Promise<FileLines>>()
  return (path) => {
    const lines = cache.get(path) ?? readLines(snapshot, path)
    cache.delete(path)
    cache.set(path, lines)
    const [oldest] = cache.keys()
    if (cache.size > maxCachedFiles && oldest !== undefined) cache.delete(oldest)
    return lines
  }
}

async function readLines(snapshot: Snapshot, path: string): Promise<FileLines> {
  try {
    const bytes = await snapshot.readFile(path)
    if (bytes === undefined) return undefined
    const lines = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      .toString('utf8')
      .split(/\r?\n/)
    if (lines.at(-1) === '') lines.pop()
    return lines
  } catch {
    return null
  }
}
