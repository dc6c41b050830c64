// Rules about collections that a loop changes, and about results that are thrown away.
import type { Node } from 'web-tree-sitter'
import {
  calleeOf,
  enclosingNode,
  field,
  fieldText,
  findOwnNodes,
  firstLine,
  quoteCode,
} from '../../languages/rules/syntax-nodes.ts'
import type { Hit, ParsedFile, Rule } from './rule.ts'
import { typeOf } from './value-origins.ts'

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
  const call = findOwnNodes(body, 'call', 'method_invocation').find((candidate) => {
    const { receiver, name } = calleeOf(candidate)
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

const immutableJavaTypes =
  /^(?:String|BigDecimal|BigInteger|LocalDate|LocalDateTime|Instant|Duration|ZonedDateTime)$/

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
    id: 'ignored-result',
    summary:
      'The return value of a method without side effects, such as `replace` or `strip`, is ' +
      'ignored.',
    seeAlso: ['CWE-252', 'SpotBugs `RV_RETURN_VALUE_IGNORED`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.9,
    title: 'The result of `$VALUE.$METHOD` is ignored',
    body: "When this runs, $VALUE doesn't change: $METHOD returns a new value.",
    syntax: [
      {
        patterns: { javascript: ['$VALUE.$METHOD($$$);'] },
        where: {
          METHOD:
            /^(?:concat|trim|trimStart|trimEnd|toUpperCase|toLowerCase|padStart|padEnd|toSorted|toReversed|toSpliced)$/,
          VALUE: ({ type, text }) => type === 'identifier' && !/^[A-Z$]/.test(text),
        },
        not: ['$_.concat();'],
      },
      {
        patterns: { python: ['$VALUE.$METHOD();', '$VALUE.$METHOD($_);'] },
        where: {
          METHOD: /^(?:strip|lstrip|rstrip|lower|upper|title|capitalize|casefold|zfill)$/,
          VALUE: ({ type }) => type === 'identifier',
        },
      },
      {
        patterns: { java: ['$VALUE.$METHOD($$$);'] },
        where: {
          METHOD:
            /^(?:trim|strip|replace|replaceAll|toLowerCase|toUpperCase|concat|substring|add|subtract|multiply|divide|plusDays|plusHours|minusDays|plus|minus|setScale|negate)$/,
          VALUE: (node, file) =>
            node.type === 'identifier' && immutableJavaTypes.test(typeOf(node.text, node, file)),
        },
      },
    ],
  },
]
