// Serializes the code index of a tree for a worker thread, and resolves its edges in batches.
import { getHeapStatistics } from 'node:v8'
import { decodeFileIndex } from '../../code/indexing/encode-file-index.ts'
import type { FileIndex } from '../../languages/code-index.ts'
import type { ImportConfig } from '../../languages/common/import-config.ts'
import { type FileOutline, indexOutlines, openCodeView } from './code-view.ts'
import { createImportResolver } from './import-resolver.ts'
import { type CodeEdge, listEdges } from './list-edges.ts'

export interface SerializedTree {
  /** Contains the paths of all files, also of those without code. */
  readonly paths: readonly string[]
  readonly resolution: ImportConfig
  /** The outlines of the files that have an index entry. */
  readonly outlines: readonly FileOutline[]
  /** The encoded index entries of these files, concatenated. */
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Contains the end of each index entry in `bytes`. */
  readonly endOffsets: readonly number[]
}

const filesPerBatch = 50
/** How many times larger an index entry is in memory than encoded. */
const decodedGrowth = 25

interface SerializedFile extends FileOutline {
  readonly encodedIndex: Uint8Array
}

export function serializeTree(
  paths: readonly string[],
  resolution: ImportConfig,
  files: readonly SerializedFile[],
): SerializedTree {
  const totalLength = files.reduce((sum, { encodedIndex }) => sum + encodedIndex.length, 0)
  const bytes = new Uint8Array(totalLength)
  const endOffsets: number[] = []
  let offset = 0
  for (const { encodedIndex } of files) {
    bytes.set(encodedIndex, offset)
    offset += encodedIndex.length
    endOffsets.push(offset)
  }
  const outlines = files.map(({ path, names, namespace }) => ({ path, names, namespace }))
  return { paths, resolution, outlines, bytes, endOffsets }
}

export function countBatches({ outlines }: Pick<SerializedTree, 'outlines'>): number {
  return Math.ceil(outlines.length / filesPerBatch)
}

/**
 * Yields the edges of a tree in the order of its files, with few index entries decoded at a time.
 * The view is recreated with the cleared cache, because it refers to decoded entries.
 */
export function* resolveBatches(tree: SerializedTree): Generator<CodeEdge[]> {
  const cache = createDecodedCache(tree)
  const source = indexOutlines(tree.outlines, cache.read)
  const imports = createImportResolver(tree.paths, tree.resolution)
  let view = openCodeView(source, imports)
  for (let start = 0; start < tree.outlines.length; start += filesPerBatch) {
    const edges: CodeEdge[] = []
    for (const { path } of tree.outlines.slice(start, start + filesPerBatch)) {
      edges.push(...listEdges(view, path))
      if (!cache.isFull()) continue
      cache.clear()
      view = openCodeView(source, imports)
    }
    yield edges
  }
}

/** Decodes index entries on demand. */
function createDecodedCache({ outlines, bytes, endOffsets }: SerializedTree) {
  const positions = new Map(outlines.map(({ path }, position) => [path, position]))
  const decoded = new Map<number, FileIndex>()
  // Decoded entries may take half of the heap: decoding them again takes most of the time.
  const maxEncodedSize = getHeapStatistics().heap_size_limit / 2 / decodedGrowth
  let encodedSize = 0
  return {
    read(path: string): FileIndex | undefined {
      const position = positions.get(path)
      if (position === undefined) return undefined
      const known = decoded.get(position)
      if (known !== undefined) return known
      const encoded = bytes.subarray(endOffsets[position - 1] ?? 0, endOffsets[position])
      encodedSize += encoded.length
      const fileIndex = decodeFileIndex(encoded)
      decoded.set(position, fileIndex)
      return fileIndex
    },
    isFull: () => encodedSize > maxEncodedSize,
    clear() {
      decoded.clear()
      encodedSize = 0
    },
  }
}
