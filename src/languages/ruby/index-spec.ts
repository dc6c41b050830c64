// Collects the symbols, imports and references of Ruby for the code index.

import { type FlatTree, none } from '../common/flat-tree.ts'
import type { IndexSpec, Visit } from '../common/index-spec.ts'
import { listItems, typeSet } from '../common/parts.ts'
import { declareField } from '../common/visits.ts'
import { findMixins, markPrivate, visitCall, visitSymbol } from './call-visits.ts'
import {
  constantName,
  consumeConstant,
  countPassed,
  createdClass,
  isConstant,
  readParameters,
  variableName,
} from './parts.ts'

function defineType(kind: 'class' | 'module'): Visit {
  return (builder, node, tree) => {
    const body = tree.field(node, 'body')
    const { name, qualifier } = consumeConstant(builder, tree.field(node, 'name'))
    const base = lastOf(tree, tree.field(node, 'superclass'))
    const bases = [...(isConstant(tree, base) ? [base] : []), ...findMixins(builder, body)]
    markPrivate(builder, body)
    builder.define(node, {
      name,
      kind,
      bodyNode: body,
      exported: true,
      owner: qualifier,
      extends: bases.map((node) => constantName(tree, node)),
    })
    if (isConstant(tree, base))
      builder.addReference({ kind: 'extends', ...consumeConstant(builder, base) })
  }
}

function lastOf(tree: FlatTree, node: number): number {
  let last = none
  for (const child of tree.children(node)) last = child
  return last
}

const visitMethod: Visit = (builder, node, tree) => {
  const object = tree.field(node, 'object')
  builder.consume(object)
  builder.define(node, {
    kind: builder.enclosingType === none && object === none ? 'function' : 'method',
    owner: isConstant(tree, object) ? constantName(tree, object) : null,
    parameters: readParameters(tree, tree.field(node, 'parameters')),
  })
}

const visitAlias: Visit = (builder, node, tree) => {
  builder.consume(tree.field(node, 'alias'))
  builder.define(node, {
    kind: 'method',
  })
}

const classFactories = typeSet('Struct Class Module Data')

/** Defines constants, including `Line = Struct.new(:price)`, and binds types of variables. */
const visitAssignment: Visit = (builder, node, tree) => {
  const left = tree.field(node, 'left')
  const right = tree.field(node, 'right')
  const type = tree.type(left)
  const made = createdClass(tree, right)
  if (type === 'constant') {
    const isClass = classFactories.has(made)
    const base = isClass ? [...listItems(tree, tree.field(right, 'arguments'))][0] : undefined
    const name = base === undefined ? '' : constantName(tree, base)
    const kind = isClass ? (made === 'Module' ? 'module' : 'class') : 'value'
    const body = isClass ? tree.field(right, 'block') : right
    builder.define(node, {
      name: left,
      kind,
      bodyNode: body,
      extends: name === '' ? [] : [name],
    })
  } else if (type === 'identifier') {
    builder.addBinding(left, made)
    builder.declare(left)
  } else if (type === 'instance_variable' || type === 'class_variable')
    builder.addBinding(variableName(tree, left), made, builder.enclosingType)
}

/** Declares the names of parameters, patterns and loops. */
const declareNames: Visit = (builder, node, tree) => {
  for (const child of tree.children(node))
    if (tree.type(child) === 'identifier') builder.declare(child)
}

const declareName: Visit = declareField('name')

const visitConstant: Visit = (builder, node, tree) => {
  if (!isConstant(tree, node)) return
  const { name, qualifier } = consumeConstant(builder, node)
  if (!/^[A-Z\d_]+$/.test(builder.nameOf(name)))
    return builder.addReference({ kind: 'type', name, qualifier })
  builder.addReference({ kind: 'value', name, qualifier })
  // The qualifier of a constant is a class or a module.
  if (/^\p{Lu}/u.test(qualifier ?? ''))
    builder.addReference({ kind: 'type', name: qualifier!, at: node })
}

const visitSuper: Visit = (builder, node, tree) => {
  const method = builder.enclosingSymbol
  const call = tree.parent(node)
  if (method?.kind !== 'method') return
  const argumentCount = tree.hasField(node, 'method')
    ? countPassed(tree, tree.field(call, 'arguments'))
    : null
  builder.addReference({
    kind: 'call',
    name: method.name,
    at: node,
    qualifier: 'super',
    argumentCount,
  })
}

const keywords = typeSet('private protected public module_function')

/** Records a call without arguments; the builder drops it if the name is a local variable. */
const visitName: Visit = (builder, node) => {
  if (!keywords.has(builder.nameOf(node)))
    builder.addReference({ kind: 'call', name: node, argumentCount: 0 })
}

export const indexSpec: IndexSpec = {
  branches: `
    if unless elsif while until for when in_clause if_guard unless_guard if_modifier
    unless_modifier while_modifier until_modifier rescue rescue_modifier conditional && ||
    and or
  `,
  functions: 'method singleton_method',
  blocks: '',
  // Blocks can define methods that other code calls, as in a module's `included do`.
  types: 'program class module singleton_class block do_block lambda',
  builtins: `
    puts print p pp printf sprintf format raise fail loop catch throw sleep rand srand exit
    abort at_exit warn gets lambda proc block_given? binding caller freeze __method__
    __dir__ Object Class Module Kernel Comparable Enumerable Struct Exception StandardError
    ArgumentError RuntimeError NotImplementedError KeyError TypeError NameError
    NoMethodError
  `,
  isExported: ({ marked }, node) => !marked.has(node),
  visits: {
    class: defineType('class'),
    module: defineType('module'),
    singleton_class: (builder, node, tree) => markPrivate(builder, tree.field(node, 'body')),
    method: visitMethod,
    singleton_method: visitMethod,
    alias: visitAlias,
    assignment: visitAssignment,
    operator_assignment: visitAssignment,
    call: visitCall,
    simple_symbol: visitSymbol,
    method_parameters: declareNames,
    block_parameters: declareNames,
    lambda_parameters: declareNames,
    destructured_parameter: declareNames,
    left_assignment_list: declareNames,
    destructured_left_assignment: declareNames,
    rest_assignment: declareNames,
    exception_variable: declareNames,
    array_pattern: declareNames,
    for: (builder, node, tree) => {
      if (tree.type(tree.field(node, 'pattern')) === 'identifier')
        builder.declare(tree.field(node, 'pattern'))
    },
    optional_parameter: declareName,
    splat_parameter: declareName,
    keyword_parameter: declareName,
    hash_splat_parameter: declareName,
    block_parameter: declareName,
    as_pattern: declareName,
    constant: visitConstant,
    scope_resolution: visitConstant,
    super: visitSuper,
    identifier: visitName,
  },
}
