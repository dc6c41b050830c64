// Ruby's calls: most of what other languages have keywords for is one.
import type { FactWalk } from '../fact-walk.ts'
import { none } from '../flat-tree.ts'
import type { Visit } from '../language-spec.ts'
import { listed, typeSet } from './reading.ts'
import { countPassed, isConstant, literalName, receiverName, takeConstant } from './ruby-parts.ts'

const mixing = typeSet('include extend prepend')
const readers = typeSet('attr_reader attr_writer attr_accessor attr')
const hiding = typeSet('private protected private_class_method private_constant')

type Statement = (walk: FactWalk, call: number, passed: readonly number[]) => void

const requireFile: Statement = (walk, call, [path]) => {
  const { tree } = walk
  const isRelative = tree.textOf(tree.field(call, 'method')) === 'require_relative'
  const from =
    path === undefined || tree.child(path, 'interpolation') !== none ? '' : literalName(tree, path)
  const line = tree.lineOf(call)
  walk.import({
    line,
    from: isRelative && !from.startsWith('.') ? `./${from}` : from,
    names: [],
    kind: 'static',
  })
}

const autoload: Statement = (walk, call, [name, path]) => {
  if (name === undefined || path === undefined) return
  const local = literalName(walk.tree, name)
  const from = literalName(walk.tree, path)
  walk.import({
    line: walk.tree.lineOf(call),
    from,
    names: [{ name: local, local }],
    kind: 'static',
  })
}

const mixIn: Statement = (walk, _call, passed) => {
  for (const argument of passed)
    if (isConstant(walk.tree, argument))
      walk.refer({ kind: 'extends', ...takeConstant(walk, argument) })
}

/** `private :a, :b` names what was defined above, `private def a` what comes. */
const hide: Statement = (walk, _call, passed) => {
  const names = new Set(passed.map((argument) => literalName(walk.tree, argument)))
  for (const argument of passed) walk.marked.add(argument)
  const around = walk.typeAround
  for (const symbol of walk.symbols)
    if (symbol.within === around && names.has(symbol.name)) symbol.exported = false
}

const defineMethod: Statement = (walk, call, [name]) => {
  const text = name === undefined ? '' : literalName(walk.tree, name)
  walk.define(call, { name: text, kind: 'method', exported: !walk.marked.has(call) })
}

const statements: Readonly<Record<string, Statement>> = {
  require: requireFile,
  require_relative: requireFile,
  load: requireFile,
  autoload,
  define_method: defineMethod,
  alias_method: defineMethod,
}

export const visitCall: Visit = (walk, node) => {
  const { tree } = walk
  const method = tree.field(node, 'method')
  const receiver = tree.field(node, 'receiver')
  const list = tree.field(node, 'arguments')
  const name = walk.nameOf(method)
  if (method === none || tree.type(method) === 'super') return
  walk.take(method)
  if (receiver === none) {
    const passed = [...listed(tree, list)]
    if (mixing.has(name)) return mixIn(walk, node, passed)
    if (hiding.has(name)) return hide(walk, node, passed)
    if (readers.has(name)) return
    const statement = Object.hasOwn(statements, name) ? statements[name] : undefined
    if (statement) return statement(walk, node, passed)
    return walk.refer({ kind: 'call', name: method, arguments: countPassed(tree, list) })
  }
  referToReceived(walk, node, name, countPassed(tree, list))
}

function referToReceived(walk: FactWalk, node: number, name: string, passed: number | null): void {
  const { tree } = walk
  const receiver = tree.field(node, 'receiver')
  const method = tree.field(node, 'method')
  const made = isConstant(tree, receiver) ? takeConstant(walk, receiver) : undefined
  if (made && name === 'new') {
    walk.refer({ kind: 'new', ...made, arguments: passed })
    return
  }
  const qualifier = receiverName(tree, receiver)
  // `cart.items = 1` calls `items=`.
  const isSet = tree.hasField(node, 'left') && tree.type(tree.parent(node)) === 'assignment'
  if (isSet) walk.refer({ kind: 'call', name: `${name}=`, at: method, qualifier, arguments: 1 })
  else walk.refer({ kind: 'call', name: method, qualifier, arguments: passed })
}

/** `attr_reader :items`: each symbol is a definition. */
export const visitSymbol: Visit = (walk, node) => {
  const { tree } = walk
  const call = tree.parent(tree.parent(node))
  if (tree.type(call) !== 'call' || !readers.has(tree.textOf(tree.field(call, 'method')))) return
  const exported = !walk.marked.has(call)
  walk.define(node, { name: literalName(tree, node), kind: 'value', from: call, exported })
}

/** Nodes that name what is mixed into a class. */
export function findMixins(walk: FactWalk, body: number): number[] {
  const { tree } = walk
  return [...tree.children(body)].flatMap((child) => {
    if (tree.type(child) !== 'call' || !mixing.has(tree.textOf(tree.field(child, 'method'))))
      return []
    return [...listed(tree, tree.field(child, 'arguments'))].filter((argument) =>
      isConstant(tree, argument),
    )
  })
}

const visibilities: Readonly<Record<string, boolean>> = {
  private: true,
  protected: true,
  public: false,
}

/** Marks what stands below `private`. */
export function markPrivate(walk: FactWalk, body: number): void {
  const { tree } = walk
  let isPrivate = false
  for (const child of tree.children(body)) {
    if (tree.type(child) === 'identifier') isPrivate = visibilities[tree.textOf(child)] ?? isPrivate
    else if (isPrivate) walk.marked.add(child)
  }
}
