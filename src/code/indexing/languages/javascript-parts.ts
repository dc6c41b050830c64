// Parts of JavaScript and TypeScript that several kinds of nodes share: patterns, parameters, types, base classes.
import type { CodeSymbol } from '../../code-index.ts'
import type { FileIndexBuilder } from '../file-index-builder.ts'
import { type FlatTree, none } from '../flat-tree.ts'
import type { Visit } from '../language-spec.ts'
import { callType } from './common-parts.ts'

/** Nodes that are functions without a statement of their own. */
export const functionValues = ['arrow_function', 'function_expression', 'generator_function']

/** The nodes of all names that a pattern such as `{ a, b: [c] }` makes; not of what its defaults name. */
export function* listNames(tree: FlatTree, pattern: number): Generator<number> {
  if (pattern === none) return
  const end = tree.subtreeEnd(pattern)
  for (let node = pattern; node < end; node++) {
    const type = tree.type(node)
    const isDefault =
      tree.hasField(node, 'right') || tree.hasField(node, 'value') || type === 'type_annotation'
    // Defaults and types are names of other things; of a pair the value is the pattern.
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

/** How many arguments a function takes; null without a list of parameters. */
export function readParameters(tree: FlatTree, node: number): CodeSymbol['parameters'] {
  if (tree.field(node, 'parameter') !== none) return { least: 1, most: 1 }
  const list = tree.field(node, 'parameters')
  if (list === none) return null
  let [position, least, isOpen] = [0, 0, false]
  for (const child of tree.children(list)) {
    const pattern = tree.field(child, 'pattern')
    const shape = tree.type(pattern === none ? child : pattern)
    if (shape === 'rest_pattern') isOpen = true
    else if (parameterShapes.has(shape)) {
      position++
      const isOptional =
        tree.type(child) === 'optional_parameter' || tree.field(child, 'value') !== none
      if (!isOptional && shape !== 'assignment_pattern') least = position
    }
  }
  return { least, most: isOpen ? null : position }
}

const parameterShapes: ReadonlySet<string> = new Set([
  'identifier',
  'object_pattern',
  'array_pattern',
  'assignment_pattern',
])

/** The one name that a type goes by; empty where it has none, or several. */
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

/** What the annotation says, or else what is made with `new`. */
export function valueType(tree: FlatTree, annotation: number, value: number): string {
  if (annotation !== none) return typeName(tree, annotation)
  let made = value
  while (tree.type(made) === 'await_expression') made = tree.nextSibling(tree.firstChild(made))
  if (tree.type(made) === 'new_expression') return lastName(tree, tree.field(made, 'constructor'))
  return tree.type(made) === 'call_expression' ? calledType(tree, tree.field(made, 'function')) : ''
}

function calledType(tree: FlatTree, called: number): string {
  if (tree.type(called) === 'identifier') return callType(null, tree.textOf(called))
  if (tree.type(called) !== 'member_expression') return ''
  const object = tree.field(called, 'object')
  const isName = tree.type(object) === 'identifier' || tree.type(object) === 'this'
  return isName ? callType(tree.textOf(object), tree.textOf(tree.field(called, 'property'))) : ''
}

/** What a function says to return; what a promise holds counts for the promise, as nobody asks anything else of it. */
export function returnedType(tree: FlatTree, node: number): string {
  const annotation = tree.field(node, 'return_type')
  if (annotation !== none) {
    const type = skipPunctuation(tree, tree.firstChild(annotation))
    const isPromise =
      tree.type(type) === 'generic_type' && tree.textOf(tree.field(type, 'name')) === 'Promise'
    return isPromise
      ? typeName(tree, tree.field(type, 'type_arguments'))
      : typeName(tree, annotation)
  }
  const body = tree.field(node, 'body')
  return tree.type(body) === 'new_expression' ? valueType(tree, none, body) : ''
}

/** `return new Cart()`, `return this`: of a function that doesn't say itself what it returns, and isn't in another one. */
export const visitReturn: Visit = (builder, node) => {
  const { tree } = builder
  const kind = builder.enclosingSymbol?.kind
  if (kind !== 'function' && kind !== 'method') return
  let at = tree.parent(node)
  while (at !== none && !returning.has(tree.type(at))) at = tree.parent(at)
  if (at === none || tree.field(at, 'return_type') !== none) return
  for (let outer = tree.parent(at); outer !== none; outer = tree.parent(outer))
    if (returning.has(tree.type(outer))) return
  const value = tree.nextSibling(tree.firstChild(node))
  const type = tree.type(value)
  if (value === none || type === ';' || type === 'null' || type === 'undefined') return
  const made =
    type === 'new_expression' ? valueType(tree, none, value) : type === 'this' ? 'this' : ''
  // Once is enough.
  if (builder.typeOf('()') !== (made || '?')) builder.addBinding('()', made || '?')
}

const returning: ReadonlySet<string> = new Set([
  'function_declaration',
  'function_expression',
  'arrow_function',
  'method_definition',
  // What these return is something else: to be gone through.
  'generator_function',
  'generator_function_declaration',
])

const nameableTypes: ReadonlySet<string> = new Set([
  'type_identifier',
  'generic_type',
  'nested_type_identifier',
  'parenthesized_type',
  'union_type',
])

function skipPunctuation(tree: FlatTree, node: number): number {
  const isPunctuation = [':', '(', '<'].includes(tree.type(node))
  return isPunctuation ? tree.nextSibling(node) : node
}

/** The last name of what stands before a full stop: empty for what is none. */
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
      return tree.textOf(tree.field(plain, 'property'))
    default:
      return ''
  }
}

/** The nodes that name base classes and interfaces. */
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

const baseTypes: ReadonlySet<string> = new Set([
  'identifier',
  'member_expression',
  'type_identifier',
  'nested_type_identifier',
])

/** Records what a class or interface builds on. */
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

/** What a base class is called, without what stands before its full stop. */
export function baseName(tree: FlatTree, base: number): string {
  const name = tree.field(base, 'property')
  const typed = tree.field(base, 'name')
  return tree.textOf(name !== none ? name : typed !== none ? typed : base)
}

export function isModuleExports(tree: FlatTree, node: number): boolean {
  return tree.textOf(node) === 'module.exports'
}
