// Finds out whether an expression decides a branch, or is part of a longer chain.
import type { Node } from 'web-tree-sitter'
import { outerParent } from '../../languages/rules/operations.ts'
import { field } from '../../languages/rules/syntax-nodes.ts'

const conditionParents = new Set([
  'if_statement',
  'while_statement',
  'do_statement',
  'ternary_expression',
  'elif_clause',
])

/** Whether an expression decides a branch, directly or through negations, `&&` and `||`. */
export function isCondition(node: Node): boolean {
  let inner = node
  for (let outer = outerParent(inner); outer; outer = outerParent(inner)) {
    if (!isNegation(outer) && !isLogical(outer)) return isInConditionOf(outer, inner)
    inner = outer
  }
  return false
}

function isNegation(node: Node): boolean {
  if (node.type === 'not_operator') return true
  return node.type === 'unary_expression' && field(node, 'operator')?.type === '!'
}

function isLogical(node: Node): boolean {
  return ['&&', '||', 'and', 'or'].includes(field(node, 'operator')?.type ?? '')
}

function isInConditionOf(statement: Node, node: Node): boolean {
  const condition = conditionParents.has(statement.type) ? field(statement, 'condition') : undefined
  if (!condition) return false
  return node.startIndex >= condition.startIndex && node.endIndex <= condition.endIndex
}

/** Whether a node is an operand of an outer expression with the same operator. */
export function isOperandOf(node: Node, operator: string): boolean {
  const outer = outerParent(node)
  return outer !== undefined && field(outer, 'operator')?.type === operator
}
