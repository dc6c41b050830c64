// Rules about comparisons whose result doesn't depend on the compared values.
import type { Node } from 'web-tree-sitter'
import {
  field,
  fieldText,
  firstLine,
  outerParent,
  quoteCode,
  replaceInLine,
} from '../../languages/common/syntax-nodes.ts'
import { describeConstantResult, equalities, equalityOf, readComparison } from './equality.ts'
import { isPlainString, stringText } from './literals.ts'
import {
  allRuleLanguages,
  type Hit,
  isScriptGrammar,
  javascriptFamily,
  type ParsedFile,
  type Rule,
} from './rule.ts'

/** How JavaScript, Python, Go and Java write NaN. */
const notANumber = new RegExp(
  `^(?:${[
    'NaN',
    String.raw`Number\.NaN`,
    String.raw`float\(['"]nan['"]\)`,
    String.raw`(?:math|np|numpy)\.nan`,
    String.raw`math\.NaN\(\)`,
    String.raw`(?:Double|Float)\.NaN`,
  ].join('|')})$`,
  'i',
)

function checkNanComparison(node: Node, file: ParsedFile): Hit | undefined {
  const comparison = readComparison(node)
  if (!comparison || !/^(?:[=!]==?|[<>]=?)$/.test(comparison.operator)) return undefined
  const { left, right, operator } = comparison
  const nan = [right, left].find((side) => notANumber.test(side.text))
  if (!nan) return undefined
  const value = nan === right ? left : right
  const name = quoteCode(value.text)
  const negation = operator.startsWith('!') ? '!' : ''
  const isScript = isScriptGrammar(file.language) && equalities.has(operator)
  return {
    at: firstLine(node),
    title: `The comparison of ${name} with NaN is ${describeConstantResult(operator)}`,
    body:
      `When ${name} is NaN, \`${operator}\` doesn't detect it: NaN is equal to nothing, not ` +
      'even to itself.',
    suggestion: isScript
      ? replaceInLine(node, file, `${negation}Number.isNaN(${value.text})`)
      : undefined,
  }
}

/** All values that `typeof` returns. */
const typeofNames = /^(?:undefined|object|boolean|number|string|function|symbol|bigint)$/

function checkTypeof(node: Node): Hit | undefined {
  const equality = equalityOf(node)
  if (!equality) return undefined
  const { left, right, operator } = equality
  const [test, name] = left.type === 'unary_expression' ? [left, right] : [right, left]
  if (test.type !== 'unary_expression' || field(test, 'operator')?.type !== 'typeof')
    return undefined
  if (!isPlainString(name) || typeofNames.test(stringText(name))) return undefined
  return {
    at: firstLine(node),
    title:
      `${quoteCode(test.text)} is never ${quoteCode(name.text)}, so this is ` +
      `${describeConstantResult(operator)}`,
    body: 'When this runs, `typeof` returns one of eight strings, and this is none of them.',
  }
}

function checkNegatedOperand(node: Node, file: ParsedFile): Hit | undefined {
  const operator = field(node, 'operator')?.type ?? ''
  const left = field(node, 'left')
  if ((operator !== 'in' && operator !== 'instanceof') || left?.type !== 'unary_expression')
    return undefined
  if (field(left, 'operator')?.type !== '!' || outerParent(node)?.type === 'for_in_statement')
    return undefined
  const operand = fieldText(left, 'argument')
  return {
    at: firstLine(node),
    title: `The \`!\` in ${quoteCode(node.text)} negates ${quoteCode(operand)}, not the test`,
    body:
      `When this runs, \`!\` is applied first, so \`${operator}\` tests a boolean. Put the ` +
      'test in parentheses.',
    suggestion: replaceInLine(node, file, `!(${operand} ${operator} ${fieldText(node, 'right')})`),
  }
}

const forScripts = (check: (node: Node, file: ParsedFile) => Hit | undefined) => ({
  languages: javascriptFamily,
  nodes: ['binary_expression'],
  check,
})

export const comparisonRules: readonly Rule[] = [
  {
    id: 'nan-comparison',
    summary: 'A value is compared with NaN, which is equal to nothing, not even to itself.',
    seeAlso: ['ESLint `use-isnan`', 'Staticcheck `SA4012`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.98,
    syntax: [
      {
        languages: allRuleLanguages,
        nodes: ['binary_expression', 'comparison_operator'],
        check: checkNanComparison,
      },
    ],
  },
  {
    id: 'invalid-typeof',
    summary: '`typeof` is compared with a string that it never returns.',
    seeAlso: ['ESLint `valid-typeof`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.98,
    syntax: [forScripts(checkTypeof)],
  },
  {
    id: 'negated-operand',
    summary: '`!` negates the left operand of `in` or `instanceof` instead of the whole test.',
    seeAlso: ['ESLint `no-unsafe-negation`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.98,
    syntax: [forScripts(checkNegatedOperand)],
  },
]
