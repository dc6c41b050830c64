// Collects the symbols, imports and references of Kotlin for the code index.

import type { CodeReference } from '../code-index.ts'
import type { FileIndexBuilder } from '../common/file-index-builder.ts'
import { type FlatTree, none } from '../common/flat-tree.ts'
import type { IndexSpec, Visit } from '../common/index-spec.ts'
import { consumeSubtree, countArguments, lastPart, listItems, typeSet } from '../common/parts.ts'
import { consumeField, referAs } from '../common/visits.ts'
import {
  findInitializer,
  findReceiver,
  findType,
  hasModifier,
  inferType,
  lastName,
  memberName,
  readCall,
  readParameters,
  readUserType,
  skipAnnotations,
  typeName,
} from './parts.ts'

const visitClass: Visit = (builder, node, tree) => {
  const isInterface =
    tree.child(node, 'interface') !== none || hasModifier(tree, node, 'annotation')
  const bases = listBases(tree, node)
  builder.define(node, {
    kind: isInterface ? 'interface' : hasModifier(tree, node, 'enum') ? 'enum' : 'class',
    bodyNode: tree.child(node, 'class_body', 'enum_class_body'),
    extends: bases.map((base) => typeName(tree, base)),
  })
  referToBases(builder, node)
}

/** Lists the types that follow the colon of a class. */
function listBases(tree: FlatTree, node: number): number[] {
  return [...listItems(tree, tree.child(node, 'delegation_specifiers'))].flatMap((specifier) => {
    const base = findBase(tree, specifier)
    return base === none ? [] : [base]
  })
}

function findBase(tree: FlatTree, specifier: number): number {
  const holder = tree.child(specifier, 'constructor_invocation', 'explicit_delegation')
  return findType(tree, holder === none ? specifier : holder)
}

function referToBases(builder: FileIndexBuilder, node: number): void {
  for (const base of listBases(builder.tree, node)) {
    const { tree } = builder
    referToType(builder, 'extends', base)
    const invocation = tree.parent(base)
    if (tree.type(invocation) !== 'constructor_invocation') continue
    builder.addReference({
      kind: 'call',
      name: typeName(tree, base),
      at: base,
      argumentCount: countPassed(tree, [tree.child(invocation, 'value_arguments')]),
    })
  }
}

function referToType(builder: FileIndexBuilder, kind: CodeReference['kind'], type: number): void {
  const { tree } = builder
  if (tree.type(type) !== 'user_type') return
  const { name, qualifier } = readUserType(tree, type)
  builder.consume(type)
  for (const part of tree.children(type))
    if (tree.type(part) === 'identifier') builder.consume(part)
  builder.addReference({
    kind,
    name,
    qualifier: qualifier === none ? null : tree.textOf(qualifier),
  })
}

/** The members of a companion object are used like members of its class. */
const visitCompanion: Visit = (builder, node, tree) => {
  builder.consume(tree.field(node, 'name'))
  referToBases(builder, node)
}

const visitConstructor: Visit = (builder, node, tree) => {
  if (builder.isLocal) return
  const isPrimary = tree.type(node) === 'primary_constructor'
  builder.define(node, {
    name: 'constructor',
    kind: 'method',
    bodyNode: tree.child(node, 'constructor_delegation_call', 'block'),
    parameters: readParameters(
      tree,
      tree.child(node, 'class_parameters', 'function_value_parameters'),
    ),
    // The parameters of a primary constructor can be properties of the class.
    isLeaf: isPrimary,
  })
}

/** A parameter of a class. With `val` or `var` it is also a property. */
const visitClassParameter: Visit = (builder, node, tree) => {
  const name = tree.child(node, 'identifier')
  builder.addBinding(name, typeName(tree, findType(tree, node)))
  const isProperty = tree.child(node, 'val', 'var') !== none
  if (!isProperty || builder.isLocal) return builder.consume(name)
  builder.define(node, {
    name,
    kind: 'value',
    bodyNode: tree.child(node, '='),
    isLeaf: true,
  })
}

const visitFunction: Visit = (builder, node, tree) => {
  const name = tree.field(node, 'name')
  const receiver = findReceiver(tree, node, name)
  const list = tree.child(node, 'function_value_parameters')
  const body = tree.child(node, 'function_body')
  const isMember = receiver !== none || builder.enclosingType !== none
  const returned = typeName(tree, findType(tree, node, list))
  const inferred = inferType(tree, findInitializer(tree, body))
  // By convention, `= Cart(1)` creates an object. The result of other calls isn't followed.
  const created = /^(\p{Lu}\w*)\(\)$/u.exec(inferred)?.[1] ?? ''
  builder.define(node, {
    name,
    kind: isMember ? 'method' : 'function',
    bodyNode: body,
    owner: receiver === none ? null : typeName(tree, receiver) || null,
    parameters: readParameters(tree, list),
    returns: returned || created,
  })
}

/** Declares loop variables, parameters of functions and lambdas, and parts of destructuring. */
const declareTyped: Visit = (builder, node, tree) => {
  const name = tree.child(node, 'identifier')
  const isInType = tree.type(tree.parent(node)) === 'function_type_parameters'
  if (isInType || !builder.isLocal) return builder.consume(name)
  builder.addBinding(name, typeName(tree, findType(tree, node)))
  builder.declare(name)
}

const visitProperty: Visit = (builder, node, tree) => {
  for (const part of listItems(tree, tree.child(node, 'multi_variable_declaration')))
    declareTyped(builder, part, tree)
  const variable = tree.child(node, 'variable_declaration')
  const name = tree.child(variable, 'identifier')
  const receiver = findReceiver(tree, node, variable)
  const declared = typeName(tree, findType(tree, variable))
  builder.consume(variable)
  const type = declared || inferType(tree, findInitializer(tree, node))
  builder.addBinding(name, type, builder.isLocal ? undefined : builder.enclosingType)
  if (builder.isLocal) return builder.declare(name)
  builder.define(node, {
    name,
    kind: 'value',
    bodyNode: tree.child(node, '=', 'property_delegate', 'getter', 'setter'),
    owner: receiver === none ? null : typeName(tree, receiver) || null,
    isLeaf: true,
  })
}

const visitImport: Visit = (builder, node, tree) => {
  const path = tree.textOf(tree.child(node, 'qualified_identifier')).replaceAll('`', '')
  const isAll = tree.child(node, '*') !== none
  const alias = tree.child(node, 'identifier')
  const name = lastPart(path)
  builder.addImport({
    line: tree.lineOf(node),
    from: path,
    names: isAll ? [] : [{ name, local: alias === none ? name : tree.textOf(alias) }],
    kind: isAll ? 'all' : 'static',
  })
  consumeSubtree(builder, node)
}

/** Counts arguments, and a lambda after the list as one. */
function countPassed(tree: FlatTree, lists: readonly number[]): number | null {
  let count = 0
  for (const list of lists) {
    const passed =
      tree.type(list) === 'value_arguments'
        ? countArguments(
            tree,
            list,
            (argument) => tree.child(argument, 'spread_expression') !== none,
          )
        : 1
    if (passed === null) return null
    count += passed
  }
  return count
}

const visitCall: Visit = (builder, node, tree) => {
  const { callee, lists, inner } = readCall(tree, node)
  builder.consume(inner)
  referToCallee(builder, callee, countPassed(tree, lists))
}

function referToCallee(
  builder: FileIndexBuilder,
  callee: number,
  argumentCount: number | null,
): void {
  const { tree } = builder
  if (tree.type(callee) === 'identifier')
    builder.addReference({ kind: 'call', name: callee, argumentCount })
  if (tree.type(callee) !== 'navigation_expression') return
  builder.consume(callee)
  builder.addReference({
    kind: 'call',
    name: memberName(tree, callee),
    qualifier: lastName(tree, tree.firstChild(callee)),
    argumentCount,
  })
}

const callees = typeSet('identifier navigation_expression')

/** `create<Cart>(1)` with one argument is parsed as two comparisons. */
const visitComparison: Visit = (builder, node, tree) => {
  const argument = tree.field(node, 'right')
  const left = tree.field(node, 'left')
  const isCall =
    tree.type(tree.field(node, 'operator')) === '>' &&
    tree.type(argument) === 'parenthesized_expression' &&
    tree.type(tree.field(left, 'operator')) === '<'
  const callee = isCall ? tree.field(left, 'left') : none
  const type = tree.field(left, 'right')
  if (!callees.has(tree.type(callee)) || tree.type(type) !== 'identifier') return
  referToCallee(builder, callee, 1)
  builder.addReference({ kind: 'type', name: type })
}

/** These infix functions belong to the language and to ranges. */
const knownInfix = typeSet('to until downTo step and or xor shl shr ushr')

const visitInfix: Visit = (builder, node, tree) => {
  const receiver = tree.firstChild(node)
  const name = tree.nextSibling(receiver)
  if (tree.type(name) !== 'identifier') return
  if (knownInfix.has(tree.textOf(name))) return builder.consume(name)
  const qualifier = lastName(tree, receiver)
  builder.addReference({ kind: 'call', name, qualifier, argumentCount: 1 })
}

/** `Color.RED`, `Item::name`: a capitalized qualifier is a type by convention. */
const visitAccess: Visit = (builder, node, tree) => {
  const object = tree.firstChild(node)
  const name = memberName(tree, node)
  const qualifier = lastName(tree, object)
  if (tree.type(object) === 'identifier' && /^\p{Lu}/u.test(qualifier))
    builder.addReference({ kind: 'type', name: object })
  const isClass = tree.textOf(name) === 'class' && tree.child(node, '::') !== none
  if (qualifier === '' || isClass) builder.consume(name)
  else builder.addReference({ kind: 'value', name, qualifier })
}

/** Consumes the names of labels, named arguments and the like. */
const consumeName: Visit = (builder, node, tree) => {
  builder.consume(tree.child(node, 'identifier'))
}

export const indexSpec: IndexSpec = {
  branches: `
    if_expression for_statement while_statement do_while_statement catch_block && || ?:
  `,
  functions: `
    function_declaration secondary_constructor anonymous_function lambda_literal getter setter
  `,
  // Other code can't name the members of anonymous objects and of enum entries.
  blocks: `
    block for_statement catch_block when_expression object_literal enum_entry
    anonymous_initializer
  `,
  types: `
    class_declaration object_declaration companion_object type_alias property_declaration
  `,
  builtins: `
    String Int Long Double Float Boolean Byte Short Char Number Any Unit Nothing
  `,
  isExported: ({ tree }, node) => !hasModifier(tree, node, 'private'),
  findStart: skipAnnotations,
  visits: {
    package_header: (builder, node, tree) => {
      const name = tree.child(node, 'qualified_identifier')
      builder.setNamespace(tree.textOf(name).replaceAll('`', ''))
      consumeSubtree(builder, node)
    },
    import: visitImport,
    class_declaration: visitClass,
    object_declaration: visitClass,
    companion_object: visitCompanion,
    primary_constructor: visitConstructor,
    secondary_constructor: visitConstructor,
    class_parameter: visitClassParameter,
    function_declaration: visitFunction,
    property_declaration: visitProperty,
    enum_entry: (builder, node, tree) => {
      const name = tree.child(node, 'identifier')
      const startNode = skipAnnotations(tree, node)
      const bodyNode = tree.child(node, 'class_body')
      builder.define(node, {
        name,
        kind: 'value',
        bodyNode,
        startNode,
        exported: true,
        isLeaf: true,
      })
    },
    type_alias: (builder, node, tree) => {
      builder.define(node, {
        name: tree.field(node, 'type'),
        kind: 'type',
        isLeaf: true,
      })
    },
    object_literal: (builder, node) => referToBases(builder, node),
    parameter: declareTyped,
    variable_declaration: declareTyped,
    type_parameter: (builder, node, tree) => builder.declare(tree.child(node, 'identifier')),
    type_constraint: consumeName,
    when_entry: (builder, node, tree) => {
      if (tree.child(node, 'else') === none) builder.addBranch()
    },
    call_expression: visitCall,
    binary_expression: visitComparison,
    infix_expression: visitInfix,
    navigation_expression: visitAccess,
    user_type: (builder, node) => referToType(builder, 'type', node),
    value_argument: (builder, node, tree) => {
      if (tree.child(node, '=') !== none) consumeName(builder, node, tree)
    },
    this_expression: consumeName,
    super_expression: consumeName,
    return_expression: consumeField('label'),
    labeled_expression: (builder, node, tree) => {
      const label = tree.textOf(tree.child(node, 'label'))
      if (label === 'break@' || label === 'continue@') consumeName(builder, node, tree)
    },
    identifier: referAs('value'),
  },
  scopeVisits: {
    catch_block: declareTyped,
    setter: declareTyped,
  },
}
