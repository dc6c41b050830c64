// Rules about inexact decimals, environment variables used as other types, and `Optional.get`.
import type { Match } from '../../languages/rules/pattern-check.ts'
import { quoteCode } from '../../languages/rules/syntax-nodes.ts'
import { isTested, uncheckedOptional } from '../../languages/rules/unchecked-values.ts'
import type { Hit, Rule } from './rule.ts'

const environmentRead = /^(?:os\.environ\.get|os\.getenv|os\.environ\[|process\.env[.[])/

/** A text that a read variable falls back to: `bool(os.getenv('DEBUG', 'false'))`. */
const fallback = /(?:,|\|\||\?\?)\s*["'](\w+)["']\)?$/

function describeFallback(match: Match): Partial<Hit> | undefined {
  const text = fallback.exec(match.text('VARIABLE'))?.[1]
  if (!text) return undefined
  return {
    title: `An environment variable is always a string: even ${quoteCode(`"${text}"`)} is truthy`,
  }
}

const notText = /^(?:true|false|True|False|\d+)$/

const floats: ReadonlySet<string> = new Set(['float', 'decimal_floating_point_literal'])

/** Whether a number is a short binary fraction, such as 0.5. */
function isExact(value: number): boolean {
  return Number.isInteger(value * 2 ** 10)
}

export const callRules: readonly Rule[] = [
  {
    id: 'inexact-decimal',
    summary: 'A decimal is created from a float such as `0.1`, which is not exact.',
    seeAlso: ['Ruff `RUF032`', 'SpotBugs `DMI_BIGDECIMAL_CONSTRUCTED_FROM_DOUBLE`'],
    severity: 'minor',
    category: 'correctness',
    confidence: 0.95,
    title: '$MATCH is not exactly $$VALUE',
    body:
      'When a decimal is created from a float, it keeps the rounding error of the binary ' +
      'fraction. Pass a string.',
    patterns: {
      python: ['Decimal($VALUE)', 'decimal.Decimal($VALUE)'],
      java: ['new BigDecimal($VALUE)'],
    },
    where: { VALUE: (node) => floats.has(node.type) && !isExact(Number(node.text)) },
    at: 'VALUE',
    replacement: '"$VALUE"',
  },
  {
    id: 'environment-is-text',
    summary: 'An environment variable, always a string, is used as a boolean or number.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
    title: 'An environment variable is always a string: it is never equal to $VALUE',
    body:
      'When the variable is set, the result is the same for every value. Compare it with a ' +
      'string.',
    where: { VARIABLE: environmentRead, VALUE: notText },
    syntax: [
      {
        patterns: { javascript: ['Boolean($VARIABLE)'], python: ['bool($VARIABLE)'] },
        refine: describeFallback,
      },
      // Loose equality converts texts to numbers.
      {
        patterns: { javascript: ['$VARIABLE === $VALUE', '$VARIABLE !== $VALUE'] },
      },
      {
        patterns: {
          python: [
            '$VARIABLE == $VALUE',
            '$VARIABLE != $VALUE',
            '$VARIABLE is $VALUE',
            '$VARIABLE is not $VALUE',
          ],
        },
        // With a default of another type, the comparison may be about that default.
        refine: ({ text }) => !text('VARIABLE').includes(','),
      },
    ],
  },
  {
    id: 'unchecked-optional',
    summary:
      '`get` is called on an `Optional`, or `unwrap` or `!!` on the result of a search, without ' +
      'checking that it has a value.',
    seeAlso: ['Sonar `java:S3655`', 'Clippy `unwrap_used`'],
    severity: 'minor',
    category: 'correctness',
    confidence: 0.8,
    syntax: [
      {
        patterns: { java: ['$SOURCE.$MAKER($$$).get()'] },
        where: {
          MAKER: /^(?:findFirst|findAny|findById|ofNullable)$/,
          SOURCE: (source) => !isTested(source.text.replace(/\.stream\(\).*$/s, ''), source),
        },
        title: '`get` is called on the `Optional` of $MAKER without checking that it has a value',
        body:
          'When it is empty, `get` throws a `NoSuchElementException` that gives neither what was ' +
          'missing nor why. Use `orElseThrow` with a reason, or `orElse`.',
      },
      { languages: ['java'], ...uncheckedOptional.java },
      ...uncheckedOptional.kotlin.map((check) => ({ languages: ['kotlin'] as const, ...check })),
      { languages: ['rust'], ...uncheckedOptional.rust },
      { languages: ['c-sharp'], ...uncheckedOptional.cSharp },
    ],
  },
]
