// Names, connections and groups of the nodes of a code map.

import type { ResponseOf } from '../../../api/endpoints.ts'
import { formatQuantity } from '../../../components/format-numbers.ts'

export type CodeMap = ResponseOf<'showCodeMap'>
export type CodeNode = CodeMap['nodes'][number]

/** The path relative to the directory of the map. */
export function relativePathOf(
  { path }: Pick<CodeNode, 'path'>,
  map: Pick<CodeMap, 'path'>,
): string {
  return map.path === '.' ? path : path.slice(map.path.length + 1)
}

/** Imports and calls between a node and the node at `path`. */
export interface NodeConnection {
  readonly path: string
  readonly imports: number
  readonly calls: number
}

export interface NodeConnections {
  readonly uses: readonly NodeConnection[]
  readonly usedBy: readonly NodeConnection[]
}

/** The connections of each node by path, in the order of the edges. */
export function listConnections({ nodes, edges }: CodeMap): ReadonlyMap<string, NodeConnections> {
  const connections = new Map(
    nodes.map(({ path }) => [
      path,
      { uses: [] as NodeConnection[], usedBy: [] as NodeConnection[] },
    ]),
  )
  for (const { source, target, ...counts } of edges) {
    connections.get(source)?.uses.push({ path: target, ...counts })
    connections.get(target)?.usedBy.push({ path: source, ...counts })
  }
  return connections
}

/** Groups with their own color. All other nodes share one more color. */
const maxGroups = 7

export interface NodeGroups {
  readonly by: 'directory' | 'language'
  /** The groups with the most lines first. */
  readonly names: readonly string[]
  /** Index into `names`, or `maxGroups` for nodes of other groups. */
  indexOf(node: CodeNode): number
}

/** Groups nodes by top-level directory, or by language if the map has only one level. */
export function groupNodes(map: CodeMap): NodeGroups {
  const directoryOf = (node: CodeNode) => relativePathOf(node, map).split('/').at(0) ?? ''
  const isDeep = map.nodes.some((node) => relativePathOf(node, map).includes('/'))
  const groupOf = (node: CodeNode) => (isDeep ? directoryOf(node) : (node.language ?? ''))
  const lines = new Map<string, number>()
  for (const node of map.nodes)
    lines.set(groupOf(node), (lines.get(groupOf(node)) ?? 0) + node.lines)
  lines.delete('')
  const names = [...lines].sort(([, a], [, b]) => b - a).map(([name]) => name)
  const groupNames = names.slice(0, maxGroups)
  const indexOf = (node: CodeNode) => {
    const index = groupNames.indexOf(groupOf(node))
    return index === -1 ? maxGroups : index
  }
  return { by: isDeep ? 'directory' : 'language', names: groupNames, indexOf }
}

/** The size as text, such as `120 lines, 3 files, TypeScript`. */
export function describeSize({ kind, files, lines, language }: CodeNode): string {
  const fileCount = kind === 'directory' ? [formatQuantity(files, 'file')] : []
  const languages = language === null ? [] : [language]
  return [formatQuantity(lines, 'line'), ...fileCount, ...languages].join(', ')
}
