// Rules about promises and coroutines that nobody waits for.
import type { Node } from 'web-tree-sitter'
import type { Hit, ImportedFunction, Rule, RuleEvidence, SourceFile } from './rule.ts'
import { javascriptFamily } from './rule.ts'
import {
  argumentsOf,
  calleeOf,
  code,
  enclosing,
  enclosingFunction,
  field,
  fieldText,
  find,
  findHere,
  firstLine,
  isAsync,
  isExplained,
  isFunction,
  lineOf,
  outerParent,
  parameterOf,
  parts,
  replaceInLine,
  unwrap,
} from './syntax.ts'

const meantWords = /fire.and.forget|background|intentional|deliberate|on purpose|not? await|don't wait|without waiting/i

/** Where the async function is defined that a call runs; undefined when that isn't certain. */
function asyncCalleeOf(call: Node, file: SourceFile): ImportedFunction | undefined {
  const definition = localCalleeOf(call, file)
  if (definition) return { name: '', path: file.path, line: lineOf(definition) }
  const { receiver, name } = calleeOf(call)
  const imported = receiver ? undefined : file.imported.find((candidate) => candidate.name === name)
  return imported && !isShadowed(name, call, file) ? imported : undefined
}

function isShadowed(name: string, call: Node, file: SourceFile): boolean {
  for (let fn = enclosingFunction(call); fn; fn = enclosingFunction(fn)) {
    if (parameterOf(fn, name)) return true
  }
  return file.index.variables(name).length + file.index.functions(name).length > 0
}

function localCalleeOf(call: Node, file: SourceFile): Node | undefined {
  const { receiver, name } = calleeOf(call)
  if (!receiver) return asyncFunctionNamed(name, call, file)
  if (receiver.text !== 'this' && receiver.text !== 'self') return undefined
  const owner = enclosing(call, new Set(['class_body', 'class_definition']))
  if (!owner) return undefined
  const body = owner.type === 'class_definition' ? field(owner, 'body') : owner
  const methods = (body?.namedChildren ?? [])
    .map((member) => (member.type === 'decorated_definition' ? (field(member, 'definition') ?? member) : member))
    .filter((member) => fieldText(member, 'name') === name)
  return methods.length === 1 && isPromiseFunction(methods[0]!) ? methods[0] : undefined
}

function asyncFunctionNamed(name: string, call: Node, file: SourceFile): Node | undefined {
  for (let fn = enclosingFunction(call); fn; fn = enclosingFunction(fn)) {
    if (parameterOf(fn, name)) return undefined
  }
  const definitions = [...file.index.functions(name).filter((node) => !isMethod(node)), ...file.index.variables(name)]
  if (definitions.length !== 1) return undefined
  const value = field(definitions[0]!, 'value')
  const fn = value ? unwrap(value) : definitions[0]!
  return isFunction(fn) && isPromiseFunction(fn) ? fn : undefined
}

function isMethod(node: Node): boolean {
  const owner = node.parent?.type === 'decorated_definition' ? node.parent.parent : node.parent
  return node.type === 'function_definition' && owner?.parent?.type === 'class_definition'
}

function isPromiseFunction(fn: Node): boolean {
  const isGenerator = fn.type.startsWith('generator') || find(fn, 'yield', 'yield_expression').length > 0
  return !isGenerator && (isAsync(fn) || /^\s*:\s*Promise</.test(fieldText(fn, 'return_type')))
}

function definedAt(definition: ImportedFunction, name: string): RuleEvidence {
  return { path: definition.path, line: definition.line, note: `${name} is asynchronous` }
}

/** The well-known promise API that a JavaScript call is, or undefined. */
function promiseApiOf(call: Node, file: SourceFile): string | undefined {
  const { receiver, name } = calleeOf(call)
  if (receiver?.text === 'Promise' && /^(?:all|allSettled|race|any)$/.test(name)) return `Promise.${name}`
  if (receiver && /^(?:fs\.promises|fsPromises|fsp)$/.test(receiver.text)) return `${receiver.text}.${name}`
  if (receiver) return undefined
  const imported = find(file.root, 'import_statement').some(
    (statement) =>
      /['"](?:node:)?(?:fs|timers)\/promises['"]/.test(statement.text) &&
      find(statement, 'import_specifier').some(
        (specifier) => (fieldText(specifier, 'alias') || fieldText(specifier, 'name')) === name,
      ),
  )
  return imported ? name : undefined
}

function checkUnawaited(statement: Node, file: SourceFile): Hit | undefined {
  const call = statement.namedChild(0)
  if (!call || (call.type !== 'call_expression' && call.type !== 'call')) return undefined
  const isPython = file.language === 'python'
  const caller = enclosingFunction(call)
  if (!isPython && !(caller && isAsync(caller))) return undefined
  if (isExplained(statement, file, meantWords)) return undefined
  const definition = asyncCalleeOf(call, file)
  const api = definition || isPython ? undefined : promiseApiOf(call, file)
  if (!definition && !api) return undefined
  const name = code(api ?? fieldText(call, 'function'))
  const canAwait = caller !== undefined && isAsync(caller)
  return {
    at: firstLine(call),
    title: isPython
      ? `The coroutine ${name} is never awaited, so it doesn't run`
      : `The promise of ${name} is not awaited`,
    body: isPython
      ? `When this line is reached, ${name} only makes a coroutine object: its body never runs, and Python merely warns that it was never awaited.`
      : `When ${name} fails, this function doesn't notice: the rejection is unhandled, which ends a Node process, and the code after this line runs before the work is done.`,
    suggestion: canAwait ? replaceInLine(call, file, `await ${call.text}`) : undefined,
    evidence: definition ? [definedAt(definition, name)] : [],
  }
}

const conditionParents = new Set([
  'if_statement',
  'while_statement',
  'do_statement',
  'ternary_expression',
  'elif_clause',
])

function checkPromiseCondition(call: Node, file: SourceFile): Hit | undefined {
  if (!isCondition(call)) return undefined
  const definition = asyncCalleeOf(call, file)
  if (!definition) return undefined
  const caller = enclosingFunction(call)
  const name = code(fieldText(call, 'function'))
  const kind = file.language === 'python' ? 'coroutine' : 'promise'
  return {
    at: firstLine(call),
    title: `The condition tests the ${kind} of ${name}, which is always true`,
    body: `When ${name} would answer "no", the condition still holds: without \`await\` it sees the ${kind} object, not the answer.`,
    severity: /\b_?(?:is|has|can|check|verify|validate|auth|may|ensure|allow)/i.test(calleeOf(call).name)
      ? 'critical'
      : 'moderate',
    suggestion: caller && isAsync(caller) ? replaceInLine(call, file, awaited(call)) : undefined,
    evidence: [definedAt(definition, name)],
  }
}

function awaited(call: Node): string {
  return call.parent?.type === 'unary_expression' ? `(await ${call.text})` : `await ${call.text}`
}

/** Whether the truth of the expression decides a branch, through negations and `&&` and `||`. */
function isCondition(node: Node): boolean {
  let inner = node
  for (let outer = outerParent(inner); outer; outer = outerParent(inner)) {
    const operator = field(outer, 'operator')?.type ?? ''
    const negation = (outer.type === 'unary_expression' && operator === '!') || outer.type === 'not_operator'
    const logical = ['&&', '||', 'and', 'or'].includes(operator)
    if (!negation && !logical) {
      const condition = conditionParents.has(outer.type) ? field(outer, 'condition') : undefined
      return condition !== undefined && inner.startIndex >= condition.startIndex && inner.endIndex <= condition.endIndex
    }
    if (logical && field(outer, 'right')?.id === inner.id && outerParent(outer)?.type === 'ternary_expression') {
      return isCondition(outer)
    }
    inner = outer
  }
  return false
}

const predicateMethods = new Set(['filter', 'some', 'every', 'find', 'findIndex', 'findLast', 'findLastIndex', 'sort'])
const effectHooks = new Set(['useEffect', 'useLayoutEffect', 'useInsertionEffect'])

function checkAsyncCallback(call: Node): Hit | undefined {
  const { receiver, name } = calleeOf(call)
  const callback = argumentsOf(call).find((argument) => isFunction(argument))
  if (!callback || !isAsync(callback)) return undefined
  const at = firstLine(call)
  const subject = receiver ? code(`${receiver.text}.${name}`) : code(name)
  if (effectHooks.has(name)) {
    return {
      at: firstLine(callback),
      title: `${code(name)} gets an async function, so its promise is taken for the cleanup function`,
      body: 'When the component unmounts, React tries to call the returned promise as a cleanup function; real cleanup never runs. Define the async function inside the effect and call it there.',
    }
  }
  // Streams, cursors and the helpers of libraries wait for their callbacks; so does whoever writes `Async.` first.
  if (!receiver || /stream|cursor|iter|async|effect|pool|queue|batch|\bfind\(|\bp\b/i.test(receiver.text)) {
    return undefined
  }
  if (name === 'forEach' && awaitsInside(callback)) {
    return {
      at,
      title: `${subject} doesn't wait for its async callback`,
      body: 'When this loop ends, none of the callbacks has finished, and a failure in one is an unhandled rejection. A `for … of` loop with `await` waits one by one, `await Promise.all(….map(…))` all at once.',
    }
  }
  if (predicateMethods.has(name) && !(name === 'sort' && !awaitsInside(callback)) && !hasWaitingOwner(call)) {
    return {
      at: firstLine(callback),
      title: `${subject} gets an async callback, whose promise always counts as true`,
      body: `When the callback would answer "no", \`${name}\` still sees a promise, which is truthy: the result doesn't depend on the answer. Await the answers first, then use them.`,
      confidence: 0.95,
    }
  }
  if (name === 'map' && awaitsInside(callback) && isUnusedMap(call)) {
    return {
      at,
      title: `The promises of ${subject} are not awaited`,
      body: "When a callback fails, the rejection is unhandled, and the code after this line runs before the callbacks are done: `await` on an array doesn't wait for the promises in it. Use `await Promise.all(…)`.",
    }
  }
  return undefined
}

function awaitsInside(callback: Node): boolean {
  return findHere(callback, 'await_expression', 'for_in_statement').some(
    (node) => node.type === 'await_expression' || node.children.some((child) => child.type === 'await'),
  )
}

/** A library's own `filter` or `some` that returns a promise: its result is awaited or chained. */
function hasWaitingOwner(call: Node): boolean {
  const outer = outerParent(call)
  if (outer?.type === 'await_expression') return true
  return outer?.type === 'member_expression' && /^(?:then|catch|finally)$/.test(fieldText(outer, 'property'))
}

function isUnusedMap(call: Node): boolean {
  const outer = outerParent(call)
  return outer?.type === 'expression_statement' || outer?.type === 'await_expression'
}

function checkReturnInTry(statement: Node, file: SourceFile): Hit | undefined {
  const value = statement.namedChild(0)
  if (value?.type !== 'call_expression') return undefined
  const caller = enclosingFunction(statement)
  const block = enclosing(statement, new Set(['try_statement', 'catch_clause', 'finally_clause']))
  if (!caller || !isAsync(caller) || block?.type !== 'try_statement' || block.startIndex < caller.startIndex) {
    return undefined
  }
  const handler = field(block, 'handler')
  const definition = handler && parts(field(handler, 'body') ?? handler).length > 0 && asyncCalleeOf(value, file)
  if (!definition) return undefined
  const name = code(fieldText(value, 'function'))
  return {
    at: firstLine(value),
    title: `A rejection of ${name} passes by this \`catch\`, because the promise is returned without \`await\``,
    body: `When ${name} rejects, the function has already left the \`try\` block, so the handler below never runs.`,
    suggestion: replaceInLine(value, file, `await ${value.text}`),
    evidence: [definedAt(definition, name)],
  }
}

function checkAsyncExecutor(node: Node): Hit | undefined {
  const executor = fieldText(node, 'constructor') === 'Promise' ? argumentsOf(node)[0] : undefined
  if (!executor || !isFunction(executor) || !isAsync(executor) || !awaitsInside(executor)) return undefined
  if (findHere(executor, 'try_statement').length > 0) return undefined
  return {
    at: firstLine(executor),
    title: 'An error in this async promise executor never rejects the promise',
    body: 'When an `await` inside the executor fails, the rejection is unhandled and the new promise stays pending for ever. Await outside of `new Promise`.',
  }
}

const blockingCalls =
  /^(?:time\.sleep|requests\.(?:get|post|put|patch|delete|head|request)|urllib\.request\.urlopen|subprocess\.(?:run|call|check_call|check_output))$/

function checkBlockingCall(call: Node): Hit | undefined {
  const name = fieldText(call, 'function')
  const caller = blockingCalls.test(name) ? enclosingFunction(call) : undefined
  if (!caller || !isAsync(caller)) return undefined
  return {
    at: firstLine(call),
    title: `${code(name)} blocks the event loop inside an async function`,
    body: `When this runs, every other task of the loop stands still until ${code(name)} returns. Use the asynchronous counterpart, or \`asyncio.to_thread\`.`,
  }
}

export const asyncRules: readonly Rule[] = [
  {
    id: 'unawaited-promise',
    summary: 'A promise or coroutine is made in a statement of its own and never awaited.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.85,
    syntax: [{ languages: [...javascriptFamily, 'python'], nodes: ['expression_statement'], check: checkUnawaited }],
  },
  {
    id: 'promise-in-condition',
    summary: 'A condition tests a promise or coroutine instead of its result; it is always true.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
    syntax: [
      { languages: [...javascriptFamily, 'python'], nodes: ['call_expression', 'call'], check: checkPromiseCondition },
    ],
  },
  {
    id: 'async-callback',
    summary: 'An array method or effect hook gets an async callback it does not wait for.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.85,
    syntax: [{ languages: javascriptFamily, nodes: ['call_expression'], check: checkAsyncCallback }],
  },
  {
    id: 'return-without-await',
    summary: 'A promise is returned from a `try` block without `await`, so the handler never sees its rejection.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.75,
    syntax: [{ languages: javascriptFamily, nodes: ['return_statement'], check: checkReturnInTry }],
  },
  {
    id: 'async-executor',
    summary: 'The executor of `new Promise` is async and has no `try`: its errors are lost.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.8,
    syntax: [{ languages: javascriptFamily, nodes: ['new_expression'], check: checkAsyncExecutor }],
  },
  {
    id: 'blocking-call-in-async',
    summary: 'An async function of Python calls something that blocks the event loop.',
    severity: 'moderate',
    category: 'performance',
    confidence: 0.85,
    syntax: [{ languages: ['python'], nodes: ['call'], check: checkBlockingCall }],
  },
]
