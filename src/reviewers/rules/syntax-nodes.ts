// Questions about syntax nodes that several rules ask; every answer comes from the one file that was parsed.
import type { Node } from 'web-tree-sitter'
import type { LineRange, ParsedFile } from './rule.ts'

/** Nodes that are functions, in all of the languages. */
export const functionTypes: ReadonlySet<string> = new Set([
  'function_declaration',
  'function_expression',
  'generator_function',
  'generator_function_declaration',
  'arrow_function',
  'method_definition',
  'function_definition',
  'lambda',
  'func_literal',
  'method_declaration',
  'constructor_declaration',
  'lambda_expression',
])

const wrapperTypes = new Set([
  'parenthesized_expression',
  'as_expression',
  'satisfies_expression',
  'non_null_expression',
])

/** 1-based number of the line a node starts on. */
export function lineOf(node: Node): number {
  return node.startPosition.row + 1
}

/** The line a node starts on, as a range: findings stay on one line where they can. */
export function firstLine(node: Node): LineRange {
  const line = lineOf(node)
  return { startLine: line, endLine: line }
}

/** A piece of code for a sentence: one line, in backticks, cut, and unable to end the backticks. */
export function quoteCode(text: string): string {
  const flat = text.replaceAll('`', '').replace(/\s+/g, ' ').trim()
  return `\`${flat.length > 60 ? `${flat.slice(0, 59)}…` : flat}\``
}

/** The nearest ancestor of one of the types, or undefined. */
export function enclosingNode(node: Node, types: ReadonlySet<string>): Node | undefined {
  let ancestor = node.parent
  while (ancestor && !types.has(ancestor.type)) ancestor = ancestor.parent
  return ancestor ?? undefined
}

/** The function a node runs in; undefined at the top level of a module. */
export function enclosingFunction(node: Node): Node | undefined {
  return enclosingNode(node, functionTypes)
}

export function isFunction(node: Node): boolean {
  return functionTypes.has(node.type)
}

/** Whether `async` stands before a function of JavaScript or Python. */
export function isAsync(fn: Node): boolean {
  for (let index = 0; index < fn.childCount && index < 8; index++) {
    if (fn.child(index)?.type === 'async') return true
  }
  return false
}

/** The expression inside parentheses and TypeScript's assertions. */
export function unwrap(node: Node): Node {
  let inner = node
  while (wrapperTypes.has(inner.type)) {
    const child = inner.namedChild(0)
    if (!child) break
    inner = child
  }
  return inner
}

/** The nearest parent that isn't parentheses or an assertion. */
export function outerParent(node: Node): Node | undefined {
  let outer = node.parent
  while (outer && wrapperTypes.has(outer.type)) outer = outer.parent
  return outer ?? undefined
}

/** A field's node; undefined where there is none. */
export function field(node: Node, name: string): Node | undefined {
  return node.childForFieldName(name) ?? undefined
}

/** A field's text; empty where there is none. */
export function fieldText(node: Node, name: string): string {
  return field(node, name)?.text ?? ''
}

/** The named children without comments. */
export function codeChildren(node: Node): Node[] {
  return node.namedChildren.filter(
    (child) => child.type !== 'comment' && !child.type.endsWith('_comment'),
  )
}

/** The arguments of a call in any of the languages. */
export function argumentsOf(call: Node): Node[] {
  const list = field(call, 'arguments')
  return list && list.type !== 'template_string' ? codeChildren(list) : []
}

/** A call's receiver and name: `a.b.c(x)` gives `a.b` and `c`, `f(x)` an undefined receiver and `f`. */
export function calleeOf(call: Node): { receiver: Node | undefined; name: string } {
  if (call.type === 'method_invocation')
    return { receiver: field(call, 'object'), name: fieldText(call, 'name') }
  const callee = field(call, 'function')
  if (!callee) return { receiver: undefined, name: '' }
  const receiver = field(callee, 'object') ?? field(callee, 'operand')
  const name = field(callee, 'property') ?? field(callee, 'attribute') ?? field(callee, 'field')
  return name ? { receiver, name: name.text } : { receiver: undefined, name: callee.text }
}

/** What comes after a node in its block, comments left out. */
export function nextCodeSibling(node: Node): Node | undefined {
  let next = node.nextNamedSibling
  while (next && /comment$/.test(next.type)) next = next.nextNamedSibling
  return next ?? undefined
}

/** All descendants of the types, in order. */
export function findNodes(node: Node, ...types: string[]): Node[] {
  return node.descendantsOfType(types)
}

/** Like `find`, without those that belong to a function inside `node`. */
export function findOwnNodes(node: Node, ...types: string[]): Node[] {
  return findNodes(node, ...types).filter((found) => {
    for (
      let ancestor = found.parent;
      ancestor && ancestor.id !== node.id;
      ancestor = ancestor.parent
    ) {
      if (functionTypes.has(ancestor.type)) return false
    }
    return true
  })
}

/** Whether the name occurs as an identifier anywhere under the node. */
export function containsIdentifier(node: Node, name: string): boolean {
  return findNodes(node, 'identifier', 'shorthand_property_identifier').some(
    (found) => found.text === name,
  )
}

/** Whether a comment lies under the node: someone thought about it. */
export function hasComment(node: Node): boolean {
  return findNodes(node, 'comment', 'line_comment', 'block_comment').length > 0
}

/** Whether a word in a comment on the node's first line or right above it says that it is meant. */
export function isExplained(node: Node, file: ParsedFile, words: RegExp): boolean {
  const row = node.startPosition.row
  const commentOf = (index: number) =>
    /(?:\/\/|#|\/\*|^\s*\*)(.*)/.exec((file.lines[index] ?? '').slice(0, 500))?.[1]
  const isWholeLine = (index: number) =>
    /^\s*(?:\/\/|#|\/?\*)/.test((file.lines[index] ?? '').slice(0, 500))
  const comments = [commentOf(row), commentOf(row - 1)]
  for (
    let index = row - 2;
    index >= row - 10 && isWholeLine(index + 1) && isWholeLine(index);
    index--
  )
    comments.push(commentOf(index))
  return comments.some((comment) => comment !== undefined && words.test(comment))
}

/** The operands of a chain such as `a || b || c`, left to right; the node itself when it is none. */
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

/** The node's line with the node replaced; undefined when the node spans lines. */
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

export function hasCall(node: Node): boolean {
  return (
    findNodes(
      node,
      'call',
      'call_expression',
      'method_invocation',
      'await_expression',
      'update_expression',
    ).length > 0
  )
}

/** Nodes with two operands, in all of the languages. */
export const binaryTypes: readonly string[] = ['binary_expression', 'boolean_operator']

/** Nodes that are calls, in all of the languages. */
export const callTypes: readonly string[] = ['call_expression', 'call', 'method_invocation']
