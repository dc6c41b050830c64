// Reads what gives variables, fields and elements their values, alike in all languages.
import type { Node, Tree } from 'web-tree-sitter'
import { outermostFunction } from './functions.ts'
import type { ParsedFile } from './syntax-check.ts'
import { codeChildren, field, findNodes, firstField } from './syntax-nodes.ts'

/** The types of nodes that set something to a value; those that change a value are left out. */
export const bindingTypes: readonly string[] = [
  ...['variable_declarator', 'assignment', 'assignment_expression', 'assignment_statement'],
  ...['short_var_declaration', 'let_declaration', 'property_declaration'],
]

/** Like `bindingTypes`, with constants and Go's `var`. */
export const allBindingTypes: readonly string[] = [
  ...bindingTypes,
  ...['const_spec', 'var_spec', 'const_element', 'const_item', 'static_item'],
]

interface Binding {
  /** What gets the value: variables, fields, elements or patterns. */
  readonly targets: readonly Node[]
  /** The value, or the first of several. */
  readonly value: Node
  /** Such as `=`, `:=`, `+=` or `=>`. */
  readonly operator: string
}

/** A binding whose first target is a variable. */
export interface VariableBinding extends Binding {
  readonly name: string
}

const bindingOperator = /(=>|(?:\*\*|\/\/|<<|>>>?|&&|\|\||\?\?|[-+*/%&|^:.@~])?=|:)\s*$/

/** Also reads `x += 1`, `key: value` and what is passed by name; undefined without a value. */
export function readBinding(node: Node): Binding | undefined {
  const declared = node.namedChildren.find(({ type }) => type === 'variable_declaration')
  const target = declared
    ? childAt(declared, 0)
    : (firstField(node, ['name', 'left', 'key', 'pattern', 'field']) ?? firstPart(node))
  const given = firstField(node, ['value', 'right']) ?? node.namedChildren.at(-1)
  if (!target || !given || given.startIndex < target.endIndex || given.id === declared?.id)
    return undefined
  const [value] = partsOf(given)
  const between = node.text.slice(
    target.endIndex - node.startIndex,
    given.startIndex - node.startIndex,
  )
  const operator = bindingOperator.exec(between)?.[1] ?? ''
  return value && { targets: partsOf(target), value, operator }
}

/** Reads which local variable gets a value; undefined for fields, elements and `x += 1`. */
export function readVariable(node: Node): VariableBinding | undefined {
  const binding = readBinding(node)
  if (!binding || !/^(?::?=)?$/.test(binding.operator)) return undefined
  const name = binding.targets[0]!.text.replace(/^(?:Some|Ok)\((?:mut )?(\w+)\)$/, '$1')
  return /^[$@]?[A-Za-z_]\w*$/.test(name) ? { ...binding, name } : undefined
}

/** Whether a name without `this` is that of a field or property, as far as the function shows. */
export function isMember(
  name: string,
  { startIndex }: Node,
  fn: Node,
  { language }: ParsedFile,
): boolean {
  if (!/^(?:java|c-sharp|kotlin)$/.test(language)) return false
  const declaration = new RegExp(`(?:[\\w>\\]?]\\s+|\\()${RegExp.escape(name)}\\s*[=;:,)]`)
  return !declaration.test(fn.text.slice(0, startIndex - fn.startIndex))
}

const readVariables = new WeakMap<Tree, Map<number, readonly VariableBinding[]>>()

/** Lists what the variables in a function are set to, in order; read once for all checks. */
export function listVariables(scope: Node): readonly VariableBinding[] {
  const ofTree = readVariables.get(scope.tree) ?? new Map<number, readonly VariableBinding[]>()
  readVariables.set(scope.tree, ofTree)
  const known = ofTree.get(scope.id)
  if (known) return known
  const found = findNodes(scope, ...allBindingTypes).flatMap((node) => readVariable(node) ?? [])
  ofTree.set(scope.id, found)
  return found
}

/** Larger functions are not searched, so that the work is bounded. */
const maxScope = 8_000

/** Returns the only value that a local variable gets before its use. */
export function onlyValueOf(use: Node): Node | undefined {
  const scope = outermostFunction(use) ?? use.tree.rootNode
  if (scope.endIndex - scope.startIndex > maxScope || use.text.length > 100) return undefined
  const { text } = use
  const [only, ...others] = listVariables(scope).filter(
    ({ name, value }) => name === text && value.endIndex <= use.startIndex,
  )
  return others.length === 0 ? only?.value : undefined
}

function childAt(node: Node, index: number): Node | undefined {
  return node.namedChild(index) ?? undefined
}

function firstPart(node: Node): Node | undefined {
  return codeChildren(node).find(({ type }) => !/modifier|visibility/.test(type))
}

/** Go's and Python's lists of targets and values. */
function partsOf(node: Node): readonly Node[] {
  return /^(?:expression|pattern)_list$/.test(node.type) ? codeChildren(node) : [node]
}

const nameTypes = ['identifier', 'variable_name', 'shorthand_property_identifier', 'self_parameter']

/** The places in a node that use a local variable, in order. */
export function usesOf(node: Node, name: string): Node[] {
  const found = node.descendantsOfType(nameTypes).filter((each) => each.text === name)
  return found.filter((use) => !isMemberName(use))
}

const memberFields = ['property', 'attribute', 'field', 'name']

/** Whether a name is that of a member, a named argument or a key. */
function isMemberName(use: Node): boolean {
  const { parent } = use
  if (!parent) return false
  const isNamed = memberFields
    .filter((name) => name !== 'name' || !/declar|parameter|spec/.test(parent.type))
    .some((name) => field(parent, name)?.id === use.id)
  const isKey = /^(?:pair|keyword_argument)$/.test(parent.type) && parent.firstChild?.id === use.id
  const isMethod = field(parent, 'method')?.id === use.id && field(parent, 'receiver') !== undefined
  const isNavigated = parent.type === 'navigation_expression' && parent.namedChild(0)?.id !== use.id
  return isKey || isMethod || isNavigated || (isNamed && parent.childCount > 1)
}

/** Whether text mentions a variable. */
export function mentionsName(text: string, name: string): boolean {
  return new RegExp(`(?<![\\w$@.])${RegExp.escape(name)}(?!\\w)`).test(text)
}
