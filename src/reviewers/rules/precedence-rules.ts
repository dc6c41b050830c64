// Rules about operators whose precedence differs from how the code reads.
import type { Node } from 'web-tree-sitter'
import {
  field,
  fieldText,
  firstLine,
  operandsOf,
  quoteCode,
  unwrap,
} from '../../languages/common/syntax-nodes.ts'
import { isPlainString, stringText } from './literals.ts'
import { type Hit, javascriptFamily, type Rule } from './rule.ts'

function operatorOf(node: Node): string {
  return node.type === 'binary_expression' ? (field(node, 'operator')?.type ?? '') : ''
}

/** Whether an expression is certainly a string that isn't empty. */
function isFilledText(node: Node): boolean {
  const operands = operatorOf(node) === '+' ? operandsOf(node, '+') : []
  return operands.some((operand) => isPlainString(operand) && stringText(operand) !== '')
}

const neverMissing = /^(?:[-+*/%<>]|[<>]=|[=!]==?|\*\*)$/

/** `a + b ?? c`, `'x' + name || 'nobody'`: the left side is never missing. */
function checkFallback(node: Node): Hit | undefined {
  const operator = operatorOf(node)
  const left = field(node, 'left')
  const inner = left && unwrap(left)
  if (!inner) return undefined
  const isUseless =
    operator === '??'
      ? neverMissing.test(operatorOf(inner))
      : operator === '||' && isFilledText(inner)
  if (!isUseless) return undefined
  const fallback = quoteCode(fieldText(node, 'right'))
  const result = operator === '??' ? 'a value' : 'a truthy string'
  return {
    at: firstLine(node),
    title:
      `${fallback} is never used, because \`${operatorOf(inner)}\` has higher precedence ` +
      `than \`${operator}\``,
    body:
      `When a part of ${quoteCode(inner.text)} is missing, the whole is still ${result}, so ` +
      `\`${operator}\` never uses the right side. Put parentheses around the part that may ` +
      'be missing.',
  }
}

/** `'x' + isOpen ? a : b`: the condition is the whole string. */
function checkTextCondition(node: Node): Hit | undefined {
  const condition = field(node, 'condition')
  if (!condition || !isFilledText(condition)) return undefined
  const unused = quoteCode(fieldText(node, 'alternative'))
  return {
    at: firstLine(node),
    title: `The condition ${quoteCode(condition.text)} is a string that is always truthy`,
    body:
      `When this runs, \`+\` is evaluated before \`?\`, so ${unused} is never chosen and the ` +
      'string on the left is lost. Put parentheses around the conditional expression.',
  }
}

const relational = /^[<>]=?$/

/** `1 < x < 5` compares a boolean with 5. */
function checkChain(node: Node): Hit | undefined {
  const operator = operatorOf(node)
  const inner = ['left', 'right']
    .map((side) => field(node, side))
    .find((side) => side && relational.test(operatorOf(side)))
  // Mixed directions aren't reported: `a < b > (c)` may be a call with type arguments.
  if (!relational.test(operator) || !inner || operatorOf(inner)[0] !== operator[0]) return undefined
  return {
    at: firstLine(node),
    title: `${quoteCode(node.text)} compares the result of a comparison`,
    body:
      `When this runs, ${quoteCode(inner.text)} is \`true\` or \`false\`, and that is ` +
      'compared as 1 or 0. Join two comparisons with `&&`.',
  }
}

export const precedenceRules: readonly Rule[] = [
  {
    id: 'useless-fallback',
    summary:
      'The fallback after `??`, `||` or `:` is never used, because another operator has higher ' +
      'precedence.',
    seeAlso: ['CWE-783', 'ESLint `no-constant-binary-expression`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
    syntax: [
      { languages: javascriptFamily, nodes: ['binary_expression'], check: checkFallback },
      { languages: javascriptFamily, nodes: ['ternary_expression'], check: checkTextCondition },
    ],
  },
  {
    id: 'chained-comparison',
    summary: 'A chained comparison such as `1 < x < 5` compares a boolean with a number.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
    syntax: [{ languages: javascriptFamily, nodes: ['binary_expression'], check: checkChain }],
  },
]
