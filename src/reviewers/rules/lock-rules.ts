// Rules about locks that stay locked, and wait groups that are incremented too late.
import type { Node } from 'web-tree-sitter'
import { callTypes, hasCall, readCall } from '../../languages/rules/calls.ts'
import { findOwnNodes, functionAround } from '../../languages/rules/functions.ts'
import type { Match } from '../../languages/rules/pattern-check.ts'
import {
  codeChildren,
  enclosingNode,
  fieldText,
  findNodes,
  firstLine,
  lineOf,
  quoteCode,
} from '../../languages/rules/syntax-nodes.ts'
import { unreleasedLocks } from '../../languages/rules/unreleased.ts'
import type { Hit, ParsedFile, Rule } from './rule.ts'

/** The method that releases a lock, by the method that acquires it. */
const releaseMethods: Readonly<Record<string, string>> = {
  Lock: 'Unlock',
  RLock: 'RUnlock',
  lock: 'unlock',
  acquire: 'release',
}

/** Reports a lock if the function can be left between acquiring and releasing it in one block. */
function checkLock(statement: Node, file: ParsedFile): Hit | undefined {
  const call = statement.namedChild(0)
  if (!call || !callTypes.includes(call.type)) return undefined
  const { receiver, name } = readCall(call)
  const releaseMethod = releaseMethods[name]
  const fn = functionAround(statement)
  if (!receiver || !releaseMethod || !fn || !statement.parent) return undefined
  if (!/lock|mu|sem/i.test(receiver.text)) return undefined
  if (new RegExp(`\\bdefer\\b[^\\n]{0,200}${releaseMethod}\\(`).test(fn.text)) return undefined
  const release = `${receiver.text}.${releaseMethod}(`
  const following = codeChildren(statement.parent).filter(
    (other) => other.startIndex > statement.startIndex,
  )
  const end = following.findIndex((other) => other.text.startsWith(release))
  if (end === -1) return undefined
  const between = following.slice(0, end)
  return file.language === 'go'
    ? checkReturns(statement, between, release)
    : checkFailures(statement, between, following[end]!)
}

/** Go: looks for a `return` before the lock is released. */
function checkReturns(lock: Node, between: readonly Node[], release: string): Hit | undefined {
  for (const statement of between) {
    const returns =
      statement.type === 'return_statement'
        ? [statement]
        : findOwnNodes(statement, 'return_statement')
    const isLocked = (node: Node) =>
      !statement.text.slice(0, node.startIndex - statement.startIndex).includes(release)
    const exit = returns.find(isLocked)
    if (!exit) continue
    return lockHit(
      lock,
      exit,
      'this `return` is taken',
      'a `defer` right after the lock releases it on every path',
    )
  }
  return undefined
}

/** Python, Java: looks for a statement before the release that may throw or leave the function. */
function checkFailures(lock: Node, between: readonly Node[], release: Node): Hit | undefined {
  const failing = between.find(
    (statement) => hasCall(statement) || exitsFunction(statement, release.text),
  )
  if (!failing || between.some((statement) => /^try/.test(statement.type))) return undefined
  const outcome = hasCall(failing) ? 'fails' : 'leaves the function'
  const hit = lockHit(
    lock,
    failing,
    `the code before line ${lineOf(release)} ${outcome}`,
    'release it in a `finally` block, or use a `with` statement',
  )
  return { ...hit, at: firstLine(lock), fallback: firstLine(failing) }
}

/** Whether the statement leaves the function without releasing the lock before. */
function exitsFunction(statement: Node, release: string): boolean {
  if (/^(?:return|throw|raise)_statement$/.test(statement.type)) return true
  const exits = findOwnNodes(statement, 'return_statement', 'throw_statement', 'raise_statement')
  const releaseIndex = statement.text.indexOf(release)
  return exits.some(
    (exit) => releaseIndex < 0 || exit.startIndex < statement.startIndex + releaseIndex,
  )
}

function lockHit(lock: Node, at: Node, when: string, remedy: string): Hit {
  const name = quoteCode(lock.text)
  return {
    at: firstLine(at),
    fallback: firstLine(lock),
    title: `Missing unlock: the lock acquired by ${name} may never be released`,
    body: `When ${when}, the lock stays held, and the next caller blocks forever: ${remedy}.`,
    evidence: [{ line: lineOf(lock), note: 'it is acquired here' }],
  }
}

/** Whether a goroutine adds itself to its group: `go func() { group.Add(1); group.Done() }()`. */
function isInGoroutine({ node, text }: Match): boolean {
  const fn = enclosingNode(node, goFunctions)
  if (fn?.type !== 'func_literal' || fn.parent?.parent?.type !== 'go_statement') return false
  const isDone = findNodes(fn, 'call_expression').some(
    (other) => other.text === `${text('GROUP')}.Done()`,
  )
  return isDone && !fieldText(fn, 'body').includes(`${text('GROUP')}.Wait()`)
}

const goFunctions = new Set(['func_literal', 'function_declaration', 'method_declaration'])

export const lockRules: readonly Rule[] = [
  {
    id: 'lock-not-released',
    summary: 'A lock is acquired and not released on every path out of the block.',
    seeAlso: ['CWE-667', 'SpotBugs `UL_UNRELEASED_LOCK`'],
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
      // In C++, destructors release, and few functions throw.
      { ...unreleasedLocks, except: ['cpp'] },
    ],
  },
  {
    id: 'lock-by-value',
    summary: 'A mutex or wait group is passed by value, so the function gets a copy.',
    seeAlso: ['go vet `copylocks`'],
    severity: 'critical',
    category: 'concurrency',
    confidence: 0.98,
    title: '$MATCH is passed by value, so the function locks or waits on a copy',
    body:
      'When the function is called, it gets a $TYPE of its own, and the caller sees none of its ' +
      'changes. Pass a pointer.',
    patterns: { go: ['_ = func(«$_ $TYPE») {}', '_ = func(«$_, $_ $TYPE») {}'] },
    where: { TYPE: /^sync\.(?:Mutex|RWMutex|WaitGroup|Once|Cond)$/ },
  },
  {
    id: 'late-wait-group-add',
    summary: '`WaitGroup.Add` is called inside the goroutine that `Wait` should wait for.',
    seeAlso: ['Staticcheck `SA2000`'],
    severity: 'moderate',
    category: 'concurrency',
    confidence: 0.95,
    title: '$MATCH runs inside the goroutine that `Wait` should wait for',
    body:
      'When `Wait` is reached before this goroutine starts, the counter is still zero, so ' +
      '`Wait` returns. Call `Add` before the `go` statement.',
    patterns: { go: ['$GROUP.Add($$$)'] },
    refine: isInGoroutine,
  },
]
