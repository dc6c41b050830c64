// Parts of C# that several kinds of nodes share: names, types, parameters, modifiers.
import type { CodeSymbol } from '../../code-index.ts'
import type { FileIndexBuilder } from '../file-index-builder.ts'
import { type FlatTree, none } from '../flat-tree.ts'
import { callType, lastPart, listItems, typeSet } from './common-parts.ts'

/** The node of a name's last part, with what stands before it; `none` for what isn't a name. */
export interface QualifiedName {
  readonly name: number
  readonly qualifier: string | null
}

/** Takes apart `Cart`, `Cart<T>`, `Shop.Cart<T>`: type arguments are visited later. */
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

/** The namespaces before a type name no one else names. */
function consumeQualifier(builder: FileIndexBuilder, qualifier: number): void {
  for (let node = qualifier; node < builder.tree.subtreeEnd(qualifier); node++)
    if (/^(identifier|qualified_name)$/.test(builder.tree.type(node))) builder.consume(node)
}

/** Records a type that is named, where it has one name. */
export function referToType(
  builder: FileIndexBuilder,
  type: number,
  kind: 'type' | 'new' | 'extends',
  argumentCount?: number | null,
): void {
  const { name, qualifier } = consumeTypeName(builder, type)
  if (name !== none)
    builder.addReference({ kind, name, qualifier, arguments: argumentCount ?? null })
}

/** The one name that a type goes by; empty where it has none of its own (`int`, `var`, arrays). */
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

const awaited = ['invocation_expression', 'object_creation_expression']

/** What a method returns; of a task what comes of it, as it is awaited first. */
export function returnedType(tree: FlatTree, type: number): string {
  const isTask = tree.type(type) === 'generic_name' && /^(Value)?Task$/.test(typeName(tree, type))
  if (!isTask) return typeName(tree, type)
  return typeName(
    tree,
    [...listItems(tree, tree.child(type, 'type_argument_list'))].find(
      (node) => tree.type(node) !== '<',
    ) ?? none,
  )
}

/** What the annotation says, or else what is made with `new` or called. */
export function declaredType(tree: FlatTree, type: number, value: number): string {
  if (tree.type(type) !== 'implicit_type') return typeName(tree, type)
  const made = tree.type(value) === 'await_expression' ? tree.child(value, ...awaited) : value
  if (tree.type(made) === 'object_creation_expression')
    return typeName(tree, tree.field(made, 'type'))
  const called = tree.type(made) === 'invocation_expression' ? tree.field(made, 'function') : none
  if (tree.type(called) === 'identifier') return callType(null, tree.textOf(called))
  const object = tree.field(called, 'expression')
  const isName = ['identifier', 'this'].includes(tree.type(object))
  return isName ? callType(tree.textOf(object), typeName(tree, tree.field(called, 'name'))) : ''
}

/** How many a method takes. An extension's `this` isn't counted: calls leave it out, or name the class. */
export function readParameters(tree: FlatTree, list: number): CodeSymbol['parameters'] {
  if (list === none) return null
  let [least, most, extended, isOpen] = [0, 0, 0, false]
  for (const child of listItems(tree, list)) {
    const type = tree.type(child)
    if (type === 'params') isOpen = true
    if (type !== 'parameter') continue
    most++
    const isExtended = /^this\b/.test(tree.text.slice(tree.start(child), tree.start(child) + 5))
    if (isExtended) extended = 1
    else if (tree.child(child, '=') === none) least = most - extended
  }
  return { least, most: isOpen ? null : most }
}

const visibleModifiers = typeSet('public internal protected')

/** Whether a member, or a type, is more than private. Types are internal where nothing is said, members private. */
export function isVisibleOutside(tree: FlatTree, node: number): boolean {
  let isOpen =
    tree.type(tree.parent(node)) !== 'declaration_list' || isMemberOfInterface(tree, node)
  for (const child of tree.children(node)) {
    if (tree.type(child) === 'explicit_interface_specifier') return true
    if (tree.type(child) !== 'modifier') continue
    const modifier = tree.textOf(child)
    if (visibleModifiers.has(modifier)) return true
    if (modifier === 'private' || modifier === 'file') isOpen = false
  }
  return isOpen
}

const publicParents = typeSet('interface_declaration namespace_declaration')

function isMemberOfInterface(tree: FlatTree, node: number): boolean {
  return publicParents.has(tree.type(tree.parent(tree.parent(node))))
}
