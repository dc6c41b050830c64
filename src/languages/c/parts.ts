// Reads declarators, names, types and parameters of C and C++.
import type { CodeSymbol } from '../code-index.ts'
import type { FileIndexBuilder } from '../common/file-index-builder.ts'
import { type FlatTree, none } from '../common/flat-tree.ts'
import { listItems, typeSet } from '../common/parts.ts'

/** The parts of a declarator: in `*Cart::sell(int n)`, `sell` is the name and `Cart` the owner. */
export interface Declarator {
  /** `none` for declarators without a name, such as the parameter of `int f(int)`. */
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

/** Files written by people don't nest deeper. */
const maxDepth = 30

export function readDeclarator(tree: FlatTree, declarator: number): Declarator {
  let node = declarator
  let callable = none
  let isInBrackets = false
  for (let depth = 0; depth < maxDepth && wrappers.has(tree.type(node)); depth++) {
    const type = tree.type(node)
    if (type === 'function_declarator') {
      // `(*name)(int)` declares a variable that points to a function.
      callable = node
      isInBrackets = false
    } else if (type === 'parenthesized_declarator') isInBrackets = true
    else if (type === 'pointer_declarator' && isInBrackets) callable = none
    const inner = tree.field(node, 'declarator')
    node = inner === none ? firstDeclarator(tree, node) : inner
  }
  const named = readName(tree, node)
  // The name of `operator bool()` includes the parameters.
  if (tree.type(named.name) === 'operator_cast') callable = tree.field(named.name, 'declarator')
  return { ...named, callable }
}

/** Returns a function's name: `sell`, `operator+=`, `operator bool`. */
export function functionName(tree: FlatTree, name: number): string {
  if (tree.type(name) === 'operator_cast') return `operator ${tree.fieldText(name, 'type')}`
  return tree.textOf(name).replaceAll(/\s/g, '')
}

function firstDeclarator(tree: FlatTree, node: number): number {
  for (const child of tree.children(node)) {
    const type = tree.type(child)
    if (wrappers.has(type) || names.has(type)) return child
  }
  return none
}

/** Returns `sell` and its owner `Cart` for `Outer::Cart::sell`. */
function readName(tree: FlatTree, node: number): { name: number; owner: string | null } {
  let [name, owner]: [number, string | null] = [node, null]
  for (let depth = 0; depth < maxDepth && tree.type(name) === 'qualified_identifier'; depth++) {
    const scope = tree.field(name, 'scope')
    const last = tree.field(name, 'name')
    // Without colons the scope is a macro: `int API_CALL sell(int n)`.
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

/** Returns a name without its template arguments. */
export function baseName(tree: FlatTree, node: number): string {
  const name =
    tree.type(node) === 'template_type' || tree.type(node) === 'template_function'
      ? tree.field(node, 'name')
      : node
  return tree.textOf(name)
}

/** Consumes the name in a declarator and its qualifiers. */
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

/** Consumes `Cart`, `shop::Cart<T>`, `Cart::make` except template arguments, and splits it. */
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
      // `::name` has no qualifier.
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

/** Types whose members are those of their argument. */
const smartPointers = typeSet('unique_ptr shared_ptr weak_ptr scoped_refptr raw_ptr')

/** Returns the name of a type, for a smart pointer its target; empty for `int` and `auto`. */
export function typeName(tree: FlatTree, type: number): string {
  let named = type
  for (let depth = 0; depth < maxDepth; depth++) {
    const shape = tree.type(named)
    if (shape === 'type_identifier') return tree.textOf(named)
    if (shape === 'type_descriptor') named = tree.field(named, 'type')
    else if (shape === 'qualified_identifier') named = tree.field(named, 'name')
    else if (/^(struct|class|union|enum)_specifier$/.test(shape)) named = tree.field(named, 'name')
    else if (shape === 'template_type') {
      const name = tree.fieldText(named, 'name')
      if (!smartPointers.has(name)) return name
      named = firstArgument(tree, named)
    } else return ''
  }
  return ''
}

/** Returns the first template argument. */
function firstArgument(tree: FlatTree, template: number): number {
  return tree.child(tree.field(template, 'arguments'), 'type_descriptor')
}

const parameterTypes = typeSet(
  'parameter_declaration optional_parameter_declaration variadic_parameter_declaration',
)

export function readParameters(tree: FlatTree, callable: number): CodeSymbol['parameters'] {
  const list = tree.field(callable, 'parameters')
  let least = 0
  let most = 0
  let isVariadic = false
  for (const parameter of listItems(tree, list)) {
    const type = tree.type(parameter)
    if (!parameterTypes.has(type)) {
      if (/^(\.\.\.|variadic_parameter)$/.test(type)) isVariadic = true
      continue
    }
    // `(void)` declares no parameters.
    if (tree.textOf(parameter) === 'void') continue
    if (type === 'variadic_parameter_declaration') isVariadic = true
    else {
      most++
      if (type === 'parameter_declaration') least = most
    }
  }
  return { least, most: isVariadic ? null : most }
}

/** Whether a declaration contains the keyword before its first declarator. */
export function hasKeyword(tree: FlatTree, node: number, keyword: string): boolean {
  for (const child of tree.children(node)) {
    if (tree.hasField(child, 'declarator')) return false
    if (tree.textOf(child) === keyword) return true
  }
  return false
}

/** Whether a node is inside of an anonymous namespace, so other files can't name it. */
export function isInAnonymousNamespace(tree: FlatTree, node: number): boolean {
  let outer = tree.parent(node)
  for (let depth = 0; depth < maxDepth && outer !== none; depth++) {
    if (tree.type(outer) === 'namespace_definition' && tree.field(outer, 'name') === none)
      return true
    outer = tree.parent(outer)
  }
  return false
}
