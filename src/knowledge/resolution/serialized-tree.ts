// All code of a tree in a shape that a thread can be given, and the edges that are resolved out of it, a piece at a time.
import type { FileIndex } from '../../code/code-index.ts'
import { decodeFileIndex } from '../../code/indexing/encode-file-index.ts'
import { type FileOutline, indexOutlines, openCodeView } from './code-view.ts'
import type { ImportConfig } from './import-config.ts'
import { createImportResolver } from './imports/import-resolver.ts'
import { type CodeEdge, listEdges } from './list-edges.ts'

export interface SerializedTree {
  /** Of all files, those without code too. */
  readonly paths: readonly string[]
  readonly resolution: ImportConfig
  /** Of the files that have facts. */
  readonly outlines: readonly FileOutline[]
  /** Their facts, as they are stored, one after the other. */
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Where each one's facts end. */
  readonly endOffsets: readonly number[]
}

/** Files of a piece. */
const filesPerBatch = 50
/** Facts that are at hand together, in bytes as they are stored: at hand they take some 25 times as much. */
const maxDecodedBytes = 3 * 1024 * 1024

/** A file's outline with its facts as they are stored. */
export interface SerializedFile extends FileOutline {
  readonly encodedIndex: Uint8Array
}

/** Joins what is known of the files of a tree. */
export function serializeTree(
  paths: readonly string[],
  resolution: ImportConfig,
  files: readonly SerializedFile[],
): SerializedTree {
  let end = 0
  const ends = files.map(({ encodedIndex: facts }) => {
    end += facts.length
    return end
  })
  const bytes = new Uint8Array(end)
  for (const [place, { encodedIndex: facts }] of files.entries())
    bytes.set(facts, ends[place]! - facts.length)
  return {
    paths,
    resolution,
    bytes,
    endOffsets: ends,
    outlines: files.map(({ path, names, namespace }) => ({ path, names, namespace })),
  }
}

export function countBatches({ outlines }: Pick<SerializedTree, 'outlines'>): number {
  return Math.ceil(outlines.length / filesPerBatch)
}

/** Resolves the edges of a tree by the order of its files, a piece after the other; few facts are at hand at a time. */
export function* resolveBatches(code: SerializedTree): Generator<CodeEdge[]> {
  const store = openFileIndexes(code)
  const source = indexOutlines(code.outlines, store.read)
  const imports = createImportResolver(code.paths, code.resolution)
  let view = openCodeView(source, imports)
  for (let start = 0; start < code.outlines.length; start += filesPerBatch) {
    const edges: CodeEdge[] = []
    for (const { path } of code.outlines.slice(start, start + filesPerBatch)) {
      edges.push(...listEdges(view, path))
      if (!store.isFull()) continue
      store.clear()
      view = openCodeView(source, imports)
    }
    yield edges
  }
}

/** Facts that are decoded when they are asked for. */
function openFileIndexes({ outlines, bytes, endOffsets: ends }: SerializedTree) {
  const places = new Map(outlines.map(({ path }, place) => [path, place]))
  const decoded = new Map<number, FileIndex>()
  let size = 0
  return {
    read(path: string): FileIndex | undefined {
      const place = places.get(path)
      if (place === undefined) return undefined
      const known = decoded.get(place)
      if (known !== undefined) return known
      const stored = bytes.subarray(ends[place - 1] ?? 0, ends[place])
      size += stored.length
      const facts = decodeFileIndex(stored)
      decoded.set(place, facts)
      return facts
    },
    isFull: () => size > maxDecodedBytes,
    clear() {
      decoded.clear()
      size = 0
    },
  }
}
