// C and C++.
import { type FlatTree, none } from '../flat-tree.ts'
import type { LanguageSpec, Visit } from '../language-spec.ts'
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
} from './c-definitions.ts'
import { hideMacros } from './c-macros.ts'
import { baseName, consumeName } from './c-parts.ts'
import { consumeSubtree, countArguments, lastPart, typeSet } from './common-parts.ts'

const visitInclude: Visit = (walk, node) => {
  const { tree } = walk
  const path = tree.field(node, 'path')
  const kind = tree.type(path) === 'system_lib_string' ? 'system' : 'include'
  const isLiteral = kind === 'system' || tree.type(path) === 'string_literal'
  consumeSubtree(walk, node)
  if (isLiteral)
    walk.addImport({
      line: tree.lineOf(node),
      from: tree.textOf(path).slice(1, -1),
      names: [],
      kind,
    })
}

/** `using namespace a::b;`, `using a::Cart;`. */
const visitUsing: Visit = (walk, node) => {
  const { tree } = walk
  const target = tree.child(node, 'identifier', 'qualified_identifier')
  const isNamespace = tree.child(node, 'namespace') !== none
  const from = tree.textOf(target).replaceAll(/\s|^::/g, '')
  const name = lastPart(from)
  consumeSubtree(walk, node)
  const line = tree.lineOf(node)
  if (isNamespace) walk.addImport({ line, from, names: [], kind: 'all' })
  // In a class it brings in what a base class has.
  else if (walk.enclosingType === none || walk.enclosingSymbol?.kind === 'module')
    walk.addImport({ line, from, names: [{ name, local: name }], kind: 'static' })
}

/** The last name of what stands before a full stop or an arrow: empty for what is none. */
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

const visitCall: Visit = (walk, node) => {
  const { tree } = walk
  const called = tree.field(node, 'function')
  const passed = countArguments(tree, tree.field(node, 'arguments'), (argument) =>
    tree.type(argument).endsWith('pack_expansion'),
  )
  if (tree.type(called) === 'field_expression') {
    const qualifier = receiverName(tree, tree.field(called, 'argument'))
    const { name } = consumeName(walk, tree.field(called, 'field'))
    if (name !== none) walk.addReference({ kind: 'call', name, qualifier, arguments: passed })
    return
  }
  if (!callable.has(tree.type(called))) return
  const { name, qualifier } = consumeName(walk, called)
  if (name !== none && !casts.has(walk.nameOf(name)))
    walk.addReference({ kind: 'call', name, qualifier, arguments: passed })
}

const callable = typeSet('identifier qualified_identifier template_function')

const visitNew: Visit = (walk, node) => {
  const { tree } = walk
  const { name, qualifier } = consumeName(walk, tree.field(node, 'type'))
  const passed = countArguments(tree, tree.field(node, 'arguments'))
  if (tree.type(name) === 'type_identifier')
    walk.addReference({ kind: 'new', name, qualifier, arguments: passed })
}

/** `Item{1}`. */
const visitBraced: Visit = (walk, node) => {
  const { name, qualifier } = consumeName(walk, walk.tree.field(node, 'type'))
  if (walk.tree.type(name) === 'type_identifier')
    walk.addReference({ kind: 'new', name, qualifier })
}

/** `shop::Cart` as a type, `State::Open` as a value. */
const visitQualified: Visit = (walk, node) => {
  const { tree } = walk
  const { name, qualifier } = consumeName(walk, node)
  if (name === none) return
  const isType = tree.type(name) === 'type_identifier'
  walk.addReference({ kind: isType ? 'type' : 'value', name, qualifier })
  if (!isType && /^\p{Lu}/u.test(qualifier ?? ''))
    walk.addReference({ kind: 'type', name: qualifier!, at: node })
}

const visitTypeParameter: Visit = (walk, node) => {
  const { tree } = walk
  const name = tree.field(node, 'name')
  walk.declare(name === none ? tree.child(node, 'type_identifier') : name)
}

const visitBinary: Visit = (walk, node) => {
  if (/^(&&|\|\||and|or)$/.test(walk.tree.type(walk.tree.field(node, 'operator')))) walk.addBranch()
}

/** What `#if` asks for isn't code. */
const consumeCondition: Visit = (walk, node) => {
  consumeSubtree(walk, walk.tree.field(node, 'condition'))
  walk.consume(walk.tree.field(node, 'name'))
}

export const c: LanguageSpec = {
  preprocess: hideMacros,
  branches:
    'if_statement for_statement for_range_loop while_statement do_statement case catch_clause conditional_expression',
  functions: 'function_definition lambda_expression',
  blocks:
    'compound_statement for_statement for_range_loop if_statement while_statement catch_clause',
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
    type_identifier: declaring((walk, node) => walk.addReference({ kind: 'type', name: node })),
    identifier: declaring((walk, node) => walk.addReference({ kind: 'value', name: node })),
  },
  scopeVisits: { for_range_loop: visitLoop },
}
