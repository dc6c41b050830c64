// Rules about callbacks whose promise or result gets lost.
import type { Node } from 'web-tree-sitter'
import { readCall } from '../../languages/rules/calls.ts'
import { isAsync, isFunction } from '../../languages/rules/functions.ts'
import { outerParent } from '../../languages/rules/operations.ts'
import {
  codeChildren,
  field,
  fieldText,
  findNodes,
  firstLine,
  quoteCode,
} from '../../languages/rules/syntax-nodes.ts'
import { awaitsInside } from './async-callees.ts'
import type { Hit, Rule } from './rule.ts'

const predicateMethods = new Set([
  'filter',
  'some',
  'every',
  'find',
  'findIndex',
  'findLast',
  'findLastIndex',
  'sort',
])

const effectHooks = new Set(['useEffect', 'useLayoutEffect', 'useInsertionEffect'])

/** Receivers that likely await their callbacks, such as streams, cursors and queues. */
const awaitingReceivers = /stream|cursor|iter|async|effect|pool|queue|batch|\bfind\(|\bp\b/i

function checkAsyncCallback(call: Node): Hit | undefined {
  const { receiver, name } = readCall(call)
  const callback = readCall(call).args.find((argument) => isFunction(argument))
  if (!callback || !isAsync(callback)) return undefined
  if (effectHooks.has(name)) return reportEffect(callback, name)
  if (!receiver || awaitingReceivers.test(receiver.text)) return undefined
  const subject = quoteCode(`${receiver.text}.${name}`)
  if (name === 'forEach') return awaitsInside(callback) ? reportForEach(call, subject) : undefined
  if (name === 'map') {
    return awaitsInside(callback) && isUnusedMap(call) ? reportMap(call, subject) : undefined
  }
  const isLost = losesPromise(call, callback, name)
  return isLost ? reportPredicate(callback, subject, name) : undefined
}

/** Whether a method takes the promise of its callback for an answer. */
function losesPromise(call: Node, callback: Node, name: string): boolean {
  if (!predicateMethods.has(name)) return false
  if (name === 'sort' && !awaitsInside(callback)) return false
  return !isAwaitedOrChained(call)
}

function reportEffect(callback: Node, name: string): Hit {
  return {
    at: firstLine(callback),
    title:
      `${quoteCode(name)} gets an async function, so React takes its promise for the cleanup ` +
      'function',
    body:
      'When the component unmounts, React finds a promise instead of a cleanup function, so ' +
      'nothing is cleaned up. Define the async function inside the effect and call it there.',
  }
}

function reportForEach(call: Node, subject: string): Hit {
  return {
    at: firstLine(call),
    title: `${subject} doesn't wait for its async callback`,
    body:
      'When the loop ends, none of the callbacks has finished, and an error in one is an ' +
      'unhandled rejection. Use `for … of` with `await` to run them one by one, or `await ' +
      'Promise.all(….map(…))` to run them concurrently.',
  }
}

function reportMap(call: Node, subject: string): Hit {
  return {
    at: firstLine(call),
    title: `The promises of ${subject} are not awaited`,
    body:
      'When a callback fails, the rejection is unhandled, and the code after this line runs ' +
      "before the callbacks are done: `await` on an array doesn't wait for the promises in it. " +
      'Use `await Promise.all(…)`.',
  }
}

function reportPredicate(callback: Node, subject: string, name: string): Hit {
  return {
    at: firstLine(callback),
    title: `${subject} gets an async callback, whose promise is always truthy`,
    body:
      `When the callback resolves to \`false\`, \`${name}\` still sees a promise, which is ` +
      'truthy, so it ignores the result. Await the results first, then use them.',
    confidence: 0.95,
  }
}

/** Awaiting the result shows that `filter` or `some` is a library's own and returns a promise. */
function isAwaitedOrChained(call: Node): boolean {
  const outer = outerParent(call)
  if (outer?.type === 'await_expression') return true
  return (
    outer?.type === 'member_expression' &&
    /^(?:then|catch|finally)$/.test(fieldText(outer, 'property'))
  )
}

function isUnusedMap(call: Node): boolean {
  const outer = outerParent(call)
  return outer?.type === 'expression_statement' || outer?.type === 'await_expression'
}

const valueMethods = /^(?:map|filter|some|every|find|findIndex|flatMap|reduce)$/

function checkMapWithoutReturn(call: Node): Hit | undefined {
  const { receiver, name } = readCall(call)
  if (!receiver || !valueMethods.test(name) || mayIgnoreResults(call, receiver)) return undefined
  const [callback] = readCall(call).args
  if (!callback || !isFunction(callback) || !hasNoResult(callback)) return undefined
  return {
    at: firstLine(call),
    title: `The callback of ${quoteCode(`${receiver.text}.${name}`)} never returns a value`,
    body:
      `When \`${name}\` calls the callback, it always returns \`undefined\`. Add the missing ` +
      '`return`.',
  }
}

/** Whether the method may not be an array's, or the call is only a loop without a result. */
function mayIgnoreResults(call: Node, receiver: Node): boolean {
  if (/^[A-Z$]/.test(receiver.text)) return true
  const outer = outerParent(call)?.type
  return outer === 'expression_statement' || outer === 'await_expression'
}

/** Whether a plain function has statements, and none that returns a value or throws. */
function hasNoResult(callback: Node): boolean {
  if (isAsync(callback) || callback.type.startsWith('generator')) return false
  const body = field(callback, 'body')
  if (body?.type !== 'statement_block' || codeChildren(body).length === 0) return false
  return findNodes(body, 'return_statement', 'throw_statement').length === 0
}

export const callbackRules: readonly Rule[] = [
  {
    id: 'async-callback',
    summary: "An array method or React effect hook gets an async callback and doesn't wait for it.",
    seeAlso: ['typescript-eslint `no-misused-promises`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.85,
    syntax: [{ languages: ['javascript'], nodes: ['call_expression'], check: checkAsyncCallback }],
  },
  {
    id: 'callback-without-return',
    summary: 'The callback of `map`, `filter` or a similar array method returns nothing.',
    seeAlso: ['ESLint `array-callback-return`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.9,
    syntax: [
      { languages: ['javascript'], nodes: ['call_expression'], check: checkMapWithoutReturn },
    ],
  },
]
