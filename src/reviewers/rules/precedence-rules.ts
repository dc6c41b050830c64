// Rules about operators whose precedence differs from how the code reads.
import type { Node } from 'web-tree-sitter'
import { isPlainString, stringText } from '../../languages/rules/literals.ts'
import { operandsOf } from '../../languages/rules/operations.ts'
import { field, firstLine, quoteCode } from '../../languages/rules/syntax-nodes.ts'
import type { Hit, Rule } from './rule.ts'

function operatorOf(node: Node): string {
  return node.type === 'binary_expression' ? (field(node, 'operator')?.type ?? '') : ''
}

/** Whether an expression is certainly a string that isn't empty. */
function isFilledText(node: Node): boolean {
  const operands = operatorOf(node) === '+' ? operandsOf(node, '+') : []
  return operands.some((operand) => isPlainString(operand) && stringText(operand) !== '')
}

const neverMissing = /^(?:[-+*/%<>]|[<>]=|[=!]==?|\*\*)$/

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
      {
        patterns: { javascript: ['$LEFT $OP $RIGHT ?? $FALLBACK'] },
        where: { OP: neverMissing },
        title: '$FALLBACK is never used, because `$OP` has higher precedence than `??`',
        body:
          'When a part of `$LEFT $OP $RIGHT` is missing, the whole is still a value, so `??` ' +
          'never uses the right side. Put parentheses around the part that may be missing.',
      },
      {
        patterns: { javascript: ['$TEXT || $FALLBACK'] },
        where: { TEXT: isFilledText },
        title: '$FALLBACK is never used, because `+` has higher precedence than `||`',
        body:
          'When a part of $TEXT is missing, the whole is still a truthy string, so `||` never ' +
          'uses the right side. Put parentheses around the part that may be missing.',
      },
      {
        patterns: { javascript: ['$TEXT ? $_ : $UNUSED'] },
        where: { TEXT: isFilledText },
        title: 'The condition $TEXT is a string that is always truthy',
        body:
          'When this runs, `+` is evaluated before `?`, so $UNUSED is never chosen and the ' +
          'string on the left is lost. Put parentheses around the conditional expression.',
      },
    ],
  },
  {
    id: 'chained-comparison',
    summary: 'A chained comparison such as `1 < x < 5` compares a boolean with a number.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
    syntax: [{ languages: ['javascript'], nodes: ['binary_expression'], check: checkChain }],
  },
]
