// Makes a tree of the entries of the project map.
import type { MapEntry } from './repository-queries.ts'

export interface TreeNode {
  /** `.` for the root. */
  readonly path: string
  /** The last part of the path. */
  readonly name: string
  /** Null for a directory that the map says nothing of. */
  readonly entry: MapEntry | null
  readonly children: TreeNode[]
}

/** Directories that nothing is said of stand there when something below them is told of. Below each, by name. */
export function buildMapTree(entries: readonly MapEntry[]): TreeNode {
  const byPath = new Map(entries.map((entry) => [entry.metadata.path, entry]))
  const nodes = new Map<string, TreeNode>()

  function nodeOf(path: string): TreeNode {
    const known = nodes.get(path)
    if (known !== undefined) return known
    const slash = path.lastIndexOf('/')
    const node: TreeNode = {
      path,
      name: path.slice(slash + 1),
      entry: byPath.get(path) ?? null,
      children: [],
    }
    nodes.set(path, node)
    if (path !== '.') nodeOf(slash === -1 ? '.' : path.slice(0, slash)).children.push(node)
    return node
  }

  const root = nodeOf('.')
  for (const path of byPath.keys()) nodeOf(path)
  for (const { children } of nodes.values()) children.sort((a, b) => (a.name < b.name ? -1 : 1))
  return root
}

/** Entries whose path or text holds all the words. */
export function filterEntries(entries: readonly MapEntry[], search: string): MapEntry[] {
  const words = search.toLowerCase().split(/\s+/)
  return entries.filter(({ memory, metadata }) => {
    const text = `${metadata.path}\n${metadata.component_type}\n${memory}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}
