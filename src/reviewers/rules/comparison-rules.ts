// Rules about comparisons whose result doesn't depend on the compared values.

import { stringLike } from '../../languages/rules/literals.ts'
import type { Match } from '../../languages/rules/pattern-check.ts'
import { quoteCode, replaceInLine } from '../../languages/rules/syntax-nodes.ts'
import { describeConstantResult, equalities } from './equality.ts'
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

/** Anything but the values that `typeof` returns. */
const notTypeofName = /^(?!(?:undefined|object|boolean|number|string|function|symbol|bigint)$)/

export const comparisonRules: readonly Rule[] = [
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
    summary: '`!` negates the left operand of `in` or `instanceof` instead of the whole test.',
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
  },
]
