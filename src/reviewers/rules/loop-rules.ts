// Rules about collections that a loop changes, and about results that are thrown away.
import type { Node } from 'web-tree-sitter'
import { readCall } from '../../languages/rules/calls.ts'
import { endlessLoops } from '../../languages/rules/endless-loops.ts'
import { findOwnNodes } from '../../languages/rules/functions.ts'
import { isConcurrentCollection } from '../../languages/rules/lock-regions.ts'
import {
  enclosingNode,
  field,
  fieldText,
  firstLine,
  quoteCode,
} from '../../languages/rules/syntax-nodes.ts'
import { unusedResults } from '../../languages/rules/unused-results.ts'
import type { Hit, ParsedFile, Rule } from './rule.ts'

/** Methods that change a collection. */
const mutators: Readonly<Record<string, RegExp>> = {
  python: /^(?:remove|pop|append|insert|clear|discard|add|extend)$/,
  java: /^(?:remove|add|clear|removeIf|addAll|put)$/,
}

function checkChangedWhileIterated(loop: Node, file: ParsedFile): Hit | undefined {
  const collection = field(loop, 'right') ?? field(loop, 'value')
  const body = field(loop, 'body')
  if (!collection || !body) return undefined
  if (!/^(?:identifier|attribute|field_access)$/.test(collection.type)) return undefined
  if (/^(?:self|this)$/.test(collection.text) || isAssigned(collection.text, body)) return undefined
  if (isConcurrentCollection(collection.text, file)) return undefined
  const call = findOwnNodes(body, 'call', 'method_invocation').find((candidate) => {
    const { receiver, name } = readCall(candidate)
    return (
      receiver?.text === collection.text &&
      mutators[file.language]?.test(name) &&
      !exitsNext(candidate)
    )
  })
  if (!call) return undefined
  return {
    at: firstLine(call),
    title: `${quoteCode(collection.text)} is modified while the loop iterates over it`,
    ...(file.language === 'java' ? changedInJava : changedInPython),
  }
}

const changedInJava = {
  body:
    'When the loop continues, it throws a `ConcurrentModificationException`. Use ' +
    '`removeIf`, an iterator, or a copy.',
  severity: 'critical',
} as const

const changedInPython = {
  body:
    'When the loop continues, elements are skipped or repeated (a list), or it raises ' +
    '`RuntimeError` (a set or dict). Iterate over a copy, or build a new collection.',
  severity: 'moderate',
} as const

/** Whether the loop assigns another value to the name. */
function isAssigned(name: string, body: Node): boolean {
  return findOwnNodes(body, 'assignment', 'assignment_expression').some(
    (node) => fieldText(node, 'left') === name,
  )
}

/** Whether the block leaves the loop or the function after the change. */
function exitsNext(call: Node): boolean {
  const block = enclosingNode(call, new Set(['block']))
  return (block?.namedChildren ?? []).some(
    (statement) =>
      /^(?:break|return|raise|throw)_statement$/.test(statement.type) &&
      statement.startIndex > call.startIndex,
  )
}

/** Go: `case <-ctx.Done(): break` leaves only the `select`, and the loop around it goes on. */
function checkBreakInSelect(statement: Node): Hit | undefined {
  const clause = ownerOf(statement)
  const select = clause?.parent
  if (statement.namedChildCount > 0 || clause?.type !== 'communication_case') return undefined
  if (!select || select.nextNamedSibling) return undefined
  const communication = fieldText(clause, 'communication')
  const isInLoop = ownerOf(select)?.parent?.type === 'for_statement'
  if (!isInLoop || !endOfWork.test(communication)) return undefined
  return {
    at: firstLine(statement),
    title: 'This `break` leaves only the `select`, not the loop around it',
    body:
      `When ${quoteCode(communication)} is ready, the loop goes on and comes here again at ` +
      'once. Return, or break to a label of the loop.',
  }
}

const endOfWork = /<-\s*[\w.]*(?:Done\(\)|(?:done|quit|stop|stopped|exit|closed?|closing)\w*)$/i

/** The node that has a statement, also in a list. */
function ownerOf({ parent }: Node): Node | undefined {
  return (parent?.type === 'statement_list' ? parent.parent : parent) ?? undefined
}

export const loopRules: readonly Rule[] = [
  {
    id: 'changed-while-iterated',
    summary: 'A collection is modified inside the loop that iterates over it.',
    seeAlso: ['Ruff `B909`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.85,
    syntax: [
      {
        languages: ['python', 'java'],
        nodes: ['for_statement', 'enhanced_for_statement'],
        check: checkChangedWhileIterated,
      },
    ],
  },
  {
    id: 'endless-loop',
    summary:
      'A loop never ends: it continues at the end of its input, or before anything that its ' +
      'condition depends on has changed.',
    seeAlso: ['CWE-835', 'Staticcheck `SA4011`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.85,
    syntax: [
      // In C and C++, pointers and conditions with effects hide the progress of a loop.
      ...endlessLoops.map((check) => ({ ...check, except: ['cpp'] as const })),
      { languages: ['go'], nodes: ['break_statement'], check: checkBreakInSelect },
    ],
  },
  {
    id: 'ignored-result',
    summary:
      'The return value of a method without side effects, such as `replace` or `strip`, is ' +
      'ignored.',
    seeAlso: ['CWE-252', 'SpotBugs `RV_RETURN_VALUE_IGNORED`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.9,
    syntax: [unusedResults],
  },
]
