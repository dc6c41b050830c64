// Reads operators and their operands, and what stands in parentheses, alike in all languages.
import type { Node } from 'web-tree-sitter'
import { codeChildren, field } from './syntax-nodes.ts'

/** The types of nodes that have an operator and two operands, in all languages. */
export const binaryTypes: readonly string[] = ['binary_expression', 'boolean_operator', 'binary']

export interface Operation {
  readonly left: Node
  readonly right: Node
  readonly operator: string
}

/** Reads a calculation or comparison; undefined for other nodes, and for Python's `a < b < c`. */
export function readOperation(node: Node): Operation | undefined {
  const isChain = node.type === 'comparison_operator'
  if (!isChain && !/^(?:binary|boolean_operator|infix_expression)/.test(node.type)) return undefined
  if (isChain && node.namedChildCount !== 2) return undefined
  const left = isChain ? node.namedChild(0) : field(node, 'left')
  const right = isChain ? node.namedChild(1) : field(node, 'right')
  if (!left || !right) return undefined
  const [start, end] = [left.endIndex - node.startIndex, right.startIndex - node.startIndex]
  return { left, right, operator: node.text.slice(start, end).trim() }
}

/** Returns the operands of a chain such as `a || b || c`; the node itself for other nodes. */
export function operandsOf(node: Node, operator: string): Node[] {
  const operands: Node[] = []
  const open = [node]
  while (open.length > 0) {
    const next = unwrap(open.pop()!)
    const left = field(next, 'left')
    const right = field(next, 'right')
    if (left && right && field(next, 'operator')?.type === operator) open.push(right, left)
    else operands.push(next)
  }
  return operands
}

/** Returns the operand of a negation such as `!x` or `not x`. */
export function negatedOperand(node: Node): Node | undefined {
  if (!negationTypes.has(node.type) || !/^(?:!|not\b)/.test(node.text)) return undefined
  return codeChildren(node).at(-1)
}

const negationTypes = new Set([
  ...['unary_expression', 'not_operator', 'prefix_unary_expression', 'unary_op_expression'],
  ...['unary', 'prefix_expression'],
])

const wrapperTypes = new Set([
  ...['parenthesized_expression', 'parenthesized_statements'],
  ...['as_expression', 'satisfies_expression', 'non_null_expression'],
])

/** Finds the expression that is inside parentheses and TypeScript's type assertions. */
export function unwrap(node: Node): Node {
  let inner = node
  while (wrapperTypes.has(inner.type)) {
    const child = inner.namedChild(0)
    if (!child) break
    inner = child
  }
  return inner
}

/** Returns the nearest parent that isn't parentheses or a type assertion. */
export function outerParent(node: Node): Node | undefined {
  let outer = node.parent
  while (outer && wrapperTypes.has(outer.type)) outer = outer.parent
  return outer ?? undefined
}

const waits =
  /^(?:await|await_expression|try_expression|parenthesized_expression|unary_expression)$/

/** Removes `await`, Rust's `?`, Kotlin's `!!` and parentheses around a value. */
export function awaitedValue(value: Node): Node {
  let inner = value
  while (
    waits.test(inner.type) &&
    (inner.type !== 'unary_expression' || inner.text.endsWith('!!'))
  ) {
    const child = field(inner, 'argument') ?? inner.namedChild(0)
    if (!child) break
    inner = child
  }
  return inner
}
