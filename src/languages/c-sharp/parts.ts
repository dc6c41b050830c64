// Reads names, types, parameters and modifiers of C#.
import type { CodeSymbol } from '../code-index.ts'
import type { FileIndexBuilder } from '../common/file-index-builder.ts'
import { type FlatTree, none } from '../common/flat-tree.ts'
import { callType, lastPart, listItems, typeSet } from '../common/parts.ts'

/** A name's last part and its qualifier; `none` for nodes that aren't names. */
interface QualifiedName {
  readonly name: number
  readonly qualifier: string | null
}

/** Consumes `Cart`, `Cart<T>` or `Shop.Cart<T>` except type arguments, and splits it. */
export function consumeTypeName(builder: FileIndexBuilder, type: number): QualifiedName {
  const { tree } = builder
  builder.consume(type)
  switch (tree.type(type)) {
    case 'identifier':
      return { name: type, qualifier: null }
    case 'generic_name':
      return { name: tree.child(type, 'identifier'), qualifier: null }
    case 'qualified_name': {
      const qualifier = tree.field(type, 'qualifier')
      consumeQualifier(builder, qualifier)
      const { name } = consumeTypeName(builder, tree.field(type, 'name'))
      return { name, qualifier: lastPart(tree.textOf(qualifier)) }
    }
    case 'alias_qualified_name':
      builder.consume(tree.field(type, 'alias'))
      return { ...consumeTypeName(builder, tree.field(type, 'name')), qualifier: null }
    default:
      return { name: none, qualifier: null }
  }
}

/** Consumes the namespaces before a type name, which aren't references. */
function consumeQualifier(builder: FileIndexBuilder, qualifier: number): void {
  for (let node = qualifier; node < builder.tree.subtreeEnd(qualifier); node++)
    if (/^(identifier|qualified_name)$/.test(builder.tree.type(node))) builder.consume(node)
}

/** Records a reference to a type that has a name. */
export function referToType(
  builder: FileIndexBuilder,
  type: number,
  kind: 'type' | 'new' | 'extends',
  argumentCount: number | null = null,
): void {
  builder.addReference({ kind, ...consumeTypeName(builder, type), argumentCount })
}

/** Returns the name of a type; empty for types without one (`int`, `var`, arrays). */
export function typeName(tree: FlatTree, type: number): string {
  switch (tree.type(type)) {
    case 'identifier':
      return tree.textOf(type)
    case 'generic_name':
      return tree.textOf(tree.child(type, 'identifier'))
    case 'qualified_name':
    case 'alias_qualified_name':
      return typeName(tree, tree.field(type, 'name'))
    case 'nullable_type':
    case 'ref_type':
    case 'scoped_type':
      return typeName(tree, tree.field(type, 'type'))
    default:
      return ''
  }
}

const callTypes = ['invocation_expression', 'object_creation_expression']

/** Returns a method's return type; for a task its result's type, because callers await it. */
export function returnedType(tree: FlatTree, type: number): string {
  const isTask = tree.type(type) === 'generic_name' && /^(Value)?Task$/.test(typeName(tree, type))
  if (!isTask) return typeName(tree, type)
  const typeArguments = listItems(tree, tree.child(type, 'type_argument_list'))
  const result = [...typeArguments].find((node) => tree.type(node) !== '<')
  return typeName(tree, result ?? none)
}

/** Returns the declared type, or for `var` that of a `new` expression or a call. */
export function declaredType(tree: FlatTree, type: number, value: number): string {
  if (tree.type(type) !== 'implicit_type') return typeName(tree, type)
  const awaited = tree.type(value) === 'await_expression' ? tree.child(value, ...callTypes) : value
  if (tree.type(awaited) === 'object_creation_expression')
    return typeName(tree, tree.field(awaited, 'type'))
  const called =
    tree.type(awaited) === 'invocation_expression' ? tree.field(awaited, 'function') : none
  if (tree.type(called) === 'identifier') return callType(null, tree.textOf(called))
  const object = tree.field(called, 'expression')
  const isName = ['identifier', 'this'].includes(tree.type(object))
  return isName ? callType(tree.textOf(object), typeName(tree, tree.field(called, 'name'))) : ''
}

/** Counts parameters without the `this` of an extension method, which calls usually omit. */
export function readParameters(tree: FlatTree, list: number): CodeSymbol['parameters'] {
  if (list === none) return null
  let least = 0
  let most = 0
  let extended = 0
  let isVariadic = false
  for (const child of listItems(tree, list)) {
    const type = tree.type(child)
    if (type === 'params') isVariadic = true
    if (type !== 'parameter') continue
    most++
    const isExtended = /^this\b/.test(tree.text.slice(tree.start(child), tree.start(child) + 5))
    if (isExtended) extended = 1
    else if (tree.child(child, '=') === none) least = most - extended
  }
  return { least, most: isVariadic ? null : most }
}

const visibleModifiers = typeSet('public internal protected')

/** Whether a type or member isn't private. By default, types are internal and members private. */
export function isVisibleOutside(tree: FlatTree, node: number): boolean {
  let isVisible =
    tree.type(tree.parent(node)) !== 'declaration_list' || isMemberOfInterface(tree, node)
  for (const child of tree.children(node)) {
    if (tree.type(child) === 'explicit_interface_specifier') return true
    if (tree.type(child) !== 'modifier') continue
    const modifier = tree.textOf(child)
    if (visibleModifiers.has(modifier)) return true
    if (modifier === 'private' || modifier === 'file') isVisible = false
  }
  return isVisible
}

const publicParents = typeSet('interface_declaration namespace_declaration')

function isMemberOfInterface(tree: FlatTree, node: number): boolean {
  return publicParents.has(tree.type(tree.parent(tree.parent(node))))
}
