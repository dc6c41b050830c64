// Reads constants, receivers, parameters and arguments of Ruby.
import type { CodeSymbol } from '../code-index.ts'
import type { FileIndexBuilder } from '../common/file-index-builder.ts'
import { type FlatTree, none } from '../common/flat-tree.ts'
import { listItems } from '../common/parts.ts'

/** Whether the node names a class or module: `Cart`, `Shop::Cart`, `::Cart`. */
export function isConstant(tree: FlatTree, node: number): boolean {
  const type = tree.type(node)
  return (
    type === 'constant' ||
    (type === 'scope_resolution' && tree.type(tree.field(node, 'name')) === 'constant')
  )
}

/** Consumes a constant with its qualifiers and splits it. */
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

/** Returns the last name of a constant; empty for other nodes. */
export function constantName(tree: FlatTree, node: number): string {
  return isConstant(tree, node)
    ? tree.textOf(tree.field(node, 'name') === none ? node : tree.field(node, 'name'))
    : ''
}

/** Returns the last name of a receiver, `till` for `@till` like its reader; empty if unnamed. */
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
      return tree.fieldText(node, 'name')
    case 'call':
      return tree.field(node, 'arguments') === none ? tree.fieldText(node, 'method') : ''
    default:
      return ''
  }
}

export function variableName(tree: FlatTree, node: number): string {
  return tree.textOf(node).replace(/^@+/, '')
}

/** Returns `Cart` for `Cart.new(…)`; empty for other nodes. */
export function createdClass(tree: FlatTree, node: number): string {
  if (tree.type(node) !== 'call' || tree.fieldText(node, 'method') !== 'new') return ''
  return constantName(tree, tree.field(node, 'receiver'))
}

/** Counts parameters. Each keyword counts as one, as in `countPassed`. */
export function readParameters(tree: FlatTree, list: number): CodeSymbol['parameters'] {
  let least = 0
  let most = 0
  let isVariadic = false
  for (const parameter of listItems(tree, list)) {
    const type = tree.type(parameter)
    if (
      type === 'splat_parameter' ||
      type === 'hash_splat_parameter' ||
      type === 'forward_parameter'
    )
      isVariadic = true
    else if (type === 'block_parameter' || type === ';') continue
    else {
      most++
      if (tree.field(parameter, 'value') === none) least++
    }
  }
  return { least, most: isVariadic ? null : most }
}

const spreads = /^(splat_argument|hash_splat_argument|forward_argument)$/

/** Counts arguments; null for spread arguments and for several keywords, which may be one hash. */
export function countPassed(tree: FlatTree, list: number): number | null {
  let count = 0
  let pairs = 0
  for (const argument of listItems(tree, list)) {
    const type = tree.type(argument)
    if (spreads.test(type)) return null
    if (type === 'pair') pairs++
    if (type !== 'block_argument') count++
  }
  return pairs > 1 ? null : count
}

/** Returns `items` for `:items` and `'items'`; empty for other nodes. */
export function literalName(tree: FlatTree, node: number): string {
  if (tree.type(node) === 'simple_symbol') return tree.textOf(node).slice(1)
  return tree.type(node) === 'string' ? tree.textOf(tree.child(node, 'string_content')) : ''
}
