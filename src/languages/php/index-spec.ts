// Collects the symbols, imports and references of PHP for the code index.

import type { DefinitionKind } from '../code-index.ts'
import type { FileIndexBuilder } from '../common/file-index-builder.ts'
import { type FlatTree, none } from '../common/flat-tree.ts'
import type { IndexSpec, Visit } from '../common/index-spec.ts'
import {
  callType,
  consumeSubtree,
  countArguments,
  lastPart,
  listItems,
  typeSet,
} from '../common/parts.ts'
import { consumeField, define } from '../common/visits.ts'
import { visitRequire, visitUse } from './import-visits.ts'
import {
  consumeName,
  isClassName,
  readParameters,
  referToClass,
  typeName,
  variableName,
} from './parts.ts'

const baseClauses = typeSet('base_clause class_interface_clause')

/** Returns the nodes of the base class, interfaces and traits. */
function findBases(tree: FlatTree, node: number): number[] {
  const clauses = [...tree.children(node)].filter((child) => baseClauses.has(tree.type(child)))
  const uses = [...tree.children(tree.field(node, 'body'))].filter(
    (child) => tree.type(child) === 'use_declaration',
  )
  return [...clauses, ...uses]
    .flatMap((clause) => [...tree.children(clause)])
    .filter((child) => isClassName(tree, child))
}

function defineType(kind: DefinitionKind): Visit {
  return (builder, node, tree) => {
    const bases = findBases(tree, node)
    builder.define(node, {
      name: tree.child(node, 'name'),
      kind,
      extends: bases.map((base) => lastPart(tree.textOf(base))),
    })
    for (const base of bases) referToClass(builder, base, 'extends')
  }
}

/** `new class extends Base` defines no symbol, but refers to its base. */
const visitAnonymousClass: Visit = (builder, node, tree) => {
  for (const base of findBases(tree, node)) referToClass(builder, base, 'extends')
}

function defineFunction(kind: 'function' | 'method'): Visit {
  return (builder, node, tree) => {
    builder.define(node, {
      kind,
      parameters: readParameters(tree, tree.field(node, 'parameters')),
      returns: returnedType(tree, tree.field(node, 'return_type')),
    })
  }
}

function isPrivate(tree: FlatTree, node: number): boolean {
  return tree.textOf(tree.child(node, 'visibility_modifier')).toLowerCase() === 'private'
}

const visitConstant: Visit = (builder, node, tree) => {
  const declaration = tree.parent(node)
  const name = tree.firstChild(node)
  builder.define(node, {
    name,
    kind: 'value',
    startNode: declaration,
    exported: !isPrivate(tree, declaration),
  })
}

const visitProperty: Visit = (builder, node, tree) => {
  const type = typeName(tree, tree.field(tree.parent(node), 'type'))
  builder.addBinding(variableName(tree, tree.field(node, 'name')), type, builder.enclosingType)
}

/** A constructor parameter with a visibility is also a field. */
const visitParameter: Visit = (builder, node, tree) => {
  const name = variableName(tree, tree.field(node, 'name'))
  const type = typeName(tree, tree.field(node, 'type'))
  builder.addBinding(name, type)
  if (tree.type(node) === 'property_promotion_parameter')
    builder.addBinding(name, type, builder.enclosingType)
}

const visitCatch: Visit = (builder, node, tree) => {
  builder.addBinding(
    variableName(tree, tree.field(node, 'name')),
    typeName(tree, tree.field(node, 'type')),
  )
}

/** Returns the name of the class, or `self` for `self` and `static`. */
function returnedType(tree: FlatTree, type: number): string {
  if (type === none) return ''
  return /^\??(self|static|\$this)$/i.test(tree.textOf(type)) ? 'self' : typeName(tree, type)
}

/** Returns the type of a `new` expression or of a call; empty if unknown. */
function createdType(tree: FlatTree, value: number): string {
  const name = tree.fieldText(value, 'name')
  switch (tree.type(value)) {
    case 'object_creation_expression': {
      const made = tree.child(value, 'name', 'qualified_name')
      return made !== none && isClassName(tree, made) ? lastPart(tree.textOf(made)) : ''
    }
    case 'function_call_expression':
      return callType(null, lastPart(tree.fieldText(value, 'function')))
    case 'member_call_expression':
      return callType(variableName(tree, tree.field(value, 'object')), name)
    case 'scoped_call_expression':
      return callType(lastPart(tree.fieldText(value, 'scope')), name)
    default:
      return ''
  }
}

/** `$order = new Order()`, `$this->desk = new Desk()`, `$till = $shop->till()`. */
const visitAssignment: Visit = (builder, node, tree) => {
  const left = tree.field(node, 'left')
  const right = tree.field(node, 'right')
  const type = createdType(tree, right)
  if (type === '') return
  if (tree.type(left) === 'variable_name') builder.addBinding(variableName(tree, left), type)
  else if (tree.fieldText(left, 'object') === '$this')
    builder.addBinding(tree.field(left, 'name'), type, builder.enclosingType)
}

function passedTo(tree: FlatTree, call: number): number | null {
  const list = tree.child(call, 'arguments')
  return countArguments(tree, list, (argument) => {
    const type = tree.type(argument)
    return (
      type === 'variadic_placeholder' ||
      tree.type(tree.firstChild(argument)) === 'variadic_unpacking'
    )
  })
}

const visitNew: Visit = (builder, node, tree) => {
  const made = tree.child(node, 'name', 'qualified_name', 'relative_scope')
  if (made !== none) referToClass(builder, made, 'new', passedTo(tree, node))
}

const visitCall: Visit = (builder, node, tree) => {
  const called = tree.field(node, 'function')
  if (tree.type(called) !== 'name' && tree.type(called) !== 'qualified_name') return
  const { name, qualifier } = consumeName(builder, called)
  if (tree.textOf(name).toLowerCase() === 'define') defineConstant(builder, node)
  builder.addReference({ kind: 'call', name, qualifier, argumentCount: passedTo(tree, node) })
}

/** `define('NAME', …)`. */
function defineConstant(builder: FileIndexBuilder, call: number): void {
  const { tree } = builder
  const first = [...listItems(tree, tree.field(call, 'arguments'))][0] ?? none
  const literal = tree.firstChild(first)
  if (builder.isLocal || tree.type(literal) !== 'string') return
  builder.define(call, {
    name: tree.textOf(tree.child(literal, 'string_content')),
    kind: 'value',
    exported: true,
  })
}

/** Returns the last name of a receiver; empty for expressions without a name. */
function qualifierOf(tree: FlatTree, node: number): string {
  switch (tree.type(node)) {
    case 'variable_name':
      return variableName(tree, node)
    case 'member_access_expression':
    case 'nullsafe_member_access_expression':
      return tree.type(tree.field(node, 'name')) === 'name' ? tree.fieldText(node, 'name') : ''
    case 'scoped_property_access_expression':
      return variableName(tree, tree.field(node, 'name'))
    default:
      return ''
  }
}

const visitMethodCall: Visit = (builder, node, tree) => {
  const name = tree.field(node, 'name')
  if (tree.type(name) !== 'name') return
  const qualifier = qualifierOf(tree, tree.field(node, 'object'))
  builder.addReference({ kind: 'call', name, qualifier, argumentCount: passedTo(tree, node) })
}

const visitStaticCall: Visit = (builder, node, tree) => {
  const name = tree.field(node, 'name')
  if (tree.type(name) !== 'name') return
  const scope = tree.field(node, 'scope')
  const isNamed =
    isClassName(tree, scope) || tree.type(scope) === 'relative_scope' || tree.type(scope) === 'name'
  const qualifier = isNamed ? lastPart(tree.textOf(scope)) : qualifierOf(tree, scope)
  if (isNamed) consumeSubtree(builder, scope)
  builder.addReference({ kind: 'call', name, qualifier, argumentCount: passedTo(tree, node) })
}

/** `Cart::MOST`, `Cart::class`, `Cart::$count`. */
const visitStaticAccess: Visit = (builder, node, tree) => {
  const scope = tree.firstChild(node)
  if (isClassName(tree, scope)) referToClass(builder, scope, 'type')
  for (const child of tree.children(node)) builder.consume(child)
}

const visitInstanceOf: Visit = (builder, node, tree) => {
  if (tree.type(tree.field(node, 'operator')) === 'instanceof') {
    const right = tree.field(node, 'right')
    if (isClassName(tree, right)) referToClass(builder, right, 'type')
  }
}

const referToFirst: Visit = (builder, node, tree) =>
  referToClass(builder, tree.firstChild(node), 'type')

const valueParents = typeSet(`
  argument binary_expression assignment_expression return_statement array_element_initializer
  conditional_expression parenthesized_expression echo_statement unary_op_expression
  match_conditional_expression match_default_expression arrow_function const_element
  property_element simple_parameter property_promotion_parameter case_statement
  subscript_expression expression_statement match_condition_list
`)

/** Records constants. Other visits have consumed all other names in these parents. */
const visitName: Visit = (builder, node, tree) => {
  if (valueParents.has(tree.type(tree.parent(node))))
    builder.addReference({ kind: 'value', name: node })
}

export const indexSpec: IndexSpec = {
  branches: `
    if_statement else_if_clause for_statement foreach_statement while_statement do_statement
    case_statement catch_clause conditional_expression match_conditional_expression && ||
    and or ??
  `,
  functions: 'function_definition method_declaration anonymous_function arrow_function',
  blocks: '',
  types: `
    class_declaration interface_declaration trait_declaration enum_declaration
    anonymous_class
  `,
  isExported: ({ tree }, node) => !isPrivate(tree, node),
  visits: {
    namespace_definition: (builder, node, tree) =>
      builder.setNamespace(builder.nameOf(tree.field(node, 'name'))),
    namespace_use_declaration: visitUse,
    require_expression: visitRequire,
    require_once_expression: visitRequire,
    include_expression: visitRequire,
    include_once_expression: visitRequire,
    class_declaration: defineType('class'),
    interface_declaration: defineType('interface'),
    trait_declaration: defineType('class'),
    enum_declaration: defineType('enum'),
    anonymous_class: visitAnonymousClass,
    enum_case: define('value', { exported: true }),
    function_definition: defineFunction('function'),
    method_declaration: defineFunction('method'),
    const_element: visitConstant,
    property_element: visitProperty,
    simple_parameter: visitParameter,
    property_promotion_parameter: visitParameter,
    variadic_parameter: consumeField('name'),
    catch_clause: visitCatch,
    assignment_expression: visitAssignment,
    object_creation_expression: visitNew,
    function_call_expression: visitCall,
    member_call_expression: visitMethodCall,
    nullsafe_member_call_expression: visitMethodCall,
    scoped_call_expression: visitStaticCall,
    class_constant_access_expression: visitStaticAccess,
    scoped_property_access_expression: visitStaticAccess,
    binary_expression: visitInstanceOf,
    named_type: referToFirst,
    attribute: referToFirst,
    // The list chooses between methods of several traits.
    use_list: consumeSubtree,
    name: visitName,
  },
}
