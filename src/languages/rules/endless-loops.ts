// Finds loops that continue in the same state: at the end of input, or before what advances.
import type { Node } from 'web-tree-sitter'
import {
  checkBisection,
  checkDirection,
  checkFixedCondition,
  checkNeverEmptied,
  checkNoExit,
  checkResetCounter,
  checkResetRetry,
  checkSameStep,
} from './loop-progress.ts'
import { openLoopTypes } from './statements.ts'
import type { Hit, ParsedFile, SyntaxCheck } from './syntax-check.ts'
import { field, firstLine, quoteCode } from './syntax-nodes.ts'
import { bareConditionOf, checkRetry, checkUnchanged, readLoop } from './unchanged-loops.ts'

/** Larger loops are not read, so that the work is bounded. */
const maxLoopLength = 8_000
const maxAncestors = 12

const loops = /^(?:(?:while|loop|for)(?:_statement|_expression)?|do_statement)$/
const otherOwners =
  /^(?:for_in|for_of|foreach|enhanced_for|until|do_while)|catch|rescue|except|switch|match|when|lambda|closure|function/
const branchTypes = /^if(?:_statement|_expression|_modifier)?$/

interface Continued {
  readonly loop: Node
  readonly branch: Node
  readonly condition: string
  /** The code of the loop before the branch, and after it. */
  readonly before: string
  readonly after: string
}

/** Reads the branch that does nothing but continue the loop around it, apart from a log message. */
function readContinue(node: Node): Continued | undefined {
  // A label follows.
  if (!/^(?:continue|next);?$/.test(node.text)) return undefined
  const { branch, loop } = findAround(node)
  const condition = branch && field(branch, 'condition')
  if (!loop || !branch || !condition || field(branch, 'alternative')) return undefined
  if (loop.text.length > maxLoopLength) return undefined
  const { startIndex, text } = loop
  return {
    loop,
    branch,
    condition: condition.text.replace(/^\(([\s\S]*)\)$/, '$1'),
    before: text.slice(0, branch.startIndex - startIndex),
    after: text.slice(branch.endIndex - startIndex),
  }
}

/** The nearest branch and loop around a node; none if what it continues isn't clear. */
function findAround(node: Node): { branch?: Node | undefined; loop?: Node } {
  let branch: Node | undefined
  let ancestor = node.parent
  for (let count = 0; ancestor && count < maxAncestors; count++) {
    if (loops.test(ancestor.type)) return { branch, loop: ancestor }
    if (otherOwners.test(ancestor.type)) return {}
    if (branchTypes.test(ancestor.type) && ancestor.isNamed) branch ??= ancestor
    ancestor = ancestor.parent
  }
  return {}
}

/** What a read returns at the end of its input: nothing, or a length of 0. */
const endOfInput: Readonly<Record<string, RegExp>> = {
  rust: /^(\w+) == 0$/,
  python: /^not (\w+)$|^len\((\w+)\) == 0$|^(\w+) == b?(?:''|"")$/,
  'c-sharp': /^(\w+) == 0$|^(\w+) (?:==|is) null$/,
  java: /^(\w+) == (?:null|-1)$|^(\w+) < 0$/,
  kotlin: /^(\w+) == (?:null|-1)$|^(\w+) < 0$/,
  php: /^\$(\w+) === (?:false|'')$/,
  ruby: /^(\w+)\.nil\?$/,
  go: /^(\w+) == io\.EOF$/,
}

const reads =
  '(?:read|read_line|read_until|read_exact|readLine|readline|Read|ReadAsync|ReadLine|ReadLineAsync|ReadString|ReadBytes|recv|gets|fgets|fread|readpartial)'

/** Shows that more input may come later. */
const waits =
  /EAGAIN|WouldBlock|BlockingIOError|non_?block|\bpoll|select|sleep|wait\(|delay|tail|follow|seek|errno|ready|timeout/i

/** `if read == 0 { continue; }`: at the end of the input, the next read returns 0 again. */
function checkEndOfInput(node: Node, file: ParsedFile): Hit | undefined {
  const found = readContinue(node)
  const expected = endOfInput[file.language]
  if (!found || !expected || !isUnbounded(found.loop)) return undefined
  const code = found.loop.text
  if (waits.test(code)) return undefined
  for (const operand of found.condition.split(/\s*(?:\|\||\bor\b)\s*/).slice(0, 10)) {
    const name = expected
      .exec(operand)
      ?.slice(1)
      .find((group) => group !== undefined)
    if (!name || !isRead(name, found.before) || isTestedElsewhere(name, found)) continue
    return {
      at: firstLine(node),
      title: `Infinite loop: ${quoteCode(operand)} continues it at the end of the input`,
      body:
        'When the other side closes the connection or the file ends, each further read returns ' +
        'the same at once, and the loop never ends. Leave it there.',
    }
  }
  return undefined
}

function isUnbounded(loop: Node): boolean {
  if (loop.type === 'loop_expression') return true
  const test = field(loop, 'condition') ?? bareConditionOf(loop)
  const condition = (test?.text ?? '').replace(/[()]/g, '')
  return /^(?:|true|True|1)$/.test(condition)
}

function isRead(name: string, before: string): boolean {
  return new RegExp(`\\b${name}\\b[^=\\n]{0,40}=(?!=)[^;\\n]{0,200}[.\\b ]${reads}\\(`).test(before)
}

function isTestedElsewhere(name: string, { before, after }: Continued): boolean {
  const test = new RegExp(
    `\\b${name}\\b\\s*(?:[!=]=|[<>]|is\\b|\\.(?:nil|is_empty))|(?:not|!)\\s*\\$?${name}\\b`,
  )
  return test.test(before) || test.test(after)
}

/** Calls whose result differs each time, although they get the same values. */
const changingCalls =
  /poll|recv|receive|read|take|accept|rand|(?<!a)wait|sleep|delay|pop\b|shift|dequeue|next|prompt|input|scan|lock|compare|swap|fgets|\bgets|<-|\.get\(\)|generate|create|retry|fetch\(\)|advance|consume|skip|step|\+\+|--/i

/** Functions in the condition of a loop that only look at their arguments. */
const lookups =
  /\b(?:strpos|stripos|mb_strpos|strlen|count|len|indexOf|find|size|length|Count|isset|empty|is_null|charAt|is_some|is_none|sizeof)\s*\(/g

/** `while (cursor) { …; if (isEmpty(page)) continue; cursor = page.next }`. */
function checkNoProgress(node: Node): Hit | undefined {
  const found = readContinue(node)
  const condition = found && (field(found.loop, 'condition') ?? bareConditionOf(found.loop))
  if (!condition || advancesItself(found.loop) || isUnbounded(found.loop)) return undefined
  const isTestedFirst = condition.startIndex < node.startIndex
  const skipped = isTestedFirst ? condition.endIndex - found.loop.startIndex : 0
  const before = found.before.slice(skipped)
  if (callsOthers(condition) || mayChange(before, found)) return undefined
  const names = [...new Set(condition.text.match(/\b[a-z_]\w*\b/g) ?? [])].slice(0, 10)
  const moved = names.filter((name) => changes(name).test(found.after))
  const earlier = (before + found.branch.text).replaceAll(/"[^"\n]{0,300}"/g, '""')
  if (names.some((name) => changes(name).test(earlier))) return undefined
  const cause = moved.findLast((each) => isDerived(each, before, found.condition, condition.text))
  if (!cause) return undefined
  const name = quoteCode(cause)
  return {
    at: firstLine(node),
    title: `This \`continue\` repeats the loop before ${name} has changed`,
    body:
      `When it is reached, the next round works with the same ${name} and comes here again, so ` +
      `the loop may never end. Change ${name} first, or leave the loop.`,
  }
}

/** Whether the condition of a loop calls what may return something else each time. */
function callsOthers({ text }: Node): boolean {
  const rest = text.replace(/^\(|\(\$/g, '').replaceAll(lookups, '')
  return rest.replace(/\(\s*\$?\w+ =/g, '').includes('(')
}

/** Whether what a branch tests may be different the next time. */
function mayChange(before: string, { branch, condition }: Continued): boolean {
  const isWaiting = /await|sleep/.test(branch.text)
  return isWaiting || changingCalls.test(before) || changingCalls.test(condition)
}

/** `for (…; …; i++)` and Python's `for x in xs`, but not Go's `for i < n`. */
function advancesItself(loop: Node): boolean {
  if (!loop.type.startsWith('for')) return false
  return loop.children.some(({ type }) => /^(?:\(|in)$|_clause$/.test(type))
}

/** Matches code that may give a variable another value. */
function changes(name: string): RegExp {
  return new RegExp(
    `(?<![\\w.>])\\$?${name}\\s*(?:[-+*/.|&?]{0,2}=(?![=>])|\\+\\+|--|:=|\\.(?!length|size|count|Count|Length)\\w+\\()|(?:\\+\\+|--|&|&mut |ref |out )\\s*\\$?${name}\\b|[,\\[]\\s*\\$?${name}\\s*[\\],][^=\\n]{0,80}=(?!=)`,
  )
}

const valuesToSemicolon = /\b(\w+)(?:\s*:\s*[\w<>[\]., |?]{1,60})?\s*:?=(?![=>])(?=([^;]{1,400}))/g
const valuesToLineEnd = /\b(\w+)(?:\s*:\s*[\w<>[\]., |?]{1,60})?\s*:?=(?![=>])(?=([^\n]{1,400}))/g

/** Whether what a branch tests follows from the value of a variable. */
function isDerived(name: string, before: string, test: string, loopCondition: string): boolean {
  let known = new Set([name])
  const set = before.includes(';') ? valuesToSemicolon : valuesToLineEnd
  for (const [, target, value] of `${loopCondition}\n;${before}`.matchAll(set)) {
    if (mentions(value!, known)) known = new Set([...known, target!])
    if (known.size > 20) break
  }
  return mentions(test, known)
}

function mentions(code: string, names: ReadonlySet<string>): boolean {
  return (code.match(/\b\w+\b/g) ?? []).some((word) => names.has(word))
}

const continues = ['continue_statement', 'continue_expression', 'next', 'identifier']

export const endlessLoops: readonly SyntaxCheck[] = [
  {
    nodes: continues,
    check: (node, file) =>
      node.isNamed && /^(?:continue|next)\b/.test(node.text)
        ? (checkEndOfInput(node, file) ?? checkNoProgress(node))
        : undefined,
  },
  {
    nodes: [...openLoopTypes, 'call'],
    wholeFunction: true,
    check(node, file) {
      const loop = readLoop(node)
      // When a coroutine is canceled, the loop ends where it waits.
      if (file.language === 'kotlin' && /\bdelay\(/.test(node.text)) return undefined
      return (
        loop &&
        (checkUnchanged(loop, file) ??
          checkNoExit(loop) ??
          checkNeverEmptied(loop) ??
          checkFixedCondition(loop) ??
          checkResetCounter(loop) ??
          checkBisection(loop, file.language) ??
          checkDirection(loop) ??
          checkSameStep(loop))
      )
    },
  },
  { nodes: ['retry'], check: (node) => checkRetry(node) ?? checkResetRetry(node) },
]
