// Takes apart the equality operators of all languages but Python.
import type { Node } from 'web-tree-sitter'
import { field, unwrap } from './syntax-nodes.ts'

export const equalities = new Set(['==', '===', '!=', '!=='])

/** Both sides and the operator of an equality. */
export function equalityOf(node: Node): { left: Node; right: Node; operator: string } | undefined {
  const left = field(node, 'left')
  const right = field(node, 'right')
  const operator = field(node, 'operator')?.type ?? ''
  return left && right && equalities.has(operator)
    ? { left: unwrap(left), right: unwrap(right), operator }
    : undefined
}

export function describeConstantResult(operator: string): string {
  return operator.startsWith('!') ? 'always true' : 'never true'
}
