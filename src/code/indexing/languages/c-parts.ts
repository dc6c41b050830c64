// Parts of C and C++ that several kinds of nodes share: declarators, names, types, parameters.
import type { CodeSymbol } from '../../code-index.ts'
import type { FileIndexBuilder } from '../file-index-builder.ts'
import { type FlatTree, none } from '../flat-tree.ts'
import { listItems, typeSet } from './common-parts.ts'

/** What a declarator says: in `*Cart::sell(int n)` the name is `sell`, its owner `Cart`, its function `…(int n)`. */
export interface Declarator {
  /** `none` for what has no name, as in `int f(int)`. */
  readonly name: number
  readonly owner: string | null
  /** The declarator with the parameters; `none` for variables and for pointers to functions. */
  readonly callable: number
}

const wrappers = typeSet(`
  pointer_declarator reference_declarator array_declarator init_declarator
  parenthesized_declarator attributed_declarator function_declarator bitfield_clause
  variadic_declarator
`)
const names = typeSet(`
  identifier field_identifier type_identifier destructor_name operator_name operator_cast
  qualified_identifier template_function structured_binding_declarator
`)

/** Deeper than this nobody nests. */
const maxDepth = 30

export function readDeclarator(tree: FlatTree, declarator: number): Declarator {
  let [node, callable, isInBrackets] = [declarator, none, false]
  for (let depth = 0; depth < maxDepth && wrappers.has(tree.type(node)); depth++) {
    const type = tree.type(node)
    if (type === 'function_declarator') {
      // In `(*name)(int)` a variable is declared that points to a function.
      callable = node
      isInBrackets = false
    } else if (type === 'parenthesized_declarator') isInBrackets = true
    else if (type === 'pointer_declarator' && isInBrackets) callable = none
    const inner = tree.field(node, 'declarator')
    node = inner === none ? firstDeclarator(tree, node) : inner
  }
  const named = readName(tree, node)
  // `operator bool()` is its own declarator.
  if (tree.type(named.name) === 'operator_cast') callable = tree.field(named.name, 'declarator')
  return { ...named, callable }
}

/** What a function is called: `sell`, `operator+=`, `operator bool`. */
export function functionName(tree: FlatTree, name: number): string {
  if (tree.type(name) === 'operator_cast')
    return `operator ${tree.textOf(tree.field(name, 'type'))}`
  return tree.textOf(name).replaceAll(/\s/g, '')
}

function firstDeclarator(tree: FlatTree, node: number): number {
  for (const child of tree.children(node)) {
    const type = tree.type(child)
    if (wrappers.has(type) || names.has(type)) return child
  }
  return none
}

/** `Outer::Cart::sell`: the last name, and the one before it. */
function readName(tree: FlatTree, node: number): { name: number; owner: string | null } {
  let [name, owner]: [number, string | null] = [node, null]
  for (let depth = 0; depth < maxDepth && tree.type(name) === 'qualified_identifier'; depth++) {
    const scope = tree.field(name, 'scope')
    const last = tree.field(name, 'name')
    // Two words without colons are a macro and the name: `int API_CALL sell(int n)`.
    const isScope =
      scope !== none && tree.text.slice(tree.end(scope), tree.start(last)).includes('::')
    if (isScope) owner = baseName(tree, scope)
    name = last
  }
  if (tree.type(name) === 'template_function') name = tree.field(name, 'name')
  return {
    name: names.has(tree.type(name)) && tree.type(name) !== 'qualified_identifier' ? name : none,
    owner,
  }
}

/** A name without its template's arguments. */
export function baseName(tree: FlatTree, node: number): string {
  const name =
    tree.type(node) === 'template_type' || tree.type(node) === 'template_function'
      ? tree.field(node, 'name')
      : node
  return tree.textOf(name)
}

/** Says that the name in a declarator has been dealt with, and all that qualifies it. */
export function consumeDeclarator(builder: FileIndexBuilder, declarator: number): void {
  const { tree } = builder
  const { name } = readDeclarator(tree, declarator)
  builder.consume(name)
  if (tree.type(name) === 'destructor_name') builder.consume(tree.child(name, 'identifier'))
  for (
    let outer = tree.parent(name);
    tree.type(outer) === 'qualified_identifier';
    outer = tree.parent(outer)
  ) {
    builder.consume(outer)
    builder.consume(tree.field(outer, 'scope'))
  }
}

/** Takes apart `Cart`, `shop::Cart<T>`, `Cart::make`; what is between `<` and `>` is visited. */
export function consumeName(
  builder: FileIndexBuilder,
  node: number,
): { name: number; qualifier: string | null } {
  const { tree } = builder
  let [name, qualifier]: [number, string | null] = [node, null]
  for (let depth = 0; depth < maxDepth; depth++) {
    builder.consume(name)
    const type = tree.type(name)
    if (type === 'qualified_identifier') {
      const scope = tree.field(name, 'scope')
      builder.consume(scope)
      if (tree.type(scope) === 'template_type') builder.consume(tree.field(scope, 'name'))
      // `::name` has nothing before it.
      if (scope !== none) qualifier = baseName(tree, scope)
      name = tree.field(name, 'name')
    } else if (/^template_(type|function|method)$/.test(type)) name = tree.field(name, 'name')
    else if (type === 'dependent_name') name = lastNamed(tree, name)
    else break
  }
  return { name: names.has(tree.type(name)) ? name : none, qualifier }
}

function lastNamed(tree: FlatTree, node: number): number {
  let last = none
  for (const child of tree.children(node))
    if (/^(template_|identifier|type_identifier)/.test(tree.type(child))) last = child
  return last
}

/** Types that hand on what is in them. */
const smartPointers = typeSet('unique_ptr shared_ptr weak_ptr scoped_refptr raw_ptr')

/** The one name that a type goes by; of a smart pointer what it points to; empty for `int`, `auto` and the like. */
export function typeName(tree: FlatTree, type: number): string {
  let named = type
  for (let depth = 0; depth < maxDepth; depth++) {
    const shape = tree.type(named)
    if (shape === 'type_identifier') return tree.textOf(named)
    if (shape === 'type_descriptor') named = tree.field(named, 'type')
    else if (shape === 'qualified_identifier') named = tree.field(named, 'name')
    else if (/^(struct|class|union|enum)_specifier$/.test(shape)) named = tree.field(named, 'name')
    else if (shape === 'template_type') {
      const name = tree.textOf(tree.field(named, 'name'))
      if (!smartPointers.has(name)) return name
      named = firstArgument(tree, named)
    } else return ''
  }
  return ''
}

/** The first type between `<` and `>`. */
function firstArgument(tree: FlatTree, template: number): number {
  return tree.child(tree.field(template, 'arguments'), 'type_descriptor')
}

const parameterTypes = typeSet(
  'parameter_declaration optional_parameter_declaration variadic_parameter_declaration',
)

export function readParameters(tree: FlatTree, callable: number): CodeSymbol['parameters'] {
  const list = tree.field(callable, 'parameters')
  let [least, most, isOpen] = [0, 0, false]
  for (const parameter of listItems(tree, list)) {
    const type = tree.type(parameter)
    if (!parameterTypes.has(type)) {
      if (/^(\.\.\.|variadic_parameter)$/.test(type)) isOpen = true
      continue
    }
    // `(void)` takes nothing.
    if (tree.textOf(parameter) === 'void') continue
    if (type === 'variadic_parameter_declaration') isOpen = true
    else {
      most++
      if (type === 'parameter_declaration') least = most
    }
  }
  return { least, most: isOpen ? null : most }
}

/** Whether one of a declaration's first words is this. */
export function hasWord(tree: FlatTree, node: number, word: string): boolean {
  for (const child of tree.children(node)) {
    if (tree.hasField(child, 'declarator')) return false
    if (tree.textOf(child) === word) return true
  }
  return false
}

/** Whether something stands in a namespace without a name, which other files can't reach. */
export function isInAnonymousNamespace(tree: FlatTree, node: number): boolean {
  let around = tree.parent(node)
  for (let depth = 0; depth < maxDepth && around !== none; depth++, around = tree.parent(around))
    if (tree.type(around) === 'namespace_definition' && tree.field(around, 'name') === none)
      return true
  return false
}
