// Reads the files of a snapshot as lines: each once, however many ask for it.
import type { Snapshot } from './snapshot.ts'

/** The lines of a file without their ends; undefined where there is none, `null` where it can't be read (too large, say). */
export type FileLines = readonly string[] | undefined | null

export type LineReader = (path: string) => Promise<FileLines>

/** Most files that are held at once: what is asked for together mostly lies in a few. */
const maxCachedFiles = 16

/** Makes a reader that remembers the files that were asked for last. Let it go with the work that it was made for. */
export function createLineReader(snapshot: Snapshot): LineReader {
  const held = new Map<string, Promise<FileLines>>()
  return (path) => {
    const lines = held.get(path) ?? readLines(snapshot, path)
    held.delete(path)
    held.set(path, lines)
    const [oldest] = held.keys()
    if (held.size > maxCachedFiles && oldest !== undefined) held.delete(oldest)
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
