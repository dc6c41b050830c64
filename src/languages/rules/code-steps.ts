// Reads calls, variables and the order of statements alike in all languages.
import type { Node } from 'web-tree-sitter'
import {
  allCallTypes,
  codeChildren,
  enclosingNode,
  field,
  fieldText,
  functionTypes,
} from './syntax-nodes.ts'

/** The types of nodes that are calls, also of constructors, in all languages. */
export const everyCallType: readonly string[] = [
  ...allCallTypes,
  'nullsafe_member_call_expression',
  'object_creation_expression',
  'new_expression',
]

/** The types of nodes that are functions with a name, or closures. */
export const everyFunctionType: ReadonlySet<string> = new Set([
  ...functionTypes,
  'function_item',
  'closure_expression',
  'method',
  'singleton_method',
  'local_function_statement',
  'anonymous_function',
  'anonymous_function_creation_expression',
  'anonymous_method_expression',
  'secondary_constructor',
  'lambda_literal',
  'do_block',
])

export interface CallParts {
  readonly receiver: Node | undefined
  /** What is called, without its receiver and type arguments. */
  readonly name: string
  /** The receiver and the name as they are written, on one line. */
  readonly callee: string
  readonly args: readonly Node[]
}

/** Splits a call into its parts. */
export function readCall(call: Node): CallParts {
  const target = targetOf(call)
  const parts = target && !field(call, 'method') ? splitTarget(target) : splitCall(call)
  const { receiver, name } = parts
  const before = receiver ? `${receiver.text.slice(-300)}.` : ''
  return { ...parts, callee: `${before}${name}`.replace(/\s+/g, ''), args: listArguments(call) }
}

type Target = Pick<CallParts, 'receiver' | 'name'>

/** The node that names what is called. */
function targetOf(call: Node): Node | undefined {
  const target = field(call, 'function') ?? field(call, 'constructor')
  if (target) return target
  if (call.type === 'object_creation_expression') return field(call, 'type') ?? childAt(call, 0)
  // Kotlin's grammar has no fields here, and a call for each of the two lists of arguments.
  const first = call.type === 'call_expression' ? childAt(call, 0) : undefined
  return first?.type === 'call_expression' ? targetOf(first) : first
}

function childAt(node: Node, index: number): Node | undefined {
  return node.namedChild(index) ?? undefined
}

function splitCall(call: Node): Target {
  const receiver = field(call, 'receiver') ?? field(call, 'object') ?? field(call, 'scope')
  return { receiver, name: fieldText(call, 'method') || fieldText(call, 'name') }
}

const receiverFields = ['object', 'operand', 'expression', 'value', 'path', 'condition']
const nameFields = ['property', 'attribute', 'field', 'name']

function splitTarget(target: Node): Target {
  if (target.type === 'generic_function') return splitTarget(field(target, 'function') ?? target)
  if (/^(?:identifier|name|type_identifier)$/.test(target.type))
    return { receiver: undefined, name: target.text }
  const isNavigation = target.type === 'navigation_expression'
  const receiver = isNavigation ? childAt(target, 0) : firstField(target, receiverFields)
  const name = isNavigation ? target.namedChildren.at(-1) : firstField(target, nameFields)
  if (receiver && name) return { receiver, name: name.text.replace(/<.*$/s, '') }
  if (receiver && target.type === 'conditional_access_expression')
    return { receiver, name: /\w+$/.exec(target.text)?.[0] ?? '' }
  return { receiver: undefined, name: target.text.slice(0, 200).replace(/<.*$/s, '') }
}

function listArguments(call: Node): Node[] {
  const list =
    field(call, 'arguments') ??
    call.namedChildren.find(({ type }) => /^(?:arguments|value_arguments)$/.test(type))
  const inner = call.type === 'call_expression' ? childAt(call, 0) : undefined
  if (!list) return inner?.type === 'call_expression' ? listArguments(inner) : []
  return codeChildren(list).map((each) =>
    /^(?:value_)?argument$/.test(each.type) ? (each.namedChildren.at(-1) ?? each) : each,
  )
}

/** Whether a node is a call, also of a constructor. */
export function isCall({ type }: Node): boolean {
  return everyCallType.includes(type)
}

/** The types of nodes that give a variable a value. */
export const bindingTypes: readonly string[] = [
  'variable_declarator',
  'assignment',
  'assignment_expression',
  'assignment_statement',
  'short_var_declaration',
  'let_declaration',
  'property_declaration',
]

export interface Binding {
  readonly name: string
  readonly value: Node
  /** All names, where several get a value at once. */
  readonly names: readonly string[]
}

/** Reads which local variable gets a value; undefined for fields and elements. */
export function readBinding(node: Node): Binding | undefined {
  if (/^(?:augmented|compound)/.test(node.type)) return undefined
  const declared = node.namedChildren.find(({ type }) => type === 'variable_declaration')
  const target = declared ? childAt(declared, 0) : firstField(node, ['name', 'left', 'pattern'])
  const given = firstField(node, ['value', 'right']) ?? node.namedChildren.at(-1)
  if (!target || !given || [target.id, declared?.id].includes(given.id)) return undefined
  const names = target.type === 'expression_list' ? codeChildren(target) : [target]
  const value = given.type === 'expression_list' ? childAt(given, 0) : given
  const name = textOf(names[0]).replace(/^(?:Some|Ok)\((?:mut )?(\w+)\)$/, '$1')
  if (!value || !/^[$@]?[A-Za-z_]\w*$/.test(name)) return undefined
  return { name, value, names: names.map(({ text }) => text) }
}

/** Returns the first of some fields that a node has. */
export function firstField(node: Node, names: readonly string[]): Node | undefined {
  return names.map((name) => field(node, name)).find((found) => found !== undefined)
}

/** Returns the text of a node that may be missing. */
export function textOf(node: Node | null | undefined): string {
  return node?.text ?? ''
}

/** Returns the type of a node that may be missing. */
export function typeOf(node: Node | null | undefined): string {
  return node?.type ?? ''
}

const waits =
  /^(?:await|await_expression|try_expression|parenthesized_expression|unary_expression)$/

/** Removes `await`, Rust's `?`, Kotlin's `!!` and parentheses around a value. */
export function awaitedValue(value: Node): Node {
  let inner = value
  while (
    waits.test(inner.type) &&
    (inner.type !== 'unary_expression' || inner.text.endsWith('!!'))
  ) {
    const child = field(inner, 'argument') ?? childAt(inner, 0)
    if (!child) break
    inner = child
  }
  return inner
}

const blockTypes = new Set([
  'block',
  'statement_block',
  'statement_list',
  'compound_statement',
  'body_statement',
  'block_body',
  'constructor_body',
  'function_body',
  'lambda_literal',
  'then',
  'else',
  'begin',
  'ensure',
  'do',
  'program',
  'module',
  'source_file',
  'switch_block_statement_group',
])

/** The statement that a node is part of. */
export function statementAround(node: Node): Node {
  let statement = node
  while (statement.parent && !blockTypes.has(statement.parent.type)) statement = statement.parent
  return statement
}

/** The statements of a block in any language, or a branch that is one statement. */
export function statementsOf(block: Node): Node[] {
  const children = codeChildren(block)
  if (!blockTypes.has(block.type)) return [block]
  const [only] = children
  const isList = children.length === 1 && /^(?:statement_list|block)$/.test(only!.type)
  return isList ? statementsOf(only!) : children
}

/** Statements of a block that are looked at, so that the work is bounded. */
const maxStatements = 40

/** The statements after one in its block. */
export function statementsAfter(statement: Node): Node[] {
  const found: Node[] = []
  let next = statement.nextNamedSibling
  while (next && found.length < maxStatements) {
    if (!/comment$|^(?:rescue|ensure|else|elsif|catch_clause|finally_clause)$/.test(next.type))
      found.push(next)
    next = next.nextNamedSibling
  }
  return found
}

const exitTypes = [
  ...['return_statement', 'return_expression', 'return'],
  ...['throw_statement', 'throw_expression', 'raise_statement', 'yield'],
  ...['break_statement', 'break_expression', 'break', 'break_stmt'],
  ...['continue_statement', 'continue_expression', 'next', 'redo', 'retry', 'goto_statement'],
  ...['assert_statement', 'exit_statement', 'jump_expression'],
]

/** Names of functions that don't return, or whose name doesn't rule that out. */
const exitCall =
  /^(?:_?exit|die|abort\w*|panic|fatal\w*|Fatal\w*|Exit\w*|raise\w*|fail\w*|Fail\w*|throw\w*|Throw\w*|bail|ensure\w*|Ensure\w*|require\w*|Require\w*|reject\w*|assert\w*|Assert\w*|expect\w*|check\w*|Check\w*|error|TODO|unreachable|unimplemented|todo|notFound|redirect|permanentRedirect|skip\w*|Skip\w*|Goexit|quit|halt|never|validate\w*)[!?]?$/

/** Kotlin's `error(…)` throws, but `log.error(…)` goes on. */
const ownExitCall = /^(?:error|fail\w*|check|skip)$/

/** Whether code may leave the block that it is in. */
export function mayLeave(node: Node): boolean {
  if (exitTypes.includes(node.type)) return true
  if (node.descendantsOfType(exitTypes).length > 0) return true
  if (/\b(?:panic|bail|unreachable|todo|ensure|anyhow)!/.test(node.text)) return true
  const calls = isCall(node) ? [node] : node.descendantsOfType([...everyCallType])
  return calls.some(isExitCall)
}

function isExitCall(call: Node): boolean {
  const { name, receiver } = readCall(call)
  return exitCall.test(name) && !(receiver && ownExitCall.test(name))
}

/** Whether a block surely doesn't go on with the code after it. */
export function surelyLeaves(block: Node): boolean {
  const last = statementsOf(block).at(-1)
  if (!last) return false
  const inner = last.type === 'expression_statement' ? (childAt(last, 0) ?? last) : last
  if (exitTypes.includes(inner.type)) return true
  return isCall(inner) ? isExitCall(inner) : exitCall.test(fieldText(inner, 'macro'))
}

/** The function or closure around a node. */
export function functionAround(node: Node): Node | undefined {
  return enclosingNode(node, everyFunctionType)
}

const nameTypes = ['identifier', 'variable_name', 'shorthand_property_identifier', 'self_parameter']

/** The places in a node that use a local variable, in order. */
export function usesOf(node: Node, name: string): Node[] {
  const found = node.descendantsOfType(nameTypes).filter((each) => each.text === name)
  return found.filter((use) => !isMemberName(use))
}

/** Whether a name is that of a member, a named argument or a key. */
function isMemberName(use: Node): boolean {
  const { parent } = use
  if (!parent) return false
  const isNamed = nameFields
    .filter((name) => name !== 'name' || !/declar|parameter|spec/.test(parent.type))
    .some((name) => field(parent, name)?.id === use.id)
  const isKey = /^(?:pair|keyword_argument)$/.test(parent.type) && parent.firstChild?.id === use.id
  const isMethod = field(parent, 'method')?.id === use.id && field(parent, 'receiver') !== undefined
  const isNavigated = parent.type === 'navigation_expression' && parent.namedChild(0)?.id !== use.id
  return isKey || isMethod || isNavigated || (isNamed && parent.childCount > 1)
}

/** Whether text mentions a variable. */
export function mentionsName(text: string, name: string): boolean {
  return new RegExp(`(?<![\\w$@.])${RegExp.escape(name)}(?!\\w)`).test(text)
}

/** Code that runs only in tests, by hand, or when a program is built. */
const unwatched =
  /(?:^|\/)(?:tests?|specs?|__tests__|__mocks__|fixtures|testdata|e2e|cypress|bench\w*|examples?|\w*migrations?|migrate|scripts?|seeds?)\/|(?:^|\/)(?:test_|conftest)[^/]*$|[._-](?:test|tests|spec|stories|bench)\.\w+$|(?:Test|Tests|TestCase|Spec|IT)\.\w+$/

/** Whether a failure in the file reaches developers anyway. */
export function isUnwatched(path: string): boolean {
  return unwatched.test(path)
}
