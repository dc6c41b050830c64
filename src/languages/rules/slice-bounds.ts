// Finds indexes, slices, offsets and counts that are off by one, in all languages.
import type { Node } from 'web-tree-sitter'
import { functionTypes } from './functions.ts'
import { functionTextOf, textAfter, textBefore } from './local-values.ts'
import type { Hit, ParsedFile } from './syntax-check.ts'
import { enclosingNode, field, fieldText, firstLine, lineOf, quoteCode } from './syntax-nodes.ts'

export const accessTypes: readonly string[] = [
  ...['subscript_expression', 'index_expression', 'element_access_expression', 'subscript'],
  ...['element_reference', 'array_access', 'method_invocation', 'call_expression'],
  ...['slice_expression', 'invocation_expression', 'call', 'member_call_expression'],
  ...['function_call_expression'],
]

const lastPlusOne =
  /^(\$?[\w.>-]+)(?:\[|\.(?:get|charAt|elementAt|ElementAt|codePointAt)\()\s*(?:\1\.(?:length|size|count|Count|Length|len)(?:\(\))?|(?:len|count|strlen)\(\1\))\s*[\])]$/

/** `list.get(list.size())`. */
export function checkIndexAtSize(access: Node): Hit | undefined {
  if (access.endIndex - access.startIndex > 200) return undefined
  const list = lastPlusOne.exec(access.text)?.[1]
  const parent = access.parent
  const isWritten =
    parent !== null && (field(parent, 'left')?.id === access.id || /left|update/.test(parent.type))
  if (!list || isWritten) return undefined
  return {
    at: firstLine(access),
    title: `Off-by-one: ${quoteCode(access.text)} is one past the last element`,
    body:
      'When this is read, there is no element at that index: the last element of ' +
      `${quoteCode(list)} is one before.`,
  }
}

/** Bindings, fields and results that may hold a count. */
export const countTypes: readonly string[] = [
  ...['variable_declarator', 'let_declaration', 'property_declaration', 'assignment', 'pair'],
  ...['short_var_declaration', 'assignment_expression', 'keyed_element', 'field_initializer'],
  ...['shorthand_field', 'value_argument', 'argument', 'keyword_argument', 'var_spec'],
  ...['array_element_initializer', 'return_statement', 'call', 'for_statement', 'call_expression'],
]

const countName =
  /(?:pages|batches|chunks|groups|rounds|slices|blocks|segments)$|(?:page|batch|chunk|group)_?(?:count|total|number)$|^(?:num|number_?of|total|count)_?\w*(?:pages|batches|chunks|groups)$/i
const partName = /size|per_?\w|limit|batch|chunk|capacity/i

/** A division that drops the rest; in some languages each one of integers does. */
const divisions: readonly (readonly [RegExp, 'all' | 'integers'])[] = [
  [
    /^(?:Math\.(?:floor|trunc)|\(int\)\s?|\\?floor|int|parseInt|math\.floor|\(int\)\s?\\?floor)\(?\(?([^()/]+(?:\(\$?[\w.>-]*\))?)\s\/\s([\w.$:>-]+)\)?\)?$/,
    'all',
  ],
  [/^\\?intdiv\((.+), ?([\w.$:>-]+)\)$/, 'all'],
  [/^([\w.]+(?:\([\w.]*\))?) \/\/ ([\w.]+)$/, 'all'],
  [/^([\w.@]+(?:\(\w*\))?) \/ ([\w.@]+)$/, 'integers'],
]

const dividesIntegers: ReadonlySet<string> = new Set([
  ...['go', 'java', 'c-sharp', 'kotlin', 'rust', 'ruby', 'c', 'cpp', 'scala'],
])

const binding =
  /^(?:(?:let|const|var|val|mut|final)\s)*['":]?(\$?[\w.>@]+)['"]?(?::\s\w+)?\s?(?::=|=>|=|:)\s?([\s\S]{1,150}?);?$/
const repeated = [
  // `repeat(items.size / BATCH)`, `(total / SIZE).times`, `1.upto(total / SIZE)`.
  /^repeat\(([\w.]+ \/ [\w.]+)\)/,
  /^\(([\w.@]+ \/ [\w.]+)\)\.times\b/,
  /^[01]\.upto\(([\w.@]+ \/ [\w.]+)\)/,
  /^for \w+ in range\(([\w.]+(?:\([\w.]*\))? \/\/ [\w.]+)\) ?:/,
  /^for \(?(?:int |var )?\w+ :?= 0; \w+ < ([\w.]+(?:\([\w.]*\))? \/ [\w.]+); /,
]

/** `pages = total / pageSize` loses the last page, unless it is full. */
export function checkCount(node: Node, file: ParsedFile): Hit | undefined {
  const value = countedValue(node)
  const { whole, part } = (value && readDivision(value, file.language)) || {}
  if (!value || !whole || !part || !partName.test(part)) return undefined
  // The page of an element is no count, and a sum may round up.
  if (placeName.test(whole) || whole.includes(' + ') || handlesRest(node, value)) return undefined
  return countHit(node, whole, part)
}

const placeName = /(?:offset|start|skip|index|cursor|position|page(?!s))\w*(?:\(\))?$/i

function readDivision(
  value: string,
  language: string,
): { whole: string; part: string } | undefined {
  for (const [pattern, kind] of divisions) {
    const [, whole, part] = pattern.exec(value) ?? []
    if (whole && part && (kind === 'all' || dividesIntegers.has(language))) return { whole, part }
  }
  return undefined
}

/** The value of what is named like a count, or of how often a loop runs. */
function countedValue(node: Node): string | undefined {
  const text = node.text.slice(0, 250)
  if (/^(?:call|for)/.test(node.type))
    return repeated.map((pattern) => pattern.exec(text)?.[1]).find((found) => found)
  if (node.type === 'return_statement') {
    const owner = enclosingNode(node, functionTypes)
    return owner && countName.test(fieldText(owner, 'name'))
      ? /^return ([\s\S]+?);?$/.exec(text)?.[1]
      : undefined
  }
  const [, name, value] = binding.exec(text) ?? []
  return name && value && countName.test(name) ? value : undefined
}

/** Whether code rounds up, looks at the rest, or computes with another type. */
function handlesRest(node: Node, value: string): boolean {
  const around = (functionTextOf(node) || node.text).replace(value, '')
  return /%(?!\w|s)|ceil|\brem\b|\bmod\b|divmod|modulo|div_ceil|\+ ?1\b|\+\+ ?[;)]?\s*$|to_f|double|float|\+= ?1|f64|remain/i.test(
    around.replace(/\w+\+\+\)/g, ''),
  )
}

function countHit(node: Node, whole: string, part: string): Hit {
  return {
    at: firstLine(node),
    title: `Off-by-one: ${quoteCode(`${whole} / ${part}`)} doesn't count the last, partial one`,
    body:
      `When ${quoteCode(whole)} is no multiple of ${quoteCode(part)}, the division drops ` +
      'the rest, and the last elements are left out. Round up.',
  }
}

/** `skip(page * size)`, where pages are counted from 1. */
export function checkPageOffset(node: Node): Hit | undefined {
  const [left, right] = [field(node, 'left'), field(node, 'right')]
  if ((field(node, 'operator') ?? node.child(1))?.text !== '*' || !left || !right) return undefined
  const page = [left, right].find(({ text }) => /^\$?\w*[pP]age(?:_?[nN]umber|No)?$/.test(text))
  const size = page?.id === left.id ? right : left
  if (!page || !/size|per_?page|limit|PER_|count/i.test(size.text)) return undefined
  const line = textBefore(node).slice(-60)
  if (!/(?:offset|skip|first_?result|start|from)\w*["']?\]?\s*(?:\(|:=|=|:|=>)\s*\(?$/i.test(line))
    return undefined
  return isCountedFromOne(page.text, node) ? offsetHit(node, page.text) : undefined
}

function isCountedFromOne(name: string, node: Node): boolean {
  const own = RegExp.escape(name)
  const code = functionTextOf(node)
  const fromZero = new RegExp(
    `${own}(?:: ?\\??\\w+)? ?:?= ?0\\b|${own} < 0|["']?page["']?, ?["']?0\\b|` +
      `${own}--|${own} ?-= ?1|${own} - 1`,
  )
  const fromOne = new RegExp(
    [
      `${own}(?:: ?\\??\\w+)? ?:?= ?1\\b`,
      `${own}["']?\\]?\\)? ?(?:\\|\\||\\?\\?|\\?:) ?["']?1\\b`,
      `["']page["'], ?["']?1\\b`,
      `${own} ?(?:< ?1|<= ?0)\\b`,
      `\\bmax\\((?:1, ?|[^()]*(?:\\([^()]*\\))?[^()]*, ?1\\))`,
      `\\[[^\\[\\]]*(?:\\[[^\\]]*\\])?[^\\[\\]]*, ?1\\]\\.max`,
      `coerceAtLeast\\(1\\)|\\.max\\(1\\)|defaultValue ?= ?"1"|ge=1`,
    ].join('|'),
    'i',
  )
  // A loop over the pages after the first one may count from 0.
  const isLooped = new RegExp(`for \\(?(?:let |var |int )?${own} |for ${own} in`).test(code)
  return code !== '' && !isLooped && fromOne.test(code) && !fromZero.test(code)
}

function offsetHit(node: Node, page: string): Hit {
  return {
    at: firstLine(node),
    title:
      `Off-by-one: ${quoteCode(node.text)} skips the first page, because ` +
      `${quoteCode(page)} starts at 1`,
    body:
      'When the first page is asked for, its elements are left out, and the last page is empty. ' +
      `Use \`${page.replaceAll('`', '')} - 1\`.`,
  }
}

/** Spring counts pages from 0. */
export function checkPageRequest(call: Node): Hit | undefined {
  const page = /^PageRequest\.of\((\w*[pP]age\w*),/.exec(call.text.slice(0, 100))?.[1]
  return page && isCountedFromOne(page, call) ? offsetHit(call, page) : undefined
}

const prefixTest =
  /\.?(?:startsWith|startswith|StartsWith|HasPrefix|hasPrefix|start_with\?|starts_with|str_starts_with)\(?[^"'()]*(["'])((?:(?!\1)[^\\\n]){2,40})\1/g
const cut =
  /^([\w.$>-]+)(?:\[(\d+)(?::|\.\.-1|\.\.|\.\.&)\s*\]|\.(?:slice|substring|Substring|substr|drop|removeRange)\((\d+)\))$|^\\?(?:mb_)?substr\((\$\w+), ?(\d+)\)$/

/** `header.slice(6)` behind `header.startsWith('Bearer ')`. */
export function checkPrefixLength(access: Node): Hit | undefined {
  if (access.endIndex - access.startIndex > 100) return undefined
  const groups =
    cut
      .exec(access.text)
      ?.slice(1)
      .filter((group) => group !== undefined) ?? []
  const [subject, digits] = groups
  const count = Number(digits)
  const prefix = subject && count > 1 ? testedPrefix(access, subject) : undefined
  if (prefix === undefined || !isOffByOne(prefix, count)) return undefined
  const text = quoteCode(`"${prefix}"`)
  const isShort = count < prefix.length
  return {
    at: firstLine(access),
    title: `Off-by-one: the prefix ${text} has ${prefix.length} characters, not ${count}`,
    body:
      'When the text has the prefix, ' +
      `${isShort ? 'its last character stays' : 'the first character behind it is lost'}. ` +
      'Use the length of the prefix.',
  }
}

/** The prefix that the code before an access has tested last. */
function testedPrefix(access: Node, subject: string): string | undefined {
  const before = textBefore(access).slice(-400)
  const tests = [...before.matchAll(prefixTest)].filter(({ 0: test, index }) =>
    before.slice(Math.max(0, index - subject.length - 1), index + test.length).includes(subject),
  )
  return tests.at(-1)?.[2]
}

/** A slash or a sign at the end may stay on purpose, and a space after a word be cut. */
function isOffByOne(prefix: string, count: number): boolean {
  if (count === prefix.length - 1) return /[\w\s:=]$/.test(prefix)
  return count === prefix.length + 1 && /[\s:=/]$/.test(prefix)
}

const cutLength =
  /(?:\[|\.(?:slice|substring|Substring|substr|drop)\()(?:len\((\w+)\)|(\w+)\.(?:length|Length|len\(\)|length\(\)|size)) - 1(?::\]|\.\.\]|\))$/

/** `value.Substring(Prefix.Length - 1)` behind `value.StartsWith(Prefix)`. */
export function checkPrefixName(access: Node): Hit | undefined {
  if (access.endIndex - access.startIndex > 120) return undefined
  const match = cutLength.exec(access.text)
  const name = match?.[1] ?? match?.[2]
  if (!name || access.text.startsWith(`${name}.`) || access.text.startsWith(`${name}[`))
    return undefined
  const isTested = new RegExp(`(?:starts_?with|HasPrefix)\\([^()]*\\b${name}\\b`, 'i').test(
    textBefore(access),
  )
  const literal = new RegExp(`\\b${name}(?::? [&\\w']+)? ?= ?["']([^"'\\n]+)["']`).exec(
    access.tree.rootNode.text,
  )?.[1]
  if (!isTested || literal?.endsWith('/')) return undefined
  return {
    at: firstLine(access),
    title: `Off-by-one: the last character of ${quoteCode(name)} stays in the text`,
    body:
      `When the text starts with ${quoteCode(name)}, one character of it is left. Leave ` +
      '`- 1` out.',
  }
}

const searched =
  /\.(?:lastIndexOf|indexOf|IndexOf|LastIndexOf|find|rfind|index|rindex)\((["'])([.@/?=:#,])\1\)$/

/** `name.substring(0, dot - 1)`, where `dot` is the index of `.`. */
export function checkCutBefore(access: Node): Hit | undefined {
  if (access.endIndex - access.startIndex > 200) return undefined
  const index = /(?:\((?:0, ?)|\[(?:0)?:)(\w+) - 1[)\]]$/.exec(access.text)?.[1]
  if (!index) return undefined
  const at = new RegExp(`(?<![\\w.])${index} ?:?= ?([^;\\n]+)`)
    .exec(textBefore(access))?.[1]
    ?.trim()
  const sign = at === undefined ? undefined : searched.exec(at)?.[2]
  if (sign === undefined) return undefined
  return {
    at: firstLine(access),
    title: `Off-by-one: the character before ${quoteCode(sign)} is lost`,
    body:
      `When the text is cut, the end isn't included, so ${quoteCode(`${index} - 1`)} drops one ` +
      `character more than ${quoteCode(sign)}. Cut at ${quoteCode(index)}.`,
  }
}

const exclusiveSlice =
  /(?:\[|\.(?:slice|subList|substring|subSequence|GetRange)\()(\$?[\w.]+)(?::|\.\.(?!=)|, ?)\1 ?\+ ?([\w.]+) ?- ?1[)\]]$/
const inclusiveSlice =
  /(?:\[|\.slice\(|\.substring\()([\w.]+) ?\.\.(?![.<]) ?\1 ?\+ ?([\w.]+)[)\]]$/

/** `list.slice(start, start + size - 1)`; Ruby's and Kotlin's `start..start + size`. */
export function checkSliceLength(access: Node, { language }: ParsedFile): Hit | undefined {
  if (access.endIndex - access.startIndex > 200) return undefined
  const includesEnd = language === 'ruby' || language === 'kotlin'
  const pattern = includesEnd && access.text.includes('..') ? inclusiveSlice : exclusiveSlice
  const size = pattern.exec(access.text)?.[2]
  if (!size || /^\d+$/.test(size) || !/size|count|len|per|limit|chunk|batch|n$/i.test(size))
    return undefined
  const isMore = pattern === inclusiveSlice
  return {
    at: firstLine(access),
    title: `Off-by-one: this has one element ${isMore ? 'more' : 'less'} than ${quoteCode(size)}`,
    body: isMore
      ? 'When this is cut, the end is included. Use `...` or `until`, or subtract 1.'
      : "When this is cut, the end isn't included, so the last element is lost. Leave `- 1` out.",
  }
}

const shortGuard =
  /(?:\.(?:length|size|Count|Length|len|count)(?:\(\))?|(?:len|count)\((\$?[\w.]+)\)) ?(<|!==?|<=) ?(\d+)\)?/

/** `if (parts.length < 2) return`, and then `parts[2]`. */
export function checkGuardedIndex(node: Node): Hit | undefined {
  const guard = readShortGuard(node)
  const after = guard && textAfter(node).slice(0, 1_500)
  const read = guard && after ? findIndex(after, guard.list) : undefined
  if (!guard || !after || !read || read.index < guard.least) return undefined
  const { list, least } = guard
  const own = RegExp.escape(list)
  const isAsked = new RegExp(
    `${own}\\.(?:length|size|Count|Length|len|shift|push|append|Add|add)\\b|` +
      `(?:len|count)\\(${own}\\)|(?<![\\w.])${own} ?:?= `,
  )
  const between = after.slice(0, read.at)
  if (isAsked.test(between)) return undefined
  const row = node.text.split('\n').length + between.split('\n').length - 2
  return {
    at: firstLine(node),
    title: `Off-by-one: ${quoteCode(read.code)} is read below, but this only requires ${least}`,
    body:
      `When ${quoteCode(list)} has exactly ${least}, there is no element ${read.index}. Require ` +
      `${read.index + 1}.`,
    evidence: [{ line: lineOf(node) + row, note: 'the index that is read' }],
  }
}

/** The list of which a guard requires a number of elements. */
function readShortGuard(node: Node): { list: string; least: number } | undefined {
  const condition = field(node, 'condition')?.text.slice(0, 200) ?? ''
  const match = shortGuard.exec(condition)
  if (!match || field(node, 'alternative') || /&&|\band\b/.test(condition)) return undefined
  const list = match[1] ?? /([\w.$]+)$/.exec(condition.slice(0, match.index))?.[1]
  const least = Number(match[3]) + (match[2] === '<=' ? 1 : 0)
  return list && least > 0 && leaves.test(node.text) ? { list, least } : undefined
}

/** The first element of a list that code reads by a fixed index, without a value for none. */
function findIndex(
  code: string,
  list: string,
): { code: string; index: number; at: number } | undefined {
  const access = new RegExp(
    `(?<![\\w.])${RegExp.escape(list)}(?:\\[|\\.get\\()(\\d)[\\])](?! ?(?:=(?!=)|\\?\\?|\\|\\||\\?\\.))`,
  )
  const found = [...code.matchAll(new RegExp(access, 'g'))].toSorted(
    (one, other) => Number(other[1]) - Number(one[1]),
  )[0]
  return found && { code: found[0], index: Number(found[1]), at: found.index }
}

const leaves = /\b(?:return|throw|raise|continue|exit|panic|die|bail!|Fatal\w*|Exit|abort)\b/

const clamped =
  /^if \(?(\$?\w+) >=? ((?:len|count)\(\$?[\w.]+\)|[\w.$]+\.(?:length|size|Count|Length|len)(?:\(\))?)\)? ?[{:]?\s*\1 = \2 - 1\b/

/** `if (end > list.length) end = list.length - 1`, where `end` isn't included. */
export function checkClampedEnd(node: Node): Hit | undefined {
  const text = node.text.slice(0, 300).replace(/\s+/g, ' ')
  const end = clamped.exec(text)?.[1]
  if (!end) return undefined
  const own = RegExp.escape(end)
  const isCut = new RegExp(`[:,] ?${own}[\\])]|\\.\\.${own}\\]|<\\s*${own}\\b`).test(
    textAfter(node),
  )
  return isCut ? lastLostHit(node, end, 1) : undefined
}

/** `list.slice(start, Math.min(start + size, list.length - 1))`. */
export function checkMinimumEnd(access: Node): Hit | undefined {
  if (access.endIndex - access.startIndex > 200) return undefined
  const [, cutEnd] =
    /(?:\[|\.(?:slice|subList|substring|Substring)\()[\w.]+(?::|\.\.(?!=)|, ?)([\s\S]+)[)\]]$/.exec(
      access.text,
    ) ?? []
  if (cutEnd === undefined) return undefined
  const value = /^\w+$/.test(cutEnd) ? minimumOf(cutEnd, access) : cutEnd
  return value !== undefined && minimum.test(value) ? lastLostHit(access, cutEnd, 0) : undefined
}

const minimum =
  /^(?:[\w.]*\b)?[mM]in(?:Of)?\([^,]+ ?\+ ?[^,]+, ?(?:len\([\w.]+\)|[\w.]+\.(?:length|size|Count|Length|len|lastIndex)(?:\(\))?) - 1\)$/

function minimumOf(name: string, access: Node): string | undefined {
  return new RegExp(`(?<![\\w.])${name} ?:?= ?([^;\\n]+)`).exec(textBefore(access))?.[1]?.trim()
}

function lastLostHit(node: Node, end: string, row: number): Hit {
  const line = lineOf(node) + row
  return {
    at: { startLine: line, endLine: line },
    fallback: firstLine(node),
    title: `Off-by-one: the last element is lost, because ${quoteCode(end)} isn't included`,
    body:
      'When the last part is cut, its end is one less than the length, and the end of a slice is ' +
      'left out itself. Use the length.',
  }
}
