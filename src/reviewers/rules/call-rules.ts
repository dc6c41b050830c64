// Rules about values that are taken for what they are not: decimals, variables of the environment, optionals.
import type { Node } from 'web-tree-sitter'
import { type Hit, javascriptFamily, type ParsedFile, type Rule } from './rule.ts'
import {
  argumentsOf,
  calleeOf,
  field,
  fieldText,
  firstLine,
  quoteCode,
  replaceInLine,
} from './syntax-nodes.ts'

/** `new BigDecimal(0.1)`, `Decimal(0.1)`. */
function checkDecimal(node: Node, file: ParsedFile): Hit | undefined {
  const isJava = file.language === 'java'
  const callee = isJava ? fieldText(node, 'type') : fieldText(node, 'function')
  const args = argumentsOf(node)
  const [value] = args
  if (
    !/^(?:BigDecimal|(?:decimal\.)?Decimal)$/.test(callee) ||
    args.length !== 1 ||
    !/^(?:float|decimal_floating_point_literal)$/.test(value?.type ?? '')
  )
    return undefined
  return {
    at: firstLine(node),
    title: `${quoteCode(node.text)} is not exactly ${value!.text}`,
    body:
      'When the number is read as a binary fraction first, the decimal gets its error with all ' +
      'its digits. Give it as a text.',
    suggestion: replaceInLine(value!, file, `"${value!.text}"`),
  }
}

const environmentRead = /^(?:os\.environ\.get|os\.getenv|os\.environ\[|process\.env[.[])/

/** A variable of the environment is a text: never `true`, never a number, and `"false"` counts as true. */
function checkEnvironment(node: Node, file: ParsedFile): Hit | undefined {
  const isPython = file.language === 'python'
  if (node.type === 'call' || node.type === 'call_expression') {
    const [value] = argumentsOf(node)
    const isBool =
      /^(?:bool|Boolean)$/.test(fieldText(node, 'function')) &&
      value &&
      environmentRead.test(value.text)
    const fallback = isBool && /(?:,|\|\||\?\?)\s*["'](\w+)["']\)?$/.exec(value.text)?.[1]
    return fallback ? textHit(node, `even ${quoteCode(`"${fallback}"`)} counts as true`) : undefined
  }
  const sides = isPython ? node.namedChildren : [field(node, 'left'), field(node, 'right')]
  const operator = isPython
    ? node.childrenForFieldName('operators')[0]?.text
    : field(node, 'operator')?.type
  const [left, right] = sides
  if (sides.length !== 2 || !left || !right || !environmentRead.test(left.text)) return undefined
  // A default of another type may be what the comparison is about; loose equality turns texts into numbers.
  if (!/^(?:[!=]==|==|!=|is|is not)$/.test(operator ?? '') || (!isPython && operator!.length === 2))
    return undefined
  if (!/^(?:true|false|True|False|\d+)$/.test(right.text) || (isPython && /,/.test(left.text)))
    return undefined
  return textHit(node, `it is never equal to ${quoteCode(right.text)}`)
}

function textHit(node: Node, outcome: string): Hit {
  return {
    at: firstLine(node),
    title: `A variable of the environment is always a text: ${outcome}`,
    body:
      'When the variable is set, this is decided the same way whatever it says. Compare it with ' +
      'a text.',
  }
}

/** Java: `list.stream().findFirst().get()`. */
function checkOptional(call: Node): Hit | undefined {
  const { receiver, name } = calleeOf(call)
  if (name !== 'get' || argumentsOf(call).length > 0 || receiver?.type !== 'method_invocation')
    return undefined
  const maker = fieldText(receiver, 'name')
  if (!/^(?:findFirst|findAny|findById|ofNullable)$/.test(maker)) return undefined
  return {
    at: firstLine(call),
    title:
      `\`get\` is called on what ${quoteCode(maker)} gives, without asking whether there is ` +
      'anything',
    body:
      'When there is nothing, it throws a `NoSuchElementException` that says neither what was ' +
      'missing nor why. Use `orElseThrow` with a reason, or `orElse`.',
  }
}

export const callRules: readonly Rule[] = [
  {
    id: 'inexact-decimal',
    summary: 'A decimal is made from a binary fraction such as `0.1`.',
    severity: 'minor',
    category: 'correctness',
    confidence: 0.95,
    syntax: [
      {
        languages: ['python', 'java'],
        nodes: ['call', 'object_creation_expression'],
        check: checkDecimal,
      },
    ],
  },
  {
    id: 'environment-is-text',
    summary: 'A variable of the environment, always a text, is taken for a boolean or number.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
    syntax: [
      {
        languages: [...javascriptFamily, 'python'],
        nodes: ['call', 'call_expression', 'binary_expression', 'comparison_operator'],
        check: checkEnvironment,
      },
    ],
  },
  {
    id: 'unchecked-optional',
    summary: 'Java: `get` is called on an `Optional` right where it is made.',
    severity: 'minor',
    category: 'correctness',
    confidence: 0.8,
    syntax: [{ languages: ['java'], nodes: ['method_invocation'], check: checkOptional }],
  },
]
