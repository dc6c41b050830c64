// Rules about values that are read, changed and written back while others can do the same.
import type { Node } from 'web-tree-sitter'
import { type Hit, javascriptFamily, type ParsedFile, type Rule } from './rule.ts'
import {
  argumentsOf,
  calleeOf,
  enclosingFunction,
  field,
  fieldText,
  findNodes,
  findOwnNodes,
  firstLine,
  lineOf,
  quoteCode,
  unwrap,
} from './syntax-nodes.ts'
import { originOf, parameterOf } from './value-origins.ts'

const readNames = /^(?:get|hget|find|select|read|load|fetch|first|one)/i

const writeNames = /^(?:set|hset|put|update|save|write|upsert|replace|store)/i

const guarded =
  /transaction|\btrx\b|\btx\b|lock|mutex|semaphore|atomic|for_?update|\bwatch\(|\bmulti\(|serializable/i

/** `x += await f()`: the left side is read before the wait. Only where someone else can write in between. */
function checkAwaitedAssignment(node: Node, file: ParsedFile): Hit | undefined {
  const left = field(node, 'left')
  const right = field(node, 'right')
  const operator = fieldText(node, 'operator')
  if (!left || !right || !/^[-+*/]=$/.test(operator) || !awaitsIn(right)) return undefined
  if (!isShared(left, node, file) || isGuarded(node)) return undefined
  const name = quoteCode(left.text)
  const isDirect = right.type === 'await_expression' || right.type === 'await'
  return {
    at: firstLine(node),
    title: `${name} is read before the \`await\` and written after it, so updates get lost`,
    body: `When two runs of this code overlap, both start from the same old value of ${name}, and the second write wipes out the first. Await into a local first, then update.`,
    suggestion:
      isDirect && node.parent?.type === 'expression_statement'
        ? splitAssignment(node, file, operator)
        : undefined,
  }
}

/** `x = x + await f()`, and `const before = x` … `await` … `x = before + 1`. */
function checkStaleSum(node: Node, file: ParsedFile): Hit | undefined {
  const left = field(node, 'left')
  const sum = field(node, 'right')
  if (!left || !sum || !/^[-+*/]$/.test(fieldText(sum, 'operator'))) return undefined
  if (!isShared(left, node, file) || isGuarded(node)) return undefined
  const read = findNodes(sum, left.type).find((part) => part.text === left.text)
  const name = quoteCode(left.text)
  if (read) {
    // Both sides of an operator are read from left to right.
    const isWaiting = findNodes(sum, 'await_expression', 'await').some(
      (wait) => wait.isNamed && wait.startIndex >= read.endIndex,
    )
    if (!isWaiting) return undefined
    return {
      at: firstLine(node),
      title: `${name} is read before the \`await\` and written after it, so updates get lost`,
      body: `When two runs of this code overlap, both start from the same old value of ${name}, and the second write wipes out the first. Await into a local first, then update.`,
    }
  }
  const copies = findNodes(sum, 'identifier')
    .slice(0, 20)
    .map((part) => originOf(part.text, node, file))
  const copy = copies.find((origin) => origin && unwrap(origin.value).text === left.text)
  return copy && isWaitBetween(copy.node, node, left.text)
    ? lostUpdate(node, copy.node, name, file)
    : undefined
}

/** Whether the function waits between two of its statements and doesn't look at the value in between. */
function isWaitBetween(from: Node, to: Node, value: string): boolean {
  const fn = enclosingFunction(to)
  if (!fn || enclosingFunction(from)?.id !== fn.id) return false
  const waits = findOwnNodes(fn, 'await_expression', 'await').filter((wait) => wait.isNamed)
  const between = fn.text.slice(from.endIndex - fn.startIndex, to.startIndex - fn.startIndex)
  return (
    waits.some((wait) => wait.startIndex >= from.endIndex && wait.endIndex <= to.endIndex) &&
    !between.includes(value)
  )
}

function splitAssignment(node: Node, file: ParsedFile, operator: string): string | undefined {
  if (file.language === 'python' || node.startPosition.row !== node.endPosition.row)
    return undefined
  const line = file.lines[node.startPosition.row] ?? ''
  const indent = /^\s*/.exec(line)![0]
  if (line.trim().replace(/;$/, '') !== node.text || /\bresult\b/.test(line)) return undefined
  const end = line.trimEnd().endsWith(';') ? ';' : ''
  return `${indent}const result = ${fieldText(node, 'right')}${end}\n${indent}${fieldText(node, 'left')} ${operator} result${end}`
}

function awaitsIn(node: Node): boolean {
  return findNodes(node, 'await_expression', 'await').some((found) => found.isNamed)
}

/** Whether the target outlives one run of the function: a field, or a variable declared outside of it. */
function isShared(target: Node, from: Node, file: ParsedFile): boolean {
  const fn = enclosingFunction(from)
  if (!fn) return false
  if (target.type === 'member_expression' || target.type === 'attribute') {
    return /^(?:this|self)$/.test(fieldText(target, 'object'))
  }
  if (target.type !== 'identifier' || parameterOf(fn, target.text)) return false
  const owners = file.declarations.variables(target.text).map((node) => enclosingFunction(node)?.id)
  if (owners.length === 0 || owners.includes(fn.id)) return false
  // A variable of the function around is shared only when the callbacks run at the same time.
  return owners.every((owner) => owner === undefined) || isConcurrentCallback(fn)
}

function isConcurrentCallback(fn: Node): boolean {
  const call = fn.parent?.parent
  return call?.type === 'call_expression' && /^(?:map|forEach|flatMap)$/.test(calleeOf(call).name)
}

function isGuarded(node: Node): boolean {
  const fn = enclosingFunction(node)
  return fn !== undefined && guarded.test(fn.text.slice(0, 20_000))
}

/** `const n = await store.get(k)` … `await store.set(k, n + 1)`. */
function checkStoreUpdate(call: Node, file: ParsedFile): Hit | undefined {
  const { receiver, name } = calleeOf(call)
  if (!receiver || !writeNames.test(name) || isGuarded(call)) return undefined
  const isPython = file.language === 'python'
  if (!isPython && call.parent?.type !== 'await_expression') return undefined
  for (const argument of argumentsOf(call)) {
    for (const sum of findNodes(argument, 'binary_expression', 'binary_operator')) {
      if (!/^[-+*/]$/.test(field(sum, 'operator')?.type ?? '')) continue
      const root = rootName(field(sum, 'left'))
      const read = root && originOf(root, call, file)
      const readCall = read && readOf(read.value, isPython)
      if (!readCall || !sameStore(receiver, readCall, call)) continue
      return lostUpdate(call, readCall, quoteCode(fieldText(sum, 'left')), file)
    }
  }
  return undefined
}

function readOf(value: Node, isPython: boolean): Node | undefined {
  const operands = findNodes(value, 'await_expression', 'await')
  const outer = isPython ? findNodes(value, 'call')[0] : operands.find((node) => node.isNamed)
  const call = outer && (outer.type === 'call' ? outer : unwrap(outer.namedChild(0) ?? outer))
  return call && /^call/.test(call.type) && readNames.test(calleeOf(call).name) ? call : undefined
}

function sameStore(receiver: Node, readCall: Node, writeCall: Node): boolean {
  const reader = calleeOf(readCall).receiver
  if (reader?.text !== receiver.text) return false
  const readKey = argumentsOf(readCall)[0]
  const writeKey = argumentsOf(writeCall)[0]
  if (!readKey || !writeKey) return false
  return readKey.text === writeKey.text || (readKey.type === 'object' && writeKey.type === 'object')
}

function rootName(node: Node | undefined): string | undefined {
  let inner = node && unwrap(node)
  for (let next = inner; next; next = field(inner!, 'object') ?? field(inner!, 'left'))
    inner = unwrap(next)
  if (inner?.type === 'call' || inner?.type === 'call_expression')
    return rootName(argumentsOf(inner)[0])
  return inner?.type === 'identifier' ? inner.text : undefined
}

function lostUpdate(write: Node, read: Node, name: string, file: ParsedFile): Hit {
  return {
    at: firstLine(write),
    fallback: firstLine(read),
    title: `${name} is read, changed and written back in separate steps, so updates get lost`,
    body: `When two runs overlap between the read in line ${lineOf(read)} and this write, both start from the same value and the second write wipes out the first. Do the arithmetic in one step (in a store, with an atomic increment), or hold a transaction or lock over both.`,
    evidence: [
      {
        line: lineOf(read),
        note: `the value is read here: ${quoteCode((file.lines[lineOf(read) - 1] ?? '').trim())}`,
      },
    ],
  }
}

/** `item = await Items.findOne(…)`, `item.count += 1`, `item.save()`. */
function checkSavedIncrement(call: Node, file: ParsedFile): Hit | undefined {
  const { receiver, name } = calleeOf(call)
  if (name !== 'save' || receiver?.type !== 'identifier' || isGuarded(call)) return undefined
  const fn = enclosingFunction(call)
  const read = fn && originOf(receiver.text, call, file)
  const readCall =
    read && (file.language === 'python' ? djangoRead(read.value) : readOf(read.value, false))
  if (!fn || !readCall) return undefined
  const change = findNodes(
    fn,
    'augmented_assignment_expression',
    'augmented_assignment',
    'update_expression',
  ).find((node) => {
    const target = field(node, 'left') ?? field(node, 'argument')
    const amount = field(node, 'right')
    return (
      target !== undefined &&
      (target.type === 'member_expression' || target.type === 'attribute') &&
      fieldText(target, 'object') === receiver.text &&
      (amount === undefined || !/\bF\(|^['"`[]/.test(amount.text)) &&
      node.startIndex > readCall.startIndex &&
      node.endIndex < call.startIndex
    )
  })
  if (!change) return undefined
  const target = field(change, 'left') ?? field(change, 'argument')!
  const hit = lostUpdate(change, readCall, quoteCode(target.text), file)
  return {
    ...hit,
    evidence: [...hit.evidence!, { line: lineOf(call), note: 'and written back here' }],
  }
}

function djangoRead(value: Node): Node | undefined {
  const call = findNodes(value, 'call')[0]
  return call && /\.objects\.(?:get|first|filter)\(|^get_object_or_404\(/.test(value.text)
    ? call
    : undefined
}

export const sharedStateRules: readonly Rule[] = [
  {
    id: 'lost-update',
    summary:
      'A shared value is read, changed and written back with a gap in which others can change it.',
    severity: 'moderate',
    category: 'concurrency',
    confidence: 0.8,
    syntax: [
      {
        languages: [...javascriptFamily, 'python'],
        nodes: ['augmented_assignment_expression', 'augmented_assignment'],
        check: checkAwaitedAssignment,
      },
      {
        languages: [...javascriptFamily, 'python'],
        nodes: ['assignment_expression', 'assignment'],
        wholeFunction: true,
        check: checkStaleSum,
      },
      {
        languages: [...javascriptFamily, 'python'],
        nodes: ['call_expression', 'call'],
        wholeFunction: true,
        check: checkStoreUpdate,
      },
      {
        languages: [...javascriptFamily, 'python'],
        nodes: ['call_expression', 'call'],
        wholeFunction: true,
        check: checkSavedIncrement,
      },
    ],
  },
]
