// Finds state that one function changes under a lock, and another one, or another step, without it.
import { type FunctionCode, wordPattern } from './function-code.ts'
import { functionTypes } from './functions.ts'
import type { ParsedFile } from './syntax-check.ts'
import { fieldText, findNodes } from './syntax-nodes.ts'
import { matchesFile } from './word-index.ts'

type Range = readonly [start: number, end: number]

interface Method {
  readonly name: string
  readonly text: string
  readonly locked: readonly Range[]
}

/** It is a change of a field that is not protected together with what it follows from. */
interface UnprotectedChange {
  readonly name: string
  readonly from: number
  readonly to: number
  readonly kind: 'between' | 'outside'
}

const block =
  /(?:\bsynchronized\s*\([^()]*\)|\block\s*\(\w+\)|\.withLock|\.write|\.synchronize)\s*(\{|do\b)/g
const pythonBlock = /^([ \t]*)(?:async )?with [^\n]*[lL]ock[^\n]*:[ \t]*$/gm
const pair = /([\w.@$>-]+)\.(R?Lock|lock|WaitAsync|acquire)\(\)/g

/** Lists the ranges of a code that run under a lock. */
function lockedRanges(text: string): Range[] {
  const ranges: Range[] = []
  if (/^[^\n{]*\bsynchronized\b[^\n{;]*\{/.test(text)) return [[0, text.length]]
  for (const match of text.matchAll(block)) {
    const start = match.index + match[0].length
    ranges.push([
      start,
      match[1] === '{' ? closingBrace(text, start) : endOfIndented(text, match.index),
    ])
  }
  for (const { 0: head, 1: indent, index } of text.matchAll(pythonBlock)) {
    const start = index + head.length
    const next = new RegExp(`\\n(?=[ \\t]{0,${indent!.length}}\\S)`).exec(text.slice(start))
    ranges.push([start, next ? start + next.index : text.length])
  }
  for (const { 0: head, 1: name = '', index } of text.matchAll(pair)) {
    const start = index + head.length
    // A branch that leaves the function may unlock first.
    const indent = /[ \\t]*$/.exec(text.slice(0, index))![0].length
    const unlock = new RegExp(
      `^[ \\t]{0,${indent}}${RegExp.escape(name)}\\.(?:R?Unlock|unlock|Release|release)\\(`,
      'm',
    )
    const end = unlock.exec(text.slice(start))
    ranges.push([start, end ? start + end.index : text.length])
  }
  return ranges.sort(([one], [other]) => one - other)
}

function closingBrace(text: string, from: number): number {
  let depth = 1
  for (let index = from; index < text.length; index++) {
    if (text[index] === '{') depth += 1
    else if (text[index] === '}' && --depth === 0) return index
  }
  return text.length
}

/** The index of the `end` that has the indentation of the line of an index. */
function endOfIndented(text: string, index: number): number {
  const line = text.slice(text.lastIndexOf('\n', index) + 1, index)
  const indent = /^\s*/.exec(line)![0]
  const end = text.indexOf(`\n${indent}end`, index)
  return end < 0 ? text.length : end
}

const lockWord = /\b(?:synchronized|lock|withLock|synchronize|R?Lock|WaitAsync|acquire)\b/i
const methodsOf = new WeakMap<ParsedFile, readonly Method[]>()
const maxLength = 8_000

function listMethods(file: ParsedFile): readonly Method[] {
  const known = methodsOf.get(file)
  if (known) return known
  const nodes = lockWord.test(file.text) ? findNodes(file.root, ...functionTypes) : []
  const methods = nodes
    .filter((node) => fieldText(node, 'name') !== '' && node.endIndex - node.startIndex < maxLength)
    .map((node) => {
      const { text } = node
      return { name: fieldText(node, 'name'), text, locked: lockedRanges(text) }
    })
  methodsOf.set(file, methods)
  return methods
}

/** Returns how a language writes a field of the own object, before its name. */
function prefixOf({ text }: Pick<FunctionCode, 'text'>, language: string): string | undefined {
  if (language === 'go') return receiverOf(text)
  if (language === 'python') return 'self\\.'
  if (language === 'ruby') return '@'
  return /^(?:java|kotlin|c-sharp)$/.test(language) ? '(?<![.\\w])(?:this\\.)?' : undefined
}

function receiverOf(text: string): string | undefined {
  const name = /^func \((\w+) \*?\w+/.exec(text)?.[1]
  return name && `\\b${name}\\.`
}

/** Calls that change a collection. Services have longer names: `registry.removeListener(…)`. */
const adders = `(?:${[
  '(?:add|put|remove|Add|Remove)(?:All|First|Last|At|Range|If|IfAbsent)?',
  ...['clear', 'push', 'append', 'pop', 'insert', 'Clear', 'Enqueue', 'Dequeue'],
  ...['extend', 'offer', 'poll', 'delete'],
].join('|')})[(!]`

/** Matches code that changes a field; its first group with a value is the name. */
function changeOf(prefix: string, name = '\\w+'): RegExp {
  return new RegExp(
    `${prefix}(${name})(?:\\[[^\\]\\n]*\\])?(?:\\s*(?:[-+*|]?=(?![=>])|<<)|\\+\\+|--|\\.${adders})|(?:\\+\\+|--)${prefix}(${name})\\b|\\bdelete\\(${prefix}(${name}),`,
    'g',
  )
}

function nameOfChange([, one, other, third]: RegExpExecArray): string {
  return (one ?? other ?? third)!
}

function isIn(ranges: readonly Range[], index: number): boolean {
  return ranges.some(([start, end]) => index >= start && index < end)
}

const setUp = new RegExp(
  [
    String.raw`^(?:__init__|initialize|init|constructor|new\w*|setup|start|close|stop|dispose)$`,
    '^(?:destroy|reset|(?:de)?activate|shut_?[dD]own)$|[lL]ocked|unsafe',
    '^(?:set_?|on|New)(?=[A-Z]|[a-z]+$)',
  ].join('|'),
  'i',
)

/** Finds the first change of a function that its locks don't protect. */
export function findUnprotected(
  code: FunctionCode,
  file: ParsedFile,
): UnprotectedChange | undefined {
  const prefix = prefixOf(code, file.language)
  const methods = prefix ? listMethods(file) : []
  if (!prefix || !methods.some(({ locked }) => locked.length > 0)) return undefined
  const own = lockedRanges(code.text)
  const name = fieldText(code.node, 'name')
  for (const change of code.text.matchAll(changeOf(prefix))) {
    const field = nameOfChange(change)
    const at = change.index
    const isGuarded = own.length > 0 || guardedFields(file).has(field)
    if (!isGuarded || !isField(field, file) || declaration.test(code.text.slice(0, at))) continue
    if (isConcurrentCollection(field, file)) continue
    const found = isIn(own, at)
      ? changeBetween(code, field, at, own, methods, prefix)
      : changeOutside(code, field, at, own, name, file)
    if (found) return found
  }
  return undefined
}

/** Whether a collection is declared as one that protects each of its operations itself. */
export function isConcurrentCollection(name: string, { text }: ParsedFile): boolean {
  const type = '(?:CopyOnWrite|Concurrent|Blocking|LinkedBlocking|Atomic)\\w+'
  const maker = `(?:${type}|synchronized(?:Set|List|Map|Collection)|newKeySet)`
  const own = `\\b${RegExp.escape(name)}\\b`
  return new RegExp(
    `\\b${type}(?:<[^;={}]*>)?\\s+${own}|${own}[^;\\n]{0,80}=\\s*(?:new )?(?:\\w+\\.)*${maker}\\b`,
  ).test(text)
}

/** The end of code before a name that makes it a local variable. */
const declaration = /\b(?:va[lr]|int|long|bool|[A-Z]\w*(?:<[^<>]*>)?)\??\s+$/

/** Other languages than these show by their syntax that a name is a field. */
function isField(name: string, { language, text }: ParsedFile): boolean {
  if (!/^(?:java|kotlin|c-sharp)$/.test(language)) return true
  const declared = new RegExp(
    `^(?: {1,8}|\\t{1,2})(?:(?:private|protected|public|internal|static|readonly|final|volatile|lateinit|var|val)\\s+)+[^\\n(={};]*?\\b${name}\\b\\s*(?:[:=;]|$)`,
    'm',
  )
  return declared.test(text)
}

/** `if (free(category) < seats) …; lock; free[category] -= seats`: two locks. */
function changeBetween(
  { text }: FunctionCode,
  field: string,
  at: number,
  own: readonly Range[],
  methods: readonly Method[],
  prefix: string,
): UnprotectedChange | undefined {
  const range = own.find(([start, end]) => at >= start && at < end)!
  const word = new RegExp(wordPattern(field).replace('(?<![\\w$@])', '\\b'))
  // It is tested again.
  if (word.test(text.slice(range[0], at).replace(/\n[^\n]*$/, ''))) return undefined
  const line = text.slice(at).split('\n')[0]!
  const before = text.slice(0, range[0])
  const test = before.matchAll(/\b(?:if|unless|while|return|raise)\b([^\n]*)/g)
  for (const { 1: condition = '', index } of test) {
    const earlier = own.find(([start, end]) => index >= start && index < end && end < range[0])
    const isRead = earlier !== undefined && word.test(condition)
    const called = methods.find(
      ({ name, locked, text: body }) =>
        locked.length > 0 &&
        new RegExp(`${prefix}${RegExp.escape(name)}(?![\\w=])`).test(condition) &&
        locked.some(
          ([start, end]) =>
            word.test(body.slice(start, end)) &&
            !changeOf(prefix, field).test(body.slice(start, end)),
        ),
    )
    const isTaken = /[-+]=|\+\+|--/.test(line) || refusal.test(before.slice(index, index + 200))
    if (!isTaken || innerFunction.test(before.slice(index))) continue
    if (isRead || called) return { name: field, from: index, to: at, kind: 'between' }
  }
  return undefined
}

/** What is there already makes the function fail: other values are only filled in. */
const refusal = /\b(?:throw|raise)\b|\breturn (?:false|null|None|nil|\w*[eE]rr)\b/
const innerFunction = /\)\s*\n\s*\{|[-=]>\s*\{|\bfunc\(|\bfun |\bdef \w/

/** A change without the lock that other functions hold for the same field. */
function changeOutside(
  { text }: FunctionCode,
  field: string,
  at: number,
  own: readonly Range[],
  name: string,
  file: ParsedFile,
): UnprotectedChange | undefined {
  if (setUp.test(name) || isSingleThreaded(file)) return undefined
  const last = own.findLast(([, end]) => end <= at)
  const word = new RegExp(wordPattern(field).replace('(?<![\\w$@])', '\\b'))
  if (last && word.test(text.slice(...last)) && !innerFunction.test(text.slice(0, at)))
    return { name: field, from: last[1], to: at, kind: 'outside' }
  if (own.length > 0 || isCalled(name, file.text)) return undefined
  // Other files of a package may call it, and hold the lock.
  if (file.language === 'go' && /^[a-z]/.test(name)) return undefined
  if (/^\s*(?:private|internal)|\/\/.*lock|#.*lock|@GuardedBy|caller/i.test(text)) return undefined
  return guardedFields(file).has(field)
    ? { name: field, from: at, to: at, kind: 'outside' }
    : undefined
}

/** Python's event loop switches only at an `await`, so that a single step needs no lock. */
function isSingleThreaded(file: ParsedFile): boolean {
  return file.language === 'python' && matchesFile(file, eventLoop) && !matchesFile(file, threads)
}

const eventLoop = /\basyncio\b/
const threads = /\bthreading\b/

const fieldsOf = new WeakMap<ParsedFile, ReadonlySet<string>>()

/** Lists the fields that some function of a file changes under a lock. */
function guardedFields(file: ParsedFile): ReadonlySet<string> {
  const known = fieldsOf.get(file)
  if (known) return known
  const fields = listMethods(file).flatMap(({ text, locked }) => {
    const prefix = locked.length > 0 ? prefixOf({ text }, file.language) : undefined
    const changes = prefix ? [...text.matchAll(changeOf(prefix))] : []
    return changes.filter(({ index }) => isIn(locked, index)).map(nameOfChange)
  })
  const found = new Set(fields)
  fieldsOf.set(file, found)
  return found
}

/** Whether the file calls a function, which may hold the lock. */
function isCalled(name: string, whole: string): boolean {
  const uses =
    whole.match(
      new RegExp(
        `(?<!func |fun |def )(?<!func \\([^)\\n]*\\) )\\b${RegExp.escape(name)}\\s*\\(`,
        'g',
      ),
    ) ?? []
  const declared = new RegExp(
    `\\b(?:void|[A-Z]\\w*(?:<[^()\\n]*>)?|int|long|bool|boolean|string|double)\\s+${RegExp.escape(name)}\\s*\\(`,
  ).test(whole)
  return uses.length > (declared ? 1 : 0)
}
