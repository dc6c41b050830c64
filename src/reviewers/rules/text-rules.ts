// Rules about texts that a function reads as a set of characters or as a regular expression.
import type { Node } from 'web-tree-sitter'
import { functionAround } from '../../languages/rules/functions.ts'
import { isPlainString, stringLike, stringText } from '../../languages/rules/literals.ts'
import type { Match } from '../../languages/rules/pattern-check.ts'
import { enclosingNode, field, fieldText, lineOf } from '../../languages/rules/syntax-nodes.ts'
import type { Hit, ParsedFile, Rule } from './rule.ts'

/** Whether a string is meant as a whole, such as `.txt`, and not as a set, such as `0-9`. */
function isWord(node: Node): boolean {
  const text = isPlainString(node) ? stringText(node) : ''
  return (
    text.length >= 3 &&
    /[a-z]{2}/i.test(text) &&
    !/\\|^[a-z]*$|abc|xyz|aeiou|^[A-Z]*$/.test(text) &&
    !/^(.)\1*$/.test(text)
  )
}

const patternMethods = /^(?:split|replaceAll|replaceFirst)$/

/** A regular expression with the flag `g` that outlives the call continues after its last match. */
function findStatefulPattern({ node, text }: Match, file: ParsedFile): Partial<Hit> | undefined {
  const fn = functionAround(node)
  const declarations = file.declarations.variables(text('PATTERN'))
  const [declaration] = declarations
  if (!fn || !declaration || declarations.length > 1) return undefined
  if (!isStatefulPattern(declaration) || functionAround(declaration)?.id === fn.id) return undefined
  if (/lastIndex/.test(fn.text) || enclosingNode(node, conditionLoops)) return undefined
  return {
    evidence: [{ line: lineOf(declaration), note: 'the regular expression with its flags' }],
  }
}

/** Loops that may go through all matches on purpose. */
const conditionLoops = new Set(['while_statement', 'do_statement'])

function isStatefulPattern(declaration: Node): boolean {
  const pattern = field(declaration, 'value')
  return pattern?.type === 'regex' && /[gy]/.test(fieldText(pattern, 'flags'))
}

export const textRules: readonly Rule[] = [
  {
    id: 'strip-characters',
    summary:
      'A whole word is passed to a function that strips single characters, such as ' +
      '`rstrip(".txt")`.',
    seeAlso: ['Ruff `B005`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
    title: '$METHOD removes any of the characters in $CHARACTERS, not that string',
    where: { METHOD: /^[lr]?strip$|^Trim(?:Left|Right)?$/, CHARACTERS: isWord },
    syntax: [
      {
        patterns: { python: ['$_.$METHOD($CHARACTERS, $$$)'] },
        body:
          'When the rest begins or ends with one of these characters, it is removed as well. ' +
          'Use `removeprefix` or `removesuffix`.',
      },
      {
        patterns: { go: ['strings.$METHOD($_, $CHARACTERS)'] },
        body:
          'When the rest begins or ends with one of these characters, it is removed as well. ' +
          'Use `TrimPrefix` or `TrimSuffix`.',
      },
    ],
  },
  {
    id: 'text-as-pattern',
    summary:
      '`split` or `replaceAll` gets a string with a special meaning in regular expressions, ' +
      'such as `"."`.',
    seeAlso: ['SpotBugs `RE_POSSIBLE_UNINTENDED_PATTERN`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.98,
    title: '$PATTERN is a regular expression here, not that character',
    // `split` reads most single characters literally; these have a meaning in patterns.
    syntax: [
      {
        patterns: { java: ['$TEXT.$METHOD($PATTERN, $$$)'] },
        where: { METHOD: patternMethods, PATTERN: stringLike(/^\.$/) },
        body:
          "When this runs, `.` stands for any character, so `$TEXT.$METHOD` doesn't do what it " +
          'seems to. Use `Pattern.quote($PATTERN)`.',
      },
      {
        patterns: { java: ['$TEXT.$METHOD($PATTERN, $$$)'] },
        where: { METHOD: patternMethods, PATTERN: stringLike(/^\|\|?$/) },
        body:
          'When this runs, it matches the empty string everywhere, so `$TEXT.$METHOD` ' +
          "doesn't do what it seems to. Use `Pattern.quote($PATTERN)`.",
      },
    ],
  },
  {
    id: 'stateful-pattern',
    summary:
      'A regular expression with the flag `g` or `y` is reused with `test`, which remembers ' +
      '`lastIndex`.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
    title: '$PATTERN has the flag `g`, so `test` starts at `lastIndex`',
    body:
      'When it has matched once, the next call starts in the middle of its string and may ' +
      'reject valid input. Remove the flag, which `test` does not need.',
    patterns: { javascript: ['$PATTERN.test($$$)'] },
    where: { PATTERN: ({ type }) => type === 'identifier' },
    refine: findStatefulPattern,
  },
]
