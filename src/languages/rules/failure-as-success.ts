// Finds handlers that do after a failure exactly what the code does after success.
import type { Node } from 'web-tree-sitter'
import type { Hit, SyntaxCheck } from './syntax-check.ts'
import { codeChildren, field, firstLine, lineOf, quoteCode } from './syntax-nodes.ts'

/** Calls that say that the work was done, so that nobody tries it again. */
const completes =
  /(?:^|[.\->:]|\bawait )(?:remove|delete|ack|acknowledge|complete|dequeue|mark\w*|set\w*(?:Done|Sent|Processed|Complete\w*)|commit\w*)!?\s*[( ]/i

/** Cleans up instead: whether the work was done makes no difference. */
const cleansUp =
  /te?mp|file|dir|folder|path|lock|listener|observer|timer|cache|pending|inflight|active|running|loading/i

const maxStatements = 10

function checkHandler(handler: Node): Hit | undefined {
  const body = blockOf(handler)
  const tried = handler.parent && blockOf(handler.parent)
  if (!body || !tried) return undefined
  const statements = statementsOf(body)
  const successes = statementsOf(tried)
  const [first] = successes
  if (statements.length !== 1 || successes.length < 2) return undefined
  const repeated = successes.find(
    ({ id, text }) => id !== first!.id && text === statements[0]!.text,
  )
  if (!repeated || !completes.test(repeated.text.slice(0, 200))) return undefined
  if (cleansUp.test(repeated.text.slice(0, 200)) || !/[([]|\w! ?\w/.test(first!.text))
    return undefined
  return {
    at: firstLine(statements[0]!),
    title: `After a failure, ${quoteCode(repeated.text)} is called as after success`,
    body:
      'When the `try` block fails, the work counts as done: nobody tries it again, and nothing ' +
      'is reported. Keep it, and report the error.',
    severity: 'moderate',
    confidence: 0.85,
    evidence: [{ line: lineOf(repeated), note: 'after success' }],
  }
}

function blockOf(node: Node): Node | undefined {
  return (
    field(node, 'body') ??
    node.namedChildren.find(({ type }) => /^(?:block|then|compound_statement)$/.test(type))
  )
}

function statementsOf(block: Node): Node[] {
  return codeChildren(block).slice(0, maxStatements)
}

export const failureAsSuccess: SyntaxCheck = {
  nodes: ['catch_clause', 'catch_block', 'except_clause'],
  check: checkHandler,
}
