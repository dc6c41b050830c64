// Collects the symbols, imports and references of Go for the code index.

import type { CodeReference, CodeSymbol } from '../code-index.ts'
import type { FileIndexBuilder } from '../common/file-index-builder.ts'
import { type FlatTree, none } from '../common/flat-tree.ts'
import type { IndexSpec, Visit } from '../common/index-spec.ts'
import { type MemberAccess, referTo, resultType } from '../common/member-access.ts'
import { consumeSubtree, countArguments, listItems, typeSet } from '../common/parts.ts'
import { referAs } from '../common/visits.ts'

const members: MemberAccess = {
  types: typeSet('selector_expression'),
  object: 'operand',
  member: 'field',
  lastName: (tree, node) =>
    tree.type(node) === 'identifier' ? tree.textOf(node) : tree.fieldText(node, 'field'),
}

/** Returns a type's name without pointer, package and type arguments; empty for other types. */
function typeName(tree: FlatTree, type: number): string {
  let node = type
  for (let depth = 0; depth < 8; depth++) {
    const kind = tree.type(node)
    if (kind === 'type_identifier') return tree.textOf(node)
    if (kind === 'pointer_type' || kind === 'parenthesized_type')
      node = tree.nextSibling(tree.firstChild(node))
    else if (kind === 'generic_type') node = tree.field(node, 'type')
    else if (kind === 'qualified_type') node = tree.field(node, 'name')
    else return ''
  }
  return ''
}

const visitFunction: Visit = (builder, node, tree) => {
  const name = tree.field(node, 'name')
  const receiver = tree.child(tree.field(node, 'receiver'), 'parameter_declaration')
  const owner = receiver === none ? null : typeName(tree, tree.field(receiver, 'type'))
  builder.define(node, {
    name,
    kind: tree.type(node) === 'function_declaration' ? 'function' : 'method',
    owner,
    parameters: readParameters(tree, tree.field(node, 'parameters')),
    returns: returnedType(tree, node),
  })
}

/** Returns the type of the first result. */
function returnedType(tree: FlatTree, node: number): string {
  const result = tree.field(node, 'result')
  if (tree.type(result) !== 'parameter_list') return result === none ? '' : typeName(tree, result)
  return typeName(tree, tree.field(tree.child(result, 'parameter_declaration'), 'type'))
}

function readParameters(tree: FlatTree, list: number): CodeSymbol['parameters'] {
  let count = 0
  for (const parameter of listItems(tree, list)) {
    if (tree.type(parameter) === 'variadic_parameter_declaration')
      return { least: count, most: null }
    const names = [...tree.children(parameter)].filter((child) =>
      tree.hasField(child, 'name'),
    ).length
    // A declaration without names is one parameter.
    count += Math.max(1, names)
  }
  return { least: count, most: count }
}

/** Declares the type parameters of a receiver such as `*Shop[T]`. */
const declareReceiverTypes: Visit = (builder, node, tree) => {
  const receiver = tree.field(node, 'receiver')
  for (let inner = receiver; inner !== none && inner < tree.subtreeEnd(receiver); inner++)
    if (tree.type(tree.parent(inner)) === 'type_elem' && tree.type(inner) === 'type_identifier')
      builder.declare(inner)
}

const visitType: Visit = (builder, node, tree) => {
  const name = tree.field(node, 'name')
  const type = tree.field(node, 'type')
  const shape = tree.type(type)
  const bases = [...findBases(tree, type)]
  builder.define(node, {
    name,
    kind: shape === 'struct_type' ? 'class' : shape === 'interface_type' ? 'interface' : 'type',
    bodyNode: tree.child(type, 'field_declaration_list', '{'),
    startNode: statementStart(tree, node),
    extends: bases.map((base) => typeName(tree, base)).filter((base) => base !== ''),
  })
  for (const base of bases) referToType(builder, 'extends', base)
}

/** Yields the types that are embedded in a struct or an interface. */
function* findBases(tree: FlatTree, type: number): Generator<number> {
  if (tree.type(type) === 'struct_type') {
    for (const field of listItems(tree, tree.child(type, 'field_declaration_list')))
      if (tree.field(field, 'name') === none && tree.type(field) === 'field_declaration')
        yield tree.field(field, 'type')
  } else if (tree.type(type) === 'interface_type')
    for (const element of tree.children(type)) {
      const first = tree.firstChild(element)
      if (tree.type(element) === 'type_elem' && tree.nextSibling(first) === none) yield first
    }
}

/** Records a reference to a type, with its package as the qualifier. */
function referToType(
  builder: FileIndexBuilder,
  kind: CodeReference['kind'],
  type: number,
  argumentCount: number | null = null,
): void {
  const { tree } = builder
  let node = type
  if (tree.type(node) === 'pointer_type') node = tree.nextSibling(tree.firstChild(node))
  if (tree.type(node) === 'generic_type') node = tree.field(node, 'type')
  if (tree.type(node) === 'type_identifier')
    builder.addReference({ kind, name: node, argumentCount })
  if (tree.type(node) !== 'qualified_type') return
  builder.consume(node)
  const qualifier = tree.fieldText(node, 'package')
  builder.addReference({
    kind,
    name: tree.field(node, 'name'),
    qualifier,
    argumentCount,
  })
}

/** Returns the statement of a single definition, or the definition if it is in a group. */
function statementStart(tree: FlatTree, node: number): number {
  const statement = tree.parent(node)
  return tree.nextSibling(tree.firstChild(statement)) === node ? statement : node
}

const visitInterfaceMethod: Visit = (builder, node, tree) => {
  const name = tree.field(node, 'name')
  const parameters = readParameters(tree, tree.field(node, 'parameters'))
  if (builder.isLocal) builder.consume(name)
  else {
    builder.define(node, {
      name,
      kind: 'method',
      parameters,
      returns: returnedType(tree, node),
    })
  }
}

const visitField: Visit = (builder, node, tree) => {
  const type = typeName(tree, tree.field(node, 'type'))
  for (const child of tree.children(node))
    if (tree.hasField(child, 'name') && !builder.isLocal)
      builder.addBinding(child, type, builder.enclosingType)
}

/** Records the variables and constants of a declaration. */
const visitVariables: Visit = (builder, node, tree) => {
  const type = tree.field(node, 'type')
  const values = [...listItems(tree, tree.field(node, 'value'))]
  const names = [...tree.children(node)].filter(
    (child) => tree.hasField(child, 'name') && tree.type(child) !== ',',
  )
  for (const [index, name] of names.entries()) {
    builder.addBinding(
      name,
      type === none ? valueType(tree, values[index] ?? none) : typeName(tree, type),
    )
    if (builder.nameOf(name) === '_') builder.consume(name)
    else if (builder.isLocal) builder.declare(name)
    else
      builder.define(node, {
        name,
        kind: 'value',
        startNode: statementStart(tree, node),
        isLeaf: names.length > 1,
      })
  }
}

/** Returns the type of a value: `Shop{}`, `&shop.Shop{}`, `new(Shop)`, or that of a call. */
function valueType(tree: FlatTree, value: number): string {
  const plain = tree.type(value) === 'unary_expression' ? tree.field(value, 'operand') : value
  if (tree.type(plain) === 'composite_literal') return typeName(tree, tree.field(plain, 'type'))
  if (tree.type(plain) === 'type_assertion_expression')
    return typeName(tree, tree.field(plain, 'type'))
  const isNew =
    tree.type(plain) === 'call_expression' && tree.fieldText(plain, 'function') === 'new'
  if (tree.type(plain) === 'call_expression' && !isNew)
    return resultType(tree, tree.field(plain, 'function'), members)
  const made = isNew ? tree.nextSibling(tree.firstChild(tree.field(plain, 'arguments'))) : none
  return tree.type(made) === 'identifier' ? tree.textOf(made) : typeName(tree, made)
}

/** `a, b := c, d`, including loops and cases. */
const visitShortVariables: Visit = (builder, node, tree) => {
  if (tree.type(node) !== 'short_var_declaration' && tree.child(node, ':=') === none) return
  const left = [...listItems(tree, tree.field(node, 'left'))]
  const right = [...listItems(tree, tree.field(node, 'right'))]
  const isShort = tree.type(node) === 'short_var_declaration'
  const isPlain = isShort && left.length === right.length
  for (const [index, name] of left.entries()) {
    if (tree.type(name) !== 'identifier') continue
    // In `cart, err := NewCart()`, the type of the call is that of its first result.
    if (isPlain || (isShort && index === 0))
      builder.addBinding(name, valueType(tree, right[index]!))
    builder.declare(name)
  }
}

const declareAlias: Visit = (builder, node, tree) => {
  for (const name of listItems(tree, tree.field(node, 'alias'))) builder.declare(name)
}

const visitParameter: Visit = (builder, node, tree) => {
  const type = typeName(tree, tree.field(node, 'type'))
  for (const name of tree.children(node)) {
    if (!tree.hasField(name, 'name') || tree.type(name) !== 'identifier') continue
    if (tree.type(node) === 'parameter_declaration') builder.addBinding(name, type)
    builder.declare(name)
  }
}

const visitImport: Visit = (builder, node, tree) => {
  const from = tree.fieldText(node, 'path').slice(1, -1)
  const name = tree.field(node, 'name')
  const shape = tree.type(name)
  const local = name === none ? packageName(from) : tree.textOf(name)
  builder.addImport({
    line: tree.lineOf(node),
    from,
    names: shape === 'dot' || shape === 'blank_identifier' ? [] : [{ name: '*', local }],
    kind: shape === 'dot' ? 'all' : 'static',
  })
  consumeSubtree(builder, node)
}

/**
 * Returns the usual package name of a path, which is its last part without a version: `yaml` for
 * `gopkg.in/yaml.v3`, `shop` for `acme/shop/v2`.
 */
function packageName(path: string): string {
  const parts = path.split('/')
  const last = /^v\d+$/.test(parts.at(-1) ?? '') && parts.length > 1 ? parts.at(-2)! : parts.at(-1)!
  return last.replace(/\.v\d+$/, '').replace(/^go-|[.-]go$/, '')
}

const visitCall: Visit = (builder, node, tree) => {
  let called = tree.field(node, 'function')
  // The grammar parses type arguments as an index.
  if (tree.type(called) === 'index_expression') called = tree.field(called, 'operand')
  if (tree.type(called) === 'type_instantiation_expression') called = tree.field(called, 'type')
  const isSpread = (argument: number) => tree.type(argument) === 'variadic_argument'
  referTo(
    builder,
    'call',
    called,
    members,
    countArguments(tree, tree.field(node, 'arguments'), isSpread),
  )
}

/** The grammar parses the call `Collect[Item](order)` as a conversion. */
const visitConversion: Visit = (builder, node, tree) => {
  const type = tree.field(node, 'type')
  if (tree.type(type) === 'generic_type') referToType(builder, 'call', type, 1)
}

/** Marks map literals, because in other literals the keys are field names. */
const visitLiteral: Visit = (builder, node, tree) => {
  const type = tree.field(node, 'type')
  referToType(builder, 'new', type)
  if (tree.type(type) === 'map_type') builder.marked.add(tree.field(node, 'body'))
}

const visitKey: Visit = (builder, node, tree) => {
  const key = tree.firstChild(tree.field(node, 'key'))
  if (tree.type(key) === 'identifier' && !builder.marked.has(tree.parent(node)))
    builder.consume(key)
}

export const indexSpec: IndexSpec = {
  branches: 'if_statement for_statement expression_case type_case communication_case && ||',
  functions: 'function_declaration method_declaration func_literal function_type method_elem',
  blocks: `
    block if_statement for_statement expression_switch_statement type_switch_statement
    expression_case type_case communication_case default_case
  `,
  types: 'type_spec type_alias',
  builtins: `
    append cap close complex copy delete imag len make new panic print println real recover
    bool byte complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune
    string uint uint8 uint16 uint32 uint64 uintptr any comparable
  `,
  isExported: (_builder, _node, name) => /^\p{Lu}/u.test(name),
  visits: {
    package_clause: (builder, node, tree) =>
      builder.setNamespace(tree.textOf(tree.child(node, 'package_identifier'))),
    import_spec: visitImport,
    function_declaration: visitFunction,
    method_declaration: visitFunction,
    type_spec: visitType,
    type_alias: visitType,
    method_elem: visitInterfaceMethod,
    field_declaration: visitField,
    const_spec: visitVariables,
    var_spec: visitVariables,
    short_var_declaration: visitShortVariables,
    range_clause: visitShortVariables,
    receive_statement: visitShortVariables,
    parameter_declaration: visitParameter,
    variadic_parameter_declaration: visitParameter,
    type_parameter_declaration: visitParameter,
    call_expression: visitCall,
    type_conversion_expression: visitConversion,
    composite_literal: visitLiteral,
    keyed_element: visitKey,
    qualified_type: (builder, node) => referToType(builder, 'type', node),
    type_identifier: referAs('type'),
    selector_expression: (builder, node, tree) => {
      if (tree.type(tree.field(node, 'operand')) === 'identifier')
        referTo(builder, 'value', node, members)
    },
    identifier: referAs('value'),
  },
  scopeVisits: {
    method_declaration: declareReceiverTypes,
    type_switch_statement: declareAlias,
  },
}
