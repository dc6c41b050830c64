// Finds the edges of one file that the code graph stores.
import type { CodeView } from './code-model.ts'
import { type FileEdge, resolveFileEdges } from './resolve-file-edges.ts'

/** An edge between two files, stored in the table `code_edges`. */
export interface CodeEdge extends FileEdge {
  readonly source: string
}

/** Only generated files have more edges. */
const maxEdgesPerFile = 2000

/** If there are too many edges, those with the highest confidence are returned. */
export function listEdges(view: CodeView, path: string): CodeEdge[] {
  const edges = resolveFileEdges(view, path).map((edge) => ({ source: path, ...edge }))
  if (edges.length <= maxEdgesPerFile) return edges
  return edges.sort(compareEdges).slice(0, maxEdgesPerFile)
}

function compareEdges(a: CodeEdge, b: CodeEdge): number {
  if (a.confidence !== b.confidence) return b.confidence - a.confidence
  return `${a.kind} ${a.target}` < `${b.kind} ${b.target}` ? -1 : 1
}
