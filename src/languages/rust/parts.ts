// Reads paths, types and parameters of Rust.
import type { CodeSymbol } from '../code-index.ts'
import type { FileIndexBuilder } from '../common/file-index-builder.ts'
import { type FlatTree, none } from '../common/flat-tree.ts'
import { lastPart, listItems, typeSet } from '../common/parts.ts'

/** Consumes `Cart`, `cart::Cart` or `Cart::<T>::new`; returns its last name and the one before. */
export function consumePath(
  builder: FileIndexBuilder,
  node: number,
): { name: number; qualifier: string | null } {
  const { tree } = builder
  builder.consume(node)
  switch (tree.type(node)) {
    case 'identifier':
    case 'type_identifier':
      return { name: node, qualifier: null }
    case 'scoped_identifier':
    case 'scoped_type_identifier': {
      const path = tree.field(node, 'path')
      consumePathPrefix(builder, path)
      return { name: tree.field(node, 'name'), qualifier: pathName(tree, path) }
    }
    case 'generic_type':
      return consumePath(builder, tree.field(node, 'type'))
    case 'generic_function':
      return consumePath(builder, tree.field(node, 'function'))
    default:
      return { name: none, qualifier: null }
  }
}

const pathTypes = typeSet(
  'identifier scoped_identifier type_identifier scoped_type_identifier generic_type',
)

/** Consumes the path before a name, but not its type arguments. */
function consumePathPrefix(builder: FileIndexBuilder, path: number): void {
  const { tree } = builder
  for (let node = path; pathTypes.has(tree.type(node)); ) {
    builder.consume(node)
    builder.consume(tree.field(node, 'name'))
    node = tree.field(node, tree.type(node) === 'generic_type' ? 'type' : 'path')
  }
}

/** Returns the last name of a path; empty for `<T as Trait>`. */
function pathName(tree: FlatTree, path: number): string {
  if (tree.type(path) === 'generic_type') return pathName(tree, tree.field(path, 'type'))
  if (tree.type(path) === 'bracketed_type') return ''
  const name = tree.field(path, 'name')
  return tree.textOf(name === none ? path : name)
}

/** Types whose members are those of their argument. */
const transparent = typeSet('Box Rc Arc')
const wrappers = typeSet('reference_type pointer_type')

/** Returns the name of a type without references and boxes; empty if it has none. */
export function typeName(tree: FlatTree, type: number): string {
  let named = type
  for (let depth = 0; depth < 8; depth++) {
    const shape = tree.type(named)
    if (shape === 'type_identifier') return tree.textOf(named)
    if (shape === 'scoped_type_identifier') return tree.fieldText(named, 'name')
    if (shape === 'generic_type') {
      const outer = tree.field(named, 'type')
      const name = lastPart(tree.textOf(outer))
      if (!transparent.has(name)) return name
      named =
        [...listItems(tree, tree.field(named, 'type_arguments'))].find(
          (node) => tree.type(node) !== '<',
        ) ?? none
    } else if (wrappers.has(shape)) named = tree.field(named, 'type')
    else if (shape === 'dynamic_type' || shape === 'abstract_type')
      named = tree.field(named, 'trait')
    else return ''
  }
  return ''
}

/** Counts the parameters of a function without `self`. */
export function readParameters(tree: FlatTree, list: number): CodeSymbol['parameters'] {
  let count = 0
  let isVariadic = false
  for (const parameter of listItems(tree, list)) {
    if (tree.type(parameter) === 'variadic_parameter') isVariadic = true
    else if (
      tree.type(parameter) === 'parameter' &&
      tree.type(tree.field(parameter, 'pattern')) !== 'self'
    )
      count++
  }
  return { least: count, most: isVariadic ? null : count }
}

/** Returns the last name of a receiver; empty for expressions without a name. */
export function receiverName(tree: FlatTree, node: number): string {
  switch (tree.type(node)) {
    case 'identifier':
    case 'self':
      return tree.textOf(node)
    case 'field_expression':
      return tree.fieldText(node, 'field')
    case 'scoped_identifier':
      return tree.fieldText(node, 'name')
    case 'await_expression':
    case 'try_expression':
      return receiverName(tree, tree.firstChild(node))
    default:
      return ''
  }
}
