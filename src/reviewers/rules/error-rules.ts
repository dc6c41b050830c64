// Rules about errors that a handler swallows.
import type { Node } from 'web-tree-sitter'
import { callAndNewTypes, readCall } from '../../languages/rules/calls.ts'
import { blockOf, isTestedAfter } from '../../languages/rules/effects.ts'
import { failureAsSuccess } from '../../languages/rules/failure-as-success.ts'
import {
  findOwnNodes,
  functionAround,
  isFunction,
  namedFunctionAround,
} from '../../languages/rules/functions.ts'
import { lostFailures, lostFailuresOf } from '../../languages/rules/lost-failures.ts'
import { statementsOf } from '../../languages/rules/statements.ts'
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
  typeOf,
} from '../../languages/rules/syntax-nodes.ts'
import { asyncCalleeOf } from './async-callees.ts'
import { type Hit, isScriptGrammar, listByLanguage, type ParsedFile, type Rule } from './rule.ts'

const handlerTypes = ['catch_clause', 'catch_block', 'except_clause', 'rescue', 'case_clause']

const handlerNodes = new Set(handlerTypes)

/** A handler of errors of every kind that has neither code nor a comment. */
function checkEmptyHandler(handler: Node, file: ParsedFile): Hit | undefined {
  const owner = ownerOf(handler)
  if (!owner || !isEmpty(handler) || isCommented(handler, file)) return undefined
  if (!catchesAll(handler, file)) return undefined
  // In Ruby, the handler is in the block that it handles.
  const tried = handler.type === 'rescue' ? owner : blockOf(owner)
  if (!tried || mayFailSilently(tried)) return undefined
  // Authors who leave out the name drop the error on purpose, which is still wrong around a write.
  const isDeliberate = isScriptGrammar(file.language) && !field(handler, 'parameter')
  if (isDeliberate && !startsAsyncWork(tried, file)) return undefined
  const severity = /^except\s*:/.test(handler.text) ? 'moderate' : undefined
  return { at: firstLine(handler), ...swallowedError, severity }
}

/** The statement that a handler belongs to; undefined for the cases of other statements. */
function ownerOf(handler: Node): Node | undefined {
  // Scala's clause has a case for each handler.
  if (!handler.isNamed || (handler.type === 'catch_clause' && !blockOf(handler))) return undefined
  const list = handler.type === 'case_clause' ? handler.parent?.parent : handler
  return list && (list === handler || list.type === 'catch_clause')
    ? (list.parent ?? undefined)
    : undefined
}

/** Whether a handler has no statement, or only one that does nothing. */
function isEmpty(handler: Node): boolean {
  const body = blockOf(handler)
  const [statement, ...others] = body ? statementsOf(body) : []
  if (!statement) return true
  // A method that returns nil when it fails says so.
  const isResult = !/^begin$/.test(typeOf(handler.parent)) || isAssigned(handler.parent!)
  if (statement.type === 'nil') return others.length === 0 && !isResult
  return others.length === 0 && /^(?:pass|\.\.\.|\(\s*\)|\{\s*\})$/.test(statement.text)
}

function isAssigned({ parent }: Node): boolean {
  return /assignment|binary|argument/.test(typeOf(parent))
}

const mayFail = /\bignor|\b(?:may|might|can|could) fail\b/i

/** A comment in the handler, or on the line after it, explains why the error is dropped. */
function isCommented(handler: Node, file: ParsedFile): boolean {
  // Some linters want their comments above the handler.
  if (isExplained(handler, file, /ignore|intentional|expected|best.?effort/i)) return true
  const owner = ownerOf(handler)
  // What handles a failure, and may fail itself, is explained where it begins.
  const words = owner && enclosingNode(owner, handlerNodes) ? /\w/ : mayFail
  if (owner && isExplained(owner, file, words)) return true
  const own = file.lines.slice(handler.startPosition.row, handler.endPosition.row + 2)
  const hasMark = /^(?:except|rescue)/.test(handler.type) && own.some((line) => line.includes('#'))
  return hasMark || hasComment(handler.type === 'case_clause' ? handler.parent! : handler)
}

/** Whether a handler drops errors of many kinds, as far as its header says. */
function catchesAll(handler: Node, file: ParsedFile): boolean {
  const header = headerOf(handler)
  const isGuarded = handler.namedChildren.some(({ type }) => /guard$|filter_clause$/.test(type))
  return !isGuarded && isBroad(header, file) && !isNamedExpected(header, file)
}

/** What stands before the code of a handler. */
function headerOf(handler: Node): string {
  const body = blockOf(handler)
  return handler.text.slice(0, body ? body.startIndex - handler.startIndex : 300)
}

/** Whether a handler catches errors of many kinds. */
function isBroad(header: string, { language }: ParsedFile): boolean {
  if (language === 'cpp') return /\.\.\.|\bstd::exception\b/.test(header)
  const types = header.match(/(?<!\w)[A-Z]\w*/g) ?? []
  const broad = types.filter(
    (type) => isBroadException(type) || /^(?:StandardError|BaseException|NonFatal)$/.test(type),
  )
  return language === 'java' ? broad.length > 0 : broad.length === types.length
}

/** Whether the name of the error says that it is expected. */
function isNamedExpected(header: string, { language }: ParsedFile): boolean {
  const names = header.match(/(?<![\w.\\])[a-z_]\w*/g) ?? []
  return names.some((name) => isExpectedError(name) && !(language === 'scala' && name === '_'))
}

/** Whether the code handles the failure of a `try` block in another way, or needn't handle it. */
function mayFailSilently(tried: Node): boolean {
  if (enclosingNode(tried, finallyTypes) || findOwnNodes(tried, ...leavingTypes).length > 0)
    return true
  // Python: what depends on it is in the `else`, and the code after it is for a failure.
  if (tried.parent?.namedChildren.some(({ type }) => type === 'else_clause')) return true
  const fn = namedFunctionAround(tried) ?? functionAround(tried)
  if (fn && isCleanupFunction(fieldText(fn, 'name') || fieldText(fn, 'declarator'))) return true
  const awaited = findNodes(tried, 'await_expression').map((node) => node.namedChild(0)!)
  const calls = awaited.length > 0 ? awaited : findNodes(tried, ...callAndNewTypes)
  return calls.every(isHarmlessCall) || hasDefault(tried) || isTestedAfter(tried)
}

const finallyTypes = new Set(['finally_clause', 'finally_block', 'ensure'])

/** Statements that go on elsewhere if nothing failed, and imports of what may be missing. */
const leavingTypes = [
  ...['return_statement', 'return_expression', 'return', 'break_statement', 'break'],
  ...['yield_statement', 'import_statement', 'import_from_statement'],
]

function isHarmlessCall(call: Node): boolean {
  return isHarmlessFunction(readCall(call).name) || /creation|^new/.test(call.type)
}

/** Whether a variable has a value before `try` replaces it: `name = ""`, then `name = load()`. */
function hasDefault(tried: Node): boolean {
  const [statement, ...others] = codeChildren(tried)
  const assignment = others.length === 0 ? statement?.namedChild(0) : undefined
  if (!assignment || !/^assignment(?:_expression)?$/.test(assignment.type)) return false
  const target = fieldText(assignment, 'left')
  const before = tried.parent?.previousNamedSibling?.text.slice(0, 300) ?? ''
  const declarations = [`${target} =`, `${target}:`, `let ${target} =`]
  return target !== '' && declarations.some((start) => before.startsWith(start))
}

/** A call that should be awaited counts too: otherwise adding the `await` brings a new finding. */
function startsAsyncWork(tried: Node, file: ParsedFile): boolean {
  if (findNodes(tried, 'await_expression').length > 0) return true
  return findNodes(tried, 'call_expression').some((call) => asyncCalleeOf(call, file))
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
      { nodes: handlerTypes, check: checkEmptyHandler },
      failureAsSuccess,
      ...lostFailures,
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
