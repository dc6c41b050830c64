// Compares syntax nodes with patterns, in bounded time.
import type { Node } from 'web-tree-sitter'
import { isPlainString, stringText } from '../../languages/rules/literals.ts'
import { unwrap } from '../../languages/rules/operations.ts'
import {
  isSignificant,
  operatorName,
  type Pattern,
  type Shape,
  unbound,
} from './compile-pattern.ts'

/** What a metavariable stands for: one node with its text, or several. */
interface Binding {
  readonly nodes: readonly Node[]
  readonly text: string
}

export type Bindings = Readonly<Record<string, Binding>>

/** Whether a metavariable may stand for a node. */
export type Accepts = (name: string, node: Node, text: string) => boolean

/** Nodes that are compared at most before a pattern is taken for not matching. */
const maxSteps = 10_000

/** The types of nodes that code may have where the pattern has none. */
const optionalTypes = new Set([
  'accessibility_modifier',
  'annotation',
  'decorator',
  'modifiers',
  'optional_chain',
  'override_modifier',
  'throws',
  'type_annotation',
  'type_arguments',
  'type_parameters',
])

interface Search {
  readonly accepts: Accepts
  steps: number
}

/**
 * Returns the metavariables of a pattern; undefined if the node doesn't have its shape.
 *
 * @param bound metavariables that are bound already
 */
export function matchPattern(
  { type, shape }: Pattern,
  node: Node,
  accepts: Accepts,
  bound: Bindings = {},
): Bindings | undefined {
  return node.type === type ? matchShape({ accepts, steps: 0 }, shape, node, bound) : undefined
}

function matchShape(
  search: Search,
  shape: Shape,
  node: Node,
  bound: Bindings,
): Bindings | undefined {
  search.steps += 1
  if (search.steps > maxSteps) return undefined
  switch (shape.kind) {
    case 'any':
      return node.isNamed ? bind(search, shape.name, node, undefined, bound) : undefined
    case 'operator':
      return node.isNamed ? undefined : bind(search, operatorName, node, undefined, bound)
    case 'several':
      return undefined
    case 'anyString':
    case 'string':
      return matchString(search, shape, unwrap(node), bound)
    default:
      return matchTree(search, shape, shape.type === node.type ? node : unwrap(node), bound)
  }
}

function matchString(
  search: Search,
  shape: Shape & { kind: 'anyString' | 'string' },
  node: Node,
  bound: Bindings,
): Bindings | undefined {
  if (!isPlainString(node)) return undefined
  const text = stringText(node)
  if (shape.kind === 'anyString') return bind(search, shape.name, node, text, bound)
  return text === shape.text ? bound : undefined
}

function matchTree(
  search: Search,
  shape: Shape & { kind: 'leaf' | 'tree' },
  node: Node,
  bound: Bindings,
): Bindings | undefined {
  if (node.type !== shape.type) return undefined
  if (shape.kind === 'leaf') return node.text === shape.text ? bound : undefined
  return matchChildren(search, shape.children, node.children.filter(isSignificant), bound)
}

/** @param content of a string; by default, the text of the node */
function bind(
  search: Search,
  name: string,
  node: Node,
  content: string | undefined,
  bound: Bindings,
): Bindings | undefined {
  if (name === unbound) return bound
  const text = content ?? node.text
  const earlier = bound[name]
  if (earlier) return earlier.text === text ? bound : undefined
  return search.accepts(name, node, text)
    ? { ...bound, [name]: { nodes: [node], text } }
    : undefined
}

/** Compares the nodes from an index on with the shapes from an index on. */
function matchChildren(
  search: Search,
  shapes: readonly Shape[],
  nodes: readonly Node[],
  bound: Bindings,
  nodeAt = 0,
): Bindings | undefined {
  let found: Bindings | undefined = bound
  let at = nodeAt
  for (const [index, shape] of shapes.entries()) {
    if (shape.kind === 'several')
      return matchSeveral(search, shape.name, shapes.slice(index + 1), nodes, found, at)
    const next = skipTo(nodes, at, (node) => !canSkip(shape, node))
    const node = nodes[next]
    found = node && matchShape(search, shape, node, found)
    if (!found) return undefined
    at = next + 1
  }
  return skipTo(nodes, at, isRequired) === nodes.length ? found : undefined
}

function isRequired({ type }: Node): boolean {
  return !optionalTypes.has(type)
}

function canSkip(shape: Shape, node: Node): boolean {
  return !isRequired(node) && !('type' in shape && shape.type === node.type)
}

function skipTo(nodes: readonly Node[], from: number, test: (node: Node) => boolean): number {
  let at = from
  while (at < nodes.length && !test(nodes[at]!)) at += 1
  return at
}

/** Compares an ellipsis and the shapes that follow it with the nodes from an index on. */
function matchSeveral(
  search: Search,
  name: string,
  following: readonly Shape[],
  nodes: readonly Node[],
  bound: Bindings,
  nodeAt: number,
): Bindings | undefined {
  // What follows the last ellipsis is at the end.
  const isLast = following.every(({ kind }) => kind !== 'several')
  const required = nodes.filter(isRequired).length
  const from = isLast ? required - following.length : nodeAt
  for (let end = Math.max(from, nodeAt); end <= nodes.length; end++) {
    const found = matchChildren(search, following, nodes, bound, end)
    if (found && name !== unbound)
      return { ...found, [name]: { nodes: nodes.slice(nodeAt, end), text: '' } }
    if (found || search.steps > maxSteps) return found
  }
  return undefined
}
