// Reads modifiers, types, parameters and names of Kotlin.
import type { CodeSymbol } from '../code-index.ts'
import { type FlatTree, none } from '../common/flat-tree.ts'
import { callType, listItems, typeSet } from '../common/parts.ts'

/** Returns the part of a definition that follows its annotations. */
export function skipAnnotations(tree: FlatTree, node: number): number {
  const modifiers = tree.firstChild(node)
  if (tree.type(modifiers) !== 'modifiers') return node
  for (const modifier of listItems(tree, modifiers))
    if (tree.type(modifier) !== 'annotation') return modifier
  const next = tree.nextSibling(modifiers)
  return next === none ? node : next
}

export function hasModifier(tree: FlatTree, node: number, modifier: string): boolean {
  const modifiers = tree.child(node, 'modifiers')
  for (const child of tree.children(modifiers)) if (tree.textOf(child) === modifier) return true
  return false
}

const wrappedTypes = typeSet('nullable_type non_nullable_type parenthesized_type')
const types = typeSet('user_type function_type nullable_type non_nullable_type parenthesized_type')

/** Returns the first type among the children that follow `after`, or all children. */
export function findType(tree: FlatTree, node: number, after = none): number {
  let child = after === none ? tree.firstChild(node) : tree.nextSibling(after)
  while (child !== none && !types.has(tree.type(child))) child = tree.nextSibling(child)
  return child
}

/** Returns the type that an extension is for; `none` for other functions and properties. */
export function findReceiver(tree: FlatTree, node: number, name: number): number {
  const type = findType(tree, node)
  return type !== none && name !== none && tree.start(type) < tree.start(name) ? type : none
}

/** Returns the last name of `a.b.Cart<T>` and the one before it. */
export function readUserType(tree: FlatTree, type: number): { name: number; qualifier: number } {
  let name = none
  let qualifier = none
  for (const child of tree.children(type)) {
    if (tree.type(child) !== 'identifier') continue
    qualifier = name
    name = child
  }
  return { name, qualifier }
}

/** Returns a type's name without package, type arguments and `?`; empty for functions. */
export function typeName(tree: FlatTree, type: number): string {
  let plain = type
  while (wrappedTypes.has(tree.type(plain))) plain = findType(tree, plain)
  return tree.type(plain) === 'user_type' ? tree.textOf(readUserType(tree, plain).name) : ''
}

/** Counts parameters; those with a default needn't be passed. */
export function readParameters(tree: FlatTree, list: number): CodeSymbol['parameters'] {
  let least = 0
  let most = 0
  let isVariadic = false
  for (const child of listItems(tree, list)) {
    const type = tree.type(child)
    if (type === '=') least--
    if (isVararg(tree, child)) isVariadic = true
    if (type !== 'parameter' && type !== 'class_parameter') continue
    most++
    if (tree.child(child, '=') === none) least++
  }
  if (isVariadic) return { least: least - 1, most: null }
  return { least, most }
}

/** A function's parameter follows its modifiers, but a class parameter contains them. */
function isVararg(tree: FlatTree, node: number): boolean {
  const modifiers = tree.type(node) === 'parameter_modifiers' ? node : tree.child(node, 'modifiers')
  for (const modifier of tree.children(modifiers))
    if (tree.textOf(modifier) === 'vararg') return true
  return false
}

/** Returns the last name of a receiver; empty for expressions without a name. */
export function lastName(tree: FlatTree, node: number): string {
  switch (tree.type(node)) {
    case 'identifier':
      return tree.textOf(node)
    case 'this_expression':
      return 'this'
    case 'super_expression':
      return 'super'
    case 'navigation_expression':
      return tree.textOf(memberName(tree, node))
    case 'unary_expression':
      return isNotNull(tree, node) ? lastName(tree, tree.field(node, 'argument')) : ''
    default:
      return ''
  }
}

function isNotNull(tree: FlatTree, node: number): boolean {
  return tree.type(tree.field(node, 'operator')) === '!!'
}

/** Returns `b` of `a.b`, or `none` for `a::class`. */
export function memberName(tree: FlatTree, navigation: number): number {
  const object = tree.firstChild(navigation)
  let name = none
  for (const child of tree.children(navigation))
    if (child !== object && tree.type(child) === 'identifier') name = child
  return name
}

/** Returns the expression that follows `=`, or ends the lambda of `by lazy`. */
export function findInitializer(tree: FlatTree, declaration: number): number {
  const delegate = tree.child(declaration, 'property_delegate')
  if (delegate === none) return following(tree, tree.child(declaration, '='))
  const call = tree.child(delegate, 'call_expression')
  if (tree.textOf(tree.firstChild(call)) !== 'lazy') return none
  const lambda = tree.child(tree.child(call, 'annotated_lambda'), 'lambda_literal')
  let last = none
  for (const statement of tree.children(lambda)) if (tree.type(statement) !== '}') last = statement
  return last
}

function following(tree: FlatTree, node: number): number {
  return node === none ? none : tree.nextSibling(node)
}

/** Returns the type of an expression as far as it names one: that of a call is the call. */
export function inferType(tree: FlatTree, expression: number): string {
  switch (tree.type(expression)) {
    case 'call_expression':
      return inferCall(tree, expression)
    case 'as_expression':
      return typeName(tree, tree.field(expression, 'right'))
    case 'binary_expression': {
      const isDefault = tree.type(tree.field(expression, 'operator')) === '?:'
      return isDefault ? inferType(tree, tree.field(expression, 'left')) : ''
    }
    case 'unary_expression':
      return isNotNull(tree, expression) ? inferType(tree, tree.field(expression, 'argument')) : ''
    default:
      return ''
  }
}

function inferCall(tree: FlatTree, call: number): string {
  const { callee } = readCall(tree, call)
  if (tree.type(callee) === 'identifier') return callType(null, tree.textOf(callee))
  if (tree.type(callee) !== 'navigation_expression') return ''
  const object = tree.firstChild(callee)
  const isName = tree.type(object) === 'identifier' || tree.type(object) === 'this_expression'
  return callType(isName ? lastName(tree, object) : '', tree.textOf(memberName(tree, callee)))
}

interface Call {
  readonly callee: number
  /** The lists of arguments, of which the last one can be a lambda. */
  readonly lists: readonly number[]
  /** The inner part of `each(1) { }`, which is parsed as a call of its own. */
  readonly inner: number
}

/** Reads `shop.each(1) { … }`, which is parsed as two calls. */
export function readCall(tree: FlatTree, call: number): Call {
  const lists = [...tree.children(call)].filter((child) => argumentLists.has(tree.type(child)))
  const callee = tree.firstChild(call)
  const isLambdaOnly = lists.every((list) => tree.type(list) !== 'value_arguments')
  if (tree.type(callee) !== 'call_expression' || !isLambdaOnly)
    return { callee, lists, inner: none }
  const inner = readCall(tree, callee)
  const hasLambda = inner.lists.some((list) => tree.type(list) !== 'value_arguments')
  return hasLambda
    ? { callee, lists, inner: none }
    : { callee: inner.callee, lists: [...inner.lists, ...lists], inner: callee }
}

const argumentLists = typeSet('value_arguments annotated_lambda')
