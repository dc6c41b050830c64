// Collects the symbols, imports and references of C and C++ for the code index.

import { type FlatTree, none } from '../common/flat-tree.ts'
import type { IndexSpec, Visit } from '../common/index-spec.ts'
import { consumeSubtree, countArguments, lastPart, typeSet } from '../common/parts.ts'
import { referAs } from '../common/visits.ts'
import {
  declaring,
  defineMacro,
  defineType,
  visitAlias,
  visitEnumerator,
  visitFunction,
  visitLoop,
  visitNamespace,
  visitParameter,
} from './definitions.ts'
import { hideMacros } from './macros.ts'
import { baseName, consumeName } from './parts.ts'

const visitInclude: Visit = (builder, node, tree) => {
  const path = tree.field(node, 'path')
  const kind = tree.type(path) === 'system_lib_string' ? 'system' : 'include'
  const isLiteral = kind === 'system' || tree.type(path) === 'string_literal'
  consumeSubtree(builder, node)
  if (isLiteral)
    builder.addImport({
      line: tree.lineOf(node),
      from: tree.textOf(path).slice(1, -1),
      names: [],
      kind,
    })
}

/** `using namespace a::b;`, `using a::Cart;`. */
const visitUsing: Visit = (builder, node, tree) => {
  const target = tree.child(node, 'identifier', 'qualified_identifier')
  const isNamespace = tree.child(node, 'namespace') !== none
  const from = tree.textOf(target).replaceAll(/\s|^::/g, '')
  const name = lastPart(from)
  consumeSubtree(builder, node)
  const line = tree.lineOf(node)
  if (isNamespace) builder.addImport({ line, from, names: [], kind: 'all' })
  // In a class, `using` refers to a member of a base class and isn't an import.
  else if (builder.enclosingType === none || builder.enclosingSymbol?.kind === 'module')
    builder.addImport({ line, from, names: [{ name, local: name }], kind: 'static' })
}

/** Returns the last name of a receiver; empty for expressions without a name. */
function receiverName(tree: FlatTree, node: number): string {
  switch (tree.type(node)) {
    case 'identifier':
    case 'this':
      return tree.textOf(node)
    case 'field_expression':
      return baseName(tree, tree.field(node, 'field'))
    case 'qualified_identifier':
      return lastPart(tree.textOf(node))
    default:
      return ''
  }
}

const casts = typeSet('static_cast dynamic_cast const_cast reinterpret_cast')

const visitCall: Visit = (builder, node, tree) => {
  const called = tree.field(node, 'function')
  const argumentCount = countArguments(tree, tree.field(node, 'arguments'), (argument) =>
    tree.type(argument).endsWith('pack_expansion'),
  )
  if (tree.type(called) === 'field_expression') {
    const qualifier = receiverName(tree, tree.field(called, 'argument'))
    const { name } = consumeName(builder, tree.field(called, 'field'))
    builder.addReference({ kind: 'call', name, qualifier, argumentCount })
    return
  }
  if (!callable.has(tree.type(called))) return
  const { name, qualifier } = consumeName(builder, called)
  if (!casts.has(builder.nameOf(name)))
    builder.addReference({ kind: 'call', name, qualifier, argumentCount })
}

const callable = typeSet('identifier qualified_identifier template_function')

const visitNew: Visit = (builder, node, tree) => {
  const { name, qualifier } = consumeName(builder, tree.field(node, 'type'))
  const argumentCount = countArguments(tree, tree.field(node, 'arguments'))
  if (tree.type(name) === 'type_identifier')
    builder.addReference({ kind: 'new', name, qualifier, argumentCount })
}

/** `Item{1}`. */
const visitBraced: Visit = (builder, node, tree) => {
  const { name, qualifier } = consumeName(builder, tree.field(node, 'type'))
  if (tree.type(name) === 'type_identifier') builder.addReference({ kind: 'new', name, qualifier })
}

/** `shop::Cart` as a type, `State::Open` as a value. */
const visitQualified: Visit = (builder, node, tree) => {
  const { name, qualifier } = consumeName(builder, node)
  if (name === none) return
  const isType = tree.type(name) === 'type_identifier'
  builder.addReference({ kind: isType ? 'type' : 'value', name, qualifier })
  if (!isType && /^\p{Lu}/u.test(qualifier ?? ''))
    builder.addReference({ kind: 'type', name: qualifier!, at: node })
}

const visitTypeParameter: Visit = (builder, node, tree) => {
  const name = tree.field(node, 'name')
  builder.declare(name === none ? tree.child(node, 'type_identifier') : name)
}

const visitBinary: Visit = (builder, node, tree) => {
  if (/^(&&|\|\||and|or)$/.test(tree.type(tree.field(node, 'operator')))) builder.addBranch()
}

/** Conditions of `#if` aren't references. */
const consumeCondition: Visit = (builder, node, tree) => {
  consumeSubtree(builder, tree.field(node, 'condition'))
  builder.consume(tree.field(node, 'name'))
}

export const indexSpec: IndexSpec = {
  preprocess: hideMacros,
  branches: `
    if_statement for_statement for_range_loop while_statement do_statement case catch_clause
    conditional_expression
  `,
  functions: 'function_definition lambda_expression',
  blocks: `
    compound_statement for_statement for_range_loop if_statement while_statement
    catch_clause
  `,
  types: 'class_specifier struct_specifier union_specifier template_declaration',
  visits: {
    preproc_include: visitInclude,
    preproc_def: defineMacro('value'),
    preproc_function_def: defineMacro('function'),
    preproc_if: consumeCondition,
    preproc_elif: consumeCondition,
    preproc_ifdef: consumeCondition,
    using_declaration: visitUsing,
    namespace_definition: visitNamespace,
    class_specifier: defineType('class'),
    struct_specifier: defineType('class'),
    union_specifier: defineType('class'),
    enum_specifier: defineType('enum'),
    enumerator: visitEnumerator,
    alias_declaration: visitAlias,
    concept_definition: visitAlias,
    function_definition: visitFunction,
    function_declarator: declaring(),
    pointer_declarator: declaring(),
    reference_declarator: declaring(),
    array_declarator: declaring(),
    init_declarator: declaring(),
    parenthesized_declarator: declaring(),
    structured_binding_declarator: declaring(),
    field_identifier: declaring(),
    operator_cast: declaring(),
    parameter_declaration: visitParameter,
    optional_parameter_declaration: visitParameter,
    variadic_parameter_declaration: visitParameter,
    type_parameter_declaration: visitTypeParameter,
    optional_type_parameter_declaration: visitTypeParameter,
    variadic_type_parameter_declaration: visitTypeParameter,
    call_expression: visitCall,
    new_expression: visitNew,
    compound_literal_expression: visitBraced,
    qualified_identifier: declaring(visitQualified),
    binary_expression: visitBinary,
    type_identifier: declaring(referAs('type')),
    identifier: declaring(referAs('value')),
  },
  scopeVisits: { for_range_loop: visitLoop },
}
