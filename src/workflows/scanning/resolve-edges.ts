// Which file uses which: resolved from the facts of all files, some at a time so that others get their turn between.
import type { EdgeRow } from '../../knowledge/graph/graph-rows.ts'
import { type CodeView, indexOutlines, openCodeView } from '../../knowledge/resolution/code-view.ts'
import type { ImportResolver } from '../../knowledge/resolution/imports/import-resolver.ts'
import { resolveFileEdges } from '../../knowledge/resolution/resolve-file-edges.ts'
import { startTurn } from '../../lib/turns.ts'
import type { CodeFacts } from '../../workspace/code-facts.ts'
import { decodeFacts } from '../../workspace/facts/encode-facts.ts'
import type { ReadFile } from './read-files.ts'
import type { Scan } from './scan-context.ts'

/** Of one file; more are those of a generated one. */
const mostEdgesOfFile = 2000
const mostEdges = 1_500_000

/** Facts that are at hand together, in bytes as they are stored: at hand they take some 25 times as much. */
const mostAtHand = 6 * 1024 * 1024

/** All edges of a tree, by the paths of their sources. However many files it has, few are at hand at a time. */
export async function resolveAllEdges(
  { progress, signal }: Pick<Scan, 'progress' | 'signal'>,
  files: readonly ReadFile[],
  imports: ImportResolver,
): Promise<EdgeRow[]> {
  const turn = startTurn(signal)
  const readable = files.filter(({ facts }) => facts !== null)
  const store = openFacts(readable)
  const outlines = readable.map(({ row, symbols }) => ({ path: row.path, symbols, namespace: row.namespace }))
  const source = indexOutlines(outlines, store.read)
  let view = openCodeView(source, imports)
  const edges: EdgeRow[] = []
  for (const [place, { path }] of outlines.entries()) {
    if (edges.length >= mostEdges) break
    edges.push(...listEdges(view, path))
    progress.tell('resolving references', place, outlines.length)
    if (store.isFull()) {
      store.clear()
      view = openCodeView(source, imports)
    }
    await turn.pass()
  }
  return edges
}

/** Facts that are decoded when they are asked for. */
function openFacts(files: readonly ReadFile[]) {
  const encoded = new Map(files.map(({ row, facts }) => [row.path, facts]))
  const decoded = new Map<string, CodeFacts>()
  let bytes = 0
  return {
    read(path: string): CodeFacts | undefined {
      const known = decoded.get(path)
      if (known !== undefined) return known
      const stored = encoded.get(path)
      if (!stored) return undefined
      bytes += stored.length
      const facts = decodeFacts(stored)
      decoded.set(path, facts)
      return facts
    },
    isFull: () => bytes > mostAtHand,
    clear() {
      decoded.clear()
      bytes = 0
    },
  }
}

/** The edges of one file: the surest, where there are too many. */
export function listEdges(view: CodeView, path: string): EdgeRow[] {
  const edges = resolveFileEdges(view, path).map((edge) => ({ source: path, ...edge }))
  if (edges.length <= mostEdgesOfFile) return edges
  const rank = ({ target, kind }: EdgeRow) => `${kind} ${target}`
  const order = (one: EdgeRow, other: EdgeRow) =>
    other.confidence - one.confidence || (rank(one) < rank(other) ? -1 : 1)
  return edges.sort(order).slice(0, mostEdgesOfFile)
}
