// Compiles a pattern with the grammar of its language; see `PatternCheck` for how it is written.
import type { Node, Tree } from 'web-tree-sitter'
import { isPlainString, stringText } from '../../languages/rules/literals.ts'

/** What a syntax node must be like. */
export type Shape =
  | { readonly kind: 'any'; readonly name: string }
  | { readonly kind: 'several'; readonly name: string }
  | { readonly kind: 'operator' }
  | { readonly kind: 'anyString'; readonly name: string }
  | { readonly kind: 'string'; readonly text: string }
  | { readonly kind: 'leaf'; readonly type: string; readonly text: string }
  | { readonly kind: 'tree'; readonly type: string; readonly children: readonly Shape[] }

export interface Pattern {
  /** The type of the nodes that can match. */
  readonly type: string
  readonly shape: Shape
}

/** The name of a metavariable that isn't bound. */
export const unbound = '_'

/** The name of the metavariable for operators. */
export const operatorName = 'OP'

const metavariables = /\$(\$\$)?(?:([A-Z][A-Z0-9_]*)|_(?!\w))?/g
/** This letter is part of a name in all languages, unlike the dollar sign, and nobody writes it. */
const mark = 'µ'
const anyNode = /^µ(_|[A-Z][A-Z0-9_]*)$/
const severalNodes = /^(?:\*\*?|\.\.\.)?µµµ([A-Z][A-Z0-9_]*|);?$/

/** Words that occur in all code that matches the pattern. */
export function wordsOf(pattern: string): string[] {
  const selected = /«([\s\S]*)»/.exec(pattern)?.[1] ?? pattern
  return selected.replace(metavariables, ' ').match(/[A-Za-z_]\w+/g) ?? []
}

/**
 * @param frame code that a statement of the language needs before and behind it
 * @throws Error if the pattern is no code of the language, or matches every node
 */
export function compilePattern(
  pattern: string,
  [before, behind]: readonly [string, string],
  parse: (code: string) => Tree,
): Pattern {
  const isStatement = /;$/.test(pattern)
  const { text, operators } = replaceMetavariables(pattern)
  const selected = /«([\s\S]*)»/.exec(text)
  const code = text.replace(/[«»]/g, '')
  const start = before.length + (selected?.index ?? 0)
  const length = (selected?.[1] ?? code).replace(/;$/, '').length
  const tree = parse(before + code + behind)
  try {
    if (tree.rootNode.hasError) throw new Error(`This pattern is no valid code: ${pattern}`)
    let root = tree.rootNode.namedDescendantForIndex(start, start + length)!
    while (isStatement && root.parent && !/statement$/.test(root.type)) root = root.parent
    const offsets = new Set(operators.map((offset) => before.length + offset))
    const shape = shapeOf(root, offsets)
    const type = shape.kind === 'tree' || shape.kind === 'leaf' ? shape.type : undefined
    if (type === undefined) throw new Error(`This pattern matches any code: ${pattern}`)
    return { type, shape }
  } finally {
    tree.delete()
  }
}

/** Writes metavariables as names, and `$OP` as an operator at the returned offsets. */
function replaceMetavariables(pattern: string): { text: string; operators: number[] } {
  const operators: number[] = []
  let removed = 0
  let shift = 0
  const text = pattern.replace(/[«»]|\$\$\$|\$(?=[A-Z_])(?!_\w)(OP\b)?/g, (found, operator, at) => {
    if (found === '«' || found === '»') {
      removed += 1
      return found
    }
    if (operator === undefined) return found === '$$$' ? mark.repeat(3) : mark
    operators.push((at as number) + shift - removed)
    shift += '=='.length - found.length
    return '=='
  })
  return { text, operators }
}

function shapeOf(node: Node, operators: ReadonlySet<number>): Shape {
  const { type, text } = node
  const several = severalNodes.exec(text)
  if (several) return { kind: 'several', name: several[1] || unbound }
  if (isPlainString(node)) {
    const content = stringText(node)
    const name = anyNode.exec(content)?.[1]
    return name === undefined ? { kind: 'string', text: content } : { kind: 'anyString', name }
  }
  if (!node.isNamed && operators.has(node.startIndex)) return { kind: 'operator' }
  const children = node.children.filter(isSignificant)
  if (children.length > 0)
    return { kind: 'tree', type, children: children.map((child) => shapeOf(child, operators)) }
  const name = node.isNamed ? anyNode.exec(text)?.[1] : undefined
  return name === undefined ? { kind: 'leaf', type, text } : { kind: 'any', name }
}

// The types of nodes are few, and this is asked for each child of many nodes.
const significance = new Map<string, boolean>()

/** Whether a node counts in comparisons: comments and what separates or ends parts do not. */
export function isSignificant({ type }: Node): boolean {
  const known = significance.get(type)
  if (known !== undefined) return known
  const counts = !/^[,;\n]?$|comment$|^line_continuation$/.test(type)
  significance.set(type, counts)
  return counts
}
