// Reads syntax nodes for the rules, independently of the language where possible.
import type { Node } from 'web-tree-sitter'
import type { LineRange, ParsedFile } from './syntax-check.ts'

/** Returns the 1-based number of the line on which a node starts. */
export function lineOf(node: Node): number {
  return node.startPosition.row + 1
}

/** Returns the line on which a node starts as a range: findings take one line if possible. */
export function firstLine(node: Node): LineRange {
  const line = lineOf(node)
  return { startLine: line, endLine: line }
}

/** Formats code for a sentence: in backticks, on one line, and cut to 60 characters. */
export function quoteCode(text: string): string {
  const flat = text.replaceAll('`', '').replace(/\s+/g, ' ').trim()
  return `\`${flat.length > 60 ? `${flat.slice(0, 59)}…` : flat}\``
}

/** Finds the nearest ancestor of one of the types. */
export function enclosingNode(node: Node, types: ReadonlySet<string>): Node | undefined {
  let ancestor = node.parent
  while (ancestor && !types.has(ancestor.type)) ancestor = ancestor.parent
  return ancestor ?? undefined
}

/** Whether a node is another one, or a part of it. */
export function isWithin(node: Node, outer: Node): boolean {
  return node.startIndex >= outer.startIndex && node.endIndex <= outer.endIndex
}

export function field(node: Node, name: string): Node | undefined {
  return node.childForFieldName(name) ?? undefined
}

/** Returns the first of some fields that a node has. */
export function firstField(node: Node, names: readonly string[]): Node | undefined {
  for (const name of names) {
    const found = node.childForFieldName(name)
    if (found) return found
  }
  return undefined
}

/** Returns the text of a node that may be missing. */
export function textOf(node: Node | null | undefined): string {
  return node?.text ?? ''
}

/** Returns the type of a node that may be missing. */
export function typeOf(node: Node | null | undefined): string {
  return node?.type ?? ''
}

/** Returns the text of a field; empty if the node has no such field. */
export function fieldText(node: Node, name: string): string {
  return field(node, name)?.text ?? ''
}

/** Returns the named children that aren't comments. */
export function codeChildren(node: Node): Node[] {
  return node.namedChildren.filter(
    (child) => child.type !== 'comment' && !child.type.endsWith('_comment'),
  )
}

/** Returns the next node in the same block that isn't a comment. */
export function nextCodeSibling(node: Node): Node | undefined {
  let next = node.nextNamedSibling
  while (next && /comment$/.test(next.type)) next = next.nextNamedSibling
  return next ?? undefined
}

/** Returns the previous node in the same block that isn't a comment. */
export function previousCodeSibling(node: Node): Node | undefined {
  let before = node.previousNamedSibling
  while (before && /comment$/.test(before.type)) before = before.previousNamedSibling
  return before ?? undefined
}

/** Returns all descendants of the types, in the order of the text. */
export function findNodes(node: Node, ...types: string[]): Node[] {
  return node.descendantsOfType(types)
}

/** Whether the name occurs as an identifier anywhere under the node. */
export function containsIdentifier(node: Node, name: string): boolean {
  return findNodes(node, 'identifier', 'shorthand_property_identifier').some(
    (found) => found.text === name,
  )
}

/** Whether the node contains a comment. */
export function hasComment(node: Node): boolean {
  return findNodes(node, 'comment', 'line_comment', 'block_comment').length > 0
}

/** Lines above a node that `isExplained` reads at most. */
const maxCommentLines = 10

/** A comment that isn't the end of `https://`, Rust's `#[…]` or Ruby's `#{…}`. */
const commentPattern = /(?:(?<!:)\/\/|#(?![[{])|\/\*|^\s*\*)(.*)/

/** Whether a comment on the first line of the node or right above it contains one of the words. */
export function isExplained(node: Node, file: ParsedFile, words: RegExp): boolean {
  const { row } = node.startPosition
  const textOf = (index: number) => (file.lines[index] ?? '').slice(0, 500)
  const commentOf = (index: number) => commentPattern.exec(textOf(index))?.[1]
  const isCommentLine = (index: number) => /^\s*(?:\/\/|#|\/?\*)/.test(textOf(index))
  const comments = [commentOf(row), commentOf(row - 1)]
  let index = row - 2
  while (index >= row - maxCommentLines && isCommentLine(index + 1) && isCommentLine(index)) {
    comments.push(commentOf(index))
    index -= 1
  }
  return comments.some((comment) => comment !== undefined && words.test(comment))
}

/** Returns the line of a node with the node replaced; undefined if the node has several lines. */
export function replaceInLine(
  node: Node,
  file: ParsedFile,
  replacement: string,
): string | undefined {
  const { startPosition, endPosition } = node
  if (startPosition.row !== endPosition.row) return undefined
  const line = file.lines[startPosition.row] ?? ''
  return line.slice(0, startPosition.column) + replacement + line.slice(endPosition.column)
}
