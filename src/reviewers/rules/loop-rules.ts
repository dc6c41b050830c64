// Rules about collections: changed while a loop goes over them, and results that get lost.
import type { Node } from 'web-tree-sitter'
import { type Hit, javascriptFamily, type ParsedFile, type Rule } from './rule.ts'
import {
  argumentsOf,
  calleeOf,
  enclosingNode,
  field,
  fieldText,
  findOwnNodes,
  firstLine,
  quoteCode,
} from './syntax-nodes.ts'
import { typeOf } from './value-origins.ts'

const removers: Readonly<Record<string, RegExp>> = {
  python: /^(?:remove|pop|append|insert|clear|discard|add|extend)$/,
  java: /^(?:remove|add|clear|removeIf|addAll|put)$/,
}

function checkChangedWhileIterated(loop: Node, file: ParsedFile): Hit | undefined {
  const collection = field(loop, 'right') ?? field(loop, 'value')
  const body = field(loop, 'body')
  if (!collection || !body || !/^(?:identifier|attribute|field_access)$/.test(collection.type))
    return undefined
  if (/^(?:self|this)$/.test(collection.text) || isAssigned(collection.text, body)) return undefined
  const call = findOwnNodes(body, 'call', 'method_invocation').find((candidate) => {
    const { receiver, name } = calleeOf(candidate)
    return (
      receiver?.text === collection.text &&
      removers[file.language]?.test(name) &&
      !exitsNext(candidate)
    )
  })
  if (!call) return undefined
  const isJava = file.language === 'java'
  return {
    at: firstLine(call),
    title: `${quoteCode(collection.text)} is changed while the loop iterates over it`,
    body: isJava
      ? 'When the loop goes on after this, it throws a `ConcurrentModificationException`. Use `removeIf`, an iterator, or a copy.'
      : 'When the loop goes on after this, elements are skipped or come twice (a list), or it raises `RuntimeError` (a set or dict). Iterate over a copy, or build a new collection.',
    severity: isJava ? 'critical' : 'moderate',
  }
}

/** Whether the name means something else from inside the loop on. */
function isAssigned(name: string, body: Node): boolean {
  return findOwnNodes(body, 'assignment', 'assignment_expression').some(
    (node) => fieldText(node, 'left') === name,
  )
}

/** Whether the loop or function is left right after the change. */
function exitsNext(call: Node): boolean {
  const block = enclosingNode(call, new Set(['block']))
  return (block?.namedChildren ?? []).some(
    (statement) =>
      /^(?:break|return|raise|throw)_statement$/.test(statement.type) &&
      statement.startIndex > call.startIndex,
  )
}

const pure = {
  javascript:
    /^(?:concat|trim|trimStart|trimEnd|toUpperCase|toLowerCase|padStart|padEnd|toSorted|toReversed|toSpliced)$/,
  python: /^(?:strip|lstrip|rstrip|lower|upper|title|capitalize|casefold|zfill)$/,
  java: /^(?:trim|strip|replace|replaceAll|toLowerCase|toUpperCase|concat|substring|add|subtract|multiply|divide|plusDays|plusHours|minusDays|plus|minus|setScale|negate)$/,
} as const

const immutableInJava =
  /^(?:String|BigDecimal|BigInteger|LocalDate|LocalDateTime|Instant|Duration|ZonedDateTime)$/

function checkIgnoredResult(statement: Node, file: ParsedFile): Hit | undefined {
  const call = statement.namedChild(0)
  if (!call || !/^(?:call|call_expression|method_invocation)$/.test(call.type)) return undefined
  const { receiver, name } = calleeOf(call)
  if (receiver?.type !== 'identifier') return undefined
  const kind =
    file.language === 'java' ? 'java' : file.language === 'python' ? 'python' : 'javascript'
  if (!pure[kind].test(name)) return undefined
  if (kind === 'java' && !immutableInJava.test(typeOf(receiver.text, call, file))) return undefined
  if (kind === 'python' && argumentsOf(call).length > 1) return undefined
  if (
    kind === 'javascript' &&
    (/^[A-Z$]/.test(receiver.text) || (name === 'concat' && argumentsOf(call).length === 0))
  )
    return undefined
  return {
    at: firstLine(call),
    title: `The result of ${quoteCode(`${receiver.text}.${name}`)} is thrown away`,
    body: `When this runs, ${quoteCode(receiver.text)} stays as it was: \`${name}\` returns a new value and changes nothing.`,
  }
}

export const loopRules: readonly Rule[] = [
  {
    id: 'changed-while-iterated',
    summary: 'A collection is changed inside the loop that iterates over it.',
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
    summary: 'A method that changes nothing and returns a new value is called as a statement.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.9,
    syntax: [
      {
        languages: [...javascriptFamily, 'python', 'java'],
        nodes: ['expression_statement'],
        check: checkIgnoredResult,
      },
    ],
  },
]
