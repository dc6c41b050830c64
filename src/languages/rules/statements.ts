// Reads blocks, loops, and what leaves them, alike in all languages.
import type { Node } from 'web-tree-sitter'
import { callAndNewTypes, isCall, readCall } from './calls.ts'
import { codeChildren, field, fieldText, findNodes, firstField } from './syntax-nodes.ts'

/** The types of nodes that are loops without a list to go through. */
export const openLoopTypes: ReadonlySet<string> = new Set([
  ...[
    'while_statement',
    'while_expression',
    'while',
    'until',
    'do_statement',
    'do_while_statement',
  ],
  ...['for_statement', 'loop_expression'],
])

/** The types of nodes that are loops; Ruby's calls with a block aren't. */
export const loopTypes: ReadonlySet<string> = new Set([
  ...openLoopTypes,
  ...['for_expression', 'for', 'for_in_statement', 'enhanced_for_statement', 'foreach_statement'],
  'for_each_statement',
])

const blockTypes = new Set([
  ...['block', 'statement_block', 'statement_list', 'compound_statement', 'body_statement'],
  ...['block_body', 'constructor_body', 'function_body', 'lambda_literal', 'then', 'else'],
  ...['begin', 'ensure', 'do', 'program', 'module', 'source_file', 'switch_block_statement_group'],
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

/** The statements that a loop, a function, or a call with a block runs. */
export function statementsOfBody(owner: Node): Node[] {
  const body = firstField(owner, ['body', 'block']) ?? owner.namedChildren.at(-1)
  return body ? statementsOf(field(body, 'body') ?? body) : []
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
const exitCall = new RegExp(
  `^(?:${[
    ...[
      '_?exit',
      'die',
      'quit',
      'halt',
      'abort\\w*',
      'panic',
      'fatal\\w*',
      'Fatal\\w*',
      'Exit\\w*',
    ],
    ...['raise\\w*', 'throw\\w*', 'Throw\\w*', 'fail\\w*', 'Fail\\w*', 'error', 'bail', 'Goexit'],
    ...['ensure\\w*', 'Ensure\\w*', 'require\\w*', 'Require\\w*', 'reject\\w*', 'never'],
    ...['assert\\w*', 'Assert\\w*', 'expect\\w*', 'check\\w*', 'Check\\w*', 'validate\\w*'],
    ...[
      'TODO',
      'todo',
      'unreachable',
      'unimplemented',
      'notFound',
      'redirect',
      'permanentRedirect',
    ],
    ...['skip\\w*', 'Skip\\w*'],
  ].join('|')})[!?]?$`,
)

/** Kotlin's `error(…)` throws, but `log.error(…)` goes on. */
const ownExitCall = /^(?:error|fail\w*|check|skip)$/

/** Whether code may leave the block that it is in. */
export function mayLeave(node: Node): boolean {
  if (exitTypes.includes(node.type)) return true
  if (node.descendantsOfType(exitTypes).length > 0) return true
  if (/\b(?:panic|bail|unreachable|todo|ensure|anyhow)!/.test(node.text)) return true
  const calls = isCall(node) ? [node] : findNodes(node, ...callAndNewTypes)
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
  const inner = last.type === 'expression_statement' ? (last.namedChild(0) ?? last) : last
  if (exitTypes.includes(inner.type)) return true
  return isCall(inner) ? isExitCall(inner) : exitCall.test(fieldText(inner, 'macro'))
}
