// Collects the symbols, imports and references of C# for the code index.

import type { DefinitionKind } from '../code-index.ts'
import type { FileIndexBuilder } from '../common/file-index-builder.ts'
import { type FlatTree, none } from '../common/flat-tree.ts'
import type { IndexSpec, Visit } from '../common/index-spec.ts'
import {
  consumeSubtree,
  countArguments,
  lastChild,
  lastPart,
  listItems,
  typeSet,
} from '../common/parts.ts'
import { declareField, define } from '../common/visits.ts'
import {
  consumeTypeName,
  declaredType,
  isVisibleOutside,
  readParameters,
  referToType,
  returnedType,
  typeName,
} from './parts.ts'

const visitUsing: Visit = (builder, node, tree) => {
  const alias = tree.field(node, 'name')
  const from = tree.textOf(lastChild(tree, node, names)).replaceAll(/\s|<.*/gs, '')
  const line = tree.lineOf(node)
  consumeSubtree(builder, node)
  if (alias === none) builder.addImport({ line, from, names: [], kind: 'all' })
  else
    builder.addImport({
      line,
      from,
      names: [{ name: lastPart(from), local: tree.textOf(alias) }],
      kind: 'static',
    })
}

const names = typeSet('identifier qualified_name generic_name alias_qualified_name')

function isName(tree: FlatTree, node: number): boolean {
  return names.has(tree.type(node))
}

const visitNamespace: Visit = (builder, node, tree) => {
  const name = tree.field(node, 'name')
  builder.setNamespace(builder.nameOf(name))
  consumeSubtree(builder, name)
}

function defineType(kind: DefinitionKind): Visit {
  return (builder, node, tree) => {
    const bases = [...listItems(tree, tree.child(node, 'base_list'))].filter(
      (base) => tree.type(base) !== ':',
    )
    // The base class of a record can have constructor arguments.
    const types = bases.map((base) =>
      tree.type(base) === 'primary_constructor_base_type' ? tree.firstChild(base) : base,
    )
    builder.define(node, {
      kind,
      extends: types.map((type) => typeName(tree, type)).filter((name) => name !== ''),
    })
    for (const type of types) if (isName(tree, type)) referToType(builder, type, 'extends')
  }
}

function defineMember(readName: (tree: FlatTree, node: number) => number | string): Visit {
  return (builder, node, tree) => {
    builder.define(node, {
      name: readName(tree, node),
      kind: 'method',
      bodyNode: tree.field(node, tree.field(node, 'body') === none ? 'accessors' : 'body'),
      parameters: readParameters(tree, tree.field(node, 'parameters')),
      returns: returnedType(tree, tree.field(node, 'returns')),
    })
  }
}

const defineMethod = defineMember((tree, node) => tree.field(node, 'name'))

const visitProperty: Visit = (builder, node, tree) => {
  const name = tree.field(node, 'name')
  const accessors = tree.field(node, 'accessors')
  builder.addBinding(name, typeName(tree, tree.field(node, 'type')), builder.enclosingType)
  const body = accessors === none ? tree.field(node, 'value') : accessors
  builder.define(node, {
    name,
    kind: 'value',
    bodyNode: body,
  })
}

/** Records that `new(…)` creates the declared type. */
function referToCreated(builder: FileIndexBuilder, type: number, made: number): void {
  const { tree } = builder
  if (made === none || !isName(tree, type)) return
  const argumentCount = countArguments(tree, tree.child(made, 'argument_list'))
  builder.addReference({ kind: 'new', ...consumeTypeName(builder, type), argumentCount })
}

/** Declares local variables and binds the types of fields. Constants and events are symbols. */
const visitVariable: Visit = (builder, node, tree) => {
  const name = tree.field(node, 'name')
  const declaration = tree.parent(node)
  const type = tree.field(declaration, 'type')
  let value = name
  for (const child of tree.children(node)) value = child
  referToCreated(
    builder,
    type,
    tree.type(value) === 'implicit_object_creation_expression' ? value : none,
  )
  const holder = tree.parent(declaration)
  if (!fieldTypes.has(tree.type(holder))) {
    builder.addBinding(name, declaredType(tree, type, value))
    return builder.declare(name)
  }
  builder.addBinding(name, typeName(tree, type), builder.enclosingType)
  builder.consume(name)
  const isConstant = /\bconst\b/.test(tree.text.slice(tree.start(holder), tree.start(declaration)))
  if (isConstant || tree.type(holder) === 'event_field_declaration')
    builder.define(node, {
      name,
      kind: 'value',
      startNode: holder,
      exported: isVisibleOutside(tree, holder),
    })
}

const fieldTypes = typeSet('field_declaration event_field_declaration')

const visitParameter: Visit = (builder, node, tree) => {
  const name = tree.field(node, 'name')
  const holder = tree.type(tree.parent(tree.parent(node)))
  builder.addBinding(name, typeName(tree, tree.field(node, 'type')))
  if (holder === 'record_declaration') builder.define(node, { name, kind: 'value', exported: true })
  else builder.declare(name)
}

/** Declares the variables of patterns, handlers and loops. */
const visitNaming: Visit = (builder, node, tree) => {
  const name = tree.field(node, tree.type(node) === 'foreach_statement' ? 'left' : 'name')
  if (tree.type(name) !== 'identifier') return
  builder.addBinding(name, typeName(tree, tree.field(node, 'type')))
  builder.declare(name)
}

/** Returns the last name of a receiver; empty for expressions without a name. */
function qualifierOf(tree: FlatTree, node: number): string {
  switch (tree.type(node)) {
    case 'identifier':
    case 'this':
    case 'base':
    case 'predefined_type':
      return tree.textOf(node)
    case 'generic_name':
      return tree.textOf(tree.child(node, 'identifier'))
    case 'member_access_expression':
    case 'member_binding_expression':
    case 'qualified_name':
      return qualifierOf(tree, tree.field(node, 'name'))
    case 'conditional_access_expression':
      return qualifierOf(tree, tree.child(node, 'member_binding_expression'))
    case 'postfix_unary_expression':
      return qualifierOf(tree, tree.firstChild(node))
    case 'await_expression':
      // `await till?.Pay()` is read as `(await till)?.Pay()`.
      return qualifierOf(tree, lastChild(tree, node, names))
    default:
      return ''
  }
}

const visitCall: Visit = (builder, node, tree) => {
  const argumentCount = countArguments(tree, tree.field(node, 'arguments'))
  const called = tree.field(node, 'function')
  const type = tree.type(called)
  if (type === 'identifier' || type === 'generic_name') {
    const { name } = consumeTypeName(builder, called)
    if (tree.textOf(name) !== 'nameof') builder.addReference({ kind: 'call', name, argumentCount })
  } else if (type === 'member_access_expression') {
    const object = tree.field(called, 'expression')
    referToMember(builder, called, qualifierOf(tree, object), argumentCount)
    if (tree.type(object) === 'identifier') builder.consume(object)
  } else if (type === 'conditional_access_expression') {
    const binding = tree.child(called, 'member_binding_expression')
    if (binding !== none)
      referToMember(
        builder,
        binding,
        qualifierOf(tree, tree.field(called, 'condition')),
        argumentCount,
      )
  }
}

function referToMember(
  builder: FileIndexBuilder,
  access: number,
  qualifier: string,
  argumentCount: number | null,
): void {
  builder.consume(access)
  const { name } = consumeTypeName(builder, builder.tree.field(access, 'name'))
  builder.addReference({ kind: 'call', name, qualifier, argumentCount })
}

const visitNew: Visit = (builder, node, tree) => {
  referToType(
    builder,
    tree.field(node, 'type'),
    'new',
    countArguments(tree, tree.field(node, 'arguments')),
  )
}

/** `Kind.Food`: a capitalized qualifier may be a type. */
const visitMember: Visit = (builder, node, tree) => {
  const object = tree.field(node, 'expression')
  const { name } = consumeTypeName(builder, tree.field(node, 'name'))
  if (tree.type(object) !== 'identifier') return
  const qualifier = builder.nameOf(object)
  builder.consume(object)
  builder.addReference({ kind: 'value', name, qualifier })
  if (/^\p{Lu}/u.test(qualifier)) builder.addReference({ kind: 'type', name: object })
}

const typeParents = typeSet(
  'type_argument_list type_parameter_constraint attribute explicit_interface_specifier',
)

/** Whether the node is a type and not a value. */
function isTypePosition(tree: FlatTree, node: number): boolean {
  if (tree.hasField(node, 'type') || tree.hasField(node, 'returns')) return true
  const parent = tree.type(tree.parent(node))
  if (parent === 'as_expression' || parent === 'is_expression') return tree.hasField(node, 'right')
  return typeParents.has(parent) || parent === 'constant_pattern'
}

const visitName: Visit = (builder, node, tree) => {
  if (isTypePosition(tree, node)) referToType(builder, node, 'type')
  else if (!tree.hasField(node, 'name')) {
    builder.addReference({ kind: 'value', ...consumeTypeName(builder, node) })
  }
}

export const indexSpec: IndexSpec = {
  branches: `
    if_statement for_statement foreach_statement while_statement do_statement case
    catch_clause conditional_expression && || ??
  `,
  functions: `
    method_declaration constructor_declaration destructor_declaration operator_declaration
    conversion_operator_declaration indexer_declaration property_declaration
    event_declaration delegate_declaration local_function_statement lambda_expression
    anonymous_method_expression
  `,
  blocks: `
    block for_statement foreach_statement using_statement fixed_statement catch_clause
    switch_section switch_expression_arm query_expression
  `,
  types: `
    class_declaration struct_declaration record_declaration interface_declaration
    enum_declaration
  `,
  isExported: ({ tree }, node) => isVisibleOutside(tree, node),
  visits: {
    using_directive: visitUsing,
    namespace_declaration: visitNamespace,
    file_scoped_namespace_declaration: visitNamespace,
    class_declaration: defineType('class'),
    struct_declaration: defineType('class'),
    record_declaration: defineType('class'),
    interface_declaration: defineType('interface'),
    enum_declaration: defineType('enum'),
    enum_member_declaration: define('value', { exported: true }),
    delegate_declaration: define('type'),
    method_declaration: defineMethod,
    constructor_declaration: defineMethod,
    destructor_declaration: defineMember((tree, node) => `~${tree.fieldText(node, 'name')}`),
    operator_declaration: defineMember(
      (tree, node) => `operator ${tree.fieldText(node, 'operator')}`,
    ),
    conversion_operator_declaration: defineMember(
      (tree, node) => `operator ${typeName(tree, tree.field(node, 'type'))}`,
    ),
    indexer_declaration: defineMember(() => 'this'),
    local_function_statement: defineMethod,
    property_declaration: visitProperty,
    event_declaration: visitProperty,
    variable_declarator: visitVariable,
    parameter: visitParameter,
    implicit_parameter: (builder, node) => builder.declare(node),
    type_parameter: declareField('name'),
    declaration_pattern: visitNaming,
    declaration_expression: visitNaming,
    recursive_pattern: visitNaming,
    var_pattern: visitNaming,
    from_clause: declareField('name'),
    let_clause: (builder, node, tree) => builder.declare(tree.child(node, 'identifier')),
    switch_expression_arm: (builder, node, tree) => {
      if (tree.child(node, 'discard') === none) builder.addBranch()
    },
    invocation_expression: visitCall,
    object_creation_expression: visitNew,
    member_access_expression: visitMember,
    identifier: visitName,
    generic_name: visitName,
    qualified_name: visitName,
  },
  scopeVisits: {
    foreach_statement: visitNaming,
    catch_clause: (builder, node, tree) =>
      visitNaming(builder, tree.child(node, 'catch_declaration'), tree),
  },
}
