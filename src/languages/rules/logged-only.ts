// Recognizes branches that only write a log message, and the code that runs after them.
import type { Node } from 'web-tree-sitter'
import { statementsOf } from './statements.ts'
import { field, nextCodeSibling } from './syntax-nodes.ts'

const logCall =
  /^(?:await )?(?:(?:\$?this|self)(?:\.|->|\?->)|_+)?(?:\$?\w+(?:\.|->|::))*?(?:log|logger|logging|console|slog|klog|print|println|printf|eprintln|puts|warn|warning|System\.(?:out|err)|fmt\.(?:Print|Fprint))\w*!?\b[\w.:>-]*!?[ (]/i

/** Functions that write a message and don't return. */
const endsProgram = /fatal|panic|exit|fail|throw|abort|assert|raise|die\b/i

/** Texts, which may say that something failed. */
const quoted = /"[^"\n]*"|'[^'\n]*'|`[^`]*`/g

/** Statements after a branch that are looked at. */
const maxStatementsAfter = 3

/** Whether a branch only writes to a log, and the code after it runs as well. */
export function isLoggedOnly(branch: Node): boolean {
  const statements = statementsOf(branch)
  return statements.length > 0 && statements.length <= 3 && statements.every(isLogStatement)
}

/** Whether a statement only writes to a log. */
export function isLogStatement({ type, text }: Node): boolean {
  return (
    /^(?:expression_statement|call|call_expression)$/.test(type) &&
    logCall.test(text.slice(0, 500)) &&
    !endsProgram.test(text.slice(0, 1_000).replace(quoted, ''))
  )
}

/**
 * The code that surely runs next after a statement, in order: simple statements, and the conditions
 * of those that branch. Ends with the first one that may branch or leave.
 */
export function listNextCode(statement: Node): Node[] {
  const code: Node[] = []
  let next = nextCodeSibling(statement)
  for (let count = 0; next && count < maxStatementsAfter; count++) {
    if (!isSimple(next)) {
      const first = field(next, 'condition') ?? field(next, 'right') ?? returnedValue(next)
      return first ? [...code, first] : code
    }
    code.push(next)
    next = nextCodeSibling(next)
  }
  return code
}

const simpleTypes =
  /^(?:expression_statement|lexical_declaration|local_variable_declaration|short_var_declaration|assignment_statement|defer_statement|local_declaration_statement|property_declaration|let_declaration|assignment|call|call_expression)$/

function isSimple({ type }: Node): boolean {
  return simpleTypes.test(type)
}

function returnedValue(statement: Node): Node | undefined {
  return statement.type === 'return_statement' ? (statement.namedChild(0) ?? undefined) : undefined
}
