// Reads calls alike in all languages.
import type { Node, Tree } from 'web-tree-sitter'
import { plainCallee } from './callee-words.ts'
import { codeChildren, field, findNodes, firstField } from './syntax-nodes.ts'

/** The types of nodes that are calls, without those that create objects. */
export const callTypes: readonly string[] = [
  ...['call_expression', 'call', 'method_invocation', 'invocation_expression'],
  ...['function_call_expression', 'member_call_expression', 'nullsafe_member_call_expression'],
  'scoped_call_expression',
]

/** The types of nodes that are calls or create an object. */
export const callAndNewTypes: readonly string[] = [
  ...callTypes,
  ...['object_creation_expression', 'new_expression', 'instance_expression'],
]

const allTypes: ReadonlySet<string> = new Set(callAndNewTypes)

export interface Call {
  readonly node: Node
  /** What is called, with dots between its names, such as `this.db.query` or `std.fs.write`. */
  readonly callee: string
  /** What is called, as it is written, for messages and searches in texts. */
  readonly written: string
  /** What is called, as tables of functions name it: see `plainCallee`. */
  readonly plain: string
  /** The last name of what is called, without type arguments. */
  readonly name: string
  /** What stands before the name. */
  readonly receiver: Node | undefined
  /** All values in their order, also those that are passed by name. */
  readonly args: readonly Node[]
  /** The name by which each of `args` is passed; undefined for those without. */
  readonly argNames: readonly (string | undefined)[]
  readonly isNew: boolean
}

/** Whether a node is a call, or creates an object. */
export function isCall({ type }: Node): boolean {
  return allTypes.has(type)
}

const readCalls = new WeakMap<Tree, Map<number, Call>>()

/** Splits a call into its parts, once for all checks. */
export function readCall(node: Node): Call {
  const calls = readCalls.get(node.tree) ?? new Map<number, Call>()
  readCalls.set(node.tree, calls)
  const known = calls.get(node.id)
  if (known) return known
  const call = new LazyCall(node)
  calls.set(node.id, call)
  return call
}

/** Every access to a node is slow: only what a check asks for is read. */
class LazyCall implements Call {
  readonly node: Node
  readonly isNew: boolean
  readonly name: string
  readonly receiver: Node | undefined
  #args: readonly Argument[] | undefined
  #callee: string | undefined
  #plain: string | undefined

  constructor(node: Node) {
    this.node = node
    this.isNew = newTypes.test(node.type)
    const target = field(node, 'method') ? undefined : targetOf(node)
    const { receiver, name } = target ? splitTarget(target) : splitCall(node)
    this.receiver = receiver
    this.name = name
  }

  get callee(): string {
    const before = this.receiver ? `${this.receiver.text.slice(-300)}.` : ''
    this.#callee ??= `${before}${this.name}`
      .replace(separator, '.')
      .replace(/^[.\\]/, '')
      .replace(/\s+/g, '')
    return this.#callee
  }

  get written(): string {
    const { node } = this
    const target = field(node, 'method') ?? targetOf(node)
    const end = target?.endIndex ?? argumentList(node)?.startIndex ?? node.endIndex
    return node.text
      .slice(0, end - node.startIndex)
      .trim()
      .replace(/\s*\n\s*/g, '')
  }

  get plain(): string {
    // An indirect call, such as `(0, eval)(code)`, runs the same function.
    this.#plain ??= plainCallee(this.written.replace(/^\(0,\s*([\w.]+)\)$/, '$1'))
    return this.#plain
  }

  get args(): readonly Node[] {
    return this.#arguments().map(({ value }) => value)
  }

  get argNames(): readonly (string | undefined)[] {
    return this.#arguments().map(({ name }) => name)
  }

  #arguments(): readonly Argument[] {
    this.#args ??= listArguments(this.node)
    return this.#args
  }
}

const newTypes = /^(?:object_creation|new|instance)_expression$/

const separator = /\?->|\?\.|&\.|!!?\.|->|::/g

type Target = Pick<Call, 'receiver' | 'name'>

/** The node that names what is called. */
function targetOf(call: Node): Node | undefined {
  const target = firstField(call, ['function', 'constructor'])
  if (target) return target
  if (newTypes.test(call.type)) return field(call, 'type') ?? childAt(call, 0)
  // Kotlin's grammar has no fields here, and a call for each of the two lists of arguments.
  const first = call.type === 'call_expression' ? childAt(call, 0) : undefined
  return first?.type === 'call_expression' ? targetOf(first) : first
}

function childAt(node: Node, index: number): Node | undefined {
  return node.namedChild(index) ?? undefined
}

function splitCall(call: Node): Target {
  const receiver = firstField(call, ['receiver', 'object', 'scope'])
  return { receiver, name: firstField(call, ['method', 'name'])?.text ?? '' }
}

const receiverFields = [
  ...['object', 'operand', 'expression', 'value', 'path', 'scope', 'condition', 'argument'],
]
const nameFields = ['property', 'attribute', 'field', 'name']

function splitTarget(target: Node): Target {
  if (/^(?:identifier|name|type_identifier)$/.test(target.type))
    return { receiver: undefined, name: target.text }
  if (target.type === 'generic_function') return splitTarget(field(target, 'function') ?? target)
  const isNavigation = target.type === 'navigation_expression'
  const receiver = isNavigation ? childAt(target, 0) : firstField(target, receiverFields)
  const name = isNavigation ? target.namedChildren.at(-1) : firstField(target, nameFields)
  if (receiver && name) return { receiver, name: withoutTypeArguments(name.text) }
  if (receiver && target.type === 'conditional_access_expression')
    return { receiver, name: /\w+$/.exec(target.text)?.[0] ?? '' }
  return { receiver: undefined, name: withoutTypeArguments(target.text.slice(0, 200)) }
}

function withoutTypeArguments(name: string): string {
  return name.replace(/(?:::)?<.*$/s, '').replace(/^(?:\\|::)/, '')
}

interface Argument {
  readonly name: string | undefined
  readonly value: Node
}

function argumentList(call: Node): Node | undefined {
  const list =
    field(call, 'arguments') ?? call.namedChildren.find(({ type }) => listTypes.test(type))
  if (list) return list.type === 'template_string' ? undefined : list
  const inner = call.type === 'call_expression' ? childAt(call, 0) : undefined
  return inner?.type === 'call_expression' ? argumentList(inner) : undefined
}

const listTypes = /^(?:arguments|argument_list|value_arguments)$/

function listArguments(call: Node): Argument[] {
  const list = argumentList(call)
  return list ? codeChildren(list).map(readArgument) : []
}

/** The values of a call, without the options in a hash that Ruby passes as the last argument. */
export function valuesPassedTo(call: Node): readonly Node[] {
  const { args } = readCall(call)
  return args.filter(({ parent }) => parent?.type !== 'pair')
}

/** The call that a node is an argument of; in some languages, each argument is a node, too. */
export function callAround(argument: Node): Node | undefined {
  const list = argument.parent
  if (!list || !/argument/.test(list.type)) return undefined
  const call = list.parent && /argument/.test(list.parent.type) ? list.parent.parent : list.parent
  return call && isCall(call) ? call : undefined
}

/** Reads `x`, `name=x`, `name: x`, and what is passed as `ref x` or `&x` in a list of its own. */
function readArgument(node: Node): Argument {
  if (node.type === 'keyword_argument')
    return { name: field(node, 'name')?.text, value: field(node, 'value') ?? node }
  if (node.type === 'pair') {
    const key = field(node, 'key')
    const isName = key?.type === 'hash_key_symbol'
    return { name: isName ? key.text : undefined, value: (isName && field(node, 'value')) || node }
  }
  if (!/^(?:value_)?argument$/.test(node.type)) return { name: undefined, value: node }
  const name = /^(\w+)\s*(?::(?!:)|=(?!=))/.exec(node.text.slice(0, 80))?.[1]
  return { name, value: codeChildren(node).at(-1) ?? node }
}

/** Whether the node holds a call, or another expression with an effect. */
export function hasCall(node: Node): boolean {
  return findNodes(node, ...callAndNewTypes, 'await_expression', 'update_expression').length > 0
}
