// Rules about errors that a handler swallows.
import type { Node } from 'web-tree-sitter'
import { readCall } from '../../languages/rules/calls.ts'
import { failureAsSuccess } from '../../languages/rules/failure-as-success.ts'
import { findOwnNodes, functionAround, isFunction } from '../../languages/rules/functions.ts'
import { lostFailures, lostFailuresOf } from '../../languages/rules/lost-failures.ts'
import {
  isBroadException,
  isCleanupFunction,
  isExpectedError,
  isHarmlessFunction,
  swallowedError,
} from '../../languages/rules/swallowed-errors.ts'
import {
  codeChildren,
  enclosingNode,
  field,
  fieldText,
  findNodes,
  firstLine,
  hasComment,
  isExplained,
} from '../../languages/rules/syntax-nodes.ts'
import { asyncCalleeOf } from './async-callees.ts'
import { type Hit, listByLanguage, type ParsedFile, type Rule } from './rule.ts'

const triedTypes = [
  'call_expression',
  'call',
  'method_invocation',
  'new_expression',
  'object_creation_expression',
]

/** Whether everything that a `try` block calls may fail without harm. */
function isHarmlessTry(tryBlock: Node | undefined): boolean {
  if (!tryBlock || enclosingNode(tryBlock, new Set(['finally_clause']))) return true
  const isOptionalImport =
    findNodes(tryBlock, 'import_statement', 'import_from_statement').length > 0
  if (isOptionalImport) return true
  const fn = functionAround(tryBlock)
  if (fn && isCleanupFunction(fieldText(fn, 'name'))) return true
  const awaited = findNodes(tryBlock, 'await_expression').map((node) => node.namedChild(0)!)
  const calls = awaited.length > 0 ? awaited : findNodes(tryBlock, ...triedTypes)
  return calls.every(isHarmlessCall)
}

function isHarmlessCall(call: Node): boolean {
  return isHarmlessFunction(readCall(call).name) || /creation|^new/.test(call.type)
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

/** JavaScript: a `catch` block is empty. */
function checkEmptyCatch(clause: Node, file: ParsedFile): Hit | undefined {
  const tryBlock = findTryOfEmptyCatch(clause)
  if (!tryBlock || mayFailSilently(tryBlock)) return undefined
  // Authors who leave out the name drop the error on purpose, which is still wrong around a write.
  const isDeliberate = !field(clause, 'parameter')
  if (isDeliberate && !startsAsyncWork(tryBlock, file)) return undefined
  return { at: firstLine(clause), ...swallowedError }
}

/** A call that should be awaited counts too: otherwise adding the `await` brings a new finding. */
function startsAsyncWork(tryBlock: Node, file: ParsedFile): boolean {
  if (findNodes(tryBlock, 'await_expression').length > 0) return true
  return findNodes(tryBlock, 'call_expression').some((call) => asyncCalleeOf(call, file))
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
  const isExpected = isExpectedError(fieldText(clause, 'parameter'))
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
  if (!parameter || isExpectedError(fieldText(parameter, 'name'))) return false
  return isBroadException(parameter.text)
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
      { languages: ['javascript'], nodes: ['catch_clause'], check: checkEmptyCatch },
      { languages: ['java'], nodes: ['catch_clause'], check: checkEmptyJavaCatch },
      { languages: ['python'], nodes: ['except_clause'], check: checkExceptPass },
      ...[failureAsSuccess, ...lostFailures].map((check) => ({
        ...check,
      })),
      ...listByLanguage(lostFailuresOf),
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
        languages: ['javascript', 'python', 'java'],
        nodes: ['return_statement'],
        check: checkReturnInFinally,
      },
    ],
  },
]
