// Finds lines and comparisons that were copied, and changed in all places but one.
import type { Node } from 'web-tree-sitter'
import { hasCall } from './calls.ts'
import { functionTypes, readParameters } from './functions.ts'
import {
  areOpposite,
  changedWord,
  type RolePair,
  rolePairs,
  sideOf,
  wordsOf,
} from './name-words.ts'
import { operandsOf } from './operations.ts'
import { repeatedCondition } from './repetitions.ts'
import type { Hit, ParsedFile } from './syntax-check.ts'
import {
  codeChildren,
  enclosingNode,
  field,
  fieldText,
  firstLine,
  lineOf,
  previousCodeSibling,
  quoteCode,
} from './syntax-nodes.ts'

/** Copies are compared up to this length. */
const maxLength = 400

/** How many statements lie between a line and its copy at most, and one. */
const maxDistance = 6

/** Statements, fields and arguments that are often copied, in all languages. */
export const copiedTypes: readonly string[] = [
  ...['if_statement', 'if_expression', 'if', 'if_modifier', 'return_statement'],
  ...['expression_statement', 'call_expression', 'let_declaration', 'property_declaration'],
  ...['lexical_declaration', 'local_variable_declaration', 'local_declaration_statement'],
  ...['short_var_declaration', 'assignment_statement', 'assignment', 'assignment_expression'],
  ...['pair', 'keyword_argument', 'keyed_element', 'value_argument', 'argument'],
  ...['array_element_initializer', 'field_initializer'],
]

/** Checks a statement, field or argument that may be a copy of one before it. */
export function checkCopy(node: Node, file: ParsedFile): Hit | undefined {
  if (node.endIndex - node.startIndex > maxLength || !node.previousNamedSibling) return undefined
  if (!enclosingNode(node, functionTypes)) return undefined
  return (
    checkRepeatedExit(node) ??
    checkGuard(node) ??
    checkKept(node, file) ??
    checkSameValue(node, file) ??
    checkLabel(node) ??
    checkForeignSource(node) ??
    checkUnusedParameter(node) ??
    checkMirroredCall(node)
  )
}

/** `if (from == null) return a`, and after it `if (from == null) return b`. */
function checkRepeatedExit(statement: Node): Hit | undefined {
  const branch = branchIn(statement)
  const before = previousCodeSibling(statement)
  const earlier = before && branchIn(before)
  const condition = branch && field(branch, 'condition')
  if (!condition || !earlier || fieldText(earlier, 'condition') !== condition.text) return undefined
  const hasOther = ['alternative', 'initializer'].some(
    (name) => field(branch, name) ?? field(earlier, name),
  )
  if (hasOther || hasCall(condition)) return undefined
  if (![earlier, branch].every(({ text }) => exits.test(text.slice(-200)))) return undefined
  // What handles a failure may go on.
  if (/\b(?:except|catch|rescue)\b/.test(earlier.text)) return undefined
  return earlier.text === branch.text ? undefined : repeatedCondition(condition, earlier)
}

const exits =
  /\b(?:return|throw|raise|continue|break)\b[^;{}\n]*(?:[;\n]?\s*(?:\}|end)?\s*)$|^(?:return|raise)\b/

/** The `if` that a statement is. */
function branchIn(statement: Node): Node | undefined {
  const inner = statement.type === 'expression_statement' ? statement.namedChild(0) : statement
  return inner && /^if/.test(inner.type) ? inner : undefined
}

/** `if (min != null) f(min)`, and after it `if (max != null) f(min)`. */
function checkGuard(statement: Node): Hit | undefined {
  const branch = branchIn(statement)
  if (!branch || field(branch, 'alternative')) return undefined
  const [condition, body] = partsOfBranch(branch)
  let before = previousCodeSibling(statement)
  for (let count = 0; before && count < maxDistance; count++) {
    const other = branchIn(before)
    const [model, modelBody] = other ? partsOfBranch(other) : ['', '']
    const names = changedName(model, condition)
    const isKept =
      names &&
      countWord(modelBody, names.from) > 0 &&
      countWord(body, names.from) > 0 &&
      countWord(body, names.to) === 0
    if (isKept) return guardHit(branch, before, names)
    before = previousCodeSibling(before)
  }
  return undefined
}

function partsOfBranch(branch: Node): [condition: string, body: string] {
  const condition = fieldText(branch, 'condition')
  return [condition, branch.text.slice(0, maxLength).replace(condition, '')]
}

/** The only name in which two texts differ, if the rest is the same. */
function changedName(before: string, after: string): { from: string; to: string } | undefined {
  const [old, copy] = [before, after].map((text) => text.match(/\w+|[^\s\w]/g) ?? [])
  const changed = changedWord(old!, copy!)
  const [one, other] = changed ? [wordsOf(changed.from), wordsOf(changed.to)] : []
  const words = one && other && changedWord(one, other)
  return words && (one.length > 1 || areOpposite(words.from, words.to)) ? changed : undefined
}

function guardHit(branch: Node, before: Node, { from, to }: { from: string; to: string }): Hit {
  const used = branch.text.search(new RegExp(`(?<!\\w)${from}(?!\\w)`))
  const line = lineOf(branch) + branch.text.slice(0, used).split('\n').length - 1
  return {
    at: { startLine: line, endLine: line },
    fallback: firstLine(branch),
    title: `Copied line: ${quoteCode(to)} is tested here, and ${quoteCode(from)} is used`,
    body:
      `When ${quoteCode(to)} has a value, this uses ${quoteCode(from)}, as the branch in line ` +
      `${lineOf(before)} does. Use ${quoteCode(to)}.`,
    evidence: [{ line: lineOf(before), note: 'the branch that this one resembles' }],
  }
}

const strings = /'[^'\n]*'|"[^"\n]*"/g

/** `check(billing, 'billing')`, and after it `check(billing, 'shipping')`. */
function checkLabel(statement: Node): Hit | undefined {
  const before = previousCodeSibling(statement)
  if (before?.type !== statement.type || assignmentOf(statement)) return undefined
  const [old, copy] = [before.text.slice(0, maxLength), statement.text]
  const code = copy.replace(strings, '')
  if (old.replace(strings, '') !== code || old === copy) return undefined
  const [labels, others] = [old, copy].map((text) => (text.match(strings) ?? []).join(' '))
  const changed = findChangedWord(tokensOf(labels!), tokensOf(others!))
  const owner = enclosingNode(statement, functionTypes)
  if (!changed || !owner) return undefined
  const around = owner.text.slice(0, maxOwner).replaceAll(strings, '').replaceAll(keys, '')
  const names = findNamed(code, changed, around)
  return names && new RegExp(`[(,] ?${names.name}[,)]`).test(code)
    ? sameValueHit(statement, before, changed.to, names)
    : undefined
}

/** `ship.city = form.billCity` among statements that set `ship.…` from `form.ship…`. */
function checkForeignSource(statement: Node): Hit | undefined {
  const sides = sidesOfAssignment(statement)
  if (!sides || sides.target === sides.value) return undefined
  // A computed value is of both sides, as `rows = cells / columns`; one written out is of none.
  if (/ [-+*/%] |^[[{]/.test(assignmentOf(statement)!.value)) return undefined
  let fitting = 0
  for (const other of statementsAround(statement)) {
    const { pair, target, value } = sidesOfAssignment(other) ?? {}
    if (pair !== sides.pair || target !== sides.target) continue
    // The same variable takes one value after the other.
    if (value === sides.value || isSameTarget(statement, other)) return undefined
    fitting += 1
  }
  const { target, value } = assignmentOf(statement)!
  return fitting < 2
    ? undefined
    : {
        at: firstLine(statement),
        title: `Copied line: ${quoteCode(target)} is set from ${quoteCode(value)}`,
        body:
          'When this runs, it takes the value of the other side, while the lines around it take ' +
          'that of their own. Use the value with the matching name.',
      }
}

function isSameTarget(statement: Node, other: Node): boolean {
  return assignmentOf(statement)?.target === assignmentOf(other)?.target
}

type SidedAssignment = { pair: RolePair; target: 1 | -1; value: 1 | -1 }

/** On which sides of a pair of opposite words the target and the value of an assignment are. */
function sidesOfAssignment(statement: Node): SidedAssignment | undefined {
  const { target, value } = assignmentOf(statement) ?? {}
  if (!target || !value) return undefined
  const [one, other] = [wordsOf(target), wordsOf(value)]
  for (const pair of rolePairs) {
    const [own, given] = [sideOf(one, pair), sideOf(other, pair)]
    if (pair.kind === 'sides' && own && given) return { pair, target: own, value: given }
  }
  return undefined
}

function statementsAround(statement: Node): Node[] {
  const found: Node[] = []
  for (const step of ['previousNamedSibling', 'nextNamedSibling'] as const) {
    let other = statement[step]
    for (let count = 0; other && count < maxDistance; count++, other = other[step])
      if (other.type === statement.type) found.push(other)
  }
  return found
}

/** `if (x > max.x) max.x = x`, and after it `if (y > max.y) max.x = y`. */
function checkKept(statement: Node, file: ParsedFile): Hit | undefined {
  const copy = tokensOf(statement.text)
  let before = previousCodeSibling(statement)
  for (let count = 0; before && count < maxDistance; count++) {
    const isAlike = before.type === statement.type && before.text.length <= maxLength
    const kept = isAlike ? findKept(tokensOf(before.text), copy) : undefined
    if (kept && isIncomplete(kept, before, statement, file)) return copyHit(statement, before, kept)
    before = previousCodeSibling(before)
  }
  return undefined
}

/** Two maps may have the same key: `right = rights.get(left.id)`. */
const looksUpKey = /\.(?:get|has)\([\w.]*\b[iI]d\)/

/** Whether a word was certainly forgotten where a copy of a statement keeps it. */
function isIncomplete(kept: Replacement, before: Node, statement: Node, file: ParsedFile): boolean {
  const { from, to, changes } = kept
  if (isByDesign(kept, statement) || looksUpKey.test(statement.text)) return false
  const isKnown = areOpposite(from, to)
  if (changes < 2) return isKnown && isNamedElsewhere(kept, statement, file)
  if (isKnown) return isSide(from, to) || hasCounterpart(kept, statement, file)
  if (!kept.isOnlyPair) return false
  return (
    repeatsTarget(before, statement) ||
    (changes > 2 && kept.isPart && hasCounterpart(kept, statement, file))
  )
}

/** `max = min` may be the value to begin with, and a distance is between opposite sides. */
function isByDesign(kept: Replacement, statement: Node): boolean {
  const { text } = statement
  if (/ [-+] /.test(text) && !isSide(kept.from, kept.to)) return true
  // A type is made by `new` in any case.
  if (kept.from === 'new' && /\bnew[ (]/.test(text)) return true
  // Two periods overlap if each starts before the other one ends.
  if (isOrdered(kept) && /[<>]=?|[gl]te?\b/.test(text)) return true
  // The end of a period can be computed from its start.
  if (isOrdered(kept) && /(?:start|end)_?of/i.test(text)) return true
  return isOrdered(kept) && /^\w+$/.test(assignmentOf(statement)?.value ?? '')
}

/** Whether the file has the name that the copy should have, apart from the copy. */
function hasCounterpart({ from, to }: Replacement, statement: Node, file: ParsedFile): boolean {
  const names = new Set(statement.text.match(/[A-Za-z_]\w*/g) ?? [])
  const others = [...names].flatMap((name) => {
    const own = wordsOf(name)
    return own.includes(from) ? [own.map((word) => (word === from ? to : word)).join('')] : []
  })
  const length = statement.endIndex - statement.startIndex
  const around = `${file.text.slice(Math.max(0, statement.startIndex - maxAround), statement.startIndex)}\n${file.text.slice(statement.startIndex + length, statement.endIndex + maxAround)}`
  const known = new Set(
    [...(around.match(/[A-Za-z_]\w*/g) ?? []), ...names].map((name) => wordsOf(name).join('')),
  )
  return others.some((other) => known.has(other))
}

/** How many characters before and after a copy are searched. */
const maxAround = 4_000

/** Whether the file has what the copy should have: `size.height` for `size.width`. */
function isNamedElsewhere({ from, to }: Replacement, statement: Node, file: ParsedFile): boolean {
  const copy = assignmentOf(statement)
  if (!copy || !tokensOf(copy.target).includes(to)) return false
  const words = { from, to }
  const named = isOrdered(words) ? undefined : findNamed(copy.value, words, file.text)
  const isMember = new RegExp(`(?:\\.|->)\\w*${from}\\w*`, 'i').test(copy.value)
  return named !== undefined || (isMember && isSide(from, to))
}

/** Whether two words are names of directions or dimensions, which objects have both. */
function isSide(one: string, other: string): boolean {
  return dimensions.some((words) => words.includes(one) && words.includes(other))
}

const dimensions = [
  ['x', 'y'],
  ['width', 'height'],
  ['lat', 'lng', 'lon', 'latitude', 'longitude'],
]

function copyHit(statement: Node, before: Node, kept: Replacement): Hit {
  const line = lineOf(statement) + kept.row
  return {
    at: { startLine: line, endLine: line },
    fallback: firstLine(statement),
    title:
      `Copied line: ${quoteCode(kept.from)} is replaced by ${quoteCode(kept.to)} here, in all ` +
      'places but one',
    body:
      `When this runs, it mixes ${quoteCode(kept.from)} and ${quoteCode(kept.to)}. Compare it ` +
      `with line ${lineOf(before)}, and replace the last one, too.`,
    evidence: [{ line: lineOf(before), note: 'the line that this one resembles' }],
  }
}

/** Splits code into the words of its names, and everything between them. */
function tokensOf(text: string): string[] {
  return (
    text.match(
      /(?<![a-zA-Z])d(?=[xy](?![a-z]))|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\sA-Za-z\d]|\n/g,
    ) ?? []
  ).map((word) => word.toLowerCase())
}

interface Replacement {
  readonly from: string
  readonly to: string
  /** How many lines after the start of the copy the word is kept. */
  readonly row: number
  /** How many words the copy replaces. */
  readonly changes: number
  /** Whether the copy replaces no other word. */
  readonly isOnlyPair: boolean
  /** Whether the kept word is a member, or a part of a longer name. */
  readonly isPart: boolean
}

/** Finds the word that a copy replaces, and keeps in one place. */
function findKept(old: readonly string[], copy: readonly string[]): Replacement | undefined {
  const replaced = listReplaced(old, copy)
  if (!replaced) return undefined
  const { pairs, changes } = replaced
  const keptAt = (from: string) =>
    copy.flatMap((word, index) => (word === from && old[index] === from ? [index] : []))
  const [pair, ...others] = [...pairs].filter(
    ([from, to]) => isName(from) && isName(to) && !old.includes(to) && keptAt(from).length === 1,
  )
  if (!pair || others.length > 0) return undefined
  const [from, to] = pair
  if ([...pairs].some(([one, other]) => one !== from && !isParallel(one, other))) return undefined
  const at = keptAt(from)[0]!
  // `LatLng` is one name.
  if (copy[at + 1] === to) return undefined
  const previous = copy[at - 1] ?? ''
  return {
    from,
    to,
    row: copy.slice(0, at).filter((word) => word === '\n').length,
    changes,
    isOnlyPair: pairs.size === 1,
    isPart: /^[._>]$/.test(previous) || isName(previous),
  }
}

/** The words that a copy replaces, each by the same word, and in how many places. */
function listReplaced(
  old: readonly string[],
  copy: readonly string[],
): { pairs: ReadonlyMap<string, string>; changes: number } | undefined {
  if (old.length !== copy.length) return undefined
  const pairs = new Map<string, string>()
  let changes = 0
  for (const [index, from] of old.entries()) {
    const to = copy[index]!
    if (from === to) continue
    if ((pairs.get(from) ?? to) !== to || pairs.size > maxPairs) return undefined
    pairs.set(from, to)
    changes += 1
  }
  return { pairs, changes }
}

const maxPairs = 4

function isName(word: string): boolean {
  return /^[a-z]+$/.test(word)
}

/** Whether a copy for the opposite replaces these, too: `>=` by `<=`, `min` by `max`. */
function isParallel(from: string, to: string): boolean {
  return (
    areOpposite(from, to) || (/^[<>]$/.test(from) && /^[<>]$/.test(to)) || /^\d+$/.test(from + to)
  )
}

/** Whether both statements are branches that assign to the same target. */
function repeatsTarget(before: Node, statement: Node): boolean {
  if (statement.type !== 'if_statement' || field(statement, 'alternative')) return false
  const target = targetOf(statement)
  return target !== undefined && target === targetOf(before) && target.includes('.')
}

/** What the only statement of a branch assigns to. */
function targetOf(branch: Node): string | undefined {
  let node = field(branch, 'consequence')
  while (node && /block|statement_list|expression_statement/.test(node.type)) {
    const [inner, ...others] = codeChildren(node)
    if (others.length > 0) return undefined
    node = inner
  }
  return node && /assignment/.test(node.type) ? field(node, 'left')?.text : undefined
}

/** What gets a value, and the value: `billTo: f(x)`, `$a = b`, `x.y = z;`. */
function assignmentOf({ text }: Node): { target: string; value: string } | undefined {
  const code = text.slice(0, maxLength)
  const [, target, value] = assignment.exec(code) ?? setter.exec(code) ?? []
  return target && value ? { target, value: value.replace(/[;,]$/, '').trim() } : undefined
}

/** `order.setBillingCity(city);`. */
const setter = /^[\w$.>-]{1,60}(?:\.|->)set_?([A-Z_]\w*)\(([^;]*)\);?$/

const assignment = new RegExp(
  String.raw`^(?:(?:const|let|var|val|final|mut) ){0,2}['"]?([\w$@.>:-]{1,100}?)["']?(?:, err)? ?` +
    String.raw`(?:=>|:=|=|:)(?!=|:) {0,9}(\S[\s\S]*)$`,
)

/** `air.unit = unit(air)`, and after it `soil.unit = unit(air)`. */
function checkSameValue(statement: Node, file: ParsedFile): Hit | undefined {
  const copy = assignmentOf(statement)
  if (!copy) return undefined
  let before = previousCodeSibling(statement)
  for (let count = 0; before && count < maxDistance; count++) {
    const old = before.type === statement.type ? assignmentOf(before) : undefined
    const changed =
      old?.value === copy.value && findChangedWord(tokensOf(old.target), tokensOf(copy.target))
    if (changed) {
      const code = areOpposite(changed.from, changed.to)
        ? file.text
        : count === 0
          ? valuesIn(statement)
          : ''
      const names = findOther(copy.value, changed, statement, code)
      return names && sameValueHit(statement, before, copy.target, names)
    }
    before = previousCodeSibling(before)
  }
  return undefined
}

/** The code of the function around a statement without the statement, and without names of keys. */
function valuesIn(statement: Node): string {
  const owner = enclosingNode(statement, functionTypes)
  if (!owner || isSetting.test(assignmentOf(statement)?.value ?? '')) return ''
  const start = statement.startIndex - owner.startIndex
  const after = owner.text.slice(start + statement.text.length, maxOwner)
  const names = (readParameters(owner) ?? []).join(' ')
  const values = `${owner.text.slice(0, start)}\n${after}`.replaceAll(keys, '')
  return `${names}\n${values}`
}

/** A value that many settings have. */
const isSetting = /^(?:true|false|null|nil|None|undefined|new\b.*|[\d."'`].*|[[{(][\s\S]*)$/i

/** Names that get a value, which don't show that there is a value of that name. */
const keys =
  /(?<![\w$])(?<!\b(?:const|let|var|val|final) )[\w$]+["']?\s*(?:=>|:(?![:=])|=(?![=>]))/g

/**
 * Finds the name in a value that should be another one, and the other one.
 *
 * @param code where the other one is searched
 */
function findOther(
  value: string,
  changed: Pick<Replacement, 'from' | 'to'>,
  statement: Node,
  code: string,
): { name: string; other: string } | undefined {
  return (
    findKey(value, changed, statement) ??
    (isOrdered(changed)
      ? findOtherBound(value, changed, statement)
      : findNamed(value, changed, code)) ??
    findOtherEnd(value, changed, statement)
  )
}

/** `max = parse(minText)`, where the function has a `maxText`. */
function findOtherBound(
  value: string,
  changed: Pick<Replacement, 'from' | 'to'>,
  statement: Node,
): { name: string; other: string } | undefined {
  if (/^[\w.$@]+$|(?:start|end)_?of/i.test(value)) return undefined
  const owner = enclosingNode(statement, functionTypes)
  const code = owner?.text.slice(0, maxOwner).replace(statement.text, '').replaceAll(strings, '')
  const found = findNamed(value, changed, code ?? '')
  const target = assignmentOf(statement)?.target ?? ''
  return found && !target.endsWith(found.other) ? found : undefined
}

/** `max = params['min_price']`, where the key names what the line before it sets. */
function findKey(
  value: string,
  { from, to }: Pick<Replacement, 'from' | 'to'>,
  statement: Node,
): { name: string; other: string } | undefined {
  const [, owner = '', name] = keyAccess.exec(value) ?? []
  const words = wordsOf(name ?? '')
  if (!name || !words.includes(from) || words.includes(to)) return undefined
  const other = name.replace(from, to)
  const rest = statement.tree.rootNode.text.slice(0, 60_000).replace(statement.text, '')
  const isKnown = [`'${other}'`, `"${other}"`, `:${other}`].some((key) => rest.includes(key))
  return isKnown || (areOpposite(from, to) && input.test(owner)) ? { name, other } : undefined
}

const keyAccess = /([\w$.]+)(?:\[:?|\.(?:get|fetch|input|query)\(:?)["']?(\w+)["']?[\])]/

const input = /(?:params|request|query|form|input|body)$/

function sameValueHit(
  statement: Node,
  before: Node,
  name: string,
  kept: { name: string; other: string },
): Hit {
  const target = quoteCode(name)
  const old = assignmentOf(before)?.target ?? kept.name
  return {
    at: firstLine(statement),
    title: `Copied line: ${target} gets the value of ${quoteCode(old)}`,
    body:
      `When this runs, ${target} is set from ${quoteCode(kept.name)}, as line ${lineOf(before)} ` +
      `is. ${quoteCode(kept.other)} would fit its name.`,
    evidence: [{ line: lineOf(before), note: 'the line that this one resembles' }],
  }
}

/** `to = parse(start)` after `from = parse(start)`, where nothing reads the parameter `end`. */
function findOtherEnd(
  value: string,
  { from, to }: Pick<Replacement, 'from' | 'to'>,
  statement: Node,
): { name: string; other: string } | undefined {
  const owner = enclosingNode(statement, functionTypes)
  const parameters = (owner && readParameters(owner)) ?? []
  const pairs = rolePairs.filter(
    ({ first, second }) =>
      (first.includes(from) && second.includes(to)) ||
      (second.includes(from) && first.includes(to)),
  )
  for (const name of new Set(value.match(/[A-Za-z_]\w*/g) ?? []))
    for (const other of parameters) {
      const changed = changedWord(wordsOf(name), wordsOf(other))
      const isOther =
        changed &&
        pairs.some(({ first, second }) => {
          const [own, opposite] = first.includes(from) ? [first, second] : [second, first]
          return own.includes(changed.from) && opposite.includes(changed.to)
        })
      if (isOther && countWord(owner!.text, other) === 1) return { name, other }
    }
  return undefined
}

function countWord(text: string, word: string): number {
  return [...text.slice(0, maxOwner).matchAll(new RegExp(`(?<!\\w)${word}(?!\\w)`, 'g'))].length
}

const maxOwner = 20_000

/** `this.height = width`, where nothing reads the parameter `height`. */
function checkUnusedParameter(statement: Node): Hit | undefined {
  const [, target, value] =
    /^(?:\$?this(?:\.|->)|self\.|@)(\w+) = (\$?\w+);?$/.exec(statement.text.slice(0, 200)) ?? []
  const owner = target && value ? enclosingNode(statement, functionTypes) : undefined
  const parameters = owner && readParameters(owner)
  const name = value?.replace('$', '')
  if (!parameters?.includes(target!) || !parameters.includes(name!) || target === name)
    return undefined
  // One is the parameter, and one the target here.
  if (countWord(owner!.text, target!) !== 2) return undefined
  return {
    at: firstLine(statement),
    title: `Copied line: ${quoteCode(target!)} gets the value of ${quoteCode(name!)}`,
    body:
      `When this runs, the parameter ${quoteCode(target!)} is ignored. Assign it instead of ` +
      `${quoteCode(name!)}.`,
  }
}

/** Returns the only word in which two names differ. */
function findChangedWord(
  old: readonly string[],
  copy: readonly string[],
): Pick<Replacement, 'from' | 'to'> | undefined {
  const changed = old.flatMap((word, index) => (word === copy[index] ? [] : [index]))
  const [index] = changed
  if (index === undefined || changed.length > 1 || old.length !== copy.length) return undefined
  const [from, to] = [old[index]!, copy[index]!]
  return /^[a-z]{3,}$/.test(from) && /^[a-z]{3,}$/.test(to) ? { from, to } : undefined
}

/** Whether two things may well have the same value, such as the ends of an empty range. */
function isOrdered({ from, to }: Pick<Replacement, 'from' | 'to'>): boolean {
  return sameAtFirst.some((words) => words.includes(from) && words.includes(to))
}

const sameAtFirst = [
  ['start', 'end', 'begin', 'first', 'last', 'head', 'tail', 'anchor', 'focus', 'stop'],
  ['min', 'max', 'low', 'high', 'lower', 'upper', 'minimum', 'maximum'],
  ['width', 'height', 'depth', 'length'],
  ['old', 'new', 'previous', 'prev', 'current', 'next', 'initial', 'original', 'last'],
  ['from', 'since', 'until', 'created', 'updated', 'modified'],
  ['expected', 'actual', 'default', 'value'],
]

/** Finds the name in a value that has the word of the old line, if the file has the other one. */
function findNamed(
  value: string,
  { from, to }: Pick<Replacement, 'from' | 'to'>,
  text: string,
): { name: string; other: string } | undefined {
  // A text that equals the name of a key is a value of its own: `store: 'create'`.
  const code = value.replace(/'[^']*'|"[^"]*"/g, '')
  const names = [...new Set(code.match(/[A-Za-z_]\w*/g) ?? [])]
  if (names.some((name) => tokensOf(name).some((word) => isForm(word, to)))) return undefined
  for (const name of names) {
    const own = tokensOf(name).filter((word) => isForm(word, from))
    if (own.length !== 1) continue
    const at = name.toLowerCase().indexOf(own[0]!)
    const [start, end] = [name.slice(0, at), name.slice(at + own[0]!.length)]
    const other = new RegExp(`(?<!\\w)${start}${to}(?:ping|ing|ed|er)?${end}(?!\\w)`, 'i')
    const found = other.exec(text)?.[0]
    if (found) return { name, other: found }
  }
  return undefined
}

/** Whether a word is a form of another one: `shipping` of `ship`. */
function isForm(word: string, stem: string): boolean {
  return (
    word === stem || (word.startsWith(stem) && /^(?:ping|ing|ed|er)$/.test(word.slice(stem.length)))
  )
}

/** Two members that are compared or combined, such as `a.min.x` and `b.max.x`. */
interface MemberPair {
  readonly node: Node
  /** Which operator or function combines them, and of which objects they are. */
  readonly kind: string
  readonly left: string
  readonly right: string
}

const member = /^((?:[\w$]+(?:\.|->|::)){0,6})([\w$]+)$/

function memberPair(node: Node, kind: string, left: string, right: string): MemberPair | undefined {
  const [one, other] = [member.exec(left.slice(0, 100)), member.exec(right.slice(0, 100))]
  if (!one || !other || one[1] === other[1]) return undefined
  const objects = [one[1], other[1]].map((path) => path!.split(/\W+/)[0])
  return { node, kind: `${objects[0]} ${kind} ${objects[1]}`, left: one[2]!, right: other[2]! }
}

function operatorOf(node: Node): string {
  return (field(node, 'operator') ?? node.child(1))?.text ?? ''
}

function comparedMembers(node: Node): MemberPair | undefined {
  const [left, right] = sidesOf(node)
  const operator = operatorOf(node)
  return left && right && /^(?:[<>]=?|[=!]==?)$/.test(operator)
    ? memberPair(node, operator, left, right)
    : undefined
}

/** `a.x <= b.x && a.y <= b.x`, and `a.start < b.end && b.start < b.end`. */
export function checkMirroredComparisons(node: Node): Hit | undefined {
  const operator = operatorOf(node)
  // The chain is checked as a whole.
  if (operator !== '&&' && operator !== '||' && operator !== 'and') return undefined
  if (node.parent && operatorOf(node.parent) === operator) return undefined
  const operands = operandsOf(node, operator).slice(0, maxOperands)
  const pairs = operands.map(comparedMembers).filter((pair) => pair !== undefined)
  return findMixed(pairs) ?? findUnmixed(operands, pairs)
}

/** Finds two members of one object among pairs of the same members of two objects. */
function findUnmixed(operands: readonly Node[], pairs: readonly MemberPair[]): Hit | undefined {
  for (const node of operands) {
    const [left, right] = sidesOf(node).map((side) => member.exec(side))
    if (!left || !right || left[1] === '' || left[1] !== right[1] || left[2] === right[2]) continue
    const names = [left[2], right[2]]
    const model = pairs.find((pair) => names.includes(pair.left) && names.includes(pair.right))
    if (!model || model.left === model.right) continue
    return {
      at: firstLine(node),
      title: `Copied code: ${quoteCode(node.text)} compares two members of the same object`,
      body:
        `When this runs, it is about ${quoteCode(left[1]!.replace(/\W+$/, ''))} alone, while ` +
        `${quoteCode(model.node.text)} is about two objects. Use the other one on one side.`,
      evidence: [{ line: lineOf(model.node), note: 'the comparison of two objects' }],
    }
  }
  return undefined
}

/** The texts of the operands of a comparison; none for other code. */
function sidesOf(comparison: Node): string[] {
  const { left, right } = readSides(comparison)
  return left && right ? [left.text.slice(0, 100), right.text.slice(0, 100)] : []
}

/** Python's comparisons have no fields. */
function readSides(node: Node): { left: Node | undefined; right: Node | undefined } {
  const isPython = node.type === 'comparison_operator' && node.namedChildCount === 2
  const [first, second] = isPython ? node.namedChildren : []
  return { left: first ?? field(node, 'left'), right: second ?? field(node, 'right') }
}

const maxOperands = 20

const calledPair =
  /(?:^|[=(\s])([\w.$]{0,40}\b(?:[mM]ax|[mM]in|[cC]ompare|[eE]quals|maxOf|minOf)) ?\( ?([\w.$>-]{1,100}), ?([\w.$>-]{1,100})\)/

function calledMembers(statement: Node): MemberPair | undefined {
  const [, callee, left, right] = calledPair.exec(statement.text.slice(0, maxLength)) ?? []
  return callee && left && right ? memberPair(statement, callee, left, right) : undefined
}

/** `length = max(a.length, b.length)`, and after it `width = max(a.width, b.length)`. */
function checkMirroredCall(statement: Node): Hit | undefined {
  const pair = calledMembers(statement)
  if (!pair || pair.left === pair.right) return undefined
  const target = tokensOf(assignmentOf(statement)?.target ?? '')
  // The target says which member is meant.
  if (!tokensOf(pair.left).some((word) => word.length > 2 && target.includes(word)))
    return undefined
  const pairs = [pair]
  let before = previousCodeSibling(statement)
  for (let count = 0; before && count < maxDistance; count++) {
    const other = calledMembers(before)
    if (other) pairs.push(other)
    before = previousCodeSibling(before)
  }
  return findMixed(pairs, 1)
}

/** Finds the only pair of different members among pairs of equal ones. */
function findMixed(pairs: readonly MemberPair[], minimum = 2): Hit | undefined {
  const [mixed, ...others] = pairs.filter(({ left, right }) => left !== right)
  const equal = pairs.filter(({ left, right }) => left === right)
  if (!mixed || others.length > 0 || equal.length < minimum) return undefined
  const words = { from: mixed.left.toLowerCase(), to: mixed.right.toLowerCase() }
  const model = equal.find(({ kind, right }) => kind === mixed.kind && right === mixed.right)
  const isKnown = minimum === 1 || equal.some(({ left }) => left === mixed.left)
  if (!model || !isKnown || isOrdered(words)) return undefined
  return {
    at: firstLine(mixed.node),
    title: `Copied code: ${quoteCode(mixed.left)} is paired with ${quoteCode(mixed.right)} here`,
    body:
      `When this runs, it mixes ${quoteCode(mixed.left)} and ${quoteCode(mixed.right)}, while ` +
      `other pairs are of the same member. Compare it with line ${lineOf(model.node)}.`,
    evidence: [{ line: lineOf(model.node), note: 'a pair of the same member' }],
  }
}
