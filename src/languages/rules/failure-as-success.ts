// Finds handlers that do after a failure exactly what the code does after success.
import type { Node } from 'web-tree-sitter'
import { callAndNewTypes, isCall, readCall } from './calls.ts'
import { blockOf } from './effects.ts'
import { isLogStatement } from './logged-only.ts'
import { statementsOf } from './statements.ts'
import type { Hit, SyntaxCheck } from './syntax-check.ts'
import { findNodes, firstLine, lineOf, quoteCode } from './syntax-nodes.ts'

/** Calls that say that the work was done, so that nobody tries it again. */
const completes =
  /(?:^|[.\->:]|\bawait )(?:remove|delete|ack|acknowledge|complete|dequeue|mark\w*|set\w*(?:Done|Sent|Processed|Complete\w*)|commit\w*)!?\s*[( ]/i

/** Names of functions that say so, whatever they get. */
const succeeds =
  /^(?:\w*[sS]ucce(?:ss|ss?ful|eded)(?:ly)?|mark_?\w*(?:done|sent|paid|processed|completed?|succe\w*)|complete_?job)!?$/i

/** Cleans up instead: whether the work was done makes no difference. */
const cleansUp =
  /te?mp|file|dir|folder|path|lock|listener|observer|timer|cache|pending|inflight|active|running|loading/i

const maxStatements = 10

function checkHandler(handler: Node): Hit | undefined {
  const body = blockOf(handler)
  const tried = handler.parent && blockOf(handler.parent)
  if (!body || !tried) return undefined
  const [statement, ...others] = statementsOf(body).filter((each) => !isLogStatement(each))
  if (!statement || others.length > 0) return undefined
  const successes = statementsOf(tried).slice(1, maxStatements)
  const repeated =
    successes.find(({ text }) => text === statement.text && isCompletion(text, tried)) ??
    findSuccess(statement, tried)
  if (!repeated) return undefined
  return {
    at: firstLine(statement),
    title: `Swallowed error: ${quoteCode(repeated.text)} is called as after success`,
    body:
      'When the `try` block fails, the work counts as done: nobody tries it again, and nothing ' +
      'is reported. Keep it, and report the error.',
    severity: 'moderate',
    confidence: 0.85,
    evidence: [{ line: lineOf(repeated), note: 'after success' }],
  }
}

function isCompletion(text: string, tried: Node): boolean {
  const start = text.slice(0, 200)
  if (!completes.test(start) || cleansUp.test(start)) return false
  return /[([]|\w! ?\w/.test(statementsOf(tried)[0]!.text)
}

/** The call in a `try` block of the function that a handler calls, and that reports success. */
function findSuccess(statement: Node, tried: Node): Node | undefined {
  const inner = statement.type === 'expression_statement' ? statement.namedChild(0) : statement
  const call = inner?.type.startsWith('await') ? inner.namedChild(0) : inner
  if (!call || !isCall(call)) return undefined
  const { name, callee } = readCall(call)
  if (!succeeds.test(name)) return undefined
  return findNodes(tried, ...callAndNewTypes).find((each) => readCall(each).callee === callee)
}

export const failureAsSuccess: SyntaxCheck = {
  nodes: ['catch_clause', 'catch_block', 'except_clause'],
  check: checkHandler,
}
