// All code of a tree in a shape that a thread can be given, and the edges that are resolved out of it, a piece at a time.
import type { CodeFacts } from '../../workspace/code-facts.ts'
import { decodeFacts } from '../../workspace/facts/encode-facts.ts'
import { type FileOutline, indexOutlines, openCodeView } from './code-view.ts'
import { createImportResolver } from './imports/import-resolver.ts'
import { type CodeEdge, listEdges } from './list-edges.ts'
import type { Resolution } from './resolution.ts'

export interface TreeCode {
  /** Of all files, those without code too. */
  readonly paths: readonly string[]
  readonly resolution: Resolution
  /** Of the files that have facts. */
  readonly outlines: readonly FileOutline[]
  /** Their facts, as they are stored, one after the other. */
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Where each one's facts end. */
  readonly ends: readonly number[]
}

/** Files of a piece. */
const filesAtOnce = 50
/** Facts that are at hand together, in bytes as they are stored: at hand they take some 25 times as much. */
const mostAtHand = 3 * 1024 * 1024

/** A file's outline with its facts as they are stored. */
export interface CodedFile extends FileOutline {
  readonly facts: Uint8Array
}

/** Joins what is known of the files of a tree. */
export function joinCode(
  paths: readonly string[],
  resolution: Resolution,
  files: readonly CodedFile[],
): TreeCode {
  let end = 0
  const ends = files.map(({ facts }) => {
    end += facts.length
    return end
  })
  const bytes = new Uint8Array(end)
  for (const [place, { facts }] of files.entries()) bytes.set(facts, ends[place]! - facts.length)
  return {
    paths,
    resolution,
    bytes,
    ends,
    outlines: files.map(({ path, names, namespace }) => ({ path, names, namespace })),
  }
}

export function countPieces({ outlines }: Pick<TreeCode, 'outlines'>): number {
  return Math.ceil(outlines.length / filesAtOnce)
}

/** Resolves the edges of a tree by the order of its files, a piece after the other; few facts are at hand at a time. */
export function* resolvePieces(code: TreeCode): Generator<CodeEdge[]> {
  const store = openFacts(code)
  const source = indexOutlines(code.outlines, store.read)
  const imports = createImportResolver(code.paths, code.resolution)
  let view = openCodeView(source, imports)
  for (let start = 0; start < code.outlines.length; start += filesAtOnce) {
    const edges: CodeEdge[] = []
    for (const { path } of code.outlines.slice(start, start + filesAtOnce)) {
      edges.push(...listEdges(view, path))
      if (!store.isFull()) continue
      store.clear()
      view = openCodeView(source, imports)
    }
    yield edges
  }
}

/** Facts that are decoded when they are asked for. */
function openFacts({ outlines, bytes, ends }: TreeCode) {
  const places = new Map(outlines.map(({ path }, place) => [path, place]))
  const decoded = new Map<number, CodeFacts>()
  let size = 0
  return {
    read(path: string): CodeFacts | undefined {
      const place = places.get(path)
      if (place === undefined) return undefined
      const known = decoded.get(place)
      if (known !== undefined) return known
      const stored = bytes.subarray(ends[place - 1] ?? 0, ends[place])
      size += stored.length
      const facts = decodeFacts(stored)
      decoded.set(place, facts)
      return facts
    },
    isFull: () => size > mostAtHand,
    clear() {
      decoded.clear()
      size = 0
    },
  }
}
