// Finds what a name stands for near its use, by the text of the code, in all languages.
import type { Node } from 'web-tree-sitter'
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
  const text = node.text.slice(0, 300)
  return /^[$@]?[A-Za-z_]\w*$/.test(text) ? (findValue(text, textBefore(node)) ?? text) : text
}

function findValue(name: string, before: string): string | undefined {
  const binding = new RegExp(
    String.raw`(?<![\w.$@>])${RegExp.escape(name)}\s*(?::\s*[\w<>?[\], ]{1,60}?)?\s*:?=(?![=>~])\s*([^;\n]{1,300})`,
    'g',
  )
  const values = [...before.matchAll(binding)].map(([, value]) => value!.trim())
  return values.length === 1 ? values[0] : undefined
}
