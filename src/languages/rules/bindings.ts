// Reads what gives variables, fields and elements their values, alike in all languages.
import type { Node, Tree } from 'web-tree-sitter'
import { listParameters, outermostFunction, scopeOf } from './functions.ts'
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

/** Like `allBindingTypes`, with loops, declarations of C and Scala, and what a condition binds. */
const bindingAndLoopTypes: readonly string[] = [
  ...allBindingTypes,
  ...['init_declarator', 'val_definition', 'var_definition', 'named_expression', 'resource'],
  ...['for_statement', 'for_in_statement', 'enhanced_for_statement'],
]

interface Binding {
  readonly node: Node
  /** What gets the value: variables, fields, elements or patterns. */
  readonly targets: readonly Node[]
  /** The value, or the first of several. */
  readonly value: Node
  readonly values: readonly Node[]
  /** Such as `=`, `:=`, `+=` or `=>`. */
  readonly operator: string
}

/** A binding whose first target is a variable. */
export interface VariableBinding extends Binding {
  readonly name: string
}

const bindingOperator = /(=>|(?:\*\*|\/\/|<<|>>>?|&&|\|\||\?\?|[-+*/%&|^:.@~])?=|:)\s*$/

/** The operators that replace a value; a declaration may have none. */
const setsValue = /^(?::?=)?$/

/** Also reads `x += 1`, `key: value` and what is passed by name; undefined without a value. */
export function readBinding(node: Node): Binding | undefined {
  const target = targetOf(node)
  const given = firstField(node, ['value', 'right']) ?? lastPart(node)
  if (!target || !given || given.startIndex < target.endIndex || isDeclaration(given))
    return undefined
  const values = partsOf(given)
  const [value] = values
  const between = node.text.slice(
    target.endIndex - node.startIndex,
    given.startIndex - node.startIndex,
  )
  const operator = bindingOperator.exec(between)?.[1] ?? ''
  return value && { node, targets: partsOf(target), value, values, operator }
}

function targetOf(node: Node): Node | undefined {
  const isProperty = node.type === 'property_declaration'
  const declared = isProperty ? node.namedChildren.find(isDeclaration) : undefined
  if (declared) return childAt(declared, 0)
  return firstField(node, ['name', 'left', 'key', 'pattern', 'field']) ?? firstPart(node)
}

/** Whether a node is what declares the variable of a property in Kotlin. */
function isDeclaration({ type }: Node): boolean {
  return type === 'variable_declaration'
}

/** Reads which local variable gets a value; undefined for fields, elements and `x += 1`. */
export function readVariable(node: Node): VariableBinding | undefined {
  const binding = readBinding(node)
  if (!binding || !setsValue.test(binding.operator)) return undefined
  const name = binding.targets[0]!.text.replace(/^(?:Some|Ok)\((?:mut )?(\w+)\)$/, '$1')
  return isVariableName(name) ? { ...binding, name } : undefined
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

/** What variables are set to, also by a pattern such as `{ url }` or by a loop. */
export interface NamedBinding {
  readonly node: Node
  readonly names: readonly string[]
  /** The value, or what the pattern or loop takes the value from. */
  readonly value: Node
}

interface ScopeBindings {
  readonly all: readonly NamedBinding[]
  readonly byName: ReadonlyMap<string, readonly NamedBinding[]>
}

const knownBindings = new WeakMap<Tree, Map<number, ScopeBindings>>()

/** Lists the bindings in a function, also in the functions inside it; read once for all checks. */
export function bindingsIn(scope: Node): ScopeBindings {
  const ofTree = knownBindings.get(scope.tree) ?? new Map<number, ScopeBindings>()
  knownBindings.set(scope.tree, ofTree)
  const bindings = ofTree.get(scope.id) ?? readBindingsIn(scope)
  ofTree.set(scope.id, bindings)
  return bindings
}

function readBindingsIn(scope: Node): ScopeBindings {
  const all = findNodes(scope, ...bindingAndLoopTypes).flatMap(readNames)
  const byName = new Map<string, NamedBinding[]>()
  for (const binding of all)
    for (const name of binding.names) {
      const known = byName.get(name)
      if (known) known.push(binding)
      else byName.set(name, [binding])
    }
  return { all, byName }
}

function readNames(node: Node): NamedBinding[] {
  const isLoop = node.type.startsWith('for_') || node.type.startsWith('enhanced_')
  // Other loops have a counter and a condition.
  if (isLoop && !firstField(node, ['left', 'name'])) return []
  const binding = readBinding(node)
  if (!binding || !(isLoop || setsValue.test(binding.operator))) return []
  const { targets, value, values } = binding
  const isPaired = targets.length === values.length
  const whole = values.length === 1 ? value : (value.parent ?? value)
  return targets.map((target, index) => ({
    node,
    names: namesIn(target.text),
    value: isPaired ? values[index]! : whole,
  }))
}

/** The names of a target, which can be a pattern such as `{ url }` or `path, err`. */
function namesIn(target: string): readonly string[] {
  const pattern = target.replace(/^(?:mut\s|[*&\s])+/, '')
  if (isVariableName(pattern)) return [pattern]
  return pattern.length < 200 && /^[\w\s,{}()[\]:$]+$/.test(pattern)
    ? [...(pattern.match(/\$?\w+/g) ?? [])]
    : []
}

/** Whether code is the name of a variable, also with the sign that some languages require. */
export function isVariableName(code: string): boolean {
  return /^[$@]?[A-Za-z_]\w*$/.test(code)
}

/** The values that a variable gets in a function before it is used. */
export function boundValues(scope: Node, name: string, use: Node): Node[] {
  const bindings = bindingsIn(scope).byName.get(name) ?? []
  return bindings.map(({ value }) => value).filter(({ endIndex }) => endIndex <= use.startIndex)
}

/** The values that a variable gets before it is used, in the nearest function that sets it. */
export function valuesOf(variable: Node, name = variable.text): Node[] {
  if (!isVariableName(name)) return []
  for (let scope = scopeOf(variable); scope; scope = scopeOf(scope)) {
    const values = boundValues(scope, name, variable)
    if (values.length > 0) return values.filter(({ text }) => text !== name)
    if (listParameters(scope).some((parameter) => declares(parameter, name))) return []
  }
  return []
}

/** Whether a parameter has a name. */
export function declares(parameter: Node, name: string): boolean {
  return new Set<string>(parameter.text.slice(0, 200).match(/[$@]?\w+/g)).has(name)
}

function childAt(node: Node, index: number): Node | undefined {
  return node.namedChild(index) ?? undefined
}

function firstPart(node: Node): Node | undefined {
  return codeChildren(node).find(({ type }) => !/modifier|visibility/.test(type))
}

/** The last part of a node, unless that is the type of a variable without a value. */
function lastPart(node: Node): Node | undefined {
  const last = node.namedChildren.at(-1)
  return last?.id === field(node, 'type')?.id ? undefined : last
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

/** Whether text mentions a variable, such as `rows` in `...rows`, and not a member in `x.rows`. */
export function mentionsName(text: string, name: string): boolean {
  return new RegExp(`(?<![\\w$@]|(?<!\\.)\\.)${RegExp.escape(name)}(?!\\w)`).test(text)
}
