// Parts of Ruby that several kinds of nodes share: constants, receivers, parameters, arguments.
import type { CodeSymbol } from '../../code-index.ts'
import type { FileIndexBuilder } from '../file-index-builder.ts'
import { type FlatTree, none } from '../flat-tree.ts'
import { listItems } from './common-parts.ts'

/** Whether a class or module is named here: `Cart`, `Shop::Cart`, `::Cart`. */
export function isConstant(tree: FlatTree, node: number): boolean {
  const type = tree.type(node)
  return (
    type === 'constant' ||
    (type === 'scope_resolution' && tree.type(tree.field(node, 'name')) === 'constant')
  )
}

/** Takes a constant with all that stands before it. */
export function consumeConstant(
  builder: FileIndexBuilder,
  node: number,
): { name: number; qualifier: string | null } {
  const { tree } = builder
  builder.consume(node)
  if (tree.type(node) !== 'scope_resolution') return { name: node, qualifier: null }
  builder.consume(tree.field(node, 'name'))
  const scope = tree.field(node, 'scope')
  for (let before = scope; isConstant(tree, before); before = tree.field(before, 'scope')) {
    builder.consume(before)
    builder.consume(tree.field(before, 'name'))
  }
  return {
    name: tree.field(node, 'name'),
    qualifier: scope === none ? null : receiverName(tree, scope),
  }
}

/** The last name of a constant. */
export function constantName(tree: FlatTree, node: number): string {
  return isConstant(tree, node)
    ? tree.textOf(tree.field(node, 'name') === none ? node : tree.field(node, 'name'))
    : ''
}

/** The last name of what stands before a full stop: empty for what is none. `@till` goes by `till`, as its reader does. */
export function receiverName(tree: FlatTree, node: number): string {
  switch (tree.type(node)) {
    case 'identifier':
    case 'constant':
    case 'self':
    case 'super':
      return tree.textOf(node)
    case 'instance_variable':
    case 'class_variable':
      return variableName(tree, node)
    case 'scope_resolution':
      return tree.textOf(tree.field(node, 'name'))
    case 'call':
      return tree.field(node, 'arguments') === none ? tree.textOf(tree.field(node, 'method')) : ''
    default:
      return ''
  }
}

export function variableName(tree: FlatTree, node: number): string {
  return tree.textOf(node).replace(/^@+/, '')
}

/** The class of which `Cart.new(…)` makes one: empty for anything else. */
export function createdClass(tree: FlatTree, node: number): string {
  if (tree.type(node) !== 'call' || tree.textOf(tree.field(node, 'method')) !== 'new') return ''
  return constantName(tree, tree.field(node, 'receiver'))
}

/** Keywords are counted as each call counts them: one by one. */
export function readParameters(tree: FlatTree, list: number): CodeSymbol['parameters'] {
  let [least, most, isOpen] = [0, 0, false]
  for (const parameter of listItems(tree, list)) {
    const type = tree.type(parameter)
    if (
      type === 'splat_parameter' ||
      type === 'hash_splat_parameter' ||
      type === 'forward_parameter'
    )
      isOpen = true
    else if (type === 'block_parameter' || type === ';') continue
    else {
      most++
      if (tree.field(parameter, 'value') === none) least++
    }
  }
  return { least, most: isOpen ? null : most }
}

const spreads = /^(splat_argument|hash_splat_argument|forward_argument)$/

/** Null where they are spread, and with several keywords, which may be one hash. */
export function countPassed(tree: FlatTree, list: number): number | null {
  let [count, pairs] = [0, 0]
  for (const argument of listItems(tree, list)) {
    const type = tree.type(argument)
    if (spreads.test(type)) return null
    if (type === 'pair') pairs++
    if (type !== 'block_argument') count++
  }
  return pairs > 1 ? null : count
}

/** The name that a symbol or a string gives: `:items`, `'items'`. */
export function literalName(tree: FlatTree, node: number): string {
  if (tree.type(node) === 'simple_symbol') return tree.textOf(node).slice(1)
  return tree.type(node) === 'string' ? tree.textOf(tree.child(node, 'string_content')) : ''
}
