// Finds resources that are closed only if nothing goes wrong: some path leaves the function before.
import type { Node } from 'web-tree-sitter'
import { bindingTypes, readVariable } from './bindings.ts'
import { callAndNewTypes, isCall, readCall } from './calls.ts'
import { isUnwatched } from './developer-tools.ts'
import { blockOf } from './effects.ts'
import { functionAround } from './functions.ts'
import { awaitedValue } from './operations.ts'
import { statementAround, statementsAfter, statementsOf } from './statements.ts'
import type { Hit, ParsedFile, RuleEvidence, SyntaxCheck } from './syntax-check.ts'
import {
  field,
  fieldText,
  findNodes,
  firstLine,
  lineOf,
  quoteCode,
  textOf,
} from './syntax-nodes.ts'

const maxLength = 8_000

const exitTypes = [
  ...['return_statement', 'throw_statement', 'raise_statement', 'return_expression'],
  ...['throw_expression', 'return', 'jump_expression', 'call', 'try_expression'],
]

const handlerTypes = ['catch_clause', 'catch_block', 'except_clause', 'rescue']

const cleanupTypes = ['finally_clause', 'finally_block', 'ensure']

/** Methods that close what they are called on. */
const closingMethods = [
  ...['close!?', 'Close', '[cC]loseAsync', 'aclose', '[dD]ispose', 'DisposeAsync', 'recycle'],
  ...['[rR]elease', 'releaseLock', '[dD]isconnect', 'destroy', 'Stop', 'finish'],
].join('|')

/** Functions and methods that close their argument, or take it back. */
const closingFunctions = [
  ...['[fp]close', 'gzclose', 'closedir', 'curl_close', 'proc_close', 'ftp_close', 'imagedestroy'],
  ...[
    'putconn',
    'checkin',
    'check_in',
    'give_back',
    'put_back',
    'put',
    'recycle',
    'close\\w*',
    'release\\w*',
    'return(?:Object|Connection|_conn\\w*)',
  ],
].join('|')

/** Matches code that closes a variable. */
function closingOf(name: string): RegExp {
  const own = RegExp.escape(name)
  return new RegExp(
    `(?<![\\w.])${own}[?&!]*(?:\\.|->)(?:Body\\.)?(?:${closingMethods})(?![\\w=])|\\b(?:${closingFunctions})\\(\\s*&?${own}\\s*[,)]`,
  )
}

/** Names of functions that give a resource to their caller; domain objects have `close`, too. */
const opens = new RegExp(
  `^(?:${[
    ...[
      '\\w*[oO]pen\\w*',
      '\\w*[cC]onn(?:ect)?\\w*',
      'acquire\\w*',
      'check_?out',
      'take',
      'borrow\\w*',
    ],
    ...['lease', 'launch', '[dD]ial\\w*', 'accept', '[lL]isten\\w*', 'popen', 'rawQuery', 'query'],
    ...['[eE]xecute(?:Query|Reader)\\w*', 'prepare\\w*', 'get_?[cC]onn\\w*', 'urlopen', 'tmpfile'],
    ...['\\w*(?:Stream|Reader|Writer|Connection|Client|Socket|File|Session|Cursor|Channel)\\w*'],
    ...[
      'S?FTP',
      'SMTP',
      'IMAP',
      'SSH',
      '\\w*(?:Archive|Server|Scanner|Watcher|Runner|Lock|Document|Workbook)',
    ],
  ].join('|')})$`,
)

function checkExit(node: Node, file: ParsedFile): Hit | undefined {
  const binding = readVariable(node)
  if (!binding || /^[_@]/.test(binding.name) || isUnwatched(file.path)) return undefined
  const closing = closingOf(binding.name)
  const open = statementAround(node)
  const rest = statementsAfter(open)
  const end = rest.findIndex((next) => closing.test(next.text.slice(0, maxLength)))
  const close = rest[end]
  if (!close || isReleased(binding.name, { open, close, rest }, file)) return undefined
  const isSure = isCleanup(close, closing)
  if (!givesResource(awaitedValue(binding.value), open, isSure)) return undefined
  const places = { name: binding.name, open, close, closing }
  if (!isSure && isBranching(close)) return checkTried(places, rest)
  const first = rest.findIndex(({ type }) => type !== 'var_declaration')
  for (const between of rest.slice(isErrorTest(rest[first]!, file) ? first + 1 : 0, end)) {
    const exit = findExit(between, binding.name, file)
    if (exit) return exitHit(places, exit, file)
  }
  return undefined
}

/** Whether others close it, or Rust does, which puts nothing back where it was taken from. */
function isReleased(
  name: string,
  { open, close, rest }: { open: Node; close: Node; rest: readonly Node[] },
  { language }: ParsedFile,
): boolean {
  if (isKept(name, open, rest)) return true
  return language === 'rust' && new RegExp(`\\b${RegExp.escape(name)}\\.`).test(close.text)
}

/** Whether a call gives what has to be closed: code that surely closes it shows that. */
function givesResource(value: Node, open: Node, isSure: boolean): boolean {
  return isCall(value) && (isSure || opens.test(openedBy(value))) && !wrapsOpened(value, open)
}

/** Python: whether a value is made of what a `with` around it closes. */
function wrapsOpened(value: Node, open: Node): boolean {
  const own = readCall(value).args.map(({ text }) => RegExp.escape(text))
  const opened = new RegExp(`\\bas (?:${own.join('|')}):`)
  for (let owner = open.parent; own.length > 0 && owner; owner = owner.parent)
    if (owner.type === 'with_statement' && opened.test(owner.text.split('\n')[0]!)) return true
  return false
}

/** The name of a function or class whose call gives a resource. */
function openedBy(call: Node): string {
  const { name, receiver } = readCall(call)
  return name === 'new' || name === 'start' ? (/\w+$/.exec(textOf(receiver))?.[0] ?? '') : name
}

interface Places {
  readonly name: string
  readonly open: Node
  readonly close: Node
  readonly closing: RegExp
}

/** Go tests in the next statement whether something was opened at all. */
function isErrorTest(statement: Node, { language }: ParsedFile): boolean {
  return language === 'go' && statement.type === 'if_statement'
}

/** Whether a statement closes a resource however its code ends. */
function isCleanup(statement: Node, closing: RegExp): boolean {
  if (statement.type === 'defer_statement') return true
  return findNodes(statement, ...cleanupTypes).some(({ text }) => closing.test(text))
}

function isBranching({ type }: Node): boolean {
  return /^(?:if|for|while|try|switch|match|when|unless|case|begin|with|using|ensure|rescue)/.test(
    type,
  )
}

/** Whether the resource is kept for longer than the function, or closed by code around it. */
function isKept(name: string, statement: Node, rest: readonly Node[]): boolean {
  if (/^(?:await )?using\b/.test(statement.text)) return true
  const word = new RegExp(`(?<![\\w$])${RegExp.escape(name)}(?!\\w)`)
  const fn = functionAround(statement)
  for (let owner = statement.parent; owner && owner.id !== fn?.id; owner = owner.parent) {
    const cleanups = owner.namedChildren.filter(({ type }) => cleanupTypes.includes(type))
    if (cleanups.some(({ text }) => word.test(text))) return true
  }
  const code = rest
    .map(({ text }) => text)
    .join('\n')
    .slice(0, maxLength)
  const own = RegExp.escape(name)
  return new RegExp(
    `(?:[=:]|\\breturn|\\bnew \\w+\\(|<<|\\b(?:push|add|append|insert|set\\w*)\\()\\s*&?${own}\\s*(?:[;,)}\\n]|$)|(?<![\\w$])${own}\\??\\.(?:use|let|apply)\\b|closing\\(${own}|[{,]\\s*${own}\\s*\\}`,
  ).test(code)
}

/** The first code that leaves the function before the resource is closed. */
function findExit(statement: Node, name: string, file: ParsedFile): Node | undefined {
  const exits = [statement, ...findNodes(statement, ...exitTypes)].filter(isExit)
  const exit = exits.find((each) => !isHarmless(each, statement, name))
  return exit ?? findThrowingCall(statement, file)
}

function isExit(node: Node): boolean {
  if (node.type === 'call') return fieldText(node, 'method') === 'raise' && !field(node, 'receiver')
  if (node.type === 'try_expression') return node.text.endsWith('?')
  if (node.type === 'jump_expression') return /^(?:return|throw)/.test(node.text)
  return exitTypes.includes(node.type) && node.isNamed
}

/** Whether an exit is caught, belongs to an inner function, or is taken if nothing was opened. */
function isHarmless(exit: Node, statement: Node, name: string): boolean {
  const own = RegExp.escape(name)
  const isMissing = new RegExp(
    `!\\s*${own}(?![\\w.([-])|(?<![\\w$])${own}(?:\\.Body)?\\s*(?:[!=]==?|is\\b|<)|\\b(?:not|unless|if) ${own}(?![\\w.([])|\\b(?:false|null) [!=]==? ${own}(?!\\w)|(?<![\\w$])${own}(?:\\.nil|\\.is_none|\\?\\.)|is_resource\\(${own}`,
  )
  if (functionAround(exit)?.id !== functionAround(statement)?.id) return true
  let child = exit
  for (
    let node = exit.parent;
    node && child.id !== statement.id;
    child = node, node = node.parent
  ) {
    if (/^(?:if|unless|guard)/.test(node.type) && isMissing.test(fieldText(node, 'condition')))
      return true
    if (/throw|raise|call/.test(exit.type) && handles(node, child)) return true
  }
  return false
}

/** Whether a node is a `try` with a handler for the code in it. */
function handles(node: Node, code: Node): boolean {
  const isTried = /^(?:try|begin)/.test(node.type) && field(node, 'body')?.id === code.id
  return isTried && findNodes(node, ...handlerTypes).length > 0
}

/** A call of a function of the file that throws. */
function findThrowingCall(statement: Node, { declarations, language }: ParsedFile) {
  if (/^(?:go|rust)$/.test(language) || isBranching(statement)) return undefined
  const throwing = /^\s*(?:raise|throw)\b/m
  return findNodes(statement, ...callAndNewTypes).find((call) => {
    if (functionAround(call)?.id !== functionAround(statement)?.id) return false
    const { receiver, name } = readCall(call)
    if (receiver && !/^(?:\$?this|self|super)$/.test(receiver.text)) return false
    const all = [...declarations.functions(name), ...declarations.methods(name)]
    return all.length === 1 && throwing.test(all[0]!.text.slice(0, maxLength))
  })
}

/** `try { use(x); x.close() } catch { throw … }`, where the handler leaves `x` open. */
function checkTried({ name, open, close: tried, closing }: Places, rest: readonly Node[]) {
  const body = blockOf(tried)
  if (!/^try/.test(tried.type) || !body) return undefined
  const handlers = findNodes(tried, ...handlerTypes).filter(({ parent }) => parent?.id === tried.id)
  const leaky = handlers.find(({ text }) => !closing.test(text))
  const inner = statementsOf(body)
  const end = inner.findIndex((next) => closing.test(next.text) && !isBranching(next))
  const failing = inner
    .slice(0, Math.max(end, 0))
    .find((next) => findNodes(next, ...callAndNewTypes).length > 0)
  const isClosedLater = rest.some(
    (next) => next.startIndex > tried.endIndex && closing.test(next.text),
  )
  if (!leaky || !failing || isClosedLater) return undefined
  return leakHit(name, inner[end]!, open, failing, [
    { line: lineOf(failing), note: 'this may fail' },
    { line: lineOf(leaky), note: 'this leaves it open' },
  ])
}

function exitHit({ name, open, close }: Places, exit: Node, { language }: ParsedFile): Hit {
  const [at, fallback] = isCall(exit) ? [exit, open] : placesOf(language, open, close, exit)
  return leakHit(name, at, fallback, exit, [
    { line: lineOf(open), note: 'opened here' },
    { line: lineOf(exit), note: 'may leave the function' },
    { line: lineOf(close), note: 'closed here' },
  ])
}

/** The line to change: where a statement for it opens, where it is closed, or the exit. */
function placesOf(language: string, open: Node, close: Node, exit: Node): [Node, Node] {
  if (/^(?:python|java|kotlin|c-sharp)$/.test(language)) return [open, exit]
  return /^(?:javascript|typescript|tsx|ruby)$/.test(language) ? [close, exit] : [exit, open]
}

function leakHit(
  name: string,
  at: Node,
  fallback: Node,
  exit: Node,
  evidence: readonly RuleEvidence[],
): Hit {
  return {
    at: firstLine(at),
    fallback: firstLine(fallback),
    title:
      `Resource leak: ${quoteCode(name)} stays open if line ${lineOf(exit)} leaves the ` +
      'function',
    body:
      `When the function ends at ${quoteCode(exit.text)}, nothing closes ${quoteCode(name)}. If ` +
      'that happens often, the process runs out of files or connections. Close it on every path.',
    evidence: evidence.filter(({ line }) => line !== lineOf(at)),
  }
}

/** Reports what later code closes, unless the function leaves before. */
export const goodPathClose: SyntaxCheck = {
  nodes: bindingTypes,
  wholeFunction: true,
  check: checkExit,
}
