// Finds results of started work that are read before anything has waited for the work.
import type { Node } from 'web-tree-sitter'
import { mentionsName, readVariable } from './bindings.ts'
import { callAndNewTypes, isCall, readCall } from './calls.ts'
import { isUnwatched } from './developer-tools.ts'
import { functionAround } from './functions.ts'
import { statementAround, statementsAfter } from './statements.ts'
import type { Hit, ParsedFile, SyntaxCheck } from './syntax-check.ts'
import { findNodes, firstLine, lineOf, quoteCode } from './syntax-nodes.ts'
import { droppedCall } from './unused-results.ts'

const javascriptStart = /\.then$|^(?:setTimeout|setImmediate|queueMicrotask|process\.nextTick)$/

/** Callees that run the function they get at the same time, or later. */
const starts: Readonly<Record<string, RegExp>> = {
  javascript: javascriptStart,
  typescript: javascriptStart,
  tsx: javascriptStart,
  python: /(?:^|\.)(?:Thread|Process|submit|create_task|ensure_future|apply_async|start_soon)$/,
  java: /(?:^|\.)(?:Thread|submit|execute|runAsync|supplyAsync|startVirtualThread)$/,
  kotlin: /(?:^|\.)(?:launch|async|thread|submit|execute|runAsync)$/,
  'c-sharp': /^(?:Task\.Run|Task\.Factory\.StartNew|ThreadPool\.QueueUserWorkItem|Thread)$/,
  ruby: /^(?:Thread\.(?:new|start|fork)|Concurrent\.\w+\.execute)$/,
  rust: /(?:^|\b(?:thread|tokio|task)\.)spawn\w*$/,
}

const collections =
  'new [\\w.]*(?:List|Map|Set|Queue|Deque|Bag|Dict\\w*|Array|Vector|Builder|Buffer|Stack)(?:<[^()]*>)?\\(\\)'

/** Values that later code fills: empty collections, nothing, and zero. */
const empty = new RegExp(
  `^(?:${[
    ...['\\[\\]', '\\{\\}', collections, '\\w+(?:::\\w+)*\\.new$', '0$'],
    ...[
      'make\\((?!chan)',
      '\\w+Of(?:<[^()]*>)?\\(\\)',
      '\\[\\]\\*?[\\w.]+\\{\\}',
      'map\\[',
      'nil$',
    ],
    ...['\\w*(?:List|Map|Set|Queue|Bag|Dict\\w*|Vec|Buffer)(?:<[^()]*>)?(?:::new)?\\(\\)', 'null$'],
    ...['(?:list|dict|set|deque)\\(\\)', 'None$'],
  ].join('|')})`,
)

/** Code that waits for work. */
const waits =
  /join|await|wait|\.get\(|invokeAll|\.Result\b|\bvalue\b|gather|completed|\.result\(|shutdown|<-|select|recv|\.take\(|latch|barrier|sleep/i

/** Calls whose callbacks run before they return. */
const iterations =
  /^(?:map\w*|[eE]ach\w*|forEach\w*|ForEach|flat_?[mM]ap|times|Select|step|upto|to_h|onEach|filter\w*)$/

function checkStart(node: Node, file: ParsedFile): Hit | undefined {
  if (!isStart(node, file) || isUnwatched(file.path)) return undefined
  const outer = outerStatement(node)
  if (waits.test(outer.text.replace(node.text, ''))) return undefined
  const later = statementsAfter(outer)
  const use = later.find((next) => filledNames(node, outer).some((n) => mentionsName(next.text, n)))
  const between = use && later.slice(0, later.indexOf(use) + 1)
  const name = use && filledNames(node, outer).find((each) => mentionsName(use.text, each))
  if (!between || !name || between.some(({ text }) => waitsIn(text, name))) return undefined
  return {
    at: firstLine(placeOf(node, outer, between)),
    fallback: firstLine(use),
    title: `${quoteCode(name)} is read before anything has waited for the work that fills it`,
    body:
      `When the code reaches ${quoteCode(use.text)}, the work that was started may still run, so ` +
      'results are missing. Wait for all of it first.',
    severity: 'moderate',
    confidence: 0.8,
    evidence: [{ line: lineOf(use), note: 'read here' }],
  }
}

function isStart(node: Node, { language }: ParsedFile): boolean {
  return node.type === 'go_statement' || (starts[language]?.test(readCall(node).callee) ?? false)
}

function waitsIn(text: string, name: string): boolean {
  const isDrained = /\.(?:pop|deq|shift)\b/.test(text) && !/\.(?:size|length)\b/.test(text)
  return isDrained || waits.test(text.replaceAll(`${name}.join`, ''))
}

/** The statement that starts all of the work: that of the loop around the start. */
function outerStatement(node: Node): Node {
  let statement = statementAround(node)
  for (let count = 0; count < 6; count++) {
    const fn = functionAround(statement)
    const owner = loopAround(statement) ?? (fn && iterationOf(fn))
    if (!owner) return statement
    statement = statementAround(owner)
  }
  return statement
}

/** The loop whose block a statement is in. */
function loopAround(statement: Node): Node | undefined {
  let owner = statement.parent
  while (owner && /block|statement_list|compound|^do$|^body/.test(owner.type)) owner = owner.parent
  const isLoop = /^(?:for|while|enhanced_for|foreach|loop)/.test(owner?.type ?? '')
  return isLoop ? owner! : undefined
}

/** The call of `each` and the like that a closure is passed to. */
function iterationOf(closure: Node): Node | undefined {
  let call = closure.parent
  while (call && !isCall(call) && /arg|lambda|suffix/.test(call.type)) call = call.parent
  return call && isCall(call) && iterations.test(readCall(call).name) ? call : undefined
}

/** Names in the started work of local variables that were empty before. */
function filledNames(work: Node, outer: Node): string[] {
  const fn = functionAround(outer)
  if (!fn) return []
  const names = new Set(findNodes(work, 'identifier').map(({ text }) => text))
  const before = fn.text.slice(0, outer.startIndex - fn.startIndex)
  return [...names].slice(0, 40).filter((name) => isEmptyBefore(name, before, work))
}

function isEmptyBefore(name: string, before: string, { text }: Node): boolean {
  const declared = new RegExp(
    `(?<![\\w.])${name}(?:\\s*:\\s*[^=\\n]{1,80}?)?\\s*:?=(?!=)\\s*([^\\n;]*)|\\bvar ${name} (?:\\[\\]|map\\[)`,
  ).exec(before)
  if (!declared) return false
  const value = declared[1]
  if (value !== undefined && !empty.test(value.trim())) return false
  const isScalar = value !== undefined && /^(?:0|nil|null|None)$/.test(value.trim())
  return !isScalar || new RegExp(`(?<![\\w.])${name}\\s*(?:[-+|]?=(?!=)|\\+\\+)`).test(text)
}

/** The line after which something should wait: the last that handles what was started. */
function placeOf(start: Node, outer: Node, between: readonly Node[]): Node {
  const inner = outer.type === 'expression_statement' ? outer.namedChild(0) : outer
  const handle = [inner, ...(inner?.namedChildren ?? [])]
    .map((each) => each && readVariable(each)?.name)
    .find((name) => name)
  const handled = handle && between.slice(0, -1).findLast(({ text }) => mentionsName(text, handle))
  return handled || start
}

/** Functions whose result stands for the end of several pieces of work. */
const combiner =
  /^(?:CompletableFuture\.a(?:ll|ny)Of|Task\.When(?:All|Any)|[\w\\]*(?:Utils|Promise)\.(?:all|settle|some|any)|(?:\w+\.)*join_all|Future\.sequence)$/

/** Methods that add something to do after the end, and wait for nothing. */
const continuation =
  /^(?:then\w*|when\w*|handle\w*|exceptionally\w*|orTimeout|ContinueWith|otherwise)$/

/** Callbacks that report the end to other code. */
const signals = /complete|resolve|countDown|release|signal|callback|respond|fulfill/i

/** `CompletableFuture.allOf(tasks).thenRun(done);`. */
function checkCombined(node: Node, file: ParsedFile): Hit | undefined {
  const dropped = /script|tsx/.test(file.language) ? undefined : droppedCall(node, file)
  const call = dropped && withoutContinuations(dropped)
  if (!call || !combiner.test(readCall(call).callee)) return undefined
  if (call !== dropped && signals.test(dropped.text.slice(call.text.length))) return undefined
  if (call !== dropped && statementsAfter(statementAround(dropped)).length === 0) return undefined
  return {
    at: firstLine(dropped),
    title: `Missing await: nothing waits for what ${quoteCode(readCall(call).written)} combines`,
    body:
      'When this runs, it returns at once, so the code below runs before the work is done, and ' +
      'failures are lost. Wait for the result.',
    severity: 'moderate',
    confidence: 0.85,
  }
}

/** The call that a chain of continuations begins with. */
function withoutContinuations(chain: Node): Node | undefined {
  let call: Node | undefined = chain
  while (call && isCall(call) && continuation.test(readCall(call).name))
    call = readCall(call).receiver
  return call && isCall(call) ? call : undefined
}

/** Checks for work whose end nothing waits for. */
export const sharedWork: readonly SyntaxCheck[] = [
  { nodes: [...callAndNewTypes, 'go_statement'], wholeFunction: true, check: checkStart },
  { nodes: ['expression_statement', 'call_expression', 'call'], check: checkCombined },
]
