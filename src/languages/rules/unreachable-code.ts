// Describes code that never runs.
import type { Node } from 'web-tree-sitter'
import type { Hit } from './syntax-check.ts'
import { firstLine, lineOf, quoteCode } from './syntax-nodes.ts'

/** @param exit the statement before it, which leaves the block */
export function unreachableCode(code: Node, exit: Node): Hit {
  return {
    at: firstLine(code),
    fallback: firstLine(exit),
    title: `Unreachable code: ${quoteCode(code.text)} never runs`,
    body:
      `When line ${lineOf(exit)} is reached, control leaves the block, so nothing after ` +
      'it runs. Remove this code, or move it before that line.',
    evidence: [{ line: lineOf(exit), note: 'control leaves the block here' }],
  }
}
