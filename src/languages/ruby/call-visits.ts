// Collects calls of Ruby, including those that define, import or hide symbols.
import type { FileIndexBuilder } from '../common/file-index-builder.ts'
import { none } from '../common/flat-tree.ts'
import type { Visit } from '../common/index-spec.ts'
import { listItems, typeSet } from '../common/parts.ts'
import { consumeConstant, countPassed, isConstant, literalName, receiverName } from './parts.ts'

const mixinMethods = typeSet('include extend prepend')
const attributeMethods = typeSet('attr_reader attr_writer attr_accessor attr')
const visibilityMethods = typeSet('private protected private_class_method private_constant')

type Statement = (builder: FileIndexBuilder, call: number, argumentNodes: readonly number[]) => void

const requireFile: Statement = (builder, call, [path]) => {
  const { tree } = builder
  const isRelative = tree.fieldText(call, 'method') === 'require_relative'
  const from =
    path === undefined || tree.child(path, 'interpolation') !== none ? '' : literalName(tree, path)
  const line = tree.lineOf(call)
  builder.addImport({
    line,
    from: isRelative && !from.startsWith('.') ? `./${from}` : from,
    names: [],
    kind: 'static',
  })
}

const autoload: Statement = (builder, call, [name, path]) => {
  if (name === undefined || path === undefined) return
  const local = literalName(builder.tree, name)
  const from = literalName(builder.tree, path)
  builder.addImport({
    line: builder.tree.lineOf(call),
    from,
    names: [{ name: local, local }],
    kind: 'static',
  })
}

const mixIn: Statement = (builder, _call, argumentNodes) => {
  for (const argument of argumentNodes)
    if (isConstant(builder.tree, argument))
      builder.addReference({ kind: 'extends', ...consumeConstant(builder, argument) })
}

/** `private :a, :b` hides methods defined before; `private def a` hides the next one. */
const hide: Statement = (builder, _call, argumentNodes) => {
  const names = new Set(argumentNodes.map((argument) => literalName(builder.tree, argument)))
  for (const argument of argumentNodes) builder.marked.add(argument)
  const type = builder.enclosingType
  for (const symbol of builder.symbols)
    if (symbol.within === type && names.has(symbol.name)) symbol.exported = false
}

const defineMethod: Statement = (builder, call, [name]) => {
  const text = name === undefined ? '' : literalName(builder.tree, name)
  builder.define(call, { name: text, kind: 'method' })
}

const statements: Readonly<Record<string, Statement>> = {
  require: requireFile,
  require_relative: requireFile,
  load: requireFile,
  autoload,
  define_method: defineMethod,
  alias_method: defineMethod,
}

export const visitCall: Visit = (builder, node, tree) => {
  const method = tree.field(node, 'method')
  const receiver = tree.field(node, 'receiver')
  const list = tree.field(node, 'arguments')
  const name = builder.nameOf(method)
  if (method === none || tree.type(method) === 'super') return
  builder.consume(method)
  if (receiver === none) {
    const argumentNodes = [...listItems(tree, list)]
    if (mixinMethods.has(name)) return mixIn(builder, node, argumentNodes)
    if (visibilityMethods.has(name)) return hide(builder, node, argumentNodes)
    if (attributeMethods.has(name)) return
    const statement = Object.hasOwn(statements, name) ? statements[name] : undefined
    if (statement) return statement(builder, node, argumentNodes)
    return builder.addReference({
      kind: 'call',
      name: method,
      argumentCount: countPassed(tree, list),
    })
  }
  referToReceived(builder, node, name, countPassed(tree, list))
}

function referToReceived(
  builder: FileIndexBuilder,
  node: number,
  name: string,
  argumentNodes: number | null,
): void {
  const { tree } = builder
  const receiver = tree.field(node, 'receiver')
  const method = tree.field(node, 'method')
  const made = isConstant(tree, receiver) ? consumeConstant(builder, receiver) : undefined
  if (made && name === 'new') {
    builder.addReference({ kind: 'new', ...made, argumentCount: argumentNodes })
    return
  }
  const qualifier = receiverName(tree, receiver)
  // `cart.items = 1` calls `items=`.
  const isSet = tree.hasField(node, 'left') && tree.type(tree.parent(node)) === 'assignment'
  if (isSet)
    builder.addReference({
      kind: 'call',
      name: `${name}=`,
      at: method,
      qualifier,
      argumentCount: 1,
    })
  else builder.addReference({ kind: 'call', name: method, qualifier, argumentCount: argumentNodes })
}

/** Defines each symbol of `attr_reader :items`. */
export const visitSymbol: Visit = (builder, node, tree) => {
  const call = tree.parent(tree.parent(node))
  if (tree.type(call) !== 'call' || !attributeMethods.has(tree.fieldText(call, 'method'))) return
  const exported = !builder.marked.has(call)
  builder.define(node, { name: literalName(tree, node), kind: 'value', startNode: call, exported })
}

/** Returns the nodes of the modules that are mixed into a class. */
export function findMixins(builder: FileIndexBuilder, body: number): number[] {
  const { tree } = builder
  return [...tree.children(body)].flatMap((child) => {
    if (tree.type(child) !== 'call' || !mixinMethods.has(tree.fieldText(child, 'method'))) return []
    return [...listItems(tree, tree.field(child, 'arguments'))].filter((argument) =>
      isConstant(tree, argument),
    )
  })
}

const visibilities: Readonly<Record<string, boolean>> = {
  private: true,
  protected: true,
  public: false,
}

/** Marks the definitions after `private`. */
export function markPrivate(builder: FileIndexBuilder, body: number): void {
  const { tree } = builder
  let isPrivate = false
  for (const child of tree.children(body)) {
    if (tree.type(child) === 'identifier') isPrivate = visibilities[tree.textOf(child)] ?? isPrivate
    else if (isPrivate) builder.marked.add(child)
  }
}
