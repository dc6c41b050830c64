// Finds failures of work that later code depends on, and that are only logged or dropped.
import type { Node } from 'web-tree-sitter'
import { bindingTypes, mentionsName, readVariable } from './bindings.ts'
import { isCall, readCall } from './calls.ts'
import { isUnwatched } from './developer-tools.ts'
import { blockOf, effectOf, effectsIn, isSuccess, saysDone } from './effects.ts'
import { functionAround } from './functions.ts'
import { isLogStatement } from './logged-only.ts'
import { awaitedValue } from './operations.ts'
import { mayLeave, statementAround, statementsAfter, statementsOf } from './statements.ts'
import type { Hit, ParsedFile, SyntaxCheck } from './syntax-check.ts'
import {
  codeChildren,
  enclosingNode,
  field,
  fieldText,
  findNodes,
  firstLine,
  hasComment,
  isExplained,
  lineOf,
  quoteCode,
  textOf,
  typeOf,
} from './syntax-nodes.ts'
import { droppedCall } from './unused-results.ts'

const maxDistance = 4

/** A handler that only logs, and code after it that takes the work as done. */
function checkHandler(handler: Node, file: ParsedFile): Hit | undefined {
  const body = blockOf(handler)
  const tried = handler.parent && triedBlock(handler.parent)
  if (!body || !tried || isUnwatched(file.path)) return undefined
  return (
    reportsSuccess(handler, body, tried) ??
    checkContinued(handler, body, tried) ??
    assignsEmpty(handler, body, tried)
  )
}

/** Ruby's handlers are in the block that they handle. */
function triedBlock(owner: Node): Node | undefined {
  return /^(?:begin|body_statement)$/.test(owner.type) ? owner : blockOf(owner)
}

/** Whether a branch or handler only writes to the log, so that the code after it runs. */
function onlyLogs(body: Node): boolean {
  const statements = statementsOf(body)
  return (
    statements.length > 0 &&
    statements.length <= 3 &&
    statements.every(isLogStatement) &&
    !statements.some(mayLeave)
  )
}

function doesNothing(body: Node): boolean {
  return statementsOf(body).every(({ type, text }) => type === 'pass_statement' || text === '...')
}

const meantComment = /(?:\/\/|\/\*|#)[^\n]*\b(?:swallow|ignor|best.?effort|intention|on purpose)/i

function checkContinued(handler: Node, body: Node, tried: Node): Hit | undefined {
  if (!onlyLogs(body) && (hasComment(handler) || !doesNothing(body))) return undefined
  if (meantComment.test(handler.text.slice(0, 1_000))) return undefined
  const owner = handler.parent!
  // In Ruby, the handler is a sibling of the code that it protects.
  const own = effectsIn(tried).filter(({ call }) => call.endIndex <= handler.startIndex)
  return continuedHit(handler, own, statementAround(owner), statementsOf(body).at(-1) ?? handler)
}

type EffectCall = ReturnType<typeof effectsIn>[number]

function continuedHit(
  handler: Node,
  effects: readonly EffectCall[],
  statement: Node,
  at: Node,
): Hit | undefined {
  const lost = effects.find(({ effect }) => effect !== 'remove')
  if (!lost) return undefined
  for (const next of statementsAfter(statement).slice(0, maxDistance)) {
    if (/^(?:if|for|while|switch|match|try|unless)/.test(next.type)) return undefined
    if (!saysDone(next, lost.effect)) continue
    const work = quoteCode(lost.call.text)
    return {
      at: firstLine(at),
      fallback: firstLine(handler),
      title: `Swallowed error: after ${work} fails, the code goes on as if it had succeeded`,
      body:
        `When it fails, ${quoteCode(next.text)} runs all the same, so the work counts as done ` +
        'although it is not. Return or throw here.',
      severity: 'moderate',
      confidence: 0.8,
      evidence: [{ line: lineOf(next), note: 'this takes the work as done' }],
    }
  }
  return undefined
}

/** Functions that answer a question, in which a failure can mean yes. */
const asks = /^_?(?:is|has|can|should|exists|check|supports|validate|ignore)/i

/** Errors that say that the work has been done before, or that nobody needs it. */
const expectedErrors =
  /exist|duplicate|conflict|not_?found|no_?such|unique|already|gone|stop|cancel|interrupt|closed/i

/** A handler that returns what the code returns after success. */
function reportsSuccess(handler: Node, body: Node, tried: Node): Hit | undefined {
  const last = statementsOf(body).at(-1)
  const value = last && returnedValue(last)
  const fn = functionAround(handler)
  if (!value || !isSuccess(value) || !fn || asks.test(fieldText(fn, 'name'))) return undefined
  if (expectedErrors.test(handler.text.slice(0, body.startIndex - handler.startIndex)))
    return undefined
  const isNamed = !/^true$/i.test(value.text)
  const lost = effectsIn(tried).some(({ call }) => call.endIndex <= handler.startIndex)
  const isSame = fn.text.indexOf(last.text) !== fn.text.lastIndexOf(last.text)
  if (!isSame || !(isNamed || lost || callsWork(tried)) || hasComment(handler)) return undefined
  return {
    at: firstLine(last),
    title: 'Swallowed error: after a failure, this returns the same as after success',
    body: 'When something in the `try` block fails, the caller sees success. Return the failure.',
    severity: 'moderate',
    confidence: 0.8,
  }
}

/** The value that a statement returns, also as the last expression of Ruby and Kotlin. */
function returnedValue(statement: Node): Node | undefined {
  if (/^return/.test(statement.type)) return statement.namedChild(0) ?? undefined
  return /^(?:true|boolean_literal|scope_resolution|navigation_expression)$/.test(statement.type)
    ? statement
    : undefined
}

function callsWork(tried: Node): boolean {
  return /\b(?:run|process|handle|execute|perform|import\w*)\(/.test(tried.text)
}

/** Go and Rust: `if err != nil { log }`, and then code that takes the work as done. */
function checkErrorTest(statement: Node, file: ParsedFile): Hit | undefined {
  if (isUnwatched(file.path) || field(statement, 'alternative')) return undefined
  const branch = field(statement, 'consequence')
  const condition = field(statement, 'condition')
  if (!branch || !condition || !onlyLogs(branch)) return undefined
  const source = file.language === 'go' ? goSource(statement, condition) : rustSource(condition)
  if (!source) return undefined
  return continuedHit(
    statement,
    effectsIn(source),
    statementAround(statement),
    statementsOf(branch).at(-1)!,
  )
}

/** Go and Rust: `if err := tx.Commit(); err == nil { log }`, and then `return nil`. */
function checkOnlyIfDone(statement: Node, file: ParsedFile): Hit | undefined {
  const condition = field(statement, 'condition')
  if (!condition || field(statement, 'alternative') || isUnwatched(file.path)) return undefined
  const work = workOf(statement, condition, file)
  const end = statementsAfter(statementAround(statement)).at(-1)
  if (!work || !end || !/^return\b.*\bnil$|^Ok\(/.test(end.text)) return undefined
  const isStored =
    effectOf(work) === 'store' || /^(?:[cC]ommit|Flush|Sync)$/.test(readCall(work).name)
  return isStored ? droppedHit(statement, work) : undefined
}

/** The call whose success a condition tests. */
function workOf(statement: Node, condition: Node, { language }: ParsedFile): Node | undefined {
  const isSuccess =
    language === 'go'
      ? /^\w*[eE]rr == nil$/.test(condition.text)
      : /^Ok\(/.test(fieldText(condition, 'pattern'))
  const source = field(statement, 'initializer') ?? field(condition, 'value')
  if (!isSuccess || !source) return undefined
  return isCall(source) ? source : findNodes(source, 'call_expression')[0]
}

function goSource(statement: Node, condition: Node): Node | undefined {
  if (!/^\w*[eE]rr != nil$/.test(condition.text)) return undefined
  const initializer = field(statement, 'initializer')
  if (initializer) return initializer
  const before = statement.previousNamedSibling
  return before && /assignment|declaration/.test(before.type) ? before : undefined
}

function rustSource(condition: Node): Node | undefined {
  const isError =
    condition.type === 'let_condition' && /^Err\(/.test(fieldText(condition, 'pattern'))
  return isError ? field(condition, 'value') : undefined
}

function droppedHit(node: Node, work: Node): Hit {
  return {
    at: firstLine(node),
    title: `Swallowed error: nothing shows that ${quoteCode(work.text)} failed`,
    body:
      'When it fails, its error is dropped, and the code goes on as if it had succeeded. Handle ' +
      'or report the error, or explain in a comment why it can be ignored.',
    severity: 'moderate',
    confidence: 0.75,
  }
}

/** `await store.save(x).catch(() => {})`. */
function checkEmptyCatchCall(call: Node, file: ParsedFile): Hit | undefined {
  const { receiver, name, args } = readCall(call)
  const [callback] = args
  if (name !== 'catch' || !receiver || !isCall(receiver) || !callback) return undefined
  if (!/^(?:\(\w*\)|\w+) => (?:\{\s*\}|undefined|null|void 0|\(\{\}\))$|^noop$/.test(callback.text))
    return undefined
  // `void` shows that nothing has to wait.
  if (effectOf(receiver) !== 'store' || typeOf(call.parent) === 'unary_expression') return undefined
  if (isExplained(call, file, /\w/) || isUnwatched(file.path)) return undefined
  return droppedHit(call, receiver)
}

/** `fs.writeFile(path, text, (error) => done())`, which never reads `error`. */
function checkIgnoredCallback(callback: Node): Hit | undefined {
  const call = callback.parent?.parent
  const name = errorParameterOf(callback)
  const body = field(callback, 'body')
  if (!name || !body || !call || !isErrorCallback(callback, call)) return undefined
  if (new RegExp(`\\b${name}\\b|\\barguments\\b`).test(body.text)) return undefined
  const { written } = readCall(call)
  const first = body.type === 'statement_block' ? (codeChildren(body)[0] ?? callback) : body
  return {
    at: firstLine(first),
    fallback: firstLine(callback),
    title: `The callback of ${quoteCode(written)} never looks at ${quoteCode(name)}`,
    body:
      `When ${quoteCode(written)} fails, the code goes on as if it had succeeded. Handle ` +
      `${quoteCode(name)} first.`,
    severity: 'moderate',
    confidence: 0.85,
  }
}

/** Whether a call passes its error to a callback, which is its last argument. */
function isErrorCallback(callback: Node, call: Node): boolean {
  if (!isCall(call)) return false
  const { name, args } = readCall(call)
  const isLast = args.length > 1 && args.at(-1)!.id === callback.id
  return isLast && !otherCallbacks.test(name) && !/^['"]error/.test(textOf(args[0]))
}

/** Functions whose callbacks get errors for other reasons. */
const otherCallbacks =
  /^(?:catch|then|on|once|catchError|reduce|map|addEventListener|use|test|it)$|[eE]rror|Handler/

/** The first parameter of a callback, if it is an error. */
function errorParameterOf(callback: Node): string | undefined {
  const [first, ...others] = codeChildren(field(callback, 'parameters') ?? callback)
  const name = textOf(first).replace(/\s*:.*$/s, '')
  return others.length <= 2 && /^\w*(?:[eE]rr(?:or)?)$/.test(name) ? name : undefined
}

/** Python: `with suppress(Exception): store.save(x)`. */
function checkSuppress(statement: Node, file: ParsedFile): Hit | undefined {
  const clause = statement.namedChildren.find(({ type }) => type === 'with_clause')
  const body = field(statement, 'body')
  if (
    !clause ||
    !body ||
    !/\bsuppress\((?:Exception|BaseException|OSError|IOError)\)/.test(clause.text)
  )
    return undefined
  const lost = effectsIn(body).find(({ effect }) => effect === 'store')
  return lost && !isExplained(statement, file, /\w/) && !isUnwatched(file.path)
    ? droppedHit(statement, lost.call)
    : undefined
}

/** Kotlin: `runCatching { store.save(x) }` as a statement. */
function checkRunCatching(call: Node, file: ParsedFile): Hit | undefined {
  if (readCall(call).name !== 'runCatching' || !droppedCall(call, file)) return undefined
  const lost = effectsIn(call).find(({ effect }) => effect !== 'remove')
  return lost && !isExplained(call, file, /\w/) ? droppedHit(call, lost.call) : undefined
}

/** Ruby: `store.charge(x) rescue nil`. */
function checkRescueModifier(node: Node, file: ParsedFile): Hit | undefined {
  const body = field(node, 'body')
  if (!body || !/^(?:nil|false|true)$/.test(fieldText(node, 'handler'))) return undefined
  const lost = effectsIn(body).find(({ effect }) => effect === 'store')
  // A method that ends in `!` is that of another check.
  if (!lost || readCall(lost.call).name.endsWith('!') || isUnwatched(file.path)) return undefined
  return droppedHit(node, lost.call)
}

const deliberateSend =
  /(?:^|[._:])(?:\w*tx|\w*sender|\w*chan(?:nel)?s?|shutdown|stdout|stderr|writer|out|span|f|fmt)\b/i

/** Rust: `let _ = store.save(x).await;` and `fs::write(path, text).ok();`. */
function checkRustDropped(node: Node, file: ParsedFile): Hit | undefined {
  const value = droppedValueInRust(node)
  const call = value && awaitedValue(value)
  if (!call || !isCall(call) || isExplained(node, file, /\w/) || isUnwatched(file.path))
    return undefined
  const fn = functionAround(node)
  if (fn && isExplained(fn, file, /\bignor/i)) return undefined
  const isAwaited = value.type === 'await_expression'
  if (isCustom(call, file)) return undefined
  return isNeededInRust(call, isAwaited) ? droppedHit(node, call) : undefined
}

/** Whether the file drops this result wherever it calls the function, as for statistics. */
function isCustom(call: Node, { text }: ParsedFile): boolean {
  const callee = RegExp.escape(readCall(call).callee)
  return (text.match(new RegExp(`\\blet _ = ${callee}\\(`, 'g')) ?? []).length >= 3
}

/** The value of `let _ = value;` and of `value.ok();`. */
function droppedValueInRust(node: Node): Node | undefined {
  if (node.type === 'let_declaration')
    return node.text.startsWith('let _ =') ? field(node, 'value') : undefined
  const statement = node.namedChild(0)
  if (statement?.type !== 'call_expression') return undefined
  const { name, receiver } = readCall(statement)
  return name === 'ok' ? receiver : undefined
}

const remoteMessengers = /mail(?!box)|client|api|gateway|sms|webhook/i
const messengers = new RegExp(`${remoteMessengers.source}|notif`, 'i')

function isNeededInRust(call: Node, isAwaited: boolean): boolean {
  const { name, receiver, callee } = readCall(call)
  const owner = textOf(receiver)
  // A signal without a value only wakes those who still listen.
  if (call.text.endsWith('(())')) return false
  if (/^(?:(?:std|tokio)\.)?fs\.(?:write|rename|copy|set_permissions)$/.test(callee)) return true
  if (/^(?:sync_(?:all|data)|commit)$/.test(name)) return true
  if (name === 'write_all') return !deliberateSend.test(owner)
  if (/^send/.test(name)) return (isAwaited ? messengers : remoteMessengers).test(owner)
  const isStored = effectOf(call) === 'store' && !deliberateSend.test(owner)
  return isStored && (isAwaited || /store|repo|db|pool/.test(callee))
}

/** Go: `_ = store.Delete(ctx, id)`, and `archive.Close()` of what compresses or buffers. */
function checkGoDropped(node: Node, file: ParsedFile): Hit | undefined {
  if (isUnwatched(file.path) || isExplained(node, file, /\w/)) return undefined
  if (node.type === 'assignment_statement') return checkGoBlank(node)
  const call = node.namedChild(0)
  const isOnError = /^if/.test(typeOf(node.parent?.parent?.parent))
  if (call?.type !== 'call_expression' || isOnError) return undefined
  const { receiver, name } = readCall(call)
  if (!receiver || !/^(?:Close|Flush)$/.test(name)) return undefined
  const isWriter = new RegExp(
    `\\b${RegExp.escape(receiver.text)}(?:, \\w+)? :?= (?:gzip|zlib|zip|tar|flate|bufio|lz4|zstd)\\.NewWriter\\w*\\(`,
  ).test(textOf(functionAround(node)))
  return isWriter ? droppedHit(node, call) : undefined
}

function checkGoBlank(node: Node): Hit | undefined {
  const call = field(node, 'right')?.namedChild(0)
  if (!/^_(?:, _)*$/.test(fieldText(node, 'left')) || call?.type !== 'call_expression')
    return undefined
  // What a function does at its end can't be reported any more.
  if (enclosingNode(node, new Set(['defer_statement']))) return undefined
  const { name, args } = readCall(call)
  const effect = effectOf(call)
  const isStored = effect === 'store' || effect === 'remove' || /Exec(?:Context)?$/.test(name)
  return isStored && /^ctx\b|\.Context\(\)$/.test(args[0]?.text ?? '')
    ? droppedHit(node, call)
    : undefined
}

/** PHP: `@file_put_contents($file, $text);`. */
function checkSuppressed(node: Node): Hit | undefined {
  const call = node.namedChild(0)
  if (!call || node.parent?.type !== 'expression_statement') return undefined
  const name = fieldText(call, 'function')
  if (
    !/^\\?(?:file_put_contents|rename|copy|move_uploaded_file|fwrite|fputs|mail|ftp_put)$/.test(
      name,
    )
  )
    return undefined
  return droppedHit(node, call)
}

/** Java: a loop that runs until it is interrupted, and that swallows the interruption. */
function checkInterrupted(clause: Node): Hit | undefined {
  const body = field(clause, 'body')
  const caught = clause.namedChildren.find(({ type }) => type === 'catch_formal_parameter')
  if (!body || !/^InterruptedException\b/.test(caught?.text ?? '')) return undefined
  const fn = functionAround(clause)
  if (
    !/isInterrupted\(\)/.test(fn?.text ?? '') ||
    /interrupt\(\)/.test(body.text) ||
    mayLeave(body)
  )
    return undefined
  return {
    at: firstLine(codeChildren(body)[0] ?? clause),
    fallback: firstLine(clause),
    title: 'Swallowed interruption: the loop never ends',
    body:
      'When `InterruptedException` is thrown, the thread is no longer interrupted, and ' +
      '`isInterrupted` stays false. Call `Thread.currentThread().interrupt()`, or return.',
    severity: 'moderate',
    confidence: 0.85,
  }
}

const emptyValue = new RegExp(
  `^\\(?(?:${[
    ...[
      '\\[\\s*\\]',
      '\\(?\\{\\s*\\}\\)?',
      'new \\w*(?:List|Map|Set)\\w*(?:<.*>)?\\(\\)',
      'array\\(\\)',
    ],
    ...[
      '(?:empty|mutable)\\w*(?:<.*>)?\\(\\)',
      '(?:List|Set|Map)\\.of\\(\\)',
      'Collections\\.empty\\w+\\(\\)',
    ],
    ...['(?:Array|Enumerable)\\.Empty<.*>\\(\\)', '(?:list|dict|set)\\(\\)'],
  ].join('|')})\\)?(?: as .*)?$`,
)

/** `found = list().catch(() => [])`, and then code that removes what wasn't found. */
function checkEmptyDefault(node: Node, file: ParsedFile): Hit | undefined {
  const binding = readVariable(node)
  const given = binding && defaultOf(awaitedValue(binding.value))
  if (!given || !emptyValue.test(given.replace(/\s+/g, ' ')) || isUnwatched(file.path))
    return undefined
  return emptiedHit(node, binding.name, statementAround(node))
}

/** What a value is if the work for it fails. */
function defaultOf(value: Node): string | undefined {
  if (value.type === 'rescue_modifier') return fieldText(value, 'handler')
  if (!isCall(value)) return undefined
  const { name, args } = readCall(value)
  if (name === 'catch') return /=>\s*(.*)$/s.exec(textOf(args[0]))?.[1]
  return name === 'getOrDefault' ? textOf(args[0]) : undefined
}

/** `try { found = list() } catch { found = [] }`, and then the same. */
function assignsEmpty(handler: Node, body: Node, tried: Node): Hit | undefined {
  const [statement, ...others] = statementsOf(body).filter((each) => !isLogStatement(each))
  const inner = statement?.type === 'expression_statement' ? statement.namedChild(0) : statement
  const binding = inner && others.length === 0 ? readVariable(inner) : undefined
  if (!binding || !emptyValue.test(binding.value.text)) return undefined
  if (!new RegExp(`${RegExp.escape(binding.name)}\\s*=(?!=)`).test(tried.text)) return undefined
  return emptiedHit(inner!, binding.name, statementAround(handler.parent!))
}

function emptiedHit(node: Node, name: string, statement: Node): Hit | undefined {
  const rest = statementsAfter(statement)
  const removal = rest.flatMap(effectsIn).find(({ effect }) => effect === 'remove')
  if (!removal || !rest.some(({ text }) => mentionsName(text, name))) return undefined
  const first = rest.find(({ text }) => mentionsName(text, name))!
  if (/^(?:if|return|unless)/.test(first.type)) return undefined
  return {
    at: firstLine(node),
    title:
      `After a failure, ${quoteCode(name)} is empty, and ` +
      `${quoteCode(removal.call.text)} follows`,
    body:
      'When the work for it fails, this looks like an answer without anything in it, so that ' +
      'the code below removes what still exists. Let the failure through.',
    severity: 'moderate',
    confidence: 0.8,
    evidence: [{ line: lineOf(removal.call), note: 'removed here' }],
  }
}

const handlers = ['catch_clause', 'catch_block', 'except_clause', 'rescue']

/** Checks of handlers and defaults in all languages. */
export const lostFailures: readonly SyntaxCheck[] = [
  {
    nodes: handlers,
    wholeFunction: true,
    check: (node, file) => (node.isNamed ? checkHandler(node, file) : undefined),
  },
  { nodes: bindingTypes, wholeFunction: true, check: checkEmptyDefault },
]

/** Checks that are those of one language each. */
export const lostFailuresOf = {
  javascript: [
    { nodes: ['call_expression'], check: checkEmptyCatchCall },
    { nodes: ['arrow_function', 'function_expression'], check: checkIgnoredCallback },
  ],
  python: [{ nodes: ['with_statement'], check: checkSuppress }],
  java: [{ nodes: ['catch_clause'], check: checkInterrupted }],
  kotlin: [{ nodes: ['call_expression'], check: checkRunCatching }],
  ruby: [{ nodes: ['rescue_modifier'], check: checkRescueModifier }],
  php: [{ nodes: ['error_suppression_expression'], check: checkSuppressed }],
  go: [
    { nodes: ['if_statement'], wholeFunction: true, check: checkErrorTest },
    { nodes: ['if_statement'], wholeFunction: true, check: checkOnlyIfDone },
    { nodes: ['assignment_statement', 'expression_statement'], check: checkGoDropped },
  ],
  rust: [
    { nodes: ['if_expression'], wholeFunction: true, check: checkErrorTest },
    { nodes: ['if_expression'], wholeFunction: true, check: checkOnlyIfDone },
    { nodes: ['let_declaration', 'expression_statement'], check: checkRustDropped },
  ],
} satisfies Readonly<Record<string, readonly SyntaxCheck[]>>
