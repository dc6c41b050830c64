// Collects the symbols, imports and references of Rust for the code index.

import type { FileIndexBuilder } from '../common/file-index-builder.ts'
import { type FlatTree, none } from '../common/flat-tree.ts'
import type { IndexSpec, Visit } from '../common/index-spec.ts'
import { callType, countArguments, listItems, typeSet } from '../common/parts.ts'
import { declareField, define } from '../common/visits.ts'
import { visitExternCrate, visitMod, visitUse } from './import-visits.ts'
import { consumePath, readParameters, receiverName, typeName } from './parts.ts'

/** Whether other files can name the item: `pub` or `pub(crate)`, but not `pub(self)`. */
function isPublic(tree: FlatTree, node: number): boolean {
  const visibility = tree.child(node, 'visibility_modifier')
  return visibility !== none && tree.textOf(visibility).replaceAll(/\s/g, '') !== 'pub(self)'
}

const boundTypes = typeSet('type_identifier scoped_type_identifier generic_type')

const visitTrait: Visit = (builder, node, tree) => {
  const bounds = [...tree.children(tree.field(node, 'bounds'))].filter((bound) =>
    boundTypes.has(tree.type(bound)),
  )
  builder.define(node, {
    kind: 'interface',
    extends: bounds.map((bound) => typeName(tree, bound)),
  })
  for (const bound of bounds) referToType(builder, bound, 'extends')
}

function referToType(
  builder: FileIndexBuilder,
  type: number,
  kind: 'type' | 'new' | 'extends',
): void {
  builder.addReference({ kind, ...consumePath(builder, type) })
}

/** `impl Trait for Type` isn't a symbol: its methods have the type as their owner. */
const visitImpl: Visit = (builder, node, tree) => {
  const trait = tree.field(node, 'trait')
  if (trait === none) return
  builder.marked.add(node)
  referToType(builder, trait, 'extends')
}

/** Returns the `impl` or `trait` whose member the node is, or `none`. */
function enclosingBlock(tree: FlatTree, node: number): number {
  const holder = tree.parent(tree.parent(node))
  return tree.type(holder) === 'impl_item' || tree.type(holder) === 'trait_item' ? holder : none
}

function readMemberOwner(
  tree: FlatTree,
  node: number,
): { owner: string | null; exported: boolean; isMember: boolean } {
  const block = enclosingBlock(tree, node)
  const isImpl = tree.type(block) === 'impl_item'
  const isOfTrait = block !== none && (!isImpl || tree.field(block, 'trait') !== none)
  const owner = isImpl ? typeName(tree, tree.field(block, 'type')) : ''
  return {
    owner: owner === '' ? null : owner,
    exported: isOfTrait || isPublic(tree, node),
    isMember: block !== none,
  }
}

const visitFunction: Visit = (builder, node, tree) => {
  const { owner, exported, isMember } = readMemberOwner(tree, node)
  builder.define(node, {
    kind: isMember ? 'method' : 'function',
    owner,
    exported,
    parameters: readParameters(tree, tree.field(node, 'parameters')),
    returns: returnedType(tree, tree.field(node, 'return_type')),
  })
}

const visitConstant: Visit = (builder, node, tree) => {
  const { owner, exported } = readMemberOwner(tree, node)
  const name = tree.field(node, 'name')
  builder.addBinding(name, typeName(tree, tree.field(node, 'type')))
  builder.define(node, { name, kind: 'value', owner, exported })
}

/** Associated types in a trait or an `impl` aren't symbols. */
const visitTypeItem: Visit = (builder, node, tree) => {
  if (enclosingBlock(tree, node) === none) define('type')(builder, node, tree)
  else builder.consume(tree.field(node, 'name'))
}

const visitField: Visit = (builder, node, tree) => {
  builder.addBinding(
    tree.field(node, 'name'),
    typeName(tree, tree.field(node, 'type')),
    builder.enclosingType,
  )
}

const visitParameter: Visit = (builder, node, tree) => {
  const pattern = tree.field(node, 'pattern')
  if (tree.type(pattern) === 'identifier')
    builder.addBinding(pattern, typeName(tree, tree.field(node, 'type')))
}

/** `let cart: Cart`, `let cart = Cart::new(…)`, `let cart = Cart { … }`. */
const visitLet: Visit = (builder, node, tree) => {
  const pattern = tree.field(node, 'pattern')
  const type = tree.field(node, 'type')
  if (tree.type(pattern) !== 'identifier') return
  builder.addBinding(
    pattern,
    type === none ? createdType(tree, tree.field(node, 'value')) : typeName(tree, type),
  )
}

/** Returns `Cart` for `Result<Cart, E>` and `Option<Cart>`, because callers unwrap the value. */
function returnedType(tree: FlatTree, type: number): string {
  const isWrapped =
    tree.type(type) === 'generic_type' && /^(Result|Option)$/.test(typeName(tree, type))
  if (!isWrapped) return typeName(tree, type)
  const inner = [...listItems(tree, tree.field(type, 'type_arguments'))].find(
    (node) => tree.type(node) !== '<',
  )
  return typeName(tree, inner ?? none)
}

const constructors = /^(new|default|from|with|open)(_|$)/

/** The type of a value that is constructed or returned by a call; empty if unknown. */
function createdType(tree: FlatTree, expression: number): string {
  let value = expression
  while (tree.type(value) === 'try_expression' || tree.type(value) === 'await_expression')
    value = tree.firstChild(value)
  if (tree.type(value) === 'struct_expression') return typeName(tree, tree.field(value, 'name'))
  if (tree.type(value) !== 'call_expression') return ''
  return resultType(tree, tree.field(value, 'function'))
}

/** The type of the result of calling `callee`. */
function resultType(tree: FlatTree, callee: number): string {
  switch (tree.type(callee)) {
    case 'identifier':
      return callType(null, tree.textOf(callee))
    case 'field_expression': {
      const object = tree.field(callee, 'value')
      const isName = tree.type(object) === 'identifier' || tree.type(object) === 'self'
      return isName ? callType(tree.textOf(object), tree.fieldText(callee, 'field')) : ''
    }
    case 'scoped_identifier': {
      const type = receiverName(tree, tree.field(callee, 'path'))
      const name = tree.fieldText(callee, 'name')
      const isConstructor = isCapitalized(type) && type !== 'Self' && constructors.test(name)
      return isConstructor ? type : callType(type, name)
    }
    default:
      return ''
  }
}

/** Variants of the standard prelude aren't references. */
const prelude = typeSet('Some None Ok Err')

/** A capitalized callee is a tuple struct or a variant of an enum, so the call is a `new`. */
function referToCallee(
  builder: FileIndexBuilder,
  callee: number,
  argumentCount: number | null,
): void {
  const { tree } = builder
  if (tree.type(callee) === 'generic_function') {
    builder.consume(callee)
    referToCallee(builder, tree.field(callee, 'function'), argumentCount)
    return
  }
  if (tree.type(callee) === 'field_expression') {
    const qualifier = receiverName(tree, tree.field(callee, 'value'))
    builder.addReference({
      kind: 'call',
      name: tree.field(callee, 'field'),
      qualifier,
      argumentCount,
    })
    return
  }
  const { name, qualifier } = consumePath(builder, callee)
  const text = builder.nameOf(name)
  if (prelude.has(text)) builder.consume(name)
  else if (text !== '')
    builder.addReference({
      kind: isCapitalized(text) ? 'new' : 'call',
      name,
      qualifier,
      argumentCount,
    })
}

const isCapitalized = (name: string | null) => /^\p{Lu}/u.test(name ?? '')

const visitCall: Visit = (builder, node, tree) => {
  referToCallee(
    builder,
    tree.field(node, 'function'),
    countArguments(tree, tree.field(node, 'arguments')),
  )
}

const visitStructValue: Visit = (builder, node, tree) =>
  referToType(builder, tree.field(node, 'name'), 'new')

const standardMacros = typeSet(`
  println print eprintln eprint format format_args write writeln vec assert assert_eq assert_ne
  debug_assert debug_assert_eq debug_assert_ne panic todo unimplemented unreachable matches dbg
  include_str include_bytes include env option_env concat stringify cfg compile_error line
  column file module_path thread_local
`)

const visitMacro: Visit = (builder, node, tree) => {
  const { name, qualifier } = consumePath(builder, tree.field(node, 'macro'))
  if (standardMacros.has(builder.nameOf(name))) builder.consume(name)
  else builder.addReference({ kind: 'call', name, qualifier })
}

/** A macro's arguments are tokens. A name that is followed by `(` is taken for a call. */
const visitTokens: Visit = (builder, node, tree) => {
  let beforeSeparator = none
  let separator = none
  let last = none
  for (const child of tree.children(node)) {
    const isMember = pathSeparators.has(tree.type(separator))
    const isCalled = tree.type(child) === 'token_tree' && tree.text[tree.start(child)] === '('
    if (tree.type(last) === 'identifier' && isCalled && !prelude.has(tree.textOf(last))) {
      const kind = isCapitalized(tree.textOf(last)) ? 'new' : 'call'
      builder.addReference({
        kind,
        name: last,
        qualifier: isMember ? receiverName(tree, beforeSeparator) : null,
      })
      if (isMember) builder.consume(beforeSeparator)
    }
    // A name after a dot is a field or a method.
    if (tree.type(last) === '.') builder.consume(child)
    beforeSeparator = separator
    separator = last
    last = child
  }
}

const pathSeparators = typeSet('. ::')

const patternParents = typeSet(`
  tuple_pattern slice_pattern ref_pattern mut_pattern reference_pattern captured_pattern
  or_pattern match_pattern closure_parameters
`)

/** Whether the node introduces a name instead of referring to one. */
function isPattern(tree: FlatTree, node: number): boolean {
  if (tree.hasField(node, 'pattern')) return true
  const parent = tree.type(tree.parent(node))
  if (parent === 'tuple_struct_pattern') return !tree.hasField(node, 'type')
  return patternParents.has(parent) && !tree.hasField(node, 'condition')
}

const visitName: Visit = (builder, node, tree) => {
  if (isPattern(tree, node) && !isCapitalized(builder.nameOf(node))) return builder.declare(node)
  if (!tree.hasField(node, 'name') && !ignoredParents.has(tree.type(tree.parent(node))))
    builder.addReference({ kind: 'value', name: node })
}

/** Names in these nodes don't refer to definitions. */
const ignoredParents = typeSet('attribute lifetime label')

/** `State::Open` as a value or in a pattern. */
const visitPath: Visit = (builder, node) => {
  const { name, qualifier } = consumePath(builder, node)
  if (name === none) return
  builder.addReference({ kind: 'value', name, qualifier })
  if (isCapitalized(qualifier) && qualifier !== 'Self')
    builder.addReference({ kind: 'type', name: qualifier!, at: node })
}

const visitType: Visit = (builder, node) => {
  const { name, qualifier } = consumePath(builder, node)
  if (builder.nameOf(name) !== 'Self') builder.addReference({ kind: 'type', name, qualifier })
}

/** Adds the implemented traits to the base types of this file's types. */
function resolveTraits(builder: FileIndexBuilder): void {
  const { tree, symbols } = builder
  const types = new Map(
    symbols.flatMap((symbol) => (typeKinds.has(symbol.kind) ? [[symbol.name, symbol]] : [])),
  )
  for (const node of builder.marked) {
    const symbol = types.get(typeName(tree, tree.field(node, 'type')))
    const trait = typeName(tree, tree.field(node, 'trait'))
    if (symbol && trait !== '' && !symbol.extends.includes(trait))
      symbol.extends = [...symbol.extends, trait]
  }
}

const typeKinds = typeSet('class enum')

export const indexSpec: IndexSpec = {
  branches: 'if_expression for_expression while_expression && ||',
  functions: 'function_item closure_expression function_signature_item',
  blocks: 'block match_arm for_expression if_expression while_expression',
  types: 'struct_item enum_item union_item trait_item impl_item type_item mod_item',
  // `Vec` and similar types aren't listed because bindings to them are useful.
  builtins: `
    Iterator IntoIterator DoubleEndedIterator ExactSizeIterator FromIterator Extend From
    Into TryFrom TryInto AsRef AsMut Default Clone Copy Send Sync Sized Unpin Drop Fn FnMut
    FnOnce ToString ToOwned PartialEq Eq PartialOrd Ord Debug Hash drop
  `,
  isExported: ({ tree }, node) => isPublic(tree, node),
  visits: {
    use_declaration: visitUse,
    mod_item: visitMod,
    extern_crate_declaration: visitExternCrate,
    struct_item: define('class'),
    union_item: define('class'),
    enum_item: define('enum'),
    enum_variant: define('value', { exported: true }),
    trait_item: visitTrait,
    impl_item: visitImpl,
    type_item: visitTypeItem,
    associated_type: visitTypeItem,
    function_item: visitFunction,
    function_signature_item: visitFunction,
    const_item: visitConstant,
    static_item: visitConstant,
    macro_definition: define('function', { exported: true }),
    field_declaration: visitField,
    parameter: visitParameter,
    let_declaration: visitLet,
    match_arm: (builder, node, tree) => {
      if (tree.fieldText(node, 'pattern') !== '_') builder.addBranch()
    },
    type_parameter: declareField('name'),
    const_parameter: declareField('name'),
    call_expression: visitCall,
    struct_expression: visitStructValue,
    macro_invocation: visitMacro,
    token_tree: visitTokens,
    scoped_identifier: visitPath,
    shorthand_field_identifier: (builder, node) => builder.declare(node),
    type_identifier: visitType,
    scoped_type_identifier: visitType,
    identifier: visitName,
  },
  finish: resolveTraits,
}
