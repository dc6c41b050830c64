// Reads the operands and operators of equalities and other comparisons.
import type { Node } from 'web-tree-sitter'
import { unwrap } from '../../languages/rules/operations.ts'
import { field } from '../../languages/rules/syntax-nodes.ts'

export const equalities = new Set(['==', '===', '!=', '!=='])

/** Reads an equality of any language but Python, without parentheses and type assertions. */
export function equalityOf(node: Node): { left: Node; right: Node; operator: string } | undefined {
  const left = field(node, 'left')
  const right = field(node, 'right')
  const operator = field(node, 'operator')?.type ?? ''
  return left && right && equalities.has(operator)
    ? { left: unwrap(left), right: unwrap(right), operator }
    : undefined
}

/** Reads a binary expression of any language; undefined for Python's chains such as `a < b < c`. */
export function readComparison(
  node: Node,
): { left: Node; right: Node; operator: string } | undefined {
  const isPython = node.type === 'comparison_operator'
  if (isPython && node.namedChildCount !== 2) return undefined
  const left = isPython ? node.namedChild(0) : field(node, 'left')
  const right = isPython ? node.namedChild(1) : field(node, 'right')
  const operator = isPython ? node.childrenForFieldName('operators')[0] : field(node, 'operator')
  return left && right && operator ? { left, right, operator: operator.type } : undefined
}

/** Describes an equality with a fixed result, for a sentence about it. */
export function describeConstantResult(operator: string): string {
  return operator.startsWith('!') ? 'always true' : 'never true'
}
