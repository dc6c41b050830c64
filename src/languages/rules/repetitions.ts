// Describes operands, conditions and cases that repeat an earlier one.
import type { Node } from 'web-tree-sitter'
import { unwrap } from './operations.ts'
import type { Hit } from './syntax-check.ts'
import { firstLine, lineOf, quoteCode } from './syntax-nodes.ts'

export function repeatedOperand(comparison: Node, operand: Node, operator: string): Hit {
  const name = quoteCode(operand.text)
  return {
    at: firstLine(comparison),
    title: `Identical operands: both sides of \`${operator}\` are ${name}`,
    body:
      `When this runs, the second ${name} has no effect; another expression ` +
      'was probably intended.',
  }
}

/** The condition of a branch is that of an earlier branch in the same chain. */
export function repeatedCondition(condition: Node, earlier: Node): Hit {
  const tested = quoteCode(unwrap(condition).text)
  return {
    at: firstLine(condition),
    title: `This branch is never taken: ${tested} was already tested above`,
    body:
      `When the condition holds, the branch in line ${lineOf(earlier)} runs instead of this ` +
      'one.',
    evidence: [{ line: lineOf(earlier), note: 'the same condition' }],
  }
}

/** @param keyword names the statement that has the cases */
export function repeatedCase(value: Node, earlier: Node, keyword: string): Hit {
  const name = quoteCode(value.text)
  return {
    at: firstLine(value),
    title: `Duplicate case ${name} in this \`${keyword}\``,
    body:
      `When the value is ${name}, the case in line ${lineOf(earlier)} is ` +
      'taken, and this one never runs.',
    evidence: [{ line: lineOf(earlier), note: 'the same case' }],
  }
}
