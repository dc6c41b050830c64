// Rust.
import type { DefinitionKind } from '../../outline.ts'
import type { FileIndexBuilder } from '../file-index-builder.ts'
import { type FlatTree, none } from '../flat-tree.ts'
import type { LanguageSpec, Visit } from '../language-spec.ts'
import { addReturnBinding, callType, countArguments, listItems, typeSet } from './common-parts.ts'
import { visitExternCrate, visitMod, visitUse } from './rust-import-visits.ts'
import { consumePath, readParameters, receiverName, typeName } from './rust-parts.ts'

/** `pub`, also `pub(crate)`: other files can name it. */
function isPublic(tree: FlatTree, node: number): boolean {
  const visibility = tree.child(node, 'visibility_modifier')
  return visibility !== none && tree.textOf(visibility).replaceAll(/\s/g, '') !== 'pub(self)'
}

function defineItem(kind: DefinitionKind, isAlwaysPublic = false): Visit {
  return (builder, node) => {
    const { tree } = builder
    builder.define(node, {
      name: tree.field(node, 'name'),
      kind,
      bodyNode: tree.field(node, 'body'),
      exported: isAlwaysPublic || isPublic(tree, node),
    })
  }
}

const boundTypes = typeSet('type_identifier scoped_type_identifier generic_type')

const visitTrait: Visit = (builder, node) => {
  const { tree } = builder
  const bounds = [...tree.children(tree.field(node, 'bounds'))].filter((bound) =>
    boundTypes.has(tree.type(bound)),
  )
  builder.define(node, {
    name: tree.field(node, 'name'),
    kind: 'interface',
    bodyNode: tree.field(node, 'body'),
    exported: isPublic(tree, node),
    extends: bounds.map((bound) => typeName(tree, bound)),
  })
  for (const bound of bounds) referToType(builder, bound, 'extends')
}

function referToType(
  builder: FileIndexBuilder,
  type: number,
  kind: 'type' | 'new' | 'extends',
): void {
  const { name, qualifier } = consumePath(builder, type)
  if (name !== none) builder.addReference({ kind, name, qualifier })
}

/** `impl Trait for Type` is no symbol; what is in it belongs to the type. */
const visitImpl: Visit = (builder, node) => {
  const trait = builder.tree.field(node, 'trait')
  if (trait === none) return
  builder.marked.add(node)
  referToType(builder, trait, 'extends')
}

/** The block of an `impl` or a `trait` in which something stands; `none` elsewhere. */
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

const visitFunction: Visit = (builder, node) => {
  const { tree } = builder
  const { owner, exported, isMember } = readMemberOwner(tree, node)
  const defined = builder.define(node, {
    name: tree.field(node, 'name'),
    kind: isMember ? 'method' : 'function',
    bodyNode: tree.field(node, 'body'),
    owner,
    exported,
    parameters: readParameters(tree, tree.field(node, 'parameters')),
  })
  addReturnBinding(builder, defined, returnedType(tree, tree.field(node, 'return_type')))
}

const visitConstant: Visit = (builder, node) => {
  const { tree } = builder
  const { owner, exported } = readMemberOwner(tree, node)
  const name = tree.field(node, 'name')
  builder.addBinding(name, typeName(tree, tree.field(node, 'type')))
  builder.define(node, { name, kind: 'value', owner, exported })
}

/** Types that a trait leaves open, or that an `impl` gives for them, aren't named by themselves. */
const visitTypeItem: Visit = (builder, node) => {
  const { tree } = builder
  if (enclosingBlock(tree, node) === none) defineItem('type')(builder, node)
  else builder.consume(tree.field(node, 'name'))
}

const visitField: Visit = (builder, node) => {
  const { tree } = builder
  builder.addBinding(
    tree.field(node, 'name'),
    typeName(tree, tree.field(node, 'type')),
    builder.enclosingType,
  )
}

const visitParameter: Visit = (builder, node) => {
  const { tree } = builder
  const pattern = tree.field(node, 'pattern')
  if (tree.type(pattern) === 'identifier')
    builder.addBinding(pattern, typeName(tree, tree.field(node, 'type')))
}

/** `let cart: Cart`, `let cart = Cart::new(…)`, `let cart = Cart { … }`. */
const visitLet: Visit = (builder, node) => {
  const { tree } = builder
  const pattern = tree.field(node, 'pattern')
  const type = tree.field(node, 'type')
  if (tree.type(pattern) !== 'identifier') return
  builder.addBinding(
    pattern,
    type === none ? createdType(tree, tree.field(node, 'value')) : typeName(tree, type),
  )
}

/** Of `Result<Cart, E>` and `Option<Cart>` what is in them, as nobody uses the rest. */
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

function createdType(tree: FlatTree, given: number): string {
  let value = given
  while (tree.type(value) === 'try_expression' || tree.type(value) === 'await_expression')
    value = tree.firstChild(value)
  if (tree.type(value) === 'struct_expression') return typeName(tree, tree.field(value, 'name'))
  const called = tree.type(value) === 'call_expression' ? tree.field(value, 'function') : none
  if (tree.type(called) === 'identifier') return callType(null, tree.textOf(called))
  if (tree.type(called) === 'field_expression') {
    const object = tree.field(called, 'value')
    const isName = tree.type(object) === 'identifier' || tree.type(object) === 'self'
    return isName ? callType(tree.textOf(object), tree.textOf(tree.field(called, 'field'))) : ''
  }
  if (tree.type(called) !== 'scoped_identifier') return ''
  const type = receiverName(tree, tree.field(called, 'path'))
  const isMade =
    isCapital(type) && type !== 'Self' && constructors.test(tree.textOf(tree.field(called, 'name')))
  return isMade ? type : callType(type, tree.textOf(tree.field(called, 'name')))
}

/** Of the language itself: everybody has them. */
const prelude = typeSet('Some None Ok Err')

/** What begins with a capital is made: a tuple struct, or a variant of an enum. */
function referToCalled(
  builder: FileIndexBuilder,
  called: number,
  argumentCount: number | null,
): void {
  const { tree } = builder
  if (tree.type(called) === 'generic_function') {
    builder.consume(called)
    referToCalled(builder, tree.field(called, 'function'), argumentCount)
    return
  }
  if (tree.type(called) === 'field_expression') {
    const qualifier = receiverName(tree, tree.field(called, 'value'))
    builder.addReference({
      kind: 'call',
      name: tree.field(called, 'field'),
      qualifier,
      arguments: argumentCount,
    })
    return
  }
  const { name, qualifier } = consumePath(builder, called)
  const text = builder.nameOf(name)
  if (prelude.has(text)) builder.consume(name)
  else if (text !== '')
    builder.addReference({
      kind: isCapital(text) ? 'new' : 'call',
      name,
      qualifier,
      arguments: argumentCount,
    })
}

const isCapital = (name: string | null) => /^\p{Lu}/u.test(name ?? '')

const visitCall: Visit = (builder, node) => {
  const { tree } = builder
  referToCalled(
    builder,
    tree.field(node, 'function'),
    countArguments(tree, tree.field(node, 'arguments')),
  )
}

const visitStructValue: Visit = (builder, node) =>
  referToType(builder, builder.tree.field(node, 'name'), 'new')

const standardMacros = typeSet(`
  println print eprintln eprint format format_args write writeln vec assert assert_eq assert_ne
  debug_assert debug_assert_eq debug_assert_ne panic todo unimplemented unreachable matches dbg
  include_str include_bytes include env option_env concat stringify cfg compile_error line
  column file module_path thread_local
`)

const visitMacro: Visit = (builder, node) => {
  const { name, qualifier } = consumePath(builder, builder.tree.field(node, 'macro'))
  if (name === none) return
  if (standardMacros.has(builder.nameOf(name))) builder.consume(name)
  else builder.addReference({ kind: 'call', name, qualifier })
}

/** What is argumentCount to a macro isn't parsed, but calls can be told: a name, and a bracket after it. */
const visitTokens: Visit = (builder, node) => {
  const { tree } = builder
  let [before, joint, last] = [none, none, none]
  for (const child of tree.children(node)) {
    const isMember = pathSeparators.has(tree.type(joint))
    const isCalled = tree.type(child) === 'token_tree' && tree.text[tree.start(child)] === '('
    if (tree.type(last) === 'identifier' && isCalled && !prelude.has(tree.textOf(last))) {
      const kind = isCapital(tree.textOf(last)) ? 'new' : 'call'
      builder.addReference({
        kind,
        name: last,
        qualifier: isMember ? receiverName(tree, before) : null,
      })
      if (isMember) builder.consume(before)
    }
    // Fields.
    if (tree.type(last) === '.') builder.consume(child)
    ;[before, joint, last] = [joint, last, child]
  }
}

const pathSeparators = typeSet('. ::')

const patternParents = typeSet(`
  tuple_pattern slice_pattern ref_pattern mut_pattern reference_pattern captured_pattern
  or_pattern match_pattern closure_parameters
`)

/** Whether a name is given here, not asked for. */
function isPattern(tree: FlatTree, node: number): boolean {
  if (tree.hasField(node, 'pattern')) return true
  const parent = tree.type(tree.parent(node))
  if (parent === 'tuple_struct_pattern') return !tree.hasField(node, 'type')
  return patternParents.has(parent) && !tree.hasField(node, 'condition')
}

const visitName: Visit = (builder, node) => {
  const { tree } = builder
  if (isPattern(tree, node) && !isCapital(builder.nameOf(node))) return builder.declare(node)
  if (!tree.hasField(node, 'name') && !nameless.has(tree.type(tree.parent(node))))
    builder.addReference({ kind: 'value', name: node })
}

/** What stands here names nothing that is defined. */
const nameless = typeSet('attribute lifetime label')

/** `State::Open`; in patterns as well. */
const visitPath: Visit = (builder, node) => {
  const { name, qualifier } = consumePath(builder, node)
  if (name === none) return
  builder.addReference({ kind: 'value', name, qualifier })
  if (isCapital(qualifier) && qualifier !== 'Self')
    builder.addReference({ kind: 'type', name: qualifier!, at: node })
}

const visitType: Visit = (builder, node) => {
  const { name, qualifier } = consumePath(builder, node)
  if (name !== none && builder.nameOf(name) !== 'Self')
    builder.addReference({ kind: 'type', name, qualifier })
}

/** Says of the types of this file which traits they have. */
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

export const rust: LanguageSpec = {
  branches: 'if_expression for_expression while_expression && ||',
  functions: 'function_item closure_expression function_signature_item',
  blocks: 'block match_arm for_expression if_expression while_expression',
  types: 'struct_item enum_item union_item trait_item impl_item type_item mod_item',
  // Not `Vec` and the like: that a name is of such a type is worth knowing.
  builtins: `
    Iterator IntoIterator DoubleEndedIterator ExactSizeIterator FromIterator Extend From
    Into TryFrom TryInto AsRef AsMut Default Clone Copy Send Sync Sized Unpin Drop Fn FnMut
    FnOnce ToString ToOwned PartialEq Eq PartialOrd Ord Debug Hash drop
  `,
  visits: {
    use_declaration: visitUse,
    mod_item: visitMod,
    extern_crate_declaration: visitExternCrate,
    struct_item: defineItem('class'),
    union_item: defineItem('class'),
    enum_item: defineItem('enum'),
    enum_variant: defineItem('value', true),
    trait_item: visitTrait,
    impl_item: visitImpl,
    type_item: visitTypeItem,
    associated_type: visitTypeItem,
    function_item: visitFunction,
    function_signature_item: visitFunction,
    const_item: visitConstant,
    static_item: visitConstant,
    macro_definition: defineItem('function', true),
    field_declaration: visitField,
    parameter: visitParameter,
    let_declaration: visitLet,
    match_arm: (builder, node) => {
      if (builder.tree.textOf(builder.tree.field(node, 'pattern')) !== '_') builder.addBranch()
    },
    type_parameter: (builder, node) => builder.declare(builder.tree.field(node, 'name')),
    const_parameter: (builder, node) => builder.declare(builder.tree.field(node, 'name')),
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
