// What pictures and lists of the code map have in common: names, who uses whom, which belong together.
import type { showCodeMapSchema } from '../../../../../src/contract/code-map-schemas.ts'
import type { ResponseBody } from '../../../api/response-body.ts'

export type CodeMap = ResponseBody<typeof showCodeMapSchema>
export type CodeNode = CodeMap['nodes'][number]

/** The path from the directory that is shown. */
export function relativePathOf(
  { path }: Pick<CodeNode, 'path'>,
  map: Pick<CodeMap, 'path'>,
): string {
  return map.path === '.' ? path : path.slice(map.path.length + 1)
}

/** What one node has to do with another one. */
export interface NodeConnection {
  readonly path: string
  readonly imports: number
  readonly calls: number
}

export interface NodeConnections {
  readonly uses: readonly NodeConnection[]
  readonly usedBy: readonly NodeConnection[]
}

/** Who uses whom, by path, the strongest first. */
export function listConnections({ nodes, edges }: CodeMap): ReadonlyMap<string, NodeConnections> {
  const found = new Map(
    nodes.map(({ path }) => [
      path,
      { uses: [] as NodeConnection[], usedBy: [] as NodeConnection[] },
    ]),
  )
  for (const { source, target, ...counts } of edges) {
    found.get(source)?.uses.push({ path: target, ...counts })
    found.get(target)?.usedBy.push({ path: source, ...counts })
  }
  return found
}

/** Colours for groups; what is in no group has one of its own. */
const maxGroups = 7

export interface NodeGroups {
  /** What makes a group. */
  readonly by: 'directory' | 'language'
  /** Those with most lines first. */
  readonly names: readonly string[]
  /** Index into `names`; their number for all others. */
  indexOf(node: CodeNode): number
}

/** Which nodes have one colour: those of a directory, or of a language where each is a directory of its own. */
export function groupNodes(map: CodeMap): NodeGroups {
  const directoryOf = (node: CodeNode) => relativePathOf(node, map).split('/').at(0) ?? ''
  const isDeep = map.nodes.some((node) => relativePathOf(node, map).includes('/'))
  const groupOf = (node: CodeNode) => (isDeep ? directoryOf(node) : (node.language ?? ''))
  const lines = new Map<string, number>()
  for (const node of map.nodes)
    lines.set(groupOf(node), (lines.get(groupOf(node)) ?? 0) + node.lines)
  lines.delete('')
  const names = [...lines].sort(([, one], [, other]) => other - one).map(([name]) => name)
  const shown = names.slice(0, maxGroups)
  const of = (node: CodeNode) => {
    const index = shown.indexOf(groupOf(node))
    return index === -1 ? maxGroups : index
  }
  return { by: isDeep ? 'directory' : 'language', names: shown, indexOf: of }
}

export function formatQuantity(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`
}

/** In words: how large it is. */
export function describeSize({ kind, files, lines, language }: CodeNode): string {
  const size = kind === 'directory' ? [formatQuantity(files, 'file')] : []
  return [formatQuantity(lines, 'line'), ...size, ...(language === null ? [] : [language])].join(
    ', ',
  )
}
