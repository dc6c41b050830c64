// Collects the symbols, imports and references of Java for the code index.

import type { CodeReference, CodeSymbol } from '../code-index.ts'
import type { FileIndexBuilder } from '../common/file-index-builder.ts'
import { type FlatTree, none } from '../common/flat-tree.ts'
import type { IndexSpec, Visit } from '../common/index-spec.ts'
import {
  callType,
  consumeSubtree,
  countArguments,
  lastPart,
  listItems,
  referToTypeName,
} from '../common/parts.ts'
import { consumeField, referAs } from '../common/visits.ts'

const annotations = ['annotation', 'marker_annotation']

/** Returns the first part of a definition after its annotations. */
function skipAnnotations(tree: FlatTree, node: number): number {
  let first = tree.firstChild(node)
  if (tree.type(first) !== 'modifiers') return node
  for (const modifier of tree.children(first))
    if (!annotations.includes(tree.type(modifier)) && !tree.type(modifier).includes('comment'))
      return modifier
  first = tree.nextSibling(first)
  return first === none ? node : first
}

function hasModifier(tree: FlatTree, node: number, modifier: string): boolean {
  return tree.child(tree.child(node, 'modifiers'), modifier) !== none
}

/** Returns a type's name without package and type arguments; empty for arrays and primitives. */
function typeName(tree: FlatTree, type: number): string {
  const plain = tree.type(type) === 'generic_type' ? tree.firstChild(type) : type
  if (tree.type(plain) === 'scoped_type_identifier') return lastPart(tree.textOf(plain))
  return tree.type(plain) === 'type_identifier' ? tree.textOf(plain) : ''
}

function defineType(kind: 'class' | 'interface' | 'enum'): Visit {
  return (builder, node, tree) => {
    const bases = [...findBases(tree, node)]
    builder.define(node, {
      kind,
      extends: bases.map((base) => typeName(tree, base)),
    })
    for (const base of bases) referToType(builder, 'extends', base)
  }
}

function* findBases(tree: FlatTree, node: number): Generator<number> {
  for (const child of tree.children(node)) {
    const type = tree.type(child)
    const list = type === 'superclass' ? child : tree.child(child, 'type_list')
    if (type === 'superclass' || type === 'super_interfaces' || type === 'extends_interfaces')
      for (const base of listItems(tree, list)) if (typeName(tree, base) !== '') yield base
  }
}

function referToType(
  builder: FileIndexBuilder,
  kind: CodeReference['kind'],
  type: number,
  argumentCount: number | null = null,
): void {
  const { tree } = builder
  const plain = tree.type(type) === 'generic_type' ? tree.firstChild(type) : type
  referToTypeName(builder, plain, 'scoped_type_identifier', { kind, argumentCount })
}

const visitMethod: Visit = (builder, node, tree) => {
  const name = tree.field(node, 'name')
  // Other code can't name the methods of anonymous classes.
  const holder = tree.type(tree.parent(tree.parent(node)))
  if (builder.isLocal || holder === 'object_creation_expression' || holder === 'enum_constant')
    return builder.consume(name)
  builder.define(node, {
    name,
    kind: 'method',
    parameters: readParameters(tree, tree.field(node, 'parameters')),
    returns: typeName(tree, tree.field(node, 'type')),
  })
}

function readParameters(tree: FlatTree, list: number): CodeSymbol['parameters'] {
  const shapes = [...listItems(tree, list)].map((parameter) => tree.type(parameter))
  const least = shapes.filter((shape) => shape === 'formal_parameter').length
  return { least, most: shapes.includes('spread_parameter') ? null : least }
}

/** Binds the types of fields. Static ones are also symbols. */
const visitField: Visit = (builder, node, tree) => {
  const isConstant = tree.type(node) === 'constant_declaration' || hasModifier(tree, node, 'static')
  const declarators = [...tree.children(node)].filter(
    (child) => tree.type(child) === 'variable_declarator',
  )
  for (const declarator of declarators) {
    const name = tree.field(declarator, 'name')
    if (!builder.isLocal)
      builder.addBinding(name, variableType(tree, node, declarator), builder.enclosingType)
    if (!isConstant || builder.isLocal) builder.consume(name)
    else
      builder.define(node, {
        name,
        kind: 'value',
        isLeaf: true,
      })
  }
}

/** Returns the declared type, or for `var` that of a `new` expression or a call. */
function variableType(tree: FlatTree, declaration: number, declarator: number): string {
  const type = typeName(tree, tree.field(declaration, 'type'))
  if (type !== 'var') return type
  const value = tree.field(declarator, 'value')
  if (tree.type(value) === 'object_creation_expression')
    return typeName(tree, tree.field(value, 'type'))
  if (tree.type(value) !== 'method_invocation') return ''
  const object = tree.field(value, 'object')
  const isName = tree.type(object) === 'identifier' || tree.type(object) === 'this'
  return callType(
    object === none ? null : isName ? tree.textOf(object) : '',
    tree.fieldText(value, 'name'),
  )
}

const visitLocals: Visit = (builder, node, tree) => {
  for (const declarator of tree.children(node)) {
    if (tree.type(declarator) !== 'variable_declarator') continue
    const name = tree.field(declarator, 'name')
    builder.addBinding(name, variableType(tree, node, declarator))
    builder.declare(name)
  }
}

/** Declares parameters, resources, loop variables and caught exceptions. */
const declareTyped: Visit = (builder, node, tree) => {
  const declarator = tree.child(node, 'variable_declarator')
  const name = tree.field(declarator === none ? node : declarator, 'name')
  if (name === none) return
  if (declarator === none) builder.addBinding(name, variableType(tree, node, node))
  // The components of a record are fields.
  if (tree.type(tree.parent(tree.parent(node))) === 'record_declaration')
    return builder.consume(name)
  builder.declare(name)
}

const declareLambda: Visit = (builder, node, tree) => {
  const parameters = tree.field(node, 'parameters')
  for (const name of tree.type(parameters) === 'identifier'
    ? [parameters]
    : listItems(tree, parameters))
    if (tree.type(name) === 'identifier') builder.declare(name)
}

const visitImport: Visit = (builder, node, tree) => {
  const path = tree.textOf(tree.child(node, 'scoped_identifier', 'identifier'))
  const name = lastPart(path)
  const isAll = tree.child(node, 'asterisk') !== none
  const isMember = tree.child(node, 'static') !== none && !isAll
  builder.addImport({
    line: tree.lineOf(node),
    from: isMember ? path.slice(0, -name.length - 1) : path,
    names: isAll ? [] : [{ name, local: name }],
    kind: isAll ? 'all' : 'static',
  })
  consumeSubtree(builder, node)
}

/** Returns the last name of a receiver; empty for expressions without a name. */
function lastName(tree: FlatTree, node: number): string {
  const type = tree.type(node)
  if (type === 'field_access') return tree.fieldText(node, 'field')
  return type === 'identifier' || type === 'this' || type === 'super' ? tree.textOf(node) : ''
}

const visitCall: Visit = (builder, node, tree) => {
  const object = tree.field(node, 'object')
  const argumentCount = countArguments(tree, tree.field(node, 'arguments'))
  const qualifier = object === none ? null : lastName(tree, object)
  builder.addReference({
    kind: 'call',
    name: tree.field(node, 'name'),
    qualifier,
    argumentCount,
  })
}

const visitNew: Visit = (builder, node, tree) => {
  referToType(
    builder,
    'new',
    tree.field(node, 'type'),
    countArguments(tree, tree.field(node, 'arguments')),
  )
}

/** `Color.RED`: a capitalized qualifier is a type by convention. */
const visitAccess: Visit = (builder, node, tree) => {
  const isReference = tree.type(node) === 'method_reference'
  const object = isReference ? tree.firstChild(node) : tree.field(node, 'object')
  const name = isReference ? tree.nextSibling(tree.nextSibling(object)) : tree.field(node, 'field')
  if (tree.type(object) === 'identifier' && /^\p{Lu}/u.test(builder.nameOf(object))) {
    builder.addReference({ kind: 'type', name: object })
    if (tree.type(name) === 'identifier')
      builder.addReference({ kind: 'value', name, qualifier: builder.nameOf(object) })
  }
  builder.consume(name)
}

const consumeName: Visit = consumeField('name')

export const indexSpec: IndexSpec = {
  branches: `
    if_statement for_statement enhanced_for_statement while_statement do_statement
    catch_clause ternary_expression case && ||
  `,
  functions: `
    method_declaration constructor_declaration compact_constructor_declaration
    lambda_expression
  `,
  blocks: `
    block for_statement enhanced_for_statement catch_clause try_with_resources_statement
    switch_block
  `,
  types: `
    class_declaration interface_declaration enum_declaration record_declaration
    annotation_type_declaration
  `,
  builtins: `
    var String Object Integer Long Double Float Boolean Byte Short Character Override Void
  `,
  isExported: ({ tree }, node) => !hasModifier(tree, node, 'private'),
  findStart: skipAnnotations,
  visits: {
    package_declaration: (builder, node, tree) => {
      builder.setNamespace(tree.textOf(tree.child(node, 'scoped_identifier', 'identifier')))
      consumeSubtree(builder, node)
    },
    import_declaration: visitImport,
    class_declaration: defineType('class'),
    record_declaration: defineType('class'),
    interface_declaration: defineType('interface'),
    annotation_type_declaration: defineType('interface'),
    enum_declaration: defineType('enum'),
    enum_constant: consumeName,
    method_declaration: visitMethod,
    constructor_declaration: visitMethod,
    compact_constructor_declaration: visitMethod,
    annotation_type_element_declaration: visitMethod,
    field_declaration: visitField,
    constant_declaration: visitField,
    local_variable_declaration: visitLocals,
    formal_parameter: declareTyped,
    spread_parameter: declareTyped,
    catch_formal_parameter: declareTyped,
    resource: declareTyped,
    instanceof_expression: (builder, node, tree) => {
      builder.addBinding(tree.field(node, 'name'), typeName(tree, tree.field(node, 'right')))
      declareTyped(builder, node, tree)
    },
    type_pattern: (builder, node, tree) => {
      const name = tree.child(node, 'identifier')
      builder.addBinding(name, typeName(tree, tree.firstChild(node)))
      builder.declare(name)
    },
    type_parameter: (builder, node, tree) => builder.declare(tree.child(node, 'type_identifier')),
    method_invocation: visitCall,
    object_creation_expression: visitNew,
    field_access: visitAccess,
    method_reference: visitAccess,
    annotation: (builder, node) => referToAnnotation(builder, node),
    marker_annotation: (builder, node) => referToAnnotation(builder, node),
    element_value_pair: consumeField('key'),
    scoped_type_identifier: (builder, node) => referToType(builder, 'type', node),
    type_identifier: referAs('type'),
    identifier: referAs('value'),
  },
  scopeVisits: {
    lambda_expression: declareLambda,
    enhanced_for_statement: declareTyped,
  },
}

function referToAnnotation(builder: FileIndexBuilder, node: number): void {
  const { tree } = builder
  const name = tree.field(node, 'name')
  if (tree.type(name) === 'identifier') builder.addReference({ kind: 'type', name })
  else builder.addReference({ kind: 'type', name: lastPart(tree.textOf(name)), at: name })
  consumeSubtree(builder, name)
}
