// Finds lines and comparisons that were copied, and changed in all places but one.
import type { Node } from 'web-tree-sitter'
import type { Hit, ParsedFile, SyntaxCheck } from './syntax-check.ts'
import {
  codeChildren,
  enclosingNode,
  field,
  firstLine,
  functionTypes,
  lineOf,
  operandsOf,
  previousCodeSibling,
  quoteCode,
} from './syntax-nodes.ts'

/** Pairs of things that are independent of each other, so that a copy replaces all of them. */
const independentPairs = [
  ['x', 'y'],
  ['lat', 'lon'],
  ['lat', 'lng'],
  ['latitude', 'longitude'],
  ['row', 'column'],
  ['row', 'col'],
  ['horizontal', 'vertical'],
]

/** Copies are compared up to this length. */
const maxLength = 400

/** How many statements lie between a line and its copy at most, and one. */
const maxDistance = 3

/** Checks statements and fields that may be copies of those before them. */
export function incompleteCopy(
  nodes: readonly string[],
  functions: readonly string[] = [],
): SyntaxCheck {
  const owners = new Set([...functionTypes, ...functions])
  return {
    nodes,
    check(node, file) {
      if (node.text.length > maxLength || !enclosingNode(node, owners)) return undefined
      return checkKept(node) ?? checkSameValue(node, file) ?? checkMirroredCall(node)
    },
  }
}

/** `if (x > max.x) max.x = x`, and after it `if (y > max.y) max.x = y`. */
function checkKept(statement: Node): Hit | undefined {
  let before = previousCodeSibling(statement)
  for (let count = 0; before && count < maxDistance; count++) {
    const kept = before.type === statement.type ? findKeptWord(before, statement) : undefined
    if (kept) return copyHit(statement, before, kept)
    before = previousCodeSibling(before)
  }
  return undefined
}

/** Finds the word that a copy of a statement should have replaced, too. */
function findKeptWord(before: Node, statement: Node): Replacement | undefined {
  if (before.text.length > maxLength) return undefined
  const kept = findKept(wordsOf(before.text), wordsOf(statement.text))
  return kept && (isIndependent(kept) || repeatsTarget(before, statement)) ? kept : undefined
}

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
function wordsOf(text: string): string[] {
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
}

/** Finds the word that a copy replaces in at least two places, and keeps in one. */
function findKept(old: readonly string[], copy: readonly string[]): Replacement | undefined {
  const changed = old.flatMap((from, index) => (from === copy[index] ? [] : [index]))
  const [first] = changed
  if (first === undefined || changed.length < 2 || old.length !== copy.length) return undefined
  const [from, to] = [old[first]!, copy[first]!]
  const isOneWord = changed.every((index) => old[index] === from && copy[index] === to)
  const kept = copy.flatMap((word, index) => (word === from && old[index] === from ? [index] : []))
  const isWord = /^[a-z]+$/.test(from) && /^[a-z]+$/.test(to)
  if (!isOneWord || !isWord || kept.length !== 1 || old.includes(to)) return undefined
  return { from, to, row: copy.slice(0, kept[0]).filter((word) => word === '\n').length }
}

function isIndependent({ from, to }: Replacement): boolean {
  return independentPairs.some((pair) => pair.includes(from) && pair.includes(to))
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
  const [, target, value] = assignment.exec(text.slice(0, maxLength)) ?? []
  return target && value ? { target, value: value.replace(/[;,]$/, '').trim() } : undefined
}

const assignment = new RegExp(
  String.raw`^(?:(?:const|let|var|val|final|mut) ){0,2}['"]?([\w$.>:-]{1,100}?)["']? ?` +
    String.raw`(?:=>|:=|=|:)(?!=|:) {0,9}(\S[\s\S]*)$`,
)

/** `air.unit = unit(air)`, and after it `soil.unit = unit(air)`. */
function checkSameValue(statement: Node, file: ParsedFile): Hit | undefined {
  const before = previousCodeSibling(statement)
  const copy = assignmentOf(statement)
  const old = before && before.type === statement.type ? assignmentOf(before) : undefined
  if (!before || !old || !copy || old.value !== copy.value) return undefined
  const changed = findChangedWord(wordsOf(old.target), wordsOf(copy.target))
  if (!changed || isOrdered(changed)) return undefined
  const kept = findNamed(copy.value, changed, file.text)
  if (!kept) return undefined
  const target = quoteCode(copy.target)
  return {
    at: firstLine(statement),
    title: `Copied line: ${target} gets the value of ${quoteCode(old.target)}`,
    body:
      `When this runs, ${target} is set from ${quoteCode(kept.name)}, as the line before is. ` +
      `${quoteCode(kept.other)} would fit its name.`,
    evidence: [{ line: lineOf(before), note: 'the line that this one resembles' }],
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
  if (names.some((name) => wordsOf(name).some((word) => isForm(word, to)))) return undefined
  for (const name of names) {
    const own = wordsOf(name).filter((word) => isForm(word, from))
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
  const [left, right] = [field(node, 'left'), field(node, 'right')]
  const operator = operatorOf(node)
  return left && right && /^(?:[<>]=?|[=!]==?)$/.test(operator)
    ? memberPair(node, operator, left.text, right.text)
    : undefined
}

/** `a.x <= b.x && a.y <= b.x`. */
export function mirroredComparisons(nodes: readonly string[]): SyntaxCheck {
  return {
    nodes,
    check(node) {
      const operator = operatorOf(node)
      // The chain is checked as a whole.
      if (operator !== '&&' && operator !== '||') return undefined
      if (node.parent && operatorOf(node.parent) === operator) return undefined
      const pairs = operandsOf(node, operator).slice(0, maxOperands).map(comparedMembers)
      return findMixed(pairs.filter((pair) => pair !== undefined))
    },
  }
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
  const target = wordsOf(assignmentOf(statement)?.target ?? '')
  // The target says which member is meant.
  if (!wordsOf(pair.left).some((word) => word.length > 2 && target.includes(word))) return undefined
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
