// Reads modifiers, types, parameters and names of Scala.
import type { CodeSymbol } from '../code-index.ts'
import type { FileIndexBuilder } from '../common/file-index-builder.ts'
import { type FlatTree, none } from '../common/flat-tree.ts'
import { type MemberAccess, resultType } from '../common/member-access.ts'
import { countArguments, lastPart, listItems, typeSet } from '../common/parts.ts'

const beforeModifiers = typeSet('annotation comment block_comment')

/** Returns the part of a definition that follows its annotations. */
export function skipAnnotations(tree: FlatTree, node: number): number {
  for (const child of tree.children(node)) if (!beforeModifiers.has(tree.type(child))) return child
  return node
}

/** Whether other files can name a definition: `private[shop]` is for other files too. */
export function isExported({ tree }: FileIndexBuilder, node: number): boolean {
  const access = tree.child(tree.child(node, 'modifiers'), 'access_modifier')
  return !/^private(\s*\[\s*this\s*\])?$/.test(tree.textOf(access))
}

/**
 * Records a definition. An indented block ends after the line breaks behind it, but a symbol ends
 * with its last line of code.
 */
export function define(
  builder: FileIndexBuilder,
  node: number,
  definition: Parameters<FileIndexBuilder['define']>[1],
): number {
  const { tree } = builder
  const index = builder.define(node, definition)
  const symbol = builder.symbols[index]
  if (symbol === undefined) return index
  let end = tree.end(node)
  for (; end > tree.start(node) && /\s/.test(tree.text.charAt(end - 1)); end--)
    if (tree.text[end - 1] === '\n') symbol.endLine--
  return index
}

/** Lists the types that follow `extends` and `with`. */
export function listBases(tree: FlatTree, definition: number): number[] {
  const clause = tree.field(definition, 'extend')
  return [...listItems(tree, clause)].flatMap((child) => listTypes(tree, child))
}

/** Lists the types that `self: Base with Named =>` requires. */
export function listSelfTypes(tree: FlatTree, definition: number): number[] {
  const selfType = tree.child(tree.field(definition, 'body'), 'self_type')
  return [...listItems(tree, selfType)].flatMap((child) => listTypes(tree, child))
}

/** Lists the parts of a compound type; none if the node isn't a type with a name. */
function listTypes(tree: FlatTree, node: number): number[] {
  if (tree.type(node) === 'compound_type')
    return [...tree.children(node)].flatMap((part) => listTypes(tree, part))
  return typeName(tree, node) === '' ? [] : [node]
}

/** Returns `stable.Type` or `Type` of a type with arguments or annotations. */
export function plainType(tree: FlatTree, type: number): number {
  switch (tree.type(type)) {
    case 'generic_type':
    case 'lazy_parameter_type':
      return plainType(tree, tree.field(type, 'type'))
    case 'annotated_type':
      return plainType(tree, tree.firstChild(type))
    case 'compound_type':
      return plainType(tree, tree.field(type, 'base'))
    default:
      return type
  }
}

/** Returns a type's name without package and type arguments; empty for functions and tuples. */
export function typeName(tree: FlatTree, type: number): string {
  const plain = plainType(tree, type)
  const isNamed = ['type_identifier', 'stable_type_identifier'].includes(tree.type(plain))
  return isNamed ? lastPart(tree.textOf(plain)) : ''
}

/** Counts the parameters of the first list. The compiler passes those of `using`. */
export function readParameters(tree: FlatTree, list: number): CodeSymbol['parameters'] {
  if (list === none) return null
  const parameters = [...listItems(tree, list)].filter((item) => tree.field(item, 'name') !== none)
  const isPassed = tree.child(list, 'using', 'implicit') === none
  const required = parameters.filter(
    (parameter) => tree.field(parameter, 'default_value') === none && !isRepeated(tree, parameter),
  )
  const isVariadic = parameters.some((parameter) => isRepeated(tree, parameter))
  return { least: isPassed ? required.length : 0, most: isVariadic ? null : parameters.length }
}

function isRepeated(tree: FlatTree, parameter: number): boolean {
  return tree.type(tree.field(parameter, 'type')) === 'repeated_parameter_type'
}

/** Returns the last name of a receiver; empty for expressions without a name. */
export function lastName(tree: FlatTree, node: number): string {
  const type = tree.type(node)
  if (type === 'field_expression') return tree.fieldText(node, 'field')
  return type === 'identifier' ? tree.textOf(node) : ''
}

/** Returns `create` or `shop.create` of `shop.create[Cart]`. */
export function calleeOf(tree: FlatTree, call: number): number {
  const callee = tree.field(call, 'function')
  return tree.type(callee) === 'generic_function' ? tree.field(callee, 'function') : callee
}

/** Counts the arguments of a call; a block is one, and null stands for `xs*`. */
export function countPassed(tree: FlatTree, list: number): number | null {
  if (list === none) return 0
  if (tree.type(list) !== 'arguments') return 1
  return countArguments(tree, list, (argument) => {
    const last = [...tree.children(argument)].at(-1) ?? none
    const type = tree.type(argument)
    return (
      (type === 'ascription_expression' && tree.type(last) === 'repeated_parameter_type') ||
      (type === 'postfix_expression' && tree.textOf(last) === '*')
    )
  })
}

/** Returns the type of an expression as far as it names one: that of a call is the call. */
export function inferType(tree: FlatTree, expression: number): string {
  switch (tree.type(expression)) {
    case 'instance_expression':
      return typeName(tree, createdType(tree, expression))
    case 'call_expression':
      return inferCall(tree, calleeOf(tree, expression))
    case 'field_expression':
    case 'generic_function':
      return inferCall(tree, expression)
    default:
      return ''
  }
}

function inferCall(tree: FlatTree, callee: number): string {
  const name = lastName(tree, callee)
  // By convention, `Cart(1)` calls `apply` of the companion object.
  if (/^\p{Lu}/u.test(name)) return name
  return resultType(tree, callee, members)
}

const members: MemberAccess = {
  types: typeSet('field_expression'),
  object: 'value',
  member: 'field',
  lastName,
}

/** Returns the type of `new Cart(1)`. */
export function createdType(tree: FlatTree, creation: number): number {
  for (const child of tree.children(creation)) if (typeName(tree, child) !== '') return child
  return none
}

const opaquePatterns = typeSet(`
  stable_identifier stable_type_identifier generic_type compound_type infix_type
  interpolated_string_expression given_pattern
`)

/** Declares the names that a pattern binds: those that begin with a small letter. */
export function declarePattern(builder: FileIndexBuilder, pattern: number): void {
  const { tree } = builder
  if (pattern === none) return
  for (let node = pattern; node < tree.subtreeEnd(pattern); ) {
    const type = tree.type(node)
    if (type === 'identifier' && /^[\p{Ll}_]/u.test(tree.textOf(node))) builder.declare(node)
    if (type === 'typed_pattern')
      builder.addBinding(tree.field(node, 'pattern'), typeName(tree, tree.field(node, 'type')))
    node = opaquePatterns.has(type) ? tree.subtreeEnd(node) : node + 1
  }
}
