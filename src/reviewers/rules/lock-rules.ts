// Rules about locks that stay locked, and counters of goroutines that count too late.
import type { Node } from 'web-tree-sitter'
import type { Hit, ParsedFile, Rule } from './rule.ts'
import {
  calleeOf,
  callTypes,
  codeChildren,
  enclosingFunction,
  enclosingNode,
  field,
  fieldText,
  findNodes,
  findOwnNodes,
  firstLine,
  hasCall,
  lineOf,
  quoteCode,
} from './syntax-nodes.ts'

const pairs: Readonly<Record<string, string>> = {
  Lock: 'Unlock',
  RLock: 'RUnlock',
  lock: 'unlock',
  acquire: 'release',
}

/** Between taking and giving back in one block, something may leave without giving back. */
function checkLock(statement: Node, file: ParsedFile): Hit | undefined {
  const call = statement.namedChild(0)
  const { receiver, name } =
    call && callTypes.includes(call.type) ? calleeOf(call) : { receiver: undefined, name: '' }
  const end = pairs[name]
  const fn = enclosingFunction(statement)
  if (!receiver || !end || !fn || !statement.parent || !/lock|mu|sem/i.test(receiver.text))
    return undefined
  const released = `${receiver.text}.${end}(`
  if (new RegExp(`\\bdefer\\b[^\\n]{0,200}${end}\\(`).test(fn.text)) return undefined
  const between: Node[] = []
  for (const next of codeChildren(statement.parent).filter(
    (other) => other.startIndex > statement.startIndex,
  )) {
    if (next.text.startsWith(released))
      return file.language === 'go'
        ? checkReturns(statement, between, released)
        : checkFailures(statement, between, next)
    between.push(next)
  }
  return undefined
}

function checkReturns(lock: Node, between: readonly Node[], released: string): Hit | undefined {
  for (const statement of between) {
    const leaving =
      statement.type === 'return_statement'
        ? [statement]
        : findOwnNodes(statement, 'return_statement')
    // A panic or a return after giving back is fine.
    const left = leaving.find(
      (node) => !statement.text.slice(0, node.startIndex - statement.startIndex).includes(released),
    )
    if (left)
      return lockHit(
        lock,
        left,
        'this `return` is taken',
        'a `defer` right after the lock gives it back on every way out',
      )
  }
  return undefined
}

function checkFailures(lock: Node, between: readonly Node[], release: Node): Hit | undefined {
  const failing = between.find(
    (statement) => hasCall(statement) || exitsIn(statement, release.text),
  )
  if (!failing || between.some((statement) => /^try/.test(statement.type))) return undefined
  return {
    ...lockHit(
      lock,
      failing,
      `the code before line ${lineOf(release)} ${hasCall(failing) ? 'fails' : 'leaves the function'}`,
      'give it back in a `finally` block, or use a `with` statement',
    ),
    at: firstLine(lock),
    fallback: firstLine(failing),
  }
}

/** Whether a way out of the function lies in the statement, without giving back before it. */
function exitsIn(statement: Node, release: string): boolean {
  const leaving = /^(?:return|throw|raise)_statement$/
  const ways = findOwnNodes(statement, 'return_statement', 'throw_statement', 'raise_statement')
  const released = statement.text.indexOf(release)
  return (
    leaving.test(statement.type) ||
    ways.some((way) => released < 0 || way.startIndex < statement.startIndex + released)
  )
}

function lockHit(lock: Node, at: Node, when: string, remedy: string): Hit {
  const name = quoteCode(lock.text)
  return {
    at: firstLine(at),
    fallback: firstLine(lock),
    title: `The lock taken by ${name} may never be given back`,
    body: `When ${when}, the lock stays taken, and the next one who wants it waits for ever: ${remedy}.`,
    evidence: [{ line: lineOf(lock), note: 'it is taken here' }],
  }
}

function checkByValue(parameter: Node): Hit | undefined {
  const type = fieldText(parameter, 'type')
  if (!/^sync\.(?:Mutex|RWMutex|WaitGroup|Once|Cond)$/.test(type)) return undefined
  return {
    at: firstLine(parameter),
    title: `${quoteCode(parameter.text)} is a copy, so it locks or waits for nothing`,
    body: `When the function is called, it gets a ${quoteCode(type)} of its own: the caller never notices what happens to it. Pass a pointer.`,
  }
}

function checkLateAdd(call: Node): Hit | undefined {
  const { receiver, name } = calleeOf(call)
  const fn = enclosingNode(
    call,
    new Set(['func_literal', 'function_declaration', 'method_declaration']),
  )
  if (
    name !== 'Add' ||
    !receiver ||
    fn?.type !== 'func_literal' ||
    fn.parent?.parent?.type !== 'go_statement'
  )
    return undefined
  const isDone = findNodes(fn, 'call_expression').some(
    (other) => other.text === `${receiver.text}.Done()`,
  )
  const isOwn = field(fn, 'body')?.text.includes(`${receiver.text}.Wait()`)
  if (!isDone || isOwn) return undefined
  return {
    at: firstLine(call),
    title: `${quoteCode(call.text)} runs in the goroutine that is to be waited for`,
    body: 'When `Wait` is reached before this goroutine was scheduled, the counter is still zero and nobody waits for it. Call `Add` before the `go` statement.',
  }
}

export const lockRules: readonly Rule[] = [
  {
    id: 'lock-not-released',
    summary: 'A lock is taken, and a way out of the block leaves it taken.',
    severity: 'moderate',
    category: 'concurrency',
    confidence: 0.88,
    syntax: [
      {
        languages: ['go', 'python', 'java'],
        nodes: ['expression_statement'],
        check: checkLock,
        wholeFunction: true,
      },
    ],
  },
  {
    id: 'lock-by-value',
    summary: 'Go: a function gets a copy of a lock or wait group.',
    severity: 'critical',
    category: 'concurrency',
    confidence: 0.98,
    syntax: [{ languages: ['go'], nodes: ['parameter_declaration'], check: checkByValue }],
  },
  {
    id: 'late-wait-group-add',
    summary: 'Go: `WaitGroup.Add` is called inside the goroutine that is to be waited for.',
    severity: 'moderate',
    category: 'concurrency',
    confidence: 0.95,
    syntax: [{ languages: ['go'], nodes: ['call_expression'], check: checkLateAdd }],
  },
]
