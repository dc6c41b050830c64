// Finds loops whose bound doesn't fit what they read, in all languages, by the text of their heads.
import type { Node } from 'web-tree-sitter'
import { measuredList } from './index-bounds.ts'
import { functionTextOf, textAfter, textBefore } from './local-values.ts'
import { loopTypes } from './statements.ts'
import type { Hit } from './syntax-check.ts'
import { field, firstLine, quoteCode } from './syntax-nodes.ts'

/** Heads and bodies of loops are read up to these lengths. */
const maxHead = 200
const maxBody = 10_000

/** Loops, and in Ruby calls with a block. */
export const loopNodes: readonly string[] = [...loopTypes, 'call']

/** The numbers that a loop counts. */
interface Counted {
  readonly name: string
  readonly first: string
  readonly end: string
  /** Whether the loop runs for its end, too. */
  readonly includesEnd: boolean
}

/** Checks loops that count, and those that collect elements. */
export function checkLoop(loop: Node): Hit | undefined {
  const body = bodyOf(loop)
  if (!body) return undefined
  const head = loop.text.slice(0, Math.min(maxHead, body.startIndex - loop.startIndex))
  const text = body.text.slice(0, maxBody)
  const flat = `${head.replace(/\s+/g, ' ')}${isBlock(loop) ? text.slice(0, 30) : ''}`
  const counted = readCounted(flat)
  return (
    (counted &&
      (checkPages(loop, counted, text) ??
        checkWindows(loop, counted, text) ??
        checkPastEnd(loop, counted, text) ??
        checkLostLast(loop, counted, text))) ??
    checkCountdown(loop, flat, text) ??
    checkPagedWhile(loop, flat, text) ??
    checkChunks(loop, flat) ??
    checkUnflushed(loop, text)
  )
}

function bodyOf(loop: Node): Node | undefined {
  if (!/^call/.test(loop.type)) return field(loop, 'body') ?? loop.namedChildren.at(-1)
  const block = field(loop, 'block')
  return block && /^(?:do_block|block)$/.test(block.type) ? block : undefined
}

function isBlock({ type }: Node): boolean {
  return type === 'call'
}

const cLike = (sign: string) =>
  new RegExp(
    String.raw`^for \(?(?:let |var |int |long |size_t |auto )?` +
      String.raw`(?<name>\$?\w+) ?:?= ?(?<first>\w+); ?` +
      String.raw`\k<name> ${sign} (?<end>[^;=<]{1,80}?); ?` +
      String.raw`(?:\k<name> ?\+\+|\+\+ ?\k<name>|\k<name> ?\+= ?1)`,
  )
const block = String.raw`\.(?:each|map|flat_map|each_with_object\([^)]*\)|sum|select|filter_map) ?(?:do|\{) ?\|(\w+)`

const exclusiveHeads = [
  cLike('<'),
  // Python.
  /^for (?<name>\w+) in range\((?:(?<first>\w+), ?)?(?<end>[^:=]{1,80})\) ?:/,
  // Rust.
  /^for (?<name>\w+) in (?<first>\w+) ?\.\.(?![=.]) ?(?<end>[^={]{1,80}?) ?$/,
  // Kotlin.
  /^for \((?<name>\w+) in (?<first>\w+) (?:until|\.\.<) (?<end>[^{]{1,80}?)\) ?$/,
  /^for \((?<name>\w+) in (?<list>[\w.]+)\.indices\) ?$/,
  // Ruby.
  new RegExp(
    String.raw`^\((?<first>\w+)\.\.\.(?<end>[^()]{1,80})\)${block.replace('(\\w+)', '(?<name>\\w+)')}`,
  ),
  /^(?<end>[\w.@]+)\.times(?:\.map)? ?(?:do|\{) ?\|(?<name>\w+)/,
  /^for (?<name>\w+) in (?<first>\w+)\.\.\.(?<end>[\w.@ -]{1,80}?) (?:do\b)?/,
]

const inclusiveHeads = [
  cLike('<='),
  /^for (?<name>\w+) in (?<first>\w+) ?\.\.= ?(?<end>[^{]{1,80}?) ?$/,
  /^for \((?<name>\w+) in (?<first>\w+) ?\.\.(?!<) ?(?<end>[^{]{1,80}?)\) ?$/,
  new RegExp(
    String.raw`^\((?<first>\w+)\.\.(?!\.)(?<end>[^()]{1,80})\)${block.replace('(\\w+)', '(?<name>\\w+)')}`,
  ),
  /^(?<first>\w+)\.upto\((?<end>[^()]{1,80})\) ?(?:do|\{) ?\|(?<name>\w+)/,
  /^for (?<name>\w+) in (?<first>\w+)\.\.(?!\.)(?<end>[\w.@ -]{1,80}?) (?:do\b)?/,
]

/** Reads the head of a loop that goes up by one. */
function readCounted(head: string): Counted | undefined {
  return readHead(head, exclusiveHeads, false) ?? readHead(head, inclusiveHeads, true)
}

function readHead(
  head: string,
  patterns: readonly RegExp[],
  includesEnd: boolean,
): Counted | undefined {
  for (const pattern of patterns) {
    const groups = pattern.exec(head)?.groups
    const { name, first = '0', list } = groups ?? {}
    const end = list ? `${list}.size` : groups?.end?.trim()
    if (name && end) return { name, first, end, includesEnd }
  }
  return undefined
}

const pageCount =
  /(?:^|[\w.$>])(?:total_?pages?|pages?_?(?:count|total)|num_?(?:of_?)?pages|number_?of_?pages|last_?page|days_?in_?(?:month|year)|last_?day)(?:\(\))?$/i

/** `for (page = 2; page < totalPages; page++)`: who starts at 2 counts from 1. */
function checkPages(loop: Node, counted: Counted, body: string): Hit | undefined {
  const { name, first, end, includesEnd } = counted
  if (includesEnd || !/^[12]$/.test(first)) return undefined
  if (!pageCount.test(end) && !(first === '2' && isRoundedUp(end, loop))) return undefined
  const isIndex = new RegExp(`\\[\\$?${name.replace('$', '')}\\]|\\.get\\(${name}\\)`).test(body)
  if (mentionsNext(body, name) || isIndex) return undefined
  // Who has the first page already may count from 0.
  if (first === '1' && !/days?_?in|last_?day/i.test(end) && !isCountedFromOne(loop, body, name))
    return undefined
  return lastPageHit(loop, name, end, first)
}

function lastPageHit(loop: Node, name: string, end: string, first: string): Hit {
  return {
    at: firstLine(loop),
    title: `Off-by-one: the last one is missing, ${quoteCode(name)} ends before ${quoteCode(end)}`,
    body:
      `When there are several, the loop ends before the last one: they are counted from 1 here, ` +
      `because it starts at ${first}. Include ${quoteCode(end)}.`,
  }
}

/** Whether a local variable is a number of pages or parts, rounded up. */
function isRoundedUp(name: string, loop: Node): boolean {
  if (!/^\$?\w*(?:pages|parts|chunks|batches)$/i.test(name)) return false
  return new RegExp(`(?<!\\w)${RegExp.escape(name)} ?:?= ?[^;\\n]*(?:ceil|Ceil|div_ceil)`).test(
    textBefore(loop),
  )
}

/** Whether nothing has read a page before the loop, which therefore starts with the first one. */
function isCountedFromOne(loop: Node, body: string, name: string): boolean {
  const callee = new RegExp(`(\\w+)\\([^()]*\\$?${name.replace('$', '')}\\b`).exec(body)?.[1]
  return callee !== undefined && !textBefore(loop).includes(`${callee}(`)
}

function mentionsNext(body: string, name: string): boolean {
  return ['+ 1', '+1', '- 1', '-1'].some(
    (step) => body.includes(`${name} ${step}`) || body.includes(name + step),
  )
}

function readsAt(body: string, list: string, index: string): boolean {
  return (
    [`${list}[${index}]`, `${list}.get(${index})`, `${list}.charAt(${index})`].some((access) =>
      body.includes(access),
    ) || body.includes(`${list}.[${index}]`)
  )
}

const countName = /(?:^|[a-z_.@])(?:count|size|length|len|total|pages|batches|chunks|files)$/i

/** `for (i = 0; i <= list.size; i++)` with `list[i]`. */
function checkPastEnd(loop: Node, counted: Counted, body: string): Hit | undefined {
  const { name, first, end, includesEnd } = counted
  // A test for the first index says nothing about the last one.
  const tests = body.replace(/\[[^[\]]{0,60}\]/g, '').replace(/ (?:==|!=|>) 0\b/g, '')
  if (!includesEnd || guards(name).test(tests)) return undefined
  const list = measuredList(end)
  const isPast =
    list === undefined || first !== '0'
      ? isPastCount(loop, counted, body)
      : readsAt(body, list, name)
  if (!isPast || /\?\?|\?\.|\bisset\b|getOrNull|\|\|/.test(body)) return undefined
  return {
    at: firstLine(loop),
    title: `Off-by-one: this loop goes one past the end${list ? ` of ${quoteCode(list)}` : ''}`,
    body:
      `When ${quoteCode(name)} reaches ${quoteCode(end)}, there is nothing at that index: ` +
      `counted from ${first}, the last one is before. Leave the end out.`,
  }
}

/** `for (i = 0; i <= count; i++)` with `list[i]`; a loop from 1 has `list[0]` before it. */
function isPastCount(loop: Node, { name, first, end }: Counted, body: string): boolean {
  if (!countName.test(end) || mentionsNext(body.replaceAll(`${name} + 1`, ''), name)) return false
  const list = new RegExp(`([\\w.$@]+)\\[\\$?${name.replace('$', '')}\\]`).exec(body)?.[1]
  if (first === '1') return list !== undefined && textBefore(loop).includes(`${list}[0]`)
  return first === '0' && (list !== undefined || body.includes(`${name} * `))
}

/** `for (i = 0; i < list.length - 1; i++)`, which reads no next element. */
function checkLostLast(loop: Node, counted: Counted, body: string): Hit | undefined {
  const { name, first, end, includesEnd } = counted
  if (includesEnd || first !== '0') return undefined
  const list =
    measuredList(end.replace(/ ?- ?1$/, '_').replace(/_$/, '')) ??
    /^([\w.]+)\.lastIndex$/.exec(end)?.[1]
  if (!list || !/(?:- ?1|lastIndex)$/.test(end) || !readsAt(body, list, name)) return undefined
  if (mentionsNext(body, name) || new RegExp(`\\b${name}\\+\\+|\\bj\\b`).test(body))
    return undefined
  const around = functionTextOf(loop).replace(loop.text, '')
  if (around === '' || /- ?1\b|\.last|[lL]ast\b|\[-1\]|\.pop|\bend\(|peek|tail/.test(around))
    return undefined
  return {
    at: firstLine(loop),
    title: `Off-by-one: this loop leaves out the last element of ${quoteCode(list)}`,
    body:
      `When it ends, ${quoteCode(list)} has one more element, which nothing here reads. Run the ` +
      'loop to the last index.',
  }
}

const windowEnd =
  /^(?:len\(([\w.]{1,60})\)|count\((\$?[\w>-]{1,60})\)|([\w.$>-]{1,60}?)\.(?:length|size|Length|Count|len)(?:\(\))?) ?- ?(\w{1,40})$/

/** `for i in range(len(xs) - n)` with `xs[i:i + n]`. */
function checkWindows(loop: Node, counted: Counted, body: string): Hit | undefined {
  const { name, first, end, includesEnd } = counted
  const [, ...groups] = windowEnd.exec(end) ?? []
  const size = groups.pop()
  const list = groups.find((group) => group !== undefined)
  if (includesEnd || first !== '0' || !size || !list || size === '1') return undefined
  const flat = body.replace(/\s+/g, '')
  const next = `${name}+${size}`
  const windows = [
    ...[`[${name}:${next}]`, `[${name}..${next}]`, `(${name},${next})`],
    ...[`.Substring(${name},${size})`, `.substr(${name},${size})`],
  ]
  const used = windows.find((text) => flat.includes(text))
  // Who reads the element after the window needs one.
  const rest = used && flat.replaceAll(used, '')
  if (rest === undefined || rest.includes(next)) return undefined
  return {
    at: firstLine(loop),
    title: `Off-by-one: the last window of ${quoteCode(list)} is missing`,
    body:
      `When ${quoteCode(list)} has exactly ${quoteCode(size)} elements, the loop doesn't run at ` +
      `all, although there is one window. Add 1 to ${quoteCode(end)}.`,
  }
}

/** A comparison with the index, apart from those of elements. */
function guards(name: string): RegExp {
  const own = RegExp.escape(name)
  return new RegExp(
    `(?<!\\w)${own}\\b[^;\\n]{0,40}(?:[<>=!]=|[<>])|(?:(?<!<)[<>]=?|[=!]=)\\s?[^;\\n]{0,40}(?<!\\w)${own}\\b`,
  )
}

/** Heads of loops that start at the size of a list and go down. */
const countdowns = [
  new RegExp(
    String.raw`^for \(?(?:\w+ )?(?<name>\$?\w+) ?:?= ?(?<end>[^;]{1,60}); ?` +
      String.raw`\k<name> ?(?:>= ?0|> ?-1)\b[^;]*; ?(?:\k<name>--|--\k<name>)`,
  ),
  /^for (?<name>\w+) in range\((?<end>[^,]{1,60}), ?-1, ?-1\)/,
  /^for \((?<name>\w+) in (?<end>[\w.]{1,60}) downTo 0\)/,
  /^for (?<name>\w+) in \(\w+ ?\.\.= ?(?<end>[\w.()]{1,60})\)\.rev\(\)/,
  /^(?<end>[\w.@]{1,60})\.downto\(0\) ?(?:do|\{) ?\|(?<name>\w+)\|/,
]

/** `for (i = list.length; i >= 0; i--)` with `list[i]`. */
function checkCountdown(loop: Node, head: string, body: string): Hit | undefined {
  const { name, end } = countdowns.map((each) => each.exec(head)?.groups).find(Boolean) ?? {}
  const list = end && measuredList(end)
  if (!name || !list || !readsAt(body, list, name)) return undefined
  return {
    at: firstLine(loop),
    title: `Off-by-one: this loop starts one past the end of ${quoteCode(list)}`,
    body:
      `When the loop starts, ${quoteCode(`${list}[${name}]`)} is out of bounds. Start at ` +
      `${quoteCode(`${end} - 1`)}.`,
  }
}

/** `page = 1`, and then `while (page < totalPages) { fetch(page); page++ }`. */
function checkPagedWhile(loop: Node, head: string, body: string): Hit | undefined {
  const [, name, end] = /^while \(?(\$?\w+) < ([\w.$>()]+?)\)? ?[:{]?$/.exec(head.trim()) ?? []
  if (!name || !end || !pageCount.test(end)) return undefined
  const own = RegExp.escape(name)
  const step = body.search(new RegExp(`${own} ?(?:\\+= ?1|\\+\\+)|\\+\\+${own}`))
  const used = body.search(new RegExp(`(?<!\\w)${own}\\b`))
  const starts = new RegExp(`(?<!\\w)${own}(?:: ?\\w+)? ?:?= ?1\\b`).test(textBefore(loop))
  return starts && step >= 0 && used < step ? lastPageHit(loop, name, end, '1') : undefined
}

/** Loops in steps that need a whole step before the end. */
const wholeSteps = [
  // `for (i = 0; i + size < n; i += size)`, and `i <= n - size`.
  /^for\s\(?(?:let\s|var\s|int\s|long\s)?(\$?\w+)\s?:?=\s?0;\s?\1\s?\+\s?(?<step>[\w.$:]+)\s?<=?\s?[^;<]+;\s?\1\s?\+=\s?\k<step>\W/,
  /^for\s\(?(?:let\s|var\s|int\s|long\s)?(\$?\w+)\s?:?=\s?0;\s?\1\s?<=?\s?[^;<]+\s-\s(?<step>[\w.$:]+);\s?\1\s?\+=\s?\k<step>\W/,
  /^for \w+ in range\(0, ?len\([\w.]+\) ?- ?(?<step>[\w.]+)(?: ?\+ ?1)?, ?\k<step>\)/,
  /^for \(\w+ in 0 ?(?:until|\.\.) ?[\w.()]+ - (?<step>\w+) step \k<step>\)/,
  /^for \w+ in \(0\.\.=?[\w.()]+ - (?<step>\w+)\)\.step_by\(\k<step>\)/,
]

function checkChunks(loop: Node, head: string): Hit | undefined {
  const step = wholeSteps.map((pattern) => pattern.exec(head)?.groups).find((groups) => groups)
  const size = step?.step
  if (!size || /^\d+$/.test(size)) return undefined
  const after = textAfter(loop)
  if (/%|remain|rest|tail|slice\(|subList|\[\w+ ?:|substr/i.test(after)) return undefined
  return {
    at: firstLine(loop),
    title: `Off-by-one: the last chunk is lost where fewer than ${quoteCode(size)} are left`,
    body:
      'When the number of elements is no multiple of the step, the loop ends before the rest of ' +
      'them. Run it to the end, and shorten the last chunk.',
  }
}

/** `if (batch.length === size) { send(batch); batch = [] }` without another `send` at the end. */
function checkUnflushed(loop: Node, body: string): Hit | undefined {
  const [, list] = collected.exec(body) ?? []
  if (!list) return undefined
  const own = RegExp.escape(list)
  const isFull = new RegExp(
    `(?:${own}\\.(?:length|size|Count|count|len)(?:\\(\\))?|(?:len|count)\\(${own}\\)) ?(?:===?|>=) ?[\\w.:$@]+`,
  )
  const isEmptied = new RegExp(
    `(?<![\\w.])${own} ?= ?(?:\\[\\]|new |\\w+\\[:0\\]|nil|make\\(|mutableListOf|Vec::new|array\\(\\)|list\\(\\)|\\[\\]\\w+\\{\\})|${own}\\.(?:clear|Clear|splice|drain|truncate)\\b|take\\(&mut ${own}`,
  )
  const isPassed = new RegExp(`\\([^()\\n]*(?<![\\w.])&?\\*?${own}(?:\\.\\w+\\(\\))?[,)]`)
  const fullAt = body.search(isFull)
  if (fullAt < 0 || !isEmptied.test(body)) return undefined
  if (!isPassed.test(body.slice(fullAt).replace(isFull, ''))) return undefined
  const isLocal = new RegExp(`(?<![\\w.>])${own}(?:: ?[\\w<>[\\], ]+)? ?:?= ?`).test(
    textBefore(loop),
  )
  const goName = new RegExp(`\\bvar ${own} \\[\\]`).test(textBefore(loop))
  if ((!isLocal && !goName) || new RegExp(`(?<![\\w.])${own}(?!\\w)`).test(textAfter(loop)))
    return undefined
  return {
    at: firstLine(loop),
    title: `The last batch is lost: nothing uses ${quoteCode(list)} after this loop`,
    body:
      `When the loop ends, ${quoteCode(list)} may hold elements that didn't fill a whole batch. ` +
      'Process them after the loop, too.',
  }
}

/** A list that gets an element. */
const collected =
  /(?<![\w.>])(\$?[a-z]\w*)(?:\.(?:push|append|add|Add|push_back)\(|\[\] ?=| ?<< ?\w| ?\+= ?\w| = append\(\1,)/
