// The edges of one file as they are stored.
import type { CodeView } from './code-model.ts'
import { type FileEdge, resolveFileEdges } from './resolve-file-edges.ts'

/** An edge from file to file, see the table `code_edges`. */
export interface CodeEdge extends FileEdge {
  readonly source: string
}

/** Of one file; more are those of a generated one. */
const maxEdgesPerFile = 2000

/** The edges of one file: the surest, where there are too many. */
export function listEdges(view: CodeView, path: string): CodeEdge[] {
  const edges = resolveFileEdges(view, path).map((edge) => ({ source: path, ...edge }))
  if (edges.length <= maxEdgesPerFile) return edges
  const rank = ({ target, kind }: CodeEdge) => `${kind} ${target}`
  const order = (one: CodeEdge, other: CodeEdge) =>
    other.confidence - one.confidence || (rank(one) < rank(other) ? -1 : 1)
  return edges.sort(order).slice(0, maxEdgesPerFile)
}
