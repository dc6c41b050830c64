// Rules about comparisons whose result doesn't depend on the compared values.
import type { Node } from 'web-tree-sitter'
import { functionTypes } from '../../languages/rules/functions.ts'
import { isConstant, isLiteral, stringLike } from '../../languages/rules/literals.ts'
import { valueTextOf } from '../../languages/rules/local-values.ts'
import { binaryTypes, negatedOperand, unwrap } from '../../languages/rules/operations.ts'
import type { Match } from '../../languages/rules/pattern-check.ts'
import {
  enclosingNode,
  field,
  fieldText,
  firstLine,
  quoteCode,
  replaceInLine,
} from '../../languages/rules/syntax-nodes.ts'
import { describeConstantResult, equalities, equalityOf, readComparison } from './equality.ts'
import { type Hit, inAllLanguages, isScriptGrammar, type ParsedFile, type Rule } from './rule.ts'

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

function describeNanComparison(match: Match, file: ParsedFile): Partial<Hit> {
  const operator = match.text('OP')
  const negation = operator.startsWith('!') ? '!' : ''
  const isScript = isScriptGrammar(file.language) && equalities.has(operator)
  return {
    title:
      `The comparison of ${quoteCode(match.text('VALUE'))} with NaN is ` +
      describeConstantResult(operator),
    suggestion: isScript
      ? replaceInLine(match.node, file, `${negation}Number.isNaN(${match.text('VALUE')})`)
      : undefined,
  }
}

/** `!order.status == 'open'`, where both sides aren't booleans. */
function checkNegatedEquality(node: Node): Hit | undefined {
  const equality = equalityOf(node)
  const left = field(node, 'left')
  const value = left && negatedOperand(left)
  if (!equality || !value || !/^['":\d]/.test(equality.right.text)) return undefined
  return {
    at: firstLine(node),
    title: `The \`!\` in ${quoteCode(node.text)} negates ${quoteCode(value.text)}, not the test`,
    body:
      `When this runs, \`!\` is applied first, so \`${equality.operator}\` compares a boolean. ` +
      'Use `!=`, or put the comparison in parentheses.',
  }
}

/** Anything but the values that `typeof` returns. */
const notTypeofName = /^(?!(?:undefined|object|boolean|number|string|function|symbol|bigint)$)/

/** A fraction that has no exact binary form, such as 0.1. */
const inexact = /(?<![\w.])\d+\.\d*[1-46-9](?:f64|f32|[fFdD])?(?![\w.])/

const floatType = '(?:f64|f32|float64|float32|float|double|Double|Float)'
const integerType = '(?:[iu](?:8|16|32|64|size)|u?int(?:8|16|32|64)?|Int(?:eger)?|[lL]ong|[sS]hort)'

/** `total * 1.19 == sum`, or a sum that the file declares as a floating-point number. */
function checkFloatEquality(node: Node, file: ParsedFile): Hit | undefined {
  const { left, right, operator } = readComparison(node) ?? {}
  if (!left || !right || !operator || !/^[=!]==?$/.test(operator)) return undefined
  const sides = [left, right].map((side) => unwrap(side))
  const isFixed = sides.some((side) => isLiteral(side) || isConstant(side) || isWhole(side))
  if (isFixed || left.text === right.text) return undefined
  const values = sides.map((side) => (isNumberLike(side) ? valueTextOf(side) : ''))
  const isComputed = values.some((value) => computed.test(value))
  const isFloat =
    values.some((value) => inexact.test(value)) || sides.some((side) => isDeclaredFloat(side, file))
  if (!isComputed || !isFloat || /^(?:eq|equals?|cmp|compare\w*)$/i.test(ownerName(node)))
    return undefined
  return {
    at: firstLine(node),
    title: `The computed floating-point number in ${quoteCode(node.text)} is compared exactly`,
    body:
      'When the calculation rounds, as it does for 0.1 + 0.2, equal amounts count as different. ' +
      'Compare the difference with a tolerance, or count in whole units.',
    severity: 'moderate',
    confidence: 0.8,
  }
}

const computed = /[\w)\]] ?[*/+-] ?[\w(]|(?:sum|total|avg|average|mean|sqrt)\w*!?\(|\.sum\b/i

function isNumberLike({ text }: Node): boolean {
  return text.length < 200 && !/["'`]/.test(text)
}

/** Whether an expression is an integer, such as `60 * 60 * 24`. */
function isWhole({ text }: Node): boolean {
  return /^\d+(?: ?[*+-] ?\d+)*$/.test(text)
}

/** Whether all declarations of a name in the file have a floating-point type. */
function isDeclaredFloat(node: Node, { text }: ParsedFile): boolean {
  const name = /(\w+)(?:\(\))?$/.exec(node.text)?.[1]
  if (name === undefined || !new RegExp(`\\b${floatType}\\b`).test(text)) return false
  const declaresAs = (type: string) =>
    new RegExp(
      `\\b${type} ${name}\\b|\\b${name}(?:\\([^()]*\\) *(?:->|:)? *| *: *| +)${type}\\b`,
    ).test(text)
  return declaresAs(floatType) && !declaresAs(integerType)
}

function ownerName(node: Node): string {
  const owner = enclosingNode(node, functionTypes)
  return owner ? fieldText(owner, 'name') : ''
}

export const comparisonRules: readonly Rule[] = [
  {
    id: 'float-equality',
    summary: 'A computed floating-point number is compared with `==`.',
    seeAlso: ['CWE-1077', 'Clippy `float_cmp`', 'SonarSource `S1244`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.8,
    syntax: [
      {
        nodes: [...binaryTypes, 'comparison_operator'],
        check: checkFloatEquality,
      },
    ],
  },
  {
    id: 'nan-comparison',
    summary: 'A value is compared with NaN, which is equal to nothing, not even to itself.',
    seeAlso: ['ESLint `use-isnan`', 'Staticcheck `SA4012`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.98,
    body:
      "When $VALUE is NaN, `$OP` doesn't detect it: NaN is equal to nothing, not even to " +
      'itself.',
    patterns: inAllLanguages(['$VALUE $OP $NAN', '$NAN $OP $VALUE']),
    where: { NAN: notANumber, OP: /^(?:[=!]==?|[<>]=?)$/ },
    refine: describeNanComparison,
  },
  {
    id: 'invalid-typeof',
    summary: '`typeof` is compared with a string that it never returns.',
    seeAlso: ['ESLint `valid-typeof`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.98,
    body: 'When this runs, `typeof` returns one of eight strings, and this is none of them.',
    patterns: { javascript: ['typeof $VALUE $OP $NAME', '$NAME $OP typeof $VALUE'] },
    where: { OP: /^[=!]==?$/, NAME: stringLike(notTypeofName) },
    refine: (match) => ({
      title:
        `${quoteCode(`typeof ${match.text('VALUE')}`)} is never ` +
        `${quoteCode(match.text('NAME'))}, so this is ${describeConstantResult(match.text('OP'))}`,
    }),
  },
  {
    id: 'negated-operand',
    summary:
      '`!` negates the left operand of `in`, `instanceof` or an equality, not the whole test.',
    seeAlso: ['ESLint `no-unsafe-negation`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.98,
    title: 'The `!` in $MATCH negates $VALUE, not the test',
    body:
      'When this runs, `!` is applied first, so `$OP` tests a boolean. Put the test in ' +
      'parentheses.',
    patterns: { javascript: ['!$VALUE $OP $OTHER'] },
    where: { OP: /^in(?:stanceof)?$/ },
    not: ['(!$VALUE) $OP $OTHER'],
    replacement: '!($VALUE $OP $OTHER)',
    // In Python, `not` comes after the comparison.
    syntax: [{ nodes: binaryTypes, check: checkNegatedEquality }],
  },
]
