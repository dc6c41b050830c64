// Rules about values that are read, changed and written back without protection from other writers.
import type { Node } from 'web-tree-sitter'
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
} from '../../languages/rules/syntax-nodes.ts'
import { type Hit, javascriptFamily, type ParsedFile, type Rule } from './rule.ts'
import { originOf, parameterOf } from './value-origins.ts'

const readNames = /^(?:get|hget|find|select|read|load|fetch|first|one)/i

const writeNames = /^(?:set|hset|put|update|save|write|upsert|replace|store)/i

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
  const fn = enclosingFunction(to)
  if (!fn || enclosingFunction(from)?.id !== fn.id) return false
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
  const fn = enclosingFunction(from)
  if (!fn) return false
  if (target.type === 'member_expression' || target.type === 'attribute') {
    return /^(?:this|self)$/.test(fieldText(target, 'object'))
  }
  if (target.type !== 'identifier' || parameterOf(fn, target.text)) return false
  const owners = file.declarations.variables(target.text).map((node) => enclosingFunction(node)?.id)
  if (owners.length === 0 || owners.includes(fn.id)) return false
  // A variable of an outer function is only shared if callbacks run at the same time.
  return owners.every((owner) => owner === undefined) || isConcurrentCallback(fn)
}

function isConcurrentCallback(fn: Node): boolean {
  const call = fn.parent?.parent
  return call?.type === 'call_expression' && /^(?:map|forEach|flatMap)$/.test(calleeOf(call).name)
}

function isGuarded(node: Node): boolean {
  const fn = enclosingFunction(node)
  return fn !== undefined && guard.test(fn.text.slice(0, 20_000))
}

/** `const n = await store.get(k)` … `await store.set(k, n + 1)`. */
function checkStoreUpdate(call: Node, file: ParsedFile): Hit | undefined {
  const { receiver, name } = calleeOf(call)
  if (!receiver || !writeNames.test(name) || isGuarded(call)) return undefined
  const isPython = file.language === 'python'
  if (!isPython && call.parent?.type !== 'await_expression') return undefined
  for (const left of firstOperandsOf(call)) {
    const root = rootName(left)
    const origin = root && originOf(root, call, file)
    const readCall = origin && readCallOf(origin.value, isPython)
    if (!readCall || !isSameStore(receiver, readCall, call)) continue
    return lostUpdateHit(call, readCall, quoteCode(left.text), file)
  }
  return undefined
}

/** Finds the first operands of all calculations that the arguments contain. */
function firstOperandsOf(call: Node): Node[] {
  return argumentsOf(call)
    .flatMap((argument) => findNodes(argument, 'binary_expression', 'binary_operator'))
    .filter((sum) => /^[-+*/]$/.test(field(sum, 'operator')?.type ?? '') && !joinsText(sum))
    .flatMap((sum) => field(sum, 'left') ?? [])
}

/** Whether a sum, or one that it is part of, has a text. */
function joinsText(sum: Node): boolean {
  if (findNodes(sum, 'string', 'template_string', 'string_literal').length > 0) return true
  const { parent } = sum
  return parent !== null && /^binary_/.test(parent.type) && joinsText(parent)
}

/** The call in a value that reads it from a store. */
function readCallOf(value: Node, isPython: boolean): Node | undefined {
  const outer = isPython ? findNodes(value, 'call')[0] : findAwaits(value)[0]
  if (!outer) return undefined
  const call = outer.type === 'call' ? outer : unwrap(outer.namedChild(0) ?? outer)
  return /^call/.test(call.type) && readNames.test(calleeOf(call).name) ? call : undefined
}

/** Whether a value is read from the store and the key that it is written to. */
function isSameStore(receiver: Node, readCall: Node, writeCall: Node): boolean {
  const reader = calleeOf(readCall).receiver
  if (reader?.text !== receiver.text) return false
  const readKey = argumentsOf(readCall)[0]
  const writeKey = argumentsOf(writeCall)[0]
  if (!readKey || !writeKey) return false
  return readKey.text === writeKey.text || (readKey.type === 'object' && writeKey.type === 'object')
}

/** Returns `a` for expressions such as `a.b`, `a + 1`, `(a)` and `int(a)`. */
function rootName(node: Node | undefined): string | undefined {
  let inner = node && unwrap(node)
  let next = inner
  while (next) {
    inner = unwrap(next)
    next = field(inner, 'object') ?? field(inner, 'left')
  }
  if (inner?.type === 'call' || inner?.type === 'call_expression')
    return rootName(argumentsOf(inner)[0])
  return inner?.type === 'identifier' ? inner.text : undefined
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

/** `item = await Items.findOne(…)`, `item.count += 1`, `item.save()` or `items.save(item)`. */
function checkSavedIncrement(call: Node, file: ParsedFile): Hit | undefined {
  const name = savedName(call, file)
  if (!name || isGuarded(call)) return undefined
  const fn = enclosingFunction(call)
  const origin = fn && originOf(name, call, file)
  const readCall = origin && readObjectOf(origin.value, file)
  if (!readCall) return undefined
  const change = findNodes(fn!, ...changeTypes).find((node) => changesField(node, name))
  return savedChangeHit(call, readCall, change, change && targetOf(change), file)
}

/** The variable whose object a call writes to the database. */
function savedName(call: Node, file: ParsedFile): string | undefined {
  const { receiver, name } = calleeOf(call)
  const isCommit = name === 'commit' && /(?:^|[._])(?:session|db)$/.test(receiver?.text ?? '')
  if (isCommit && file.language === 'python') return committedName(call)
  if (name !== 'save' || !receiver) return undefined
  const [saved] = argumentsOf(call)
  const object = saved?.type === 'identifier' ? saved : receiver
  return object.type === 'identifier' ? object.text : undefined
}

/** SQLAlchemy: finds the object that is incremented before `session.commit()`. */
function committedName(call: Node): string | undefined {
  const fn = enclosingFunction(call)
  const change = fn && findOwnNodes(fn, 'augmented_assignment').find(isFieldOfName)
  return change && fieldText(field(change, 'left')!, 'object')
}

function isFieldOfName(change: Node): boolean {
  const target = field(change, 'left')
  return target !== undefined && changesField(change, fieldText(target, 'object'))
}

function readObjectOf(value: Node, { language }: ParsedFile): Node | undefined {
  if (language !== 'python') return readCallOf(value, false)
  return djangoReadOf(value) ?? sessionReadOf(value)
}

function sessionReadOf(value: Node): Node | undefined {
  return /\bsession\.(?:get|query|scalars?|execute)\(|\.query\.(?:get|filter_by|filter)\(/.test(
    value.text,
  )
    ? findNodes(value, 'call')[0]
    : undefined
}

/** Describes a change between a read and a write; undefined if it isn't between them. */
function savedChangeHit(
  write: Node,
  read: Node,
  change: Node | undefined,
  target: Node | undefined,
  file: ParsedFile,
): Hit | undefined {
  if (!change || !target) return undefined
  if (change.startIndex < read.startIndex || change.endIndex > write.startIndex) return undefined
  const hit = lostUpdateHit(change, read, quoteCode(target.text), file)
  const evidence = { line: lineOf(write), note: 'and written back here' }
  return { ...hit, evidence: [...hit.evidence!, evidence] }
}

/** A transaction alone doesn't lock what it reads. */
const lockingGuard = /lock|mutex|atomic|for_?\s?update|serializable|version|synchronized/i

/** JPA: `x = repository.findById(…)`, `x.setSum(x.getSum() + n)`, `repository.save(x)`. */
function checkRepositorySave(call: Node, file: ParsedFile): Hit | undefined {
  const { receiver, name } = calleeOf(call)
  const [saved] = argumentsOf(call)
  const fn = enclosingFunction(call)
  if (!/^(?:save|saveAndFlush|merge)$/.test(name) || saved?.type !== 'identifier' || !fn)
    return undefined
  const origin = originOf(saved.text, call, file)
  if (!origin?.value.text.startsWith(`${receiver?.text}.find`)) return undefined
  if (lockingGuard.test(fn.text.slice(0, 20_000))) return undefined
  const change = findNodes(fn, 'method_invocation').find((node) => addsToGetter(node, saved.text))
  return savedChangeHit(call, origin.value, change, change, file)
}

/** `x.setSum(x.getSum() + n)`. */
function addsToGetter(call: Node, object: string): boolean {
  const { receiver, name } = calleeOf(call)
  const [sum] = argumentsOf(call)
  if (receiver?.text !== object || !name.startsWith('set') || !sum) return false
  const getter = `${object}.get${name.slice(3)}()`
  if (!sum.text.startsWith(getter)) return false
  return /^\s*[-+]\s|^\.(?:add|subtract)\(/.test(sum.text.slice(getter.length))
}

/** GORM: `db.First(&wallet, id)`, `wallet.Sum += n`, `db.Save(&wallet)`. */
function checkGormSave(call: Node, file: ParsedFile): Hit | undefined {
  const { receiver, name } = calleeOf(call)
  const [saved] = argumentsOf(call)
  const fn = enclosingFunction(call)
  const object = /^&(\w+)$/.exec(saved?.text ?? '')?.[1]
  if (name !== 'Save' || !receiver || !object || !fn || isGuarded(call)) return undefined
  const read = findNodes(fn, 'call_expression').find((node) => readsInto(node, saved!.text))
  const change = findNodes(fn, 'inc_statement', 'dec_statement', 'assignment_statement').find(
    (node) => addsToField(node, object),
  )
  return read && savedChangeHit(call, read, change, change?.namedChild(0) ?? undefined, file)
}

function readsInto(call: Node, target: string): boolean {
  const { name } = calleeOf(call)
  return /^(?:First|Take|Last|Find)$/.test(name) && argumentsOf(call)[0]?.text === target
}

function addsToField(statement: Node, object: string): boolean {
  const operator = fieldText(statement, 'operator')
  const isSum = /^[-+]=$/.test(operator) || operator === ''
  return isSum && statement.text.startsWith(`${object}.`)
}

const changeTypes = [
  'augmented_assignment_expression',
  'augmented_assignment',
  'update_expression',
] as const

function targetOf(change: Node): Node | undefined {
  return field(change, 'left') ?? field(change, 'argument')
}

/** Whether a field of the object is incremented. Django's `F` does that in the database. */
function changesField(change: Node, object: string): boolean {
  const target = targetOf(change)
  if (target?.type !== 'member_expression' && target?.type !== 'attribute') return false
  const amount = field(change, 'right')
  const isPlainAmount = amount === undefined || !/\bF\(|^['"`[]/.test(amount.text)
  return isPlainAmount && fieldText(target, 'object') === object
}

function djangoReadOf(value: Node): Node | undefined {
  if (!/\.objects\.(?:get|first|filter)\(|^get_object_or_404\(/.test(value.text)) return undefined
  return findNodes(value, 'call')[0]
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
      {
        languages: ['java'],
        nodes: ['method_invocation'],
        wholeFunction: true,
        check: checkRepositorySave,
      },
      {
        languages: ['go'],
        nodes: ['call_expression'],
        wholeFunction: true,
        check: checkGormSave,
      },
    ],
  },
]
