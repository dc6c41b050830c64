// Finds what a name stands for near its use, by the text of the code, in all languages.
import type { Node } from 'web-tree-sitter'
import { onlyValueOf } from './bindings.ts'
import { outermostFunction } from './functions.ts'

/** Functions are read up to this length. */
const maxLength = 8_000

/** Returns the text of the function around a node; empty if it is too long. */
export function functionTextOf(node: Node): string {
  const text = (outermostFunction(node) ?? node.tree.rootNode).text
  return text.length > maxLength ? '' : text
}

/** Returns the text of the function around a node that comes before the node. */
export function textBefore(node: Node): string {
  const owner = outermostFunction(node) ?? node.tree.rootNode
  const length = node.startIndex - owner.startIndex
  return owner.text.slice(Math.max(0, length - maxLength), length)
}

/** Returns the text of the function around a node that comes after the node. */
export function textAfter(node: Node): string {
  const owner = outermostFunction(node) ?? node.tree.rootNode
  const start = node.endIndex - owner.startIndex
  return owner.text.slice(start, start + maxLength)
}

/** Returns the only value that a local name gets before its use, or the value itself. */
export function valueTextOf(node: Node): string {
  return (onlyValueOf(node) ?? node).text.slice(0, 300)
}
