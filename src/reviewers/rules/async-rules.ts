// Rules about promises and coroutines that are not awaited.
import type { Node } from 'web-tree-sitter'
import { readCall } from '../../languages/rules/calls.ts'
import {
  findOwnNodes,
  functionAround,
  isAsync,
  isFunction,
} from '../../languages/rules/functions.ts'
import { sharedWork } from '../../languages/rules/shared-work.ts'
import {
  codeChildren,
  enclosingNode,
  field,
  fieldText,
  firstLine,
  isExplained,
  quoteCode,
  replaceInLine,
} from '../../languages/rules/syntax-nodes.ts'
import { unwaitedWork, unwaitedWorkOf } from '../../languages/rules/unwaited-work.ts'
import { asyncCalleeOf, awaitsInside, definedAt, promiseApiOf } from './async-callees.ts'
import { isCondition } from './condition-nodes.ts'
import { type Hit, listByLanguage, type ParsedFile, type Rule } from './rule.ts'

/** Words of a comment that explains why a promise isn't awaited. */
const intentionalWords = new RegExp(
  [
    'fire.and.forget',
    'background',
    'intentional',
    'deliberate',
    'on purpose',
    'not? await',
    "don't (?:a?wait|block)",
    'without a?waiting',
    "n't block",
    'non-?blocking',
    'asynchronously',
  ].join('|'),
  'i',
)

function checkUnawaitedPromise(statement: Node, file: ParsedFile): Hit | undefined {
  const call = statement.namedChild(0)
  if (call?.type !== 'call_expression') return undefined
  if (!canAwait(call) || isExplained(statement, file, intentionalWords)) return undefined
  const definition = asyncCalleeOf(call, file)
  // A promise that is never rejected does no harm, because its function runs all the same.
  if (definition?.neverFails) return undefined
  const api = definition ? undefined : promiseApiOf(call, file)
  if (!definition && !api) return undefined
  const name = quoteCode(api ?? fieldText(call, 'function'))
  return {
    at: firstLine(call),
    title: `Floating promise: ${name} is called without \`await\` or \`catch\``,
    body:
      `When ${name} rejects, nothing handles it, and an unhandled rejection ends a Node ` +
      'process. The code after this line also runs before the work is done ' +
      '(`no-floating-promises`).',
    suggestion: replaceInLine(call, file, `await ${call.text}`),
    evidence: definition ? [definedAt(definition, name)] : [],
  }
}

function checkUnawaitedCoroutine(statement: Node, file: ParsedFile): Hit | undefined {
  const call = statement.namedChild(0)
  if (call?.type !== 'call' || isExplained(statement, file, intentionalWords)) return undefined
  const definition = asyncCalleeOf(call, file)
  if (!definition) return undefined
  const name = quoteCode(fieldText(call, 'function'))
  return {
    at: firstLine(call),
    title: `Coroutine ${name} was never awaited, so it doesn't run`,
    body:
      `When this line runs, ${name} only creates a coroutine object: its body never runs, ` +
      'and Python merely warns that the coroutine was never awaited.',
    suggestion: canAwait(call) ? replaceInLine(call, file, `await ${call.text}`) : undefined,
    evidence: [definedAt(definition, name)],
  }
}

/** Names of functions whose result likely decides whether something is allowed. */
const checkingNames = /\b_?(?:is|has|can|check|verify|validate|auth|may|ensure|allow)/i

function checkPromiseCondition(call: Node, file: ParsedFile): Hit | undefined {
  if (!isCondition(call)) return undefined
  const definition = asyncCalleeOf(call, file)
  if (!definition) return undefined
  const name = quoteCode(fieldText(call, 'function'))
  const kind = file.language === 'python' ? 'coroutine' : 'promise'
  return {
    at: firstLine(call),
    title: `The condition tests the ${kind} of ${name}, which is always true`,
    body:
      `When ${name} returns \`false\`, the condition is still true: without \`await\`, it ` +
      `tests the ${kind} object, not the result.`,
    severity: checkingNames.test(readCall(call).name) ? 'critical' : 'moderate',
    suggestion: canAwait(call) ? replaceInLine(call, file, addAwait(call)) : undefined,
    evidence: [definedAt(definition, name)],
  }
}

/** Whether a node stands in an async function. */
function canAwait(node: Node): boolean {
  const fn = functionAround(node)
  return fn !== undefined && isAsync(fn)
}

function addAwait(call: Node): string {
  return call.parent?.type === 'unary_expression' ? `(await ${call.text})` : `await ${call.text}`
}

function checkReturnInTry(statement: Node, file: ParsedFile): Hit | undefined {
  const value = statement.namedChild(0)
  if (value?.type !== 'call_expression') return undefined
  const handler = findErrorHandler(statement)
  if (!handler || codeChildren(field(handler, 'body') ?? handler).length === 0) return undefined
  const definition = asyncCalleeOf(value, file)
  if (!definition || definition.neverFails) return undefined
  const name = quoteCode(fieldText(value, 'function'))
  return {
    at: firstLine(value),
    title:
      `The promise of ${name} is returned without \`await\`, so this \`catch\` never sees ` +
      'its rejection',
    body:
      `When ${name} rejects, the function has already left the \`try\` block, so the handler ` +
      'below never runs. Use `return await`.',
    suggestion: replaceInLine(value, file, `await ${value.text}`),
    evidence: [definedAt(definition, name)],
  }
}

/** The `catch` clause for a statement inside of `try`, within the async function around it. */
function findErrorHandler(statement: Node): Node | undefined {
  const caller = functionAround(statement)
  if (!caller || !isAsync(caller)) return undefined
  const block = enclosingNode(
    statement,
    new Set(['try_statement', 'catch_clause', 'finally_clause']),
  )
  const isInTry = block?.type === 'try_statement' && block.startIndex >= caller.startIndex
  return isInTry ? field(block, 'handler') : undefined
}

/** Whether an async executor awaits something without handling its errors. */
function losesErrors(executor: Node): boolean {
  if (!isFunction(executor) || !isAsync(executor)) return false
  return findOwnNodes(executor, 'try_statement').length === 0 && awaitsInside(executor)
}

const blockingCalls = new RegExp(
  `^(?:${[
    String.raw`time\.sleep`,
    String.raw`requests\.(?:get|post|put|patch|delete|head|request)`,
    String.raw`urllib\.request\.urlopen`,
    String.raw`subprocess\.(?:run|call|check_call|check_output)`,
  ].join('|')})$`,
)

export const asyncRules: readonly Rule[] = [
  {
    id: 'unawaited-promise',
    summary: 'Floating promise: a promise or coroutine is created and never awaited.',
    seeAlso: ['typescript-eslint `no-floating-promises`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.85,
    syntax: [
      {
        languages: ['javascript'],
        nodes: ['expression_statement'],
        check: checkUnawaitedPromise,
      },
      {
        languages: ['python'],
        nodes: ['expression_statement'],
        check: checkUnawaitedCoroutine,
      },
      ...[...unwaitedWork, ...sharedWork].map((check) => ({
        ...check,
      })),
      ...listByLanguage(unwaitedWorkOf),
    ],
  },
  {
    id: 'promise-in-condition',
    summary:
      'A condition tests a promise or coroutine instead of its result, so it is always true.',
    seeAlso: ['typescript-eslint `no-misused-promises`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
    syntax: [
      {
        languages: ['javascript', 'python'],
        nodes: ['call_expression', 'call'],
        check: checkPromiseCondition,
      },
    ],
  },
  {
    id: 'return-without-await',
    summary:
      'A promise is returned from a `try` block without `await`, so `catch` never sees its ' +
      'rejection.',
    seeAlso: ['typescript-eslint `return-await`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.75,
    syntax: [{ languages: ['javascript'], nodes: ['return_statement'], check: checkReturnInTry }],
  },
  {
    id: 'async-executor',
    summary: 'The executor of `new Promise` is async and has no `try`, so its errors are lost.',
    seeAlso: ['ESLint `no-async-promise-executor`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.8,
    title: 'An error in this async promise executor never rejects the promise',
    body:
      'When an `await` inside the executor fails, the rejection is unhandled and the new ' +
      'promise stays pending forever. Await outside of `new Promise`.',
    patterns: { javascript: ['new Promise($EXECUTOR, $$$)'] },
    where: { EXECUTOR: losesErrors },
    at: 'EXECUTOR',
  },
  {
    id: 'blocking-call-in-async',
    summary: 'An async function makes a call that blocks the event loop, such as `time.sleep`.',
    seeAlso: ['Ruff `ASYNC210`', 'Ruff `ASYNC221`', 'Ruff `ASYNC251`'],
    severity: 'moderate',
    category: 'performance',
    confidence: 0.85,
    title: '$CALLEE blocks the event loop inside an async function',
    body:
      'When this runs, every other task of the event loop waits until $CALLEE returns. Use the ' +
      'asynchronous counterpart, or `asyncio.to_thread`.',
    patterns: { python: ['$CALLEE($$$)'] },
    where: { CALLEE: blockingCalls },
    refine: ({ node }) => canAwait(node),
  },
]
