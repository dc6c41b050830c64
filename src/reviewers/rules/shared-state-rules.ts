// Rules about values that are read, changed and written back without protection from other writers.
import type { Node } from 'web-tree-sitter'
import { readCall } from '../../languages/rules/calls.ts'
import { findOwnNodes, functionAround } from '../../languages/rules/functions.ts'
import { unwrap } from '../../languages/rules/operations.ts'
import { storedValues } from '../../languages/rules/stored-values.ts'
import {
  field,
  fieldText,
  findNodes,
  firstLine,
  lineOf,
  quoteCode,
} from '../../languages/rules/syntax-nodes.ts'
import { unsynchronizedState } from '../../languages/rules/unsynchronized-state.ts'
import type { Hit, ParsedFile, Rule } from './rule.ts'
import { originOf, parameterOf } from './value-origins.ts'

/** Code that protects a value from other writers. */
const guard =
  /transaction|\btrx\b|\btx\b|lock|mutex|semaphore|atomic|for_?update|\bwatch\(|\bmulti\(|serializable/i

/** `x += await f()` reads `x` before it waits, so another writer can change it in between. */
function checkAwaitedAssignment(node: Node, file: ParsedFile): Hit | undefined {
  const left = field(node, 'left')
  const right = field(node, 'right')
  const operator = fieldText(node, 'operator')
  if (!left || !right || !/^[-+*/]=$/.test(operator) || !holdsAwait(right)) return undefined
  if (!isShared(left, node, file) || isGuarded(node)) return undefined
  const isDirect = right.type === 'await_expression' || right.type === 'await'
  const isStatement = node.parent?.type === 'expression_statement'
  return {
    ...readBeforeAwaitHit(node, left),
    suggestion: isDirect && isStatement ? splitAssignment(node, file, operator) : undefined,
  }
}

function readBeforeAwaitHit(assignment: Node, target: Node): Hit {
  const name = quoteCode(target.text)
  return {
    at: firstLine(assignment),
    title: `Race condition: ${name} is read before the \`await\` and written after it`,
    body:
      `When two runs of this code overlap, both start from the same old value of ${name}, ` +
      'and the second write overwrites the first. Await into a local variable first, then ' +
      'update.',
  }
}

/** `x = x + await f()`, and `const before = x` … `await` … `x = before + 1`. */
function checkStaleSum(node: Node, file: ParsedFile): Hit | undefined {
  const left = field(node, 'left')
  const sum = field(node, 'right')
  if (!left || !sum || !/^[-+*/]$/.test(fieldText(sum, 'operator'))) return undefined
  if (!isShared(left, node, file) || isGuarded(node)) return undefined
  const read = findNodes(sum, left.type).find((part) => part.text === left.text)
  if (read) return awaitsAfter(read, sum) ? readBeforeAwaitHit(node, left) : undefined
  const copy = findNodes(sum, 'identifier')
    .slice(0, 20)
    .map((part) => originOf(part.text, node, file))
    .find((origin) => origin && unwrap(origin.value).text === left.text)
  if (!copy || !isAwaitBetween(copy.node, node, left.text)) return undefined
  return lostUpdateHit(node, copy.node, quoteCode(left.text), file)
}

/** Whether a sum awaits something after it reads a value: operands are evaluated left to right. */
function awaitsAfter(read: Node, sum: Node): boolean {
  return findAwaits(sum).some((wait) => wait.startIndex >= read.endIndex)
}

/** Whether the function awaits something between two statements without reading the value again. */
function isAwaitBetween(from: Node, to: Node, value: string): boolean {
  const fn = functionAround(to)
  if (!fn || functionAround(from)?.id !== fn.id) return false
  const awaits = findOwnNodes(fn, 'await_expression', 'await').filter((wait) => wait.isNamed)
  const between = fn.text.slice(from.endIndex - fn.startIndex, to.startIndex - fn.startIndex)
  return (
    awaits.some((wait) => wait.startIndex >= from.endIndex && wait.endIndex <= to.endIndex) &&
    !between.includes(value)
  )
}

/** Splits `x += await f()` into two statements, if the line holds nothing else. */
function splitAssignment(node: Node, file: ParsedFile, operator: string): string | undefined {
  if (file.language === 'python' || node.startPosition.row !== node.endPosition.row)
    return undefined
  const line = file.lines[node.startPosition.row] ?? ''
  if (line.trim().replace(/;$/, '') !== node.text || /\bresult\b/.test(line)) return undefined
  const indent = /^\s*/.exec(line)![0]
  const end = line.trimEnd().endsWith(';') ? ';' : ''
  const declaration = `const result = ${fieldText(node, 'right')}${end}`
  const assignment = `${fieldText(node, 'left')} ${operator} result${end}`
  return `${indent}${declaration}\n${indent}${assignment}`
}

/** The expressions that await something. Grammars also have unnamed nodes for the keyword. */
function findAwaits(node: Node): Node[] {
  return findNodes(node, 'await_expression', 'await').filter((found) => found.isNamed)
}

function holdsAwait(node: Node): boolean {
  return findAwaits(node).length > 0
}

/** Whether several calls share the target: a field, or a variable outside of the function. */
function isShared(target: Node, from: Node, file: ParsedFile): boolean {
  const fn = functionAround(from)
  if (!fn) return false
  if (target.type === 'member_expression' || target.type === 'attribute') {
    return /^(?:this|self)$/.test(fieldText(target, 'object'))
  }
  if (target.type !== 'identifier' || parameterOf(fn, target.text)) return false
  const owners = file.declarations.variables(target.text).map((node) => functionAround(node)?.id)
  if (owners.length === 0 || owners.includes(fn.id)) return false
  // A variable of an outer function is only shared if callbacks run at the same time.
  return owners.every((owner) => owner === undefined) || isConcurrentCallback(fn)
}

function isConcurrentCallback(fn: Node): boolean {
  const call = fn.parent?.parent
  return call?.type === 'call_expression' && /^(?:map|forEach|flatMap)$/.test(readCall(call).name)
}

function isGuarded(node: Node): boolean {
  const fn = functionAround(node)
  return fn !== undefined && guard.test(fn.text.slice(0, 20_000))
}

function lostUpdateHit(write: Node, read: Node, name: string, file: ParsedFile): Hit {
  const readLine = lineOf(read)
  const code = quoteCode((file.lines[readLine - 1] ?? '').trim())
  return {
    at: firstLine(write),
    fallback: firstLine(read),
    title: `Race condition: ${name} is read, changed and written back in separate steps`,
    body:
      `When two runs overlap between the read in line ${readLine} and this write, both start ` +
      'from the same value, and the second write overwrites the first. Do the arithmetic in ' +
      'one step (in a store, with an atomic increment), or hold a transaction or lock over ' +
      'both.',
    evidence: [{ line: readLine, note: `the value is read here: ${code}` }],
  }
}

export const sharedStateRules: readonly Rule[] = [
  {
    id: 'lost-update',
    summary:
      'Race condition: a shared value is read, changed and written back, and a concurrent ' +
      'update in between is lost.',
    seeAlso: ['CWE-362', 'ESLint `require-atomic-updates`'],
    severity: 'moderate',
    category: 'concurrency',
    confidence: 0.8,
    syntax: [
      {
        languages: ['javascript', 'python'],
        nodes: ['augmented_assignment_expression', 'augmented_assignment'],
        check: checkAwaitedAssignment,
      },
      {
        languages: ['javascript', 'python'],
        nodes: ['assignment_expression', 'assignment'],
        wholeFunction: true,
        check: checkStaleSum,
      },
      storedValues,
      unsynchronizedState,
    ],
  },
]
