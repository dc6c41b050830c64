// Rules about errors that a handler swallows.
import type { Node } from 'web-tree-sitter'
import {
  calleeOf,
  codeChildren,
  enclosingFunction,
  enclosingNode,
  field,
  fieldText,
  findNodes,
  findOwnNodes,
  firstLine,
  hasComment,
  isExplained,
  isFunction,
} from '../../languages/common/syntax-nodes.ts'
import { type Hit, javascriptFamily, type ParsedFile, type Rule } from './rule.ts'

function splitWords(text: string): string[] {
  return text.trim().split(/\s+/)
}

/**
 * Functions that close, delete or probe something, whose failure may be ignored. Names with `_` are
 * those of Python; the others are compared without it.
 */
const harmlessNames = splitWords(`
  unlink unlinkSync rm rmSync rmdir remove removeItem setItem getItem close closeSync destroy
  kill cleanup dispose stop end abort cancel disconnect release shutdown mkdir mkdirSync makedirs
  unsubscribe log warn debug flush focus play pause vibrate import require delete exit detach
  parse loads stat statSync access accessSync lstat join sleep interrupt call_soon_threadsafe put
  put_nowait set_result set_exception fetchall discard reset rmtree terminate send_signal
`)
const harmlessFunctions = new RegExp(`^(?:${harmlessNames.join('|')})$`, 'i')

const swallowedError = {
  title: 'This handler swallows the error',
  body:
    'When something in the `try` block fails, nothing is reported, and the code continues ' +
    'as if it had succeeded. Handle or report the error, or explain in a comment why it ' +
    'can be ignored.',
}

const triedTypes = [
  'call_expression',
  'call',
  'method_invocation',
  'new_expression',
  'object_creation_expression',
]

/** Functions that convert a value: what fails to convert keeps its form. */
const conversions = new Set(
  splitWords(`
  int float str bool len list dict isinstance strip split lower upper get encode decode dumps
  literal_eval fromisoformat strptime isoformat format startsWith startswith Number String
  parseInt parseFloat stringify toString normalize keys values items
`),
)

/** Functions that report progress, whose failure must not stop the work. */
const progressCallbacks =
  /callback|progress|notify|listener|hook|^on_?[A-Z_]|^emit|^report|^track|^capture/i

/** Functions that must complete all of their steps, even when one of them fails. */
const cleanupFunctions =
  /clean|rollback|close|shutdown|teardown|stop|dispose|destroy|__del__|__exit__|finali[sz]e|unload/i

/** Whether everything that a `try` block calls may fail without harm. */
function isHarmlessTry(tryBlock: Node | undefined): boolean {
  if (!tryBlock || enclosingNode(tryBlock, new Set(['finally_clause']))) return true
  const isOptionalImport =
    findNodes(tryBlock, 'import_statement', 'import_from_statement').length > 0
  if (isOptionalImport) return true
  const fn = enclosingFunction(tryBlock)
  if (fn && cleanupFunctions.test(fieldText(fn, 'name'))) return true
  const awaited = findNodes(tryBlock, 'await_expression').map((node) => node.namedChild(0)!)
  const calls = awaited.length > 0 ? awaited : findNodes(tryBlock, ...triedTypes)
  return calls.every(isHarmlessCall)
}

function isHarmlessCall(call: Node): boolean {
  const { name } = calleeOf(call)
  return (
    harmlessFunctions.test(name) ||
    harmlessFunctions.test(name.replaceAll('_', '')) ||
    conversions.has(name) ||
    progressCallbacks.test(name) ||
    /creation|^new/.test(call.type)
  )
}

/** Whether a variable has a value before `try` replaces it: `name = ""`, then `name = load()`. */
function hasDefault(tryBlock: Node): boolean {
  const [statement, ...others] = codeChildren(tryBlock)
  const assignment = others.length === 0 ? statement?.namedChild(0) : undefined
  if (!assignment || !/^assignment(?:_expression)?$/.test(assignment.type)) return false
  const target = fieldText(assignment, 'left')
  const before = tryBlock.parent?.previousNamedSibling?.text.slice(0, 300) ?? ''
  const declarations = [`${target} =`, `${target}:`, `let ${target} =`]
  return target !== '' && declarations.some((start) => before.startsWith(start))
}

/** Names of caught errors that are expected, or can't happen. */
const expectedErrorNames = new RegExp(
  `^(?:${[
    String.raw`_\w*`,
    String.raw`\w*ignored?`,
    String.raw`expected\w*`,
    'unused',
    '(?:should|could|can_?not|can|must|will)_?(?:not|never)?_?happen',
    'never_?happens?',
    'impossible',
  ].join('|')})$`,
  'i',
)

/** JavaScript: a `catch` block is empty. */
function checkEmptyCatch(clause: Node): Hit | undefined {
  const tryBlock = findTryOfEmptyCatch(clause)
  if (!tryBlock || mayFailSilently(tryBlock)) return undefined
  // Authors who leave out the name drop the error on purpose, which is still wrong around a write.
  const isDeliberate = !field(clause, 'parameter')
  if (isDeliberate && findNodes(tryBlock, 'await_expression').length === 0) return undefined
  return { at: firstLine(clause), ...swallowedError }
}

/** Java: a `catch` block for exceptions of every kind is empty. */
function checkEmptyJavaCatch(clause: Node): Hit | undefined {
  const tryBlock = findTryOfEmptyCatch(clause)
  if (!tryBlock || mayFailSilently(tryBlock) || !isBroadCatch(clause)) return undefined
  return { at: firstLine(clause), ...swallowedError }
}

/** The `try` block of a handler that is empty and doesn't name its error as an expected one. */
function findTryOfEmptyCatch(clause: Node): Node | undefined {
  const body = field(clause, 'body')
  if (!body || body.namedChildCount > 0 || !clause.parent) return undefined
  const isExpected = expectedErrorNames.test(fieldText(clause, 'parameter'))
  return isExpected ? undefined : field(clause.parent, 'body')
}

/** Whether the code handles the failure of a `try` block in another way, or needn't handle it. */
function mayFailSilently(tryBlock: Node): boolean {
  return isHarmlessTry(tryBlock) || returnsDirectly(tryBlock) || hasDefault(tryBlock)
}

/** `try { return parse(x) } catch {}`: the code after it handles the failure. */
function returnsDirectly(tried: Node): boolean {
  return findOwnNodes(tried, 'return_statement').length > 0
}

function isBroadCatch(clause: Node): boolean {
  const parameter = clause.namedChildren.find((child) => child.type === 'catch_formal_parameter')
  if (!parameter || expectedErrorNames.test(fieldText(parameter, 'name'))) return false
  return /\b(?:Exception|Throwable|RuntimeException|IOException|SQLException|InterruptedException)\b/.test(
    parameter.text,
  )
}

/** Python: `except Exception: pass`. */
function checkExceptPass(clause: Node, file: ParsedFile): Hit | undefined {
  const caught = caughtTypeOf(clause)
  if (!/^(?:Exception|BaseException)?(?: as \w+)?$/.test(caught)) return undefined
  const body = clause.namedChildren.find((child) => child.type === 'block')
  if (!body || !isPass(body) || isCommented(clause, file)) return undefined
  const tryBlock = clause.parent && field(clause.parent, 'body')
  if (!tryBlock || mayFailSilently(tryBlock)) return undefined
  return {
    at: firstLine(clause),
    ...swallowedError,
    severity: caught === '' ? 'moderate' : 'minor',
  }
}

function caughtTypeOf(clause: Node): string {
  const caught =
    field(clause, 'value') ?? clause.namedChildren.find((child) => child.type !== 'block')
  return caught?.text ?? ''
}

function isPass(block: Node): boolean {
  const [statement, ...others] = codeChildren(block)
  if (!statement || others.length > 0) return false
  if (statement.type === 'pass_statement') return true
  return statement.type === 'expression_statement' && statement.text === '...'
}

/** A comment in the handler, or on the line after it, explains why the error is dropped. */
function isCommented(clause: Node, file: ParsedFile): boolean {
  const lines = file.lines.slice(clause.startPosition.row, clause.endPosition.row + 2)
  return lines.some((line) => line.includes('#')) || hasComment(clause)
}

function checkReturnInFinally(statement: Node, file: ParsedFile): Hit | undefined {
  const clause = enclosingNode(statement, new Set(['finally_clause']))
  if (!clause || isExplained(statement, file, /\w/)) return undefined
  for (let node = statement.parent; node && node.id !== clause.id; node = node.parent) {
    if (isFunction(node)) return undefined
  }
  return {
    at: firstLine(statement),
    title: 'A `return` in `finally` swallows the error and replaces the result',
    body:
      'When the `try` block throws or returns, this `return` overrides it: the error is ' +
      'lost, and the caller gets this value instead.',
  }
}

export const errorRules: readonly Rule[] = [
  {
    id: 'swallowed-error',
    summary: 'A `catch` or `except` block swallows every error without handling it.',
    seeAlso: ['CWE-390', 'ESLint `no-empty`', 'Ruff `S110`'],
    severity: 'minor',
    category: 'correctness',
    confidence: 0.7,
    syntax: [
      { languages: javascriptFamily, nodes: ['catch_clause'], check: checkEmptyCatch },
      { languages: ['java'], nodes: ['catch_clause'], check: checkEmptyJavaCatch },
      { languages: ['python'], nodes: ['except_clause'], check: checkExceptPass },
    ],
  },
  {
    id: 'return-in-finally',
    summary: 'A `return` in a `finally` block swallows exceptions.',
    seeAlso: ['CWE-584', 'ESLint `no-unsafe-finally`', 'Ruff `B012`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.9,
    syntax: [
      {
        languages: [...javascriptFamily, 'python', 'java'],
        nodes: ['return_statement'],
        check: checkReturnInFinally,
      },
    ],
  },
]
