// Finds work that nothing waits for, and calls whose result says that they failed.
import type { Node } from 'web-tree-sitter'
import { bindingTypes, readVariable, usesOf } from './bindings.ts'
import { isCall, readCall } from './calls.ts'
import { isUnwatched } from './developer-tools.ts'
import { effectOf } from './effects.ts'
import { functionAround, namedFunctionAround } from './functions.ts'
import { statementAround, statementsAfter } from './statements.ts'
import type { Hit, ParsedFile, SyntaxCheck } from './syntax-check.ts'
import { field, firstLine, isExplained, lineOf, quoteCode, textOf } from './syntax-nodes.ts'
import { droppedCall } from './unused-results.ts'

const maxLength = 20_000

function textAfter(node: Node): string {
  const fn = namedFunctionAround(node) ?? functionAround(node)
  return fn ? fn.text.slice(node.endIndex - fn.startIndex).slice(0, maxLength) : ''
}

function unwaitedHit(node: Node, title: string, body: string, at = node): Hit {
  return {
    at: firstLine(at),
    fallback: firstLine(node),
    title,
    body,
    severity: 'moderate',
    confidence: 0.8,
    evidence: at === node ? [] : [{ line: lineOf(node), note: 'the work' }],
  }
}

/** The statement after the loop that starts work, or after the statement that does. */
function afterStart(node: Node, name: string): Node {
  const fn = namedFunctionAround(node) ?? functionAround(node)
  const uses = fn ? usesOf(fn, name).filter(({ startIndex }) => startIndex >= node.startIndex) : []
  let statement = statementAround(uses.at(-1) ?? node)
  for (let outer = statement.parent; outer && outer.id !== fn?.id; outer = outer.parent)
    if (/^(?:for|while|foreach|enhanced_for|loop|each)/.test(outer.type))
      statement = statementAround(outer)
  return statementsAfter(statement)[0] ?? statement
}

const intended =
  /fire.and.forget|background|intentional|deliberate|on purpose|not? await|without (?:a?waiting|blocking)|async/i

/** Calls of well-known libraries that do nothing until somebody waits for them. */
const lazyCall = /^asyncio\.(?:sleep|gather|wait|wait_for|to_thread)$/

const connected =
  /(?:prisma|repo(?:sitory)?|db|database|pool|client|redis|store|mailer|gateway|api|service|session|queue|context|manager)$/i

/** A call in an async function that isn't awaited, although the file awaits others like it. */
function checkUnawaited(statement: Node, file: ParsedFile): Hit | undefined {
  const call = statement.namedChild(0)
  const fn = functionAround(statement)
  if (!call || !isCall(call) || statement.namedChildCount !== 1 || !fn) return undefined
  if (!isAsyncFunction(fn) || isUnwatched(file.path)) return undefined
  const isLazy =
    file.language === 'python' &&
    (lazyCall.test(readCall(call).callee) || isOfAsyncObject(call, fn))
  if (!isLazy && !awaitsElsewhere(call, file)) return undefined
  if (isExplained(statement, file, intended)) return undefined
  return unwaitedHit(
    statement,
    `Missing await: nothing waits for ${quoteCode(call.text)}`,
    'When this runs, the function goes on before the work is done, and its errors are lost. Use ' +
      '`await`.',
  )
}

/** Methods of sessions, clients and connections that return coroutines. */
const coroutines =
  /^(?:commit|rollback|flush|refresh|execute\w*|scalars?|delete|merge|fetch\w*|get|post|put|patch|set|publish|close|aclose)$/

/** Python: a call of an object that the function declares, such as `session: AsyncSession`. */
function isOfAsyncObject(call: Node, fn: Node): boolean {
  const { receiver, name } = readCall(call)
  if (!receiver || !/^\w+$/.test(receiver.text) || !coroutines.test(name)) return false
  return new RegExp(
    `\\b${receiver.text}\\s*(?::|=|as)\\s*(?:\\w+\\.)*Async(?:Session|Client|Connection|Engine|Redis)\\w*|\\bAsync(?:Session|Client)\\w*\\([^)\\n]*\\) as ${receiver.text}\\b`,
  ).test(fn.text.slice(0, maxLength))
}

function isAsyncFunction(fn: Node): boolean {
  return /^(?:(?:export|public|private|protected|internal|static|override|virtual|sealed|pub(?:\([^)]*\))?|@\S+|\[[^\]]*\])\s+)*async\b/.test(
    fn.text.slice(0, 300),
  )
}

/** Whether the file awaits the same function, or others of the same object that store things. */
function awaitsElsewhere(call: Node, { text, language }: ParsedFile): boolean {
  const { receiver, written, name } = readCall(call)
  // Who fires an event seldom waits for those who hear it.
  if (!receiver || /^(?:then|catch|finally|on|once|log|destroy|fire|emit)$/.test(name)) return false
  const own = RegExp.escape(written.slice(-100))
  if (new RegExp(`\\bawait ${own}\\(`).test(text)) return true
  const owner = receiver.text
  // In other languages, such objects have many methods that don't have to be awaited.
  if (!/^(?:javascript|typescript|tsx)$/.test(language) || owner.startsWith('window')) return false
  const isStored = effectOf(call) !== undefined && connected.test(owner)
  const statements = text.match(new RegExp(`^\\s*[\\w.?]+\\.${name}\\(`, 'gm')) ?? []
  // What nothing waits for in several places is mostly done at once.
  return (
    isStored &&
    statements.length < 2 &&
    new RegExp(`\\bawait ${RegExp.escape(owner)}\\.`).test(text)
  )
}

const combines =
  '(?:all|allSettled|race|any|WhenAll|WhenAny|WaitAll|gather|wait|as_completed|wait_for)'

/** `results = items.map(async …)`, and then `results.filter(…)`. */
function checkPending(node: Node, file: ParsedFile): Hit | undefined {
  const binding = readVariable(node)
  if (!binding || !isCall(binding.value) || !isPending(binding.value, file)) return undefined
  const { name } = binding
  const rest = textAfter(node)
  const isUsed = new RegExp(
    `\\b${name}\\b(?:\\.(?!then|catch|finally|cancel|done|add_done)\\w|\\[)|\\bin ${name}\\b|\\bof ${name}\\b`,
  ).exec(rest)
  if (!isUsed) return undefined
  const isAwaited = new RegExp(
    `\\bawait ${name}\\b|\\b${combines}\\w*\\([^;]{0,120}\\b${name}\\b|\\breturn ${name}\\b|[(,]\\s*(?:\\.\\.\\.|\\*)?${name}\\s*[,)]|\\bfor await\\b|await \\w+\\b`,
  ).test(rest.slice(0, rest.length))
  if (isAwaited) return undefined
  return unwaitedHit(
    node,
    `\`${name}\` holds work that nothing waits for`,
    `When ${quoteCode(name)} is used below, the work of ${quoteCode(binding.value.text)} isn't ` +
      'done. Wait for it first.',
  )
}

function isPending(call: Node, { language }: ParsedFile): boolean {
  const { name, args, callee } = readCall(call)
  if (language === 'python') return /^asyncio\.(?:gather|to_thread|wait_for)$/.test(callee)
  return /^(?:map|Select)$/.test(name) && /^async\b/.test(args[0]?.text ?? '')
}

/** C#: `items.ForEach(async item => …)`, whose lambda returns nothing. */
function checkAsyncAction(call: Node): Hit | undefined {
  const { name, args } = readCall(call)
  if (!/^(?:ForEach|For)$/.test(name) || !/^async\b/.test(args.at(-1)?.text ?? '')) return undefined
  return unwaitedHit(
    call,
    `${quoteCode(name)} doesn't wait for its async callback`,
    'When this returns, the work has only begun, and an error in it ends the process. Use ' +
      '`foreach` with `await`.',
  )
}

/** Go: groups of goroutines and processes that are started and never waited for. */
function checkGoGroup(node: Node): Hit | undefined {
  const text = node.text.slice(0, 200)
  const name =
    /^(\w+)(?:, \w+)? :?= (?:errgroup\.WithContext\(|new\(errgroup\.Group\)|&?errgroup\.Group\{|&?sync\.WaitGroup\{|exec\.Command(?:Context)?\()/.exec(
      text,
    )?.[1] ?? /^(\w+)\s+(?:errgroup\.Group|sync\.WaitGroup)$/.exec(text)?.[1]
  const rest = name && textAfter(node)
  if (!rest || !new RegExp(`\\b${name}\\.(?:Go|Add|Start|TryGo)\\(`).test(rest)) return undefined
  const isWaited = new RegExp(
    `\\b${name}\\.(?:Wait|Run|Output|CombinedOutput|Process)\\b|[&(,]\\s*${name}\\s*[,)}]|\\breturn\\b[^\\n]*\\b${name}\\b(?!\\.)|[=:] &?${name}\\b(?!\\.)`,
  ).test(rest)
  if (isWaited) return undefined
  return unwaitedHit(
    node,
    `Missing wait: nothing waits for \`${name}\``,
    `When the function returns, what \`${name}\` started may still run, and its errors are lost. ` +
      `Call \`${name}.Wait()\`.`,
    afterStart(node, name),
  )
}

interface Starter {
  /** Matches code that starts work and keeps a handle of it. */
  readonly starts: RegExp
  /** Matches code that waits for such work. */
  readonly waits: RegExp
}

const starters: Readonly<Record<string, Starter>> = {
  ruby: {
    starts: /\bThread\.(?:new|start)\b/,
    waits: /\bjoin\b|\.(?:value|abort_on_exception)\b|&:value|ThreadsWait|\.wait\b/,
  },
  rust: {
    starts: /\b(?:thread|tokio|task|rayon|s|scope)(?:::|\.)spawn(?:_blocking)?\(/,
    waits: /\.join\(|\.await\b|join_all|try_join|JoinSet|FuturesUnordered|\.abort\(|select!|join!/,
  },
  kotlin: { starts: /^(?:\w+\.)?async\b/, waits: /\bawait\w*\b|\bjoin\w*\b/ },
  python: {
    starts: /\b(?:threading\.)?Thread\((?!.*daemon=True)|\bmultiprocessing\.Process\(/s,
    waits: /\bjoin\(|is_alive/,
  },
  java: { starts: /\bnew Thread\(/, waits: /\bjoin\(|await\w*\(|isAlive|setDaemon\(true\)/ },
}

/** `threads = hosts.map { Thread.new { … } }`, and no `join` after it. */
function checkStarted(node: Node, file: ParsedFile): Hit | undefined {
  const starter = starters[file.language]
  const handle = starter && handleOf(node)
  if (!handle || !isStarted(handle.code, starter.starts) || isUnwatched(file.path)) return undefined
  const rest = textAfter(handle.node)
  const { name } = handle
  const own = new RegExp(`\\b${name}\\b`)
  const isKept = new RegExp(
    [
      `\\breturn ${name}\\b|@\\w+ = ${name}\\b|self\\.\\w+\\.?\\w*\\(?${name}`,
      `[(,:=]\\s*&?(?:mut )?${name}\\s*[,)};\\n]`,
    ].join('|'),
  )
  if (isKept.test(rest) || !readsLater(rest)) return undefined
  const waitsForOwn =
    file.language === 'kotlin'
      ? new RegExp(`\\b${name}\\.(?:await|join|cancel)|awaitAll|joinAll`).test(rest)
      : starter.waits.test(rest)
  if (waitsForOwn || (file.language === 'kotlin' && !own.test(rest))) return undefined
  return unwaitedHit(
    handle.node,
    `Missing wait: nothing waits for the work that \`${name}\` holds`,
    'When the function goes on, the work may still run, so its results are missing, and its ' +
      'errors are lost. Wait for it before the results are used.',
    afterStart(handle.node, name),
  )
}

/** Whether code starts work, and doesn't wait for it itself. */
function isStarted(code: string, starts: RegExp): boolean {
  return starts.test(code.slice(0, 2_000)) && !/\.await\b/.test(code)
}

/** Whether code goes on with something, so that it matters whether the work is done. */
function readsLater(rest: string): boolean {
  return /\w/.test(rest.replace(/\bend\b|[\s{}()]/g, ''))
}

/** The variable that keeps the handle of started work: set to it, or appended to. */
function handleOf(node: Node): { name: string; code: string; node: Node } | undefined {
  if (bindingTypes.includes(node.type)) {
    const binding = readVariable(node)
    const code = textOf(binding?.value)
    // A single thread may be meant to go on by itself.
    return binding && /^\[|\.map\b|spawn|^async\b(?!\s+(?:move\b|\{))|\basync \{ /.test(code)
      ? { name: binding.name, code, node }
      : undefined
  }
  const { receiver, name, args } = readCall(node)
  const isAppend = /^(?:push|append|add)$/.test(name) && /^\w+$/.test(receiver?.text ?? '')
  return isAppend && args[0] ? { name: receiver!.text, code: args[0].text, node } : undefined
}

/** Rust: a call of an `async fn` of the file that is never polled. */
function checkRustFuture(node: Node, file: ParsedFile): Hit | undefined {
  const call = node.type === 'let_declaration' ? field(node, 'value') : node.namedChild(0)
  if (call?.type !== 'call_expression') return undefined
  if (node.type === 'let_declaration' && !node.text.startsWith('let _')) return undefined
  const { name, receiver } = readCall(call)
  if (/^(?:tokio\.)?time\.(?:timeout|sleep)$/.test(readCall(call).callee))
    return unpolledHit(node, call)
  if (receiver && !/^(?:self|Self)$/.test(receiver.text)) return undefined
  const definitions = file.declarations.functions(name)
  const [only] = definitions
  if (definitions.length !== 1 || !/^(?:pub(?:\([^)]*\))? )?async /.test(only!.text))
    return undefined
  return unpolledHit(node, call)
}

function unpolledHit(node: Node, call: Node): Hit {
  const { name } = readCall(call)
  return unwaitedHit(
    node,
    `The future of ${quoteCode(name)} is never polled, so nothing happens`,
    `When this runs, ${quoteCode(call.text)} only creates a future. Add \`.await\`.`,
  )
}

/** A binding of a coroutine or promise is dropped: Python forgets tasks that nothing holds. */
function checkOutcome(node: Node, file: ParsedFile): Hit | undefined {
  const call = droppedCall(node, file)
  const table = outcomes[file.language]
  if (!call || !table || isUnwatched(file.path) || isExplained(node, file, /\w/)) return undefined
  const parts = readCall(call)
  const found = table.find(
    ({ callee, when }) => callee.test(parts.callee) && (when?.(call, file) ?? true),
  )
  if (!found) return undefined
  return {
    at: firstLine(call),
    title: `The result of ${quoteCode(call.text)} is ignored, also when it says that it failed`,
    body: `When ${found.failure}, the code goes on as if it had succeeded. ${found.remedy}`,
    severity: 'moderate',
    confidence: 0.8,
  }
}

interface Outcome {
  readonly callee: RegExp
  readonly failure: string
  readonly remedy: string
  readonly when?: (call: Node, file: ParsedFile) => boolean
}

const hasArguments = (call: Node) => readCall(call).args.length > 0

/** Whether other statements follow, which may need what the call did. */
function goesOn(call: Node): boolean {
  return statementsAfter(statementAround(call)).length > 0
}

const jvmOutcomes: readonly Outcome[] = [
  {
    callee: /\.renameTo$/,
    failure: 'the file cannot be moved',
    remedy: 'Use `Files.move`, or test the result.',
  },
  {
    callee: /\.(?:tryLock|tryAcquire)$/,
    failure: 'the lock is not free',
    remedy: 'Test the result.',
  },
  {
    callee: /\.await(?:Termination)?$/,
    failure: 'the time is over before the work is done',
    remedy: 'Test the result.',
    when: (call) => readCall(call).args.length === 2 && goesOn(call),
  },
  {
    callee: /\.offer$/,
    failure: 'the queue is full',
    remedy: 'Use `put` or `add`, or test the result.',
    when: (_call, { text }) => /\b(?:Array|Linked)BlockingQueue(?:<[^>]*>)?\(\s*\w/.test(text),
  },
]

const outcomes: Readonly<Record<string, readonly Outcome[]>> = {
  java: jvmOutcomes,
  kotlin: jvmOutcomes,
  'c-sharp': [
    {
      callee: /\.(?:TryEnter|WaitOne)$/,
      failure: 'it returns `false`',
      remedy: 'Test the result.',
      when: (call) => hasArguments(call),
    },
  ],
  python: [
    {
      callee: /^(?:subprocess\.(?:run|call)|os\.system)$/,
      failure: 'the command fails',
      remedy: 'Pass `check=True`, or test the return code.',
      when: (call) => !/\bcheck\s*=/.test(call.text) && goesOn(call),
    },
    {
      callee: /\.acquire$/,
      failure: 'the lock is not free',
      remedy: 'Test the result.',
      when: (call, { text }) =>
        /timeout|blocking=False|\(False/.test(call.text) && !/filelock/i.test(text),
    },
  ],
  ruby: [
    {
      callee: /^(?:Kernel\.)?system$/,
      failure: 'the command fails',
      remedy: 'Pass `exception: true`, or test the result.',
      when: (call) => !/exception:/.test(call.text) && goesOn(call),
    },
    {
      callee: /^@?[a-z]\w*\.(?:save|update|update_attributes)$/,
      failure: 'a validation fails',
      remedy: 'Use the method with `!`, or test the result.',
      when: (call, { path }) =>
        /^(?:.*\/)?app\/(?:controllers|jobs|services|models|workers|interactors|mailers|commands|operations)\//.test(
          path,
        ) &&
        !/digest|hash|sha|hmac|md5|cipher|file|config|validate: ?false/i.test(call.text) &&
        goesOn(call) &&
        claimsSuccess(call),
    },
  ],
  go: [
    {
      callee: /^\w*[cC]md\.(?:Run|Start|Wait)$/,
      failure: 'the command fails',
      remedy: 'Check the error.',
    },
  ],
}

/** Whether what follows reports that a call succeeded. */
function claimsSuccess(call: Node): boolean {
  const rest = statementsAfter(statementAround(call)).map(({ text }) => text)
  return /\b(?:notice|success|flash|deliver\w*|perform_later|perform_async|head :ok|true)\b/.test(
    rest.join('\n').slice(0, 2_000),
  )
}

/** Checks for work that nothing waits for. */
export const unwaitedWork: readonly SyntaxCheck[] = [
  { nodes: ['expression_statement'], check: checkUnawaited },
  { nodes: bindingTypes, check: checkPending },
  { nodes: [...bindingTypes, 'call_expression', 'method_invocation', 'call'], check: checkStarted },
]

/** Checks of one language each. */
export const unwaitedWorkOf = {
  go: [
    { nodes: ['short_var_declaration', 'var_spec', 'assignment_statement'], check: checkGoGroup },
  ],
  'c-sharp': [{ nodes: ['invocation_expression'], check: checkAsyncAction }],
  rust: [{ nodes: ['let_declaration', 'expression_statement'], check: checkRustFuture }],
} satisfies Readonly<Record<string, readonly SyntaxCheck[]>>

/** Reports calls as statements whose result says whether they failed. */
export const ignoredOutcomes: SyntaxCheck = {
  nodes: ['expression_statement', 'call_expression', 'call'],
  check: checkOutcome,
}
