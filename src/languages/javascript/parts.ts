// Reads patterns, parameters, types and base classes of JavaScript and TypeScript.
import type { CodeSymbol } from '../code-index.ts'
import type { FileIndexBuilder } from '../common/file-index-builder.ts'
import { type FlatTree, none } from '../common/flat-tree.ts'
import type { Visit } from '../common/index-spec.ts'
import { type MemberAccess, resultType } from '../common/member-access.ts'
import { typeSet } from '../common/parts.ts'

/** Functions that are expressions. */
export const functionValues = ['arrow_function', 'function_expression', 'generator_function']

/** Yields the names that a pattern such as `{ a, b: [c] }` declares. */
export function* listNames(tree: FlatTree, pattern: number): Generator<number> {
  if (pattern === none) return
  const end = tree.subtreeEnd(pattern)
  for (let node = pattern; node < end; node++) {
    const type = tree.type(node)
    const isDefault =
      tree.hasField(node, 'right') || tree.hasField(node, 'value') || type === 'type_annotation'
    // Names in defaults and types are references, but the value of a pair is a pattern.
    if (node !== pattern && isDefault && tree.type(tree.parent(node)) !== 'pair_pattern')
      node = tree.subtreeEnd(node) - 1
    else if (type === 'identifier' || type === 'shorthand_property_identifier_pattern') yield node
  }
}

/** Declares all names of a pattern. */
export function declarePattern(
  builder: FileIndexBuilder,
  pattern: number,
  toFunction = false,
): void {
  for (const name of listNames(builder.tree, pattern)) builder.declare(name, toFunction)
}

/** Reads the parameters and the return type of a function. */
export function readCallable(
  tree: FlatTree,
  node: number,
): { parameters: CodeSymbol['parameters']; returns: string } {
  return { parameters: readParameters(tree, node), returns: returnedType(tree, node) }
}

/** Counts the arguments that a function takes; null without a list of parameters. */
export function readParameters(tree: FlatTree, node: number): CodeSymbol['parameters'] {
  if (tree.field(node, 'parameter') !== none) return { least: 1, most: 1 }
  const list = tree.field(node, 'parameters')
  if (list === none) return null
  let position = 0
  let least = 0
  let isVariadic = false
  for (const child of tree.children(list)) {
    const pattern = tree.field(child, 'pattern')
    const shape = tree.type(pattern === none ? child : pattern)
    if (shape === 'rest_pattern') isVariadic = true
    else if (parameterShapes.has(shape)) {
      position++
      const isOptional =
        tree.type(child) === 'optional_parameter' || tree.field(child, 'value') !== none
      if (!isOptional && shape !== 'assignment_pattern') least = position
    }
  }
  return { least, most: isVariadic ? null : position }
}

const parameterShapes = typeSet('identifier object_pattern array_pattern assignment_pattern')

/** Returns the name of a type; empty if it has none or several. */
function typeName(tree: FlatTree, annotation: number): string {
  let type = skipPunctuation(tree, tree.firstChild(annotation))
  for (let depth = 0; depth < 8; depth++) {
    switch (tree.type(type)) {
      case 'type_identifier':
        return tree.textOf(type)
      case 'generic_type':
      case 'nested_type_identifier':
        type = tree.field(type, 'name')
        break
      case 'parenthesized_type':
        type = skipPunctuation(tree, tree.firstChild(type))
        break
      case 'union_type': {
        const named = [...tree.children(type)].filter((child) =>
          nameableTypes.has(tree.type(child)),
        )
        if (named.length !== 1) return ''
        type = named[0]!
        break
      }
      default:
        return ''
    }
  }
  return ''
}

/** Returns the annotated type, or that of a `new` expression or a call; empty if unknown. */
export function valueType(tree: FlatTree, annotation: number, value: number): string {
  if (annotation !== none) return typeName(tree, annotation)
  let awaited = value
  while (tree.type(awaited) === 'await_expression')
    awaited = tree.nextSibling(tree.firstChild(awaited))
  switch (tree.type(awaited)) {
    case 'new_expression':
      return lastName(tree, tree.field(awaited, 'constructor'))
    case 'call_expression':
      return resultType(tree, tree.field(awaited, 'function'), members)
    default:
      return ''
  }
}

/** Returns the declared return type; for a promise its value's type, because callers await it. */
function returnedType(tree: FlatTree, node: number): string {
  const annotation = tree.field(node, 'return_type')
  if (annotation !== none) {
    const type = skipPunctuation(tree, tree.firstChild(annotation))
    const isPromise =
      tree.type(type) === 'generic_type' && tree.fieldText(type, 'name') === 'Promise'
    return isPromise
      ? typeName(tree, tree.field(type, 'type_arguments'))
      : typeName(tree, annotation)
  }
  const body = tree.field(node, 'body')
  return tree.type(body) === 'new_expression' ? valueType(tree, none, body) : ''
}

/**
 * Infers the return type from `return new Cart()` or `return this` if the function declares none.
 * Functions inside of functions are ignored.
 */
export const visitReturn: Visit = (builder, node, tree) => {
  const kind = builder.enclosingSymbol?.kind
  if (kind !== 'function' && kind !== 'method') return
  const functionNode = enclosingFunction(tree, node)
  if (functionNode === none || tree.field(functionNode, 'return_type') !== none) return
  if (enclosingFunction(tree, functionNode) !== none) return
  const value = tree.nextSibling(tree.firstChild(node))
  if (value === none || emptyValues.has(tree.type(value))) return
  const type = inferReturnType(tree, value)
  const isRepeated = builder.typeOf('()') === type
  if (!isRepeated) builder.addBinding('()', type)
}

function enclosingFunction(tree: FlatTree, node: number): number {
  let outer = tree.parent(node)
  while (outer !== none && !functionTypes.has(tree.type(outer))) outer = tree.parent(outer)
  return outer
}

/** `?` stands for other values; see `CodeBinding.name`. */
function inferReturnType(tree: FlatTree, value: number): string {
  const type = tree.type(value)
  if (type === 'this') return 'this'
  const createdType = type === 'new_expression' ? valueType(tree, none, value) : ''
  return createdType === '' ? '?' : createdType
}

const emptyValues = typeSet('; null undefined')

const functionTypes: ReadonlySet<string> = new Set([
  'function_declaration',
  'function_expression',
  'arrow_function',
  'method_definition',
  // Generators are included because their return value isn't the result of the call.
  'generator_function',
  'generator_function_declaration',
])

const nameableTypes = typeSet(
  'type_identifier generic_type nested_type_identifier parenthesized_type union_type',
)

function skipPunctuation(tree: FlatTree, node: number): number {
  const isPunctuation = [':', '(', '<'].includes(tree.type(node))
  return isPunctuation ? tree.nextSibling(node) : node
}

/** Returns the last name of `a.b`; empty for expressions without a name. */
export function lastName(tree: FlatTree, node: number): string {
  const plain = tree.type(node) === 'non_null_expression' ? tree.firstChild(node) : node
  switch (tree.type(plain)) {
    case 'identifier':
    case 'type_identifier':
    case 'this':
    case 'super':
      return tree.textOf(plain)
    case 'member_expression':
    case 'nested_identifier':
      return tree.fieldText(plain, 'property')
    default:
      return ''
  }
}

export const members: MemberAccess = {
  types: typeSet('member_expression nested_identifier'),
  object: 'object',
  member: 'property',
  lastName,
}

/** Returns the nodes of base classes and interfaces. */
export function findBases(tree: FlatTree, node: number): number[] {
  const heritage = tree.child(node, 'class_heritage', 'extends_type_clause')
  if (heritage === none) return []
  const clauses = [...tree.children(heritage)].filter((child) =>
    tree.type(child).endsWith('_clause'),
  )
  return [heritage, ...clauses]
    .flatMap((clause) => [...tree.children(clause)])
    .flatMap((child) => {
      const base = tree.type(child) === 'generic_type' ? tree.field(child, 'name') : child
      return baseTypes.has(tree.type(base)) ? [base] : []
    })
}

const baseTypes = typeSet('identifier member_expression type_identifier nested_type_identifier')

/** Records the base classes and interfaces of a type. */
export function referToBases(builder: FileIndexBuilder, bases: readonly number[]): void {
  const { tree } = builder
  for (const base of bases) {
    builder.consume(base)
    const type = tree.type(base)
    if (type === 'member_expression')
      builder.addReference({
        kind: 'extends',
        name: tree.field(base, 'property'),
        qualifier: lastName(tree, tree.field(base, 'object')),
      })
    else if (type === 'nested_type_identifier')
      builder.addReference({
        kind: 'extends',
        name: tree.field(base, 'name'),
        qualifier: lastName(tree, tree.field(base, 'module')),
      })
    else builder.addReference({ kind: 'extends', name: base })
  }
}

/** Returns the name of a base class without its qualifier. */
export function baseName(tree: FlatTree, base: number): string {
  const property = tree.field(base, 'property')
  if (property !== none) return tree.textOf(property)
  const name = tree.field(base, 'name')
  return tree.textOf(name === none ? base : name)
}

export function isModuleExports(tree: FlatTree, node: number): boolean {
  return tree.textOf(node) === 'module.exports'
}
