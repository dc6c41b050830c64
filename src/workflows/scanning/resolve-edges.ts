// Which file uses which: resolved from the facts of all files, some at a time so that others get their turn between.
import type { EdgeRow } from '../../knowledge/graph/graph-rows.ts'
import { type CodeView, createCodeView } from '../../knowledge/resolution/code-view.ts'
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

/** All edges of a tree, by the paths of their sources. */
export async function resolveAllEdges(
  { progress, signal }: Scan,
  files: readonly ReadFile[],
  imports: ImportResolver,
): Promise<EdgeRow[]> {
  const turn = startTurn(signal)
  const facts: [string, CodeFacts][] = []
  for (const { row, facts: encoded } of files) {
    if (encoded !== null) facts.push([row.path, decodeFacts(encoded)])
    await turn.pass()
  }
  const view = createCodeView(facts, imports)
  const edges: EdgeRow[] = []
  for (const [place, [path]] of facts.entries()) {
    if (edges.length >= mostEdges) break
    edges.push(...listEdges(view, path))
    progress.tell('resolving references', place, facts.length)
    await turn.pass()
  }
  return edges
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
