// Finds values that are used after a branch which only logs that they are missing.

import type { Node } from 'web-tree-sitter'
import { isLoggedOnly, listNextCode } from './logged-only.ts'
import type { Hit, SyntaxCheck } from './syntax-check.ts'
import { field, firstLine, lineOf, quoteCode } from './syntax-nodes.ts'

/** How a language writes tests for missing values, and uses that fail without one. */
interface AbsenceSyntax {
  readonly branches: readonly string[]
  /** Matches a condition that holds if a value is missing; its groups are the name of the value. */
  readonly isMissing: RegExp
  /** What follows the name in code that fails if the value is missing. */
  readonly use: string
  /** What happens then, as the end of a sentence. */
  readonly outcome: string
}

export function checkLoggedAbsence(syntax: AbsenceSyntax): SyntaxCheck {
  return {
    nodes: syntax.branches,
    wholeFunction: true,
    check: (branch) => findUse(branch, syntax),
  }
}

function findUse(branch: Node, { isMissing, use, outcome }: AbsenceSyntax): Hit | undefined {
  const condition = field(branch, 'condition')
  if (!condition || !isOnlyLogged(branch)) return undefined
  const test = condition.text.slice(0, 200).replace(/^\(\s*(.*?)\s*\)$/s, '$1')
  const name = isMissing
    .exec(test)
    ?.slice(1)
    .find((group) => group !== undefined)
  const code = name && findMention(name, branch)
  if (!code || isTested(name, code) || !patternOf(name, use).test(textOf(code))) return undefined
  return {
    at: firstLine(code),
    title: `Null dereference: ${quoteCode(name)} is used where it has no value`,
    body:
      `When the check ${quoteCode(test)} holds, the code only logs that and goes on: ` +
      `${outcome}. Leave the function there.`,
    evidence: [{ line: lineOf(condition), note: 'known from this check' }],
  }
}

/** Whether a branch has no other, and only writes to a log. */
function isOnlyLogged(branch: Node): boolean {
  const body =
    field(branch, 'consequence') ??
    field(branch, 'body') ??
    branch.namedChildren.find(({ type }) => type === 'block')
  return !field(branch, 'alternative') && !hasElse(branch) && !!body && isLoggedOnly(body)
}

/** The first code after a branch that names a value. */
function findMention(name: string, branch: Node): Node | undefined {
  const statement = branch.parent?.type === 'expression_statement' ? branch.parent : branch
  return listNextCode(statement).find((code) => patternOf(name, '(?!\\w)').test(textOf(code)))
}

function textOf({ text }: Node): string {
  return text.slice(0, 2_000)
}

function patternOf(name: string, next: string): RegExp {
  return new RegExp(`(?<![\\w$.>])${RegExp.escape(name)}${next}`)
}

/** Whether code tests a value again, or gives it another one. */
function isTested(name: string, code: Node): boolean {
  const text = textOf(code)
  const before = new RegExp(`(?:!|[!=]==? |isset\\(|empty\\()${RegExp.escape(name)}|=>`)
  const after = patternOf(name, '\\s*(?:=|[!?]=|\\?|\\bis\\b|&&|\\|\\|)')
  return before.test(text) || after.test(text)
}

function hasElse(branch: Node): boolean {
  return branch.children.some(({ type }) => /^else/.test(type))
}
