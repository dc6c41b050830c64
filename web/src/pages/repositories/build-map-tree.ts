// Builds a tree from the entries of the project map.
import type { MapEntry } from './repository-queries.ts'

export interface TreeNode {
  /** `.` for the root. */
  readonly path: string
  /** The last part of the path. */
  readonly name: string
  /** Null for a directory without an entry. */
  readonly entry: MapEntry | null
  readonly children: TreeNode[]
}

/** Adds parent directories that have no entry. Children are sorted by name. */
export function buildMapTree(entries: readonly MapEntry[]): TreeNode {
  const byPath = new Map(entries.map((entry) => [entry.metadata.path, entry]))
  const nodes = new Map<string, TreeNode>()

  function ensureNode(path: string): TreeNode {
    const existing = nodes.get(path)
    if (existing !== undefined) return existing
    const slash = path.lastIndexOf('/')
    const node: TreeNode = {
      path,
      name: path.slice(slash + 1),
      entry: byPath.get(path) ?? null,
      children: [],
    }
    nodes.set(path, node)
    if (path !== '.') ensureNode(slash === -1 ? '.' : path.slice(0, slash)).children.push(node)
    return node
  }

  const root = ensureNode('.')
  for (const path of byPath.keys()) ensureNode(path)
  for (const { children } of nodes.values()) children.sort((a, b) => (a.name < b.name ? -1 : 1))
  return root
}

/** Entries whose path, type or text contains all words of the search. */
export function filterEntries(entries: readonly MapEntry[], search: string): MapEntry[] {
  const words = search.toLowerCase().split(/\s+/)
  return entries.filter(({ memory, metadata }) => {
    const text = `${metadata.path}\n${metadata.component_type}\n${memory}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}
