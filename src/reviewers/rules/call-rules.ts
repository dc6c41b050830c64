// Rules about inexact decimals, environment variables used as other types, and `Optional.get`.
import type { Node } from 'web-tree-sitter'
import {
  argumentsOf,
  field,
  fieldText,
  firstLine,
  quoteCode,
  replaceInLine,
} from '../../languages/common/syntax-nodes.ts'
import { type Hit, javascriptFamily, type ParsedFile, type Rule } from './rule.ts'

/** `new BigDecimal(0.1)`, `Decimal(0.1)`. */
function checkDecimal(node: Node, file: ParsedFile): Hit | undefined {
  const callee = fieldText(node, file.language === 'java' ? 'type' : 'function')
  if (!/^(?:BigDecimal|(?:decimal\.)?Decimal)$/.test(callee)) return undefined
  const args = argumentsOf(node)
  const [value] = args
  if (!value || args.length !== 1) return undefined
  if (!/^(?:float|decimal_floating_point_literal)$/.test(value.type)) return undefined
  return {
    at: firstLine(node),
    title: `${quoteCode(node.text)} is not exactly ${value.text}`,
    body:
      'When a decimal is created from a float, it keeps the rounding error of the binary ' +
      'fraction. Pass a string.',
    suggestion: replaceInLine(value, file, `"${value.text}"`),
  }
}

const environmentRead = /^(?:os\.environ\.get|os\.getenv|os\.environ\[|process\.env[.[])/

/** `bool(os.getenv('DEBUG', 'false'))`: every text that isn't empty is true. */
function checkEnvironmentConversion(call: Node): Hit | undefined {
  if (!/^(?:bool|Boolean)$/.test(fieldText(call, 'function'))) return undefined
  const [value] = argumentsOf(call)
  if (!value || !environmentRead.test(value.text)) return undefined
  const fallback = /(?:,|\|\||\?\?)\s*["'](\w+)["']\)?$/.exec(value.text)?.[1]
  if (!fallback) return undefined
  return reportEnvironmentType(call, `even ${quoteCode(`"${fallback}"`)} is truthy`)
}

const notText = /^(?:true|false|True|False|\d+)$/

/** JavaScript: `process.env.DEBUG === true`. Loose equality converts texts to numbers. */
function checkScriptEnvironment(comparison: Node): Hit | undefined {
  const left = field(comparison, 'left')
  const right = field(comparison, 'right')
  if (!left || !right || !environmentRead.test(left.text)) return undefined
  if (!/^[!=]==$/.test(field(comparison, 'operator')?.type ?? '')) return undefined
  if (!notText.test(right.text)) return undefined
  return reportEnvironmentType(comparison, `it is never equal to ${quoteCode(right.text)}`)
}

/** Python: `os.environ.get('DEBUG') == True`. */
function checkPythonEnvironment(comparison: Node): Hit | undefined {
  const [left, right, ...others] = comparison.namedChildren
  if (!left || !right || others.length > 0 || !environmentRead.test(left.text)) return undefined
  const operator = comparison.childrenForFieldName('operators')[0]?.text
  if (!/^(?:==|!=|is|is not)$/.test(operator ?? '') || !notText.test(right.text)) return undefined
  // With a default of another type, the comparison may be about that default.
  if (left.text.includes(',')) return undefined
  return reportEnvironmentType(comparison, `it is never equal to ${quoteCode(right.text)}`)
}

function reportEnvironmentType(node: Node, outcome: string): Hit {
  return {
    at: firstLine(node),
    title: `An environment variable is always a string: ${outcome}`,
    body:
      'When the variable is set, the result is the same for every value. Compare it with a ' +
      'string.',
  }
}

export const callRules: readonly Rule[] = [
  {
    id: 'inexact-decimal',
    summary: 'A decimal is created from a float such as `0.1`, which is not exact.',
    seeAlso: ['Ruff `RUF032`', 'SpotBugs `DMI_BIGDECIMAL_CONSTRUCTED_FROM_DOUBLE`'],
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
    summary: 'An environment variable, always a string, is used as a boolean or number.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
    syntax: [
      {
        languages: [...javascriptFamily, 'python'],
        nodes: ['call', 'call_expression'],
        check: checkEnvironmentConversion,
      },
      {
        languages: javascriptFamily,
        nodes: ['binary_expression'],
        check: checkScriptEnvironment,
      },
      { languages: ['python'], nodes: ['comparison_operator'], check: checkPythonEnvironment },
    ],
  },
  {
    id: 'unchecked-optional',
    summary: '`get` is called on an `Optional` without checking that it has a value.',
    seeAlso: ['Sonar `java:S3655`'],
    severity: 'minor',
    category: 'correctness',
    confidence: 0.8,
  },
]
