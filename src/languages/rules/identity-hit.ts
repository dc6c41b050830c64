// Describes a comparison of objects by identity, the same for all languages.
import type { Node } from 'web-tree-sitter'
import type { Hit } from './syntax-check.ts'
import { firstLine, quoteCode } from './syntax-nodes.ts'

/** @param use the operator that compares values */
export function identityHit(
  node: Node,
  left: Node,
  right: Node,
  operator: string,
  use: string,
): Hit {
  return {
    at: firstLine(node),
    title:
      `${quoteCode(left.text)} and ${quoteCode(right.text)} are compared by identity, not by ` +
      'value',
    body:
      `When both are equal but different objects, \`${operator}\` treats them as different. Use ` +
      `\`${use}\`.`,
  }
}
