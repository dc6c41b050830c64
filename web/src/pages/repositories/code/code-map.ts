// What pictures and lists of the code map have in common: names, who uses whom, which belong together.
import type { showCodeMap } from '../../../../../src/http/contract/code-map.ts'
import type { Answer } from '../../../api/json.ts'

export type CodeMap = Answer<typeof showCodeMap>
export type CodeNode = CodeMap['nodes'][number]

/** The path from the directory that is shown. */
export function nameOf({ path }: Pick<CodeNode, 'path'>, map: Pick<CodeMap, 'path'>): string {
  return map.path === '.' ? path : path.slice(map.path.length + 1)
}

/** What one node has to do with another one. */
export interface Connection {
  readonly path: string
  readonly imports: number
  readonly calls: number
}

export interface Connections {
  readonly uses: readonly Connection[]
  readonly usedBy: readonly Connection[]
}

/** Who uses whom, by path, the strongest first. */
export function listConnections({ nodes, edges }: CodeMap): ReadonlyMap<string, Connections> {
  const found = new Map(
    nodes.map(({ path }) => [path, { uses: [] as Connection[], usedBy: [] as Connection[] }]),
  )
  for (const { source, target, ...counts } of edges) {
    found.get(source)?.uses.push({ path: target, ...counts })
    found.get(target)?.usedBy.push({ path: source, ...counts })
  }
  return found
}

/** Colours for groups; what is in no group has one of its own. */
const mostGroups = 7

export interface Groups {
  /** What makes a group. */
  readonly by: 'directory' | 'language'
  /** Those with most lines first. */
  readonly names: readonly string[]
  /** Index into `names`; their number for all others. */
  of(node: CodeNode): number
}

/** Which nodes have one colour: those of a directory, or of a language where each is a directory of its own. */
export function groupNodes(map: CodeMap): Groups {
  const directoryOf = (node: CodeNode) => nameOf(node, map).split('/').at(0) ?? ''
  const isDeep = map.nodes.some((node) => nameOf(node, map).includes('/'))
  const groupOf = (node: CodeNode) => (isDeep ? directoryOf(node) : (node.language ?? ''))
  const lines = new Map<string, number>()
  for (const node of map.nodes)
    lines.set(groupOf(node), (lines.get(groupOf(node)) ?? 0) + node.lines)
  lines.delete('')
  const names = [...lines].sort(([, one], [, other]) => other - one).map(([name]) => name)
  const shown = names.slice(0, mostGroups)
  const of = (node: CodeNode) => {
    const index = shown.indexOf(groupOf(node))
    return index === -1 ? mostGroups : index
  }
  return { by: isDeep ? 'directory' : 'language', names: shown, of }
}

export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`
}

/** In words: how large it is. */
export function describeSize({ kind, files, lines, language }: CodeNode): string {
  const size = kind === 'directory' ? [formatCount(files, 'file')] : []
  return [formatCount(lines, 'line'), ...size, ...(language === null ? [] : [language])].join(', ')
}
