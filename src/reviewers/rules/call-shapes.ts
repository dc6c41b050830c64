// Reads the parameters of functions and the arguments of calls from a syntax tree.
import type { Node } from 'web-tree-sitter'
import { callAndNewTypes } from '../../languages/rules/calls.ts'
import { unwrap } from '../../languages/rules/operations.ts'
import {
  codeChildren,
  field,
  fieldText,
  findNodes,
  lineOf,
} from '../../languages/rules/syntax-nodes.ts'
import type { Argument, Parameter, Shapes } from './shapes.ts'

/** Files have fewer definitions and calls of a few names. */
const maxShapes = 2_000
const maxTextLength = 1_000
/** Names lie this deep in what is called at most: `a.b<T>()`, `*name(int)`. */
const maxNameDepth = 8

// Each list has the types of all languages that are read.
const definitionTypes = [
  ...['function_declaration', 'generator_function_declaration', 'function_signature'],
  ...['method_definition', 'method_signature', 'abstract_method_signature'],
  ...['variable_declarator', 'public_field_definition', 'field_definition', 'pair'],
  ...['function_definition', 'function_declarator', 'method_declaration', 'method_elem'],
  ...['constructor_declaration', 'local_function_statement', 'function_expression'],
]
const nameTypes: ReadonlySet<string> = new Set([
  ...['identifier', 'property_identifier', 'private_property_identifier', 'field_identifier'],
  ...['type_identifier', 'name'],
])
/** In this order, because a definition can have a type too. */
const nameFields = [
  ...['function', 'name', 'property', 'attribute', 'field', 'key'],
  ...['declarator', 'constructor', 'type'],
]
/** C#: what follows the sign in `shop?.Load()`. */
const memberBinding = 'member_binding_expression'
const restTypes: ReadonlySet<string> = new Set([
  ...['rest_pattern', 'list_splat_pattern', 'spread_parameter', 'variadic_parameter'],
  ...['variadic_parameter_declaration', 'params', '...'],
])

export function readShapes(root: Node, names: readonly string[]): Shapes {
  const wanted = new Set(names)
  const definitions = findNodes(root, ...definitionTypes).flatMap((node) => {
    const list = wanted.has(nameOf(node)?.text ?? '') && findParameters(node)
    if (!list) return []
    const text = withoutSpaces(list.text.slice(0, maxTextLength))
    return [{ name: nameOf(node)!.text, text, parameters: readParameters(list) }]
  })
  // Where a syntax error begins, the line may have other calls than those that were parsed.
  const brokenLines = new Set(root.hasError ? findNodes(root, 'ERROR').map(lineOf) : [])
  const calls = findNodes(root, ...callAndNewTypes).flatMap((node) => {
    const called = nameOf(node)
    if (!called || !wanted.has(called.text)) return []
    const line = lineOf(called)
    return brokenLines.has(line)
      ? []
      : [{ name: called.text, line, arguments: readArguments(node) }]
  })
  return { definitions: definitions.slice(0, maxShapes), calls: calls.slice(0, maxShapes) }
}

export function withoutSpaces(text: string): string {
  return text.replaceAll(/\s+/g, '')
}

/** The name of what is defined, or the last name of what is called. */
function nameOf(node: Node): Node | undefined {
  let named: Node | undefined = node
  for (let depth = 0; named && depth < maxNameDepth; depth++) {
    if (nameTypes.has(named.type)) return named
    // The result of a call has no name: `create()(1)`.
    if (named !== node && callAndNewTypes.includes(named.type)) return undefined
    named = findNamed(named)
  }
  return undefined
}

/** The part of a node that has its name. */
function findNamed(node: Node): Node | undefined {
  for (const name of nameFields) {
    const named = field(node, name)
    if (named) return named
  }
  return node.namedChildren.findLast(({ type }) => nameTypes.has(type) || type === memberBinding)
}

/** Finds the list in brackets, or the only parameter of an arrow function without them. */
function findParameters(node: Node): Node | undefined {
  const value = field(node, 'value')
  const fn = value ? unwrap(value) : node
  return field(fn, 'parameters') ?? field(fn, 'parameter')
}

/** The names of the parameters of a function; undefined if they can't be read. */
export function parameterNamesOf(definition: Node): string[] | undefined {
  const list = findParameters(definition)
  return (list && readParameters(list))?.map(({ name }) => name)
}

function readParameters(list: Node): Parameter[] | null {
  if (nameTypes.has(list.type)) return [createParameter(list.text)]
  const parameters: Parameter[] = []
  let by: Parameter['by'] = 'either'
  for (const node of list.children) {
    const type = typeOf(node)
    if (type === 'positional_separator')
      parameters.splice(0, parameters.length, ...parameters.map(byPosition))
    if (type === 'keyword_separator') by = 'name'
    const read = readParameter(list, node, by)
    if (!read) return null
    parameters.push(...read)
    if (type === 'list_splat_pattern') by = 'name'
    // In C#, the parts of this last parameter lie in the list itself.
    if (type === 'params') break
  }
  return /^(?:self|cls)$/.test(parameters[0]?.name ?? '') ? parameters.slice(1) : parameters
}

/** In Python, the stars lie inside of a parameter with a type. */
function typeOf(node: Node): string {
  return node.type === 'typed_parameter' ? (node.namedChild(0)?.type ?? '') : node.type
}

const noParameter = /^(?:[(),|]|.*comment|positional_separator|keyword_separator|attribute_list)$/

/** Returns no parameter for signs and comments; undefined for one without a name. */
function readParameter(list: Node, node: Node, by: Parameter['by']): Parameter[] | undefined {
  const type = typeOf(node)
  if (noParameter.test(type) || isVoid(list, node)) return []
  if (type === '...') return [createParameter('...', { by: 'rest', isRequired: false })]
  if (type === 'dictionary_splat_pattern')
    return [createParameter(namesOf(node)[0] ?? '', { by: 'namedRest', isRequired: false })]
  const isRest = restTypes.has(type) || restTypes.has(field(node, 'pattern')?.type ?? '')
  const isSet = node.type === 'optional_parameter' || node.children.some((n) => n.type === '=')
  const mark = codeChildren(node).find((n) => n.type === 'modifier' && /^(?:ref|out)$/.test(n.text))
  const names = namesOf(type === 'params' ? list : node)
  if (names.length === 0) return undefined
  return names.map((name) =>
    createParameter(name, {
      by: isRest ? 'rest' : by,
      isRequired: !isRest && !isSet,
      mark: (mark?.text ?? '') as Parameter['mark'],
    }),
  )
}

/** C's `(void)`. */
function isVoid(list: Node, node: Node): boolean {
  return list.namedChildCount === 1 && node.text === 'void'
}

/** A parameter without a name, as in Go or C, has only a type. */
const declaringTypes = /^(?!type_identifier$).*(?:identifier|_pattern|declarator)$/

/** The names that a parameter declares: several in Go's `a, b int`, none for `{ a }`. */
function namesOf(node: Node): string[] {
  if (nameTypes.has(node.type)) return [node.text]
  const named = node.childrenForFieldName('name').filter(({ isNamed }) => isNamed)
  if (named.length > 0) return named.flatMap((name) => nameOf(name)?.text ?? [])
  const inner =
    field(node, 'pattern') ??
    field(node, 'left') ??
    field(node, 'declarator') ??
    node.namedChildren.find(({ type }) => declaringTypes.test(type))
  const isTakenApart = !inner || /^(?:object|array|tuple)_pattern$/.test(inner.type)
  return isTakenApart ? [] : namesOf(inner)
}

function createParameter(name: string, parts: Partial<Parameter> = {}): Parameter {
  return { name, by: 'either', isRequired: true, mark: '', ...parts }
}

function byPosition(parameter: Parameter): Parameter {
  return { ...parameter, by: 'position' }
}

function readArguments(call: Node): Argument[] {
  const list =
    field(call, 'arguments') ?? call.namedChildren.find(({ type }) => /^arguments?/.test(type))
  if (!list) return []
  // Python: `total(price for price in prices)`.
  if (list.type === 'generator_expression')
    return [{ name: null, text: textOf(list.text.slice(1, -1)) }]
  return codeChildren(list).map((argument) => {
    const isNamed = argument.type === 'argument' || argument.type === 'keyword_argument'
    const name = isNamed ? field(argument, 'name') : undefined
    if (!name) return { name: null, text: textOf(argument.text) }
    const value = argument.text.slice(name.endIndex - argument.startIndex)
    return { name: fieldText(argument, 'name'), text: textOf(value.replace(/^\s*[:=]\s*/, '')) }
  })
}

function textOf(text: string): string {
  return text.slice(0, maxTextLength)
}
