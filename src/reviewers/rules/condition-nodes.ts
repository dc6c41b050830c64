// Questions about where an expression stands: whether it decides a branch, whether it is part of a longer chain.
import type { Node } from 'web-tree-sitter'
import { field, outerParent } from './syntax-nodes.ts'

const conditionParents = new Set([
  'if_statement',
  'while_statement',
  'do_statement',
  'ternary_expression',
  'elif_clause',
])

/** Whether the truth of the expression decides a branch, through negations and `&&` and `||`. */
export function isCondition(node: Node): boolean {
  let inner = node
  for (let outer = outerParent(inner); outer; outer = outerParent(inner)) {
    const operator = field(outer, 'operator')?.type ?? ''
    const negation =
      (outer.type === 'unary_expression' && operator === '!') || outer.type === 'not_operator'
    const logical = ['&&', '||', 'and', 'or'].includes(operator)
    if (!negation && !logical) {
      const condition = conditionParents.has(outer.type) ? field(outer, 'condition') : undefined
      return (
        condition !== undefined &&
        inner.startIndex >= condition.startIndex &&
        inner.endIndex <= condition.endIndex
      )
    }
    if (
      logical &&
      field(outer, 'right')?.id === inner.id &&
      outerParent(outer)?.type === 'ternary_expression'
    ) {
      return isCondition(outer)
    }
    inner = outer
  }
  return false
}

/** Whether the node is part of a longer chain of the same operator, which is looked at as a whole. */
export function isOperandOf(node: Node, operator: string): boolean {
  const outer = outerParent(node)
  return outer !== undefined && field(outer, 'operator')?.type === operator
}
