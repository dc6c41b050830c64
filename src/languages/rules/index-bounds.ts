// Finds indexes that go past the end where a loop, a guard or a random number allows it.
import type { Node } from 'web-tree-sitter'
import { readCall } from './calls.ts'
import { textAfter, textBefore, valueTextOf } from './local-values.ts'
import type { Hit, ParsedFile } from './syntax-check.ts'
import { field, firstLine, lineOf, quoteCode } from './syntax-nodes.ts'

const path = String.raw`[$@]?\w+(?:(?:\.|->)\w+)*`

/** The size of a list, which one of the groups is. */
const sizeOf = new RegExp(
  String.raw`^(?:(?:len|count|sizeof|strlen)\((?<call>${path})\)|(?<member>${path})\.` +
    String.raw`(?:length|size|Length|Count|count|len)(?:\(\))?)$`,
)

/** Returns the list whose size an expression is. */
export function measuredList(size: string): string | undefined {
  const groups = sizeOf.exec(size.trim())?.groups
  return groups?.call ?? groups?.member
}

const sizes = String.raw`(?:(?:len|count|sizeof)\(LIST\)|LIST\.(?:length|size|Length|Count|count|len)(?:\(\))?)(?! ?[-+]|\()`

/** Heads of loops and calls that bind a name to every index of a list, in all languages. */
const heads = [
  String.raw`for INDEX(?:, \w+)? :?= range LIST ?\{?$`,
  String.raw`for INDEX, [\w(), ]+ in enumerate\(LIST\)`,
  String.raw`for INDEX in range\((?:\w+, ?)?SIZE\)`,
  String.raw`for \(INDEX, \w+\) in LIST\.iter(?:_mut)?\(\)\.enumerate\(\)`,
  String.raw`for INDEX in \w+\.\.SIZE`,
  String.raw`for \(INDEX in LIST\.indices\)`,
  String.raw`for \(INDEX in \w+ ?\.\. ?LIST\.lastIndex\)`,
  String.raw`for \(INDEX in \w+ (?:until|\.\.<) SIZE\)`,
  String.raw`for \(\(INDEX, \w+\) in LIST\.withIndex\(\)\)`,
  String.raw`for \((?:const|let) \[INDEX, \w+\] of LIST\.entries\(\)`,
  String.raw`foreach \(LIST as INDEX =>`,
  String.raw`LIST\.\w+Indexed(?:NotNull)? \{ ?INDEX,`,
  String.raw`LIST\.(?:map|forEach|flatMap|filter|some|every|Select)\(\(?\w+, INDEX\) =>`,
  String.raw`LIST\.(?:each_with_index|map\.with_index|each_index)(?:\.\w+)? (?:do|\{) ?\|(?:\w+, )?INDEX\|`,
  String.raw`\(\w+\.\.\.SIZE\)\.\w+ (?:do|\{) ?\|INDEX\|`,
  String.raw`SIZE\.times(?:\.\w+)? (?:do|\{) ?\|INDEX\|`,
  String.raw`range\(0, ?SIZE\)(?:\.\w+\(\))?\.\w+\(INDEX ->`,
]

/** A loop with a step of one, whose last index may be a variable. */
const counting =
  String.raw`for \(?(?:\w+ )?INDEX ?:?= ?\w+; ?INDEX < (?<end>[^;]+); ?` +
  String.raw`(?:INDEX\+\+|\+\+INDEX)`

/** How many nodes are between an index and the loop around it at most. */
const maxDepth = 25

/** `list[i + 1]`, where a loop around it runs for every index of the list. */
export function checkNextElement(access: Node, file: ParsedFile): Hit | undefined {
  const [, list, name] = nextAccess.exec(access.text.slice(0, 150)) ?? []
  if (!list || !name || isWritten(access)) return undefined
  if (givesNothing.has(file.language) && !isMemberRead(access)) return undefined
  const loop = loopOverAll(access, list, name)
  if (!loop || isGuarded(loop, access, name)) return undefined
  return {
    at: firstLine(loop),
    fallback: firstLine(access),
    title: `Off-by-one: ${quoteCode(access.text)} is out of bounds in the last iteration`,
    body:
      `When ${quoteCode(name)} is the last index, there is no next element. End the loop one ` +
      'iteration earlier.',
    evidence: [{ line: lineOf(access), note: 'the next element' }],
  }
}

const nextAccess = new RegExp(
  String.raw`^(${path})(?:\[|\.(?:get|elementAt|ElementAt|charAt)\()([$\w]+) ?\+ ?1[\])]$`,
)

/** Languages in which an element past the end is `undefined` or `nil`. */
const givesNothing: ReadonlySet<string> = new Set(['javascript', 'typescript', 'tsx', 'ruby'])

function isMemberRead({ parent, endIndex, text }: Node): boolean {
  const rest = parent?.text.slice(text.length, text.length + 2) ?? ''
  return parent?.endIndex !== endIndex && /^\.\w/.test(rest)
}

function isWritten({ id, parent }: Node): boolean {
  return parent !== null && /assign|update/.test(parent.type) && field(parent, 'right')?.id !== id
}

function loopOverAll(access: Node, list: string, index: string): Node | undefined {
  const fill = (pattern: string) =>
    new RegExp(
      pattern
        .replaceAll('SIZE', sizes)
        .replaceAll('LIST', RegExp.escape(list))
        .replaceAll('INDEX', RegExp.escape(index)),
    )
  const [patterns, counted] = [heads.map(fill), fill(counting)]
  let node = access.parent
  for (let depth = 0; node && depth < maxDepth; depth++, node = node.parent) {
    if (!/^for|call|invocation/.test(node.type)) continue
    const body = /^for/.test(node.type) ? (field(node, 'body') ?? node.lastNamedChild) : undefined
    const length = (body ?? access).startIndex - node.startIndex
    const head = node.text.slice(0, Math.min(length, 300)).replace(/\s+/g, ' ').trim()
    const end = counted.exec(head)?.groups?.end
    if (end !== undefined && measuredList(resolveName(end, node)) === list) return node
    if (patterns.some((pattern) => pattern.test(head))) return node
  }
  return undefined
}

/** The value that a local name has before a node, or the expression itself. */
function resolveName(text: string, before: Node): string {
  if (!/^\$?\w+$/.test(text.trim())) return text
  const name = RegExp.escape(text.trim())
  return new RegExp(`(?<!\\w)${name} ?:?= ?([^;\\n]+)`).exec(textBefore(before))?.[1] ?? text
}

/** Whether the code of a loop tests its index, leaves early, or has a value for none. */
function isGuarded(loop: Node, access: Node, name: string): boolean {
  const own = RegExp.escape(name)
  const start = loop.text.indexOf('{') + 1 || loop.text.indexOf('\n') + 1
  const text = loop.text.slice(loop.type.startsWith('for') ? start : 0, 20_000)
  const rest = text.replace(/\[[^[\]]{0,60}\]/g, '')
  const isCompared = new RegExp(
    `(?<!\\w)${own}\\b[^;\\n]{0,40}(?:[<>=!]=|[<>] )|` +
      `(?:[<>=!]=| [<>]) ?[^;\\n]{0,40}(?<!\\w)${own}\\b`,
  ).test(rest.replace(/[-=]>/g, ''))
  const after = text.slice(text.indexOf(access.text) + access.text.length).slice(0, 8)
  return (
    isCompared ||
    /^\)? ?(?:\?\?|\|\||\?\.|&\.|\?:)/.test(after) ||
    /\b(?:break|return|continue|try|goto|isset|getOrNull|next (?:if|unless))\b/.test(rest) ||
    /(?:slice|subList|dropLast|take)\(|\[:/.test(loop.text.slice(0, 80))
  )
}

const readAt = (list: string, index: string) =>
  new RegExp(
    `(?<![\\w.>])&?${RegExp.escape(list)}(?:\\[|\\.(?:get|elementAt|ElementAt|charAt|at)\\()` +
      `${RegExp.escape(index)}[\\])](?! ?(?:=(?!=)|\\?\\?|\\?\\.|\\|\\||&\\.))`,
  )

const overSize = new RegExp(
  String.raw`(?<index>${path}) (?<sign>>|<=) (?<size>(?:len|count)\(${path}\)|` +
    String.raw`${path}\.(?:length|size|Length|Count|count|len)(?:\(\))?)(?! ?[-+\w])|` +
    String.raw`(?<size2>(?:len|count)\(${path}\)|${path}\.(?:length|size|Length|Count|len)(?:\(\))?) ` +
    String.raw`(?<sign2><|>=) (?<index2>${path})(?! ?[-+\w(.])`,
)

/** `if (index > list.length) return`, and then `list[index]`. */
export function checkSizeGuard(node: Node): Hit | undefined {
  const condition = field(node, 'condition')?.text.slice(0, 200) ?? ''
  const { name, measured, isOutside } = readSizeTest(condition) ?? {}
  const list = measured && measuredList(measured)
  if (!name || !list) return undefined
  const branch = node.text.slice(0, 1_000).replace(condition, '')
  const isRead = isOutside
    ? isReadOutside(node, branch, list, name)
    : readAt(list, name).test(branch) && !/\|\|| or /.test(condition)
  return isRead ? guardHit(node, name, measured, isOutside === true) : undefined
}

/** Reads `index > size`, `index <= size`, and the same the other way round. */
function readSizeTest(
  condition: string,
): { name: string; measured: string; isOutside: boolean } | undefined {
  const { index, sign, size, index2, sign2, size2 } = overSize.exec(condition)?.groups ?? {}
  const [name, measured] = [index ?? index2, size ?? size2]
  if (!name || !measured || /^\d+$/.test(name)) return undefined
  return { name, measured, isOutside: sign === '>' || sign2 === '<' }
}

/** Whether a list is read at an index after a branch that should have excluded its size. */
function isReadOutside(node: Node, branch: string, list: string, name: string): boolean {
  const isReset = new RegExp(`${RegExp.escape(name)} ?= ?0\\b`).test(branch)
  if (isReset && isCursor(node, list, name)) return true
  const after = untilChange(textAfter(node).slice(0, 800), name)
  return leaving.test(branch) && readAt(list, name).test(after)
}

function guardHit(node: Node, name: string, measured: string, isOutside: boolean): Hit {
  return {
    at: firstLine(node),
    title: `Off-by-one: ${quoteCode(`${name} == ${measured}`)} is let through`,
    body:
      `When ${quoteCode(name)} is that size, there is no element at the index. ` +
      ` Compare with \`${isOutside ? '>=' : '<'}\`.`,
  }
}

const leaving = /\b(?:return|throw|raise|continue|panic|die|abort|exit)\b/

/** The code until a name gets another value. */
function untilChange(code: string, name: string): string {
  const own = RegExp.escape(name)
  const at = code.search(new RegExp(`(?<![\\w.])${own} ?(?:[-+]?=(?!=)|--|\\+\\+)|--${own}`))
  return at < 0 ? code : code.slice(0, at)
}

/** Whether a file reads or writes a list at a cursor, which other methods may move. */
function isCursor({ tree }: Node, list: string, name: string): boolean {
  const text = tree.rootNode.text.slice(0, 30_000)
  return [`${list}[${name}]`, `${list}.get(${name})`].some((access) => text.includes(access))
}

const drawing =
  /^(?:\w*[rR]and\w*|\w*[rR]ng|ThreadLocalRandom\.current\(\)|Random\.(?:Shared|Default)|r|_)$/

/** `random.nextInt(1, sides)`, and `names[random.nextInt(names.size - 1)]`. */
export function checkRandom(call: Node): Hit | undefined {
  const { name, receiver, args, callee } = readCall(call)
  const scaled = callee === 'Math.floor' ? scaledRandom.exec(args[0]?.text ?? '')?.[1] : undefined
  if (scaled) return checkDrawn(call, { first: '0', end: scaled, includesEnd: false })
  const owner = receiver?.text.replace(/^this\.|^::|^@/, '') ?? ''
  const isDrawn = owner === '' ? randomFunction.test(name) : drawing.test(owner)
  if (!randomCall.test(name) || !isDrawn) return undefined
  const texts = args.map(({ text }) => text)
  return checkDrawn(call, drawnRange(name, texts))
}

function checkDrawn(call: Node, { first, end, includesEnd }: DrawnRange): Hit | undefined {
  if (!includesEnd && first === '1' && inclusiveEnd.test(end)) return drawnHit(call, end, false)
  const list = measuredList(end.replace(/ ?- ?1$/, ''))
  // An end that is left out is the size, and one that is included is one less.
  const isFitting = /- ?1$/.test(end) === includesEnd
  if (!list || isFitting || first !== '0' || /^ ?\+ ?1/.test(textAfter(call))) return undefined
  return isIndex(call, list) ? drawnHit(call, end, includesEnd) : undefined
}

interface DrawnRange {
  readonly first: string
  readonly end: string
  readonly includesEnd: boolean
}

const scaledRandom = /^Math\.random\(\) \* \((.+? - 1)\)$/

const randomCall =
  /^(?:nextInt|nextLong|[Nn]ext|Intn|IntN|Int63n|Int31n|randrange|randint|random_int|mt_rand|rand|gen_range|random_range|GetInt32)$/

/** What is called without a generator. Others are functions of the file, with their own ranges. */
const randomFunction = /^(?:randrange|randint|random_int|mt_rand|rand|random_range)$/

/** Names of the highest value that is drawn. */
const inclusiveEnd = /(?:^|[._])(?:\w*[sS]ides|\w*[fF]aces|max(?!\w*[eE]xclu)\w*|highest)$/

function drawnRange(name: string, args: readonly string[]): DrawnRange {
  const [one = '', other] = args
  const range = /^(\w+) ?(\.\.\.|\.\.=|\.\.)(.+)$/.exec(one)
  // Rust leaves the end of `..` out, Ruby that of `...`.
  if (range)
    return {
      first: range[1]!,
      end: range[3]!.trim(),
      includesEnd: range[2] === '..=' || (range[2] === '..' && name === 'rand'),
    }
  const includesEnd = /^(?:randint|random_int|mt_rand)$/.test(name) || (name === 'rand' && !!other)
  return other === undefined
    ? { first: '0', end: one, includesEnd: false }
    : { first: one, end: other, includesEnd }
}

/** Whether a number becomes the index of a list at once. */
function isIndex(call: Node, list: string): boolean {
  const before = textBefore(call).slice(-200)
  const own = RegExp.escape(list)
  if (
    new RegExp(`${own}(?:\\[|\\.(?:get|elementAt|ElementAt|charAt|at)\\()[^\\])\\n]*$`).test(before)
  )
    return true
  const name = /([$\w]+) ?:?= ?[^=;\n]*$/.exec(before)?.[1]
  return name !== undefined && readAt(list, name).test(textAfter(call).slice(0, 400))
}

function drawnHit(call: Node, end: string, isPast: boolean): Hit {
  return {
    at: firstLine(call),
    title: isPast
      ? `Off-by-one: the random index can be ${quoteCode(end)}, which is past the end`
      : `Off-by-one: the last value is never drawn, because ${quoteCode(end)} isn't included`,
    body: isPast
      ? 'When the highest number is drawn, there is no element at that index. Subtract 1.'
      : 'When a number is drawn, the end of the range is left out. Add 1 to the end.',
  }
}

/** `new Date(year, month, day)` of a text, and `${date.getMonth()}` in one. */
export function checkMonth(node: Node): Hit | undefined {
  if (node.type === 'template_string') return checkShownMonth(node)
  const { callee, args } = readCall(node)
  const month = /^Date(?:\.UTC)?$/.test(callee) ? args[1] : undefined
  if (!month || !/^\w*[mM]onth\w*$/.test(month.text)) return undefined
  const name = month.text
  const before = textBefore(node)
  const isParsed =
    /^(?:Number|parseInt|\+)\W*[\w.[\]]+/.test(valueTextOf(month)) ||
    new RegExp(`\\[[^\\]]*\\b${name}\\b[^\\]]*\\] = [^;\\n]*(?:split|match|exec)\\(`).test(before)
  const isLowered = new RegExp(`\\b${name} ?-(?:=|-| ?1)`).test(before + textAfter(node))
  return isParsed && !isLowered
    ? monthHit(node, node.text, 'Subtract 1 from the month of the text.')
    : undefined
}

function checkShownMonth(node: Node): Hit | undefined {
  const shown = /[\w.]+\.get(?:UTC)?Month\(\)(?=\})/.exec(node.text)?.[0]
  return shown && /\.get(?:UTC)?(?:FullYear|Date)\(\)/.test(node.text)
    ? monthHit(node, shown, 'Add 1 to show it.')
    : undefined
}

function monthHit(node: Node, code: string, remedy: string): Hit {
  return {
    at: firstLine(node),
    title: `Off-by-one: ${quoteCode(code)} counts months from 0, and people from 1`,
    body: `When the month is January, one is 0 and the other is 1. ${remedy}`,
  }
}

const dayRange = /^\(?(\w*(?:start|first|begin)\w*)\.\.\.(\w*(?:end|last)\w*)\)?$/

/** Ruby: `month_start...month_end`, where the end is the last day. */
export function checkDayRange(range: Node, { text }: ParsedFile): Hit | undefined {
  const end = dayRange.exec(range.text.slice(0, 80))?.[2]
  if (!end) return undefined
  const isLast = new RegExp(
    `\\b${end}(?:\\n\\s*| ?= ?).*(?:prev_day|yesterday|end_of_\\w+|, ?-1\\)| - 1(?:\\.day)?$)`,
    'm',
  ).test(text)
  return isLast
    ? {
        at: firstLine(range),
        title: `Off-by-one: the last day is missing, because ${quoteCode(end)} isn't included`,
        body: 'When the range is read, `...` leaves its end out, which is the last day. Use `..`.',
      }
    : undefined
}
