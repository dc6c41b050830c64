// Finds resources that are closed only if nothing goes wrong: some path leaves the function before.
import type { Node } from 'web-tree-sitter'
import type { Hit, ParsedFile, SyntaxCheck } from './syntax-check.ts'
import { field, fieldText, findNodes, firstLine, lineOf, quoteCode } from './syntax-nodes.ts'

interface GoodPathClose {
  /** The types of nodes that set a variable. */
  readonly bindings: readonly string[]
  /** Matches the code of a value that has to be closed. */
  readonly opens: RegExp
  /** Names of the methods that close it, or that take it back as their argument. */
  readonly closers: string
  /** Which line has to change: the one that opens, closes or leaves. */
  readonly at: 'open' | 'close' | 'exit'
  readonly remedy: string
}

const binding =
  /^(?:(?:const|let|var|val|final|mut)\s+)*(?:[A-Z][\w<>?.]{0,60}\s+)?(?:Some\(\s*(?:mut\s+)?)?\$?(\w+)\)?(?:, err)?\s{0,5}(?::\s*[\w<>?.]{1,60})?\s{0,5}:?=\s{0,40}(?:await\s+)?([\s\S]*)/

/** Longer blocks are not read, so that the work is bounded. */
const maxStatements = 60
const maxLength = 8_000

const exitTypes = [
  'return_statement',
  'throw_statement',
  'raise_statement',
  'return_expression',
  'throw_expression',
  'try_expression',
  'return',
  'call',
]
const inner = /lambda|closure|arrow_function|function|do_block|block_argument|anonymous/

export function checkGoodPathClose(syntax: GoodPathClose): SyntaxCheck {
  return { nodes: syntax.bindings, check: (node, file) => findLeak(node, file, syntax) }
}

function findLeak(node: Node, file: ParsedFile, syntax: GoodPathClose): Hit | undefined {
  const [, name, value = ''] = binding.exec(node.text.slice(0, 600)) ?? []
  if (!name || !syntax.opens.test(value.slice(0, 200))) return undefined
  const statement = node.parent?.type === 'expression_statement' ? node.parent : node
  const rest = codeAfter(statement)
  const closing = closingOf(name, syntax)
  const end = rest.findLastIndex(({ text }) => closing.test(text.slice(0, maxLength)))
  const close = rest[end]
  if (!close || isBranching(close) || isKept(name, statement, rest)) return undefined
  const exit = rest
    .slice(isErrorTest(rest[0]!, file) ? 1 : 0, end)
    .map((between) => findExit(between, name, closing, file))
    .find((found) => found !== undefined)
  return exit && leakHit(name, statement, close, exit, syntax)
}

/** Go tests in the next statement whether something was opened at all. */
function isErrorTest(statement: Node, { language }: ParsedFile): boolean {
  return language === 'go' && statement.type === 'if_statement'
}

function closingOf(name: string, { closers }: GoodPathClose): RegExp {
  return new RegExp(
    `(?<![\\w.])${name}[?&]?\\.(?:${closers})\\b|(?<!\\w)(?:${closers})\\(\\s*&?(?:mut )?\\$?${name}\\s*\\)`,
  )
}

function codeAfter(statement: Node): Node[] {
  const all = statement.parent?.namedChildren ?? []
  const rest = all.filter((other) => other.startIndex >= statement.endIndex)
  return rest.slice(0, maxStatements)
}

function isBranching({ type }: Node): boolean {
  return /^(?:if|for|while|try|switch|match|when|unless|case|begin|with|using|ensure|rescue)/.test(
    type,
  )
}

/** Whether the resource is also closed elsewhere, or kept for longer than the function. */
function isKept(name: string, statement: Node, rest: readonly Node[]): boolean {
  const word = new RegExp(`\\b${name}\\b`)
  let owner: Node = statement
  for (let count = 0; owner.parent && count < 30; count++) {
    if (/^(?:function|method|singleton_method|constructor|func)/.test(owner.type)) break
    owner = owner.parent
  }
  const guards = [
    'finally_clause',
    'finally_block',
    'ensure',
    'defer_statement',
    'with_statement',
    'using_statement',
    'rescue',
  ]
  if (findNodes(owner, ...guards).some(({ text }) => word.test(text))) return true
  const code = rest
    .map(({ text }) => text)
    .join('\n')
    .slice(0, maxLength)
  return new RegExp(
    `(?:[=:]|\\breturn|\\bnew \\w+\\(|<<|\\b(?:push|add|append|insert|set\\w*)\\()\\s*&?\\$?${name}\\s*(?:[;,)}\\n]|$)|\\b${name}\\??\\.(?:use|let|apply)\\b|closing\\(${name}|[{,]\\s*${name}\\s*\\}`,
  ).test(code)
}

/** The first code that leaves the function, without having closed the resource. */
function findExit(
  statement: Node,
  name: string,
  closing: RegExp,
  file: ParsedFile,
): Node | undefined {
  const raising = findRaisingCall(statement, name, file)
  if (raising) return raising
  const exits = [statement, ...findNodes(statement, ...exitTypes)].filter((node) => isExit(node))
  return exits.find((exit) => {
    const before = statement.text.slice(0, exit.startIndex - statement.startIndex)
    return !closing.test(before.slice(-maxLength)) && !isHarmless(exit, statement, name)
  })
}

function isExit(node: Node): boolean {
  if (node.type === 'try_expression') return node.text.endsWith('?')
  if (node.type === 'call') return fieldText(node, 'method') === 'raise' && !field(node, 'receiver')
  return exitTypes.includes(node.type) && node.isNamed
}

/** Whether an exit is caught, belongs to an inner function, or is taken if nothing was opened. */
function isHarmless(exit: Node, statement: Node, name: string): boolean {
  const throws = /throw|raise|call|try/.test(exit.type)
  let child = exit
  for (
    let node = exit.parent;
    node && child.id !== statement.id;
    child = node, node = node.parent
  ) {
    if (inner.test(node.type) && !/body|block$/.test(node.type)) return true
    const isTested =
      /^(?:if|unless|guard)/.test(node.type) &&
      new RegExp(
        `[!]\\s*\\$?${name}\\b(?!\\s*[.(\\[])|\\b${name}\\b\\s*(?:[!=]==?|is|<)|\\b(?:not|unless|if) ${name}\\b(?!\\s*[.(\\[])|\\b(?:false|null) [!=]==? \\$?${name}\\b|\\b${name}\\.(?:nil|is_none)`,
      ).test(fieldText(node, 'condition'))
    if (isTested) return true
    const isCaught =
      throws &&
      /^try_statement$|^begin$/.test(node.type) &&
      field(node, 'body')?.id === child.id &&
      /\b(?:catch|except|rescue)\b/.test(node.text)
    if (isCaught) return true
  }
  return false
}

/** A call that passes the resource to a function of the file that raises an error. */
function findRaisingCall(statement: Node, name: string, file: ParsedFile): Node | undefined {
  if (!/^(?:python|ruby)$/.test(file.language) || isBranching(statement)) return undefined
  return findNodes(statement, 'call').find((call) => {
    const callee = /^(?:self\.)?(\w+)[( ]/.exec(call.text)?.[1]
    const args = field(call, 'arguments')
    if (!callee || !args || !new RegExp(`[( ,]${name}\\s*[,)\\n]`).test(`${args.text}\n`))
      return false
    const functions = findNodes(file.root, 'function_definition', 'method')
    return functions.some(
      (fn) => fieldText(fn, 'name') === callee && /^\s*raise\b/m.test(fn.text.slice(0, maxLength)),
    )
  })
}

function leakHit(
  name: string,
  open: Node,
  close: Node,
  exit: Node,
  { at, remedy }: GoodPathClose,
): Hit {
  const resource = quoteCode(name)
  const places = [
    { role: 'open', node: open, note: 'opened here' },
    { role: 'close', node: close, note: 'closed here' },
    { role: 'exit', node: exit, note: 'may leave the function before' },
  ]
  const reported = places.find(({ role }) => role === at)!
  return {
    at: firstLine(reported.node),
    title: `Resource leak: ${resource} stays open if line ${lineOf(exit)} leaves the function`,
    body:
      `When the function ends at ${quoteCode(exit.text)}, nothing closes ${resource}. If that ` +
      `happens often, the process runs out of files or connections. ${remedy}`,
    evidence: places
      .filter((place) => place !== reported)
      .map(({ node, note }) => ({ line: lineOf(node), note })),
  }
}
