// The rule about regular expressions for hosts that accept other hosts.
import type { Node } from 'web-tree-sitter'
import { isPlainString, stringText } from '../../languages/rules/literals.ts'
import {
  argumentsOf,
  calleeOf,
  callTypes,
  field,
  fieldText,
  firstLine,
  quoteCode,
} from '../../languages/rules/syntax-nodes.ts'
import { isTestPath } from '../../languages/test-paths.ts'
import { allRuleLanguages, type Hit, type ParsedFile, type Rule } from './rule.ts'

/** A host in a regular expression: labels, dots with or without an escape, and a known ending. */
const hostInPattern =
  /(?<![\w\\])(?:[a-z\d)][\w)-]*\\{0,2}\.)+(?:com|org|net|io|dev|app|co|gov|edu|info|cloud|ai|de|fr|uk|eu|us|local|internal|localhost)(?=[()]|\$|\/|\\|:|["'?]|$)/

/** A pattern for a whole host or address. Others find addresses in a text, or have comments. */
const wholeAddress = /^(?:\^\S*|\S*\$|https?\S*)$/

const unescapedDot = /(?<!\\)\./

function checkHostPattern(node: Node, file: ParsedFile): Hit | undefined {
  const pattern = patternOf(node)
  if (pattern === undefined || pattern.length > 500 || !wholeAddress.test(pattern)) return undefined
  const host = hostInPattern.exec(pattern)?.[0]
  if (!host || !unescapedDot.test(host) || isTestPath(file.path)) return undefined
  return {
    at: firstLine(node),
    title: `Unescaped dot: ${quoteCode(host)} in this pattern also matches other hosts`,
    body:
      'When somebody registers a host with another character in place of the dot, the pattern ' +
      'accepts it. Escape the dots.',
  }
}

/** The text of a literal regular expression, or of the string that one is made of. */
function patternOf(node: Node): string | undefined {
  if (node.type === 'regex') return fieldText(node, 'pattern')
  const [first] = argumentsOf(node)
  if (!first || !isPlainString(first) || !takesPattern.test(calledName(node))) return undefined
  return stringText(first)
}

const takesPattern =
  /^(?:RegExp|re\.(?:compile|match|fullmatch|search)|regexp\.(?:MustCompile|Compile|MatchString)|Pattern\.(?:compile|matches))$|^[\w.()]+\.matches$/

function calledName(call: Node): string {
  const created = field(call, 'constructor')
  if (created) return created.text
  const { receiver, name } = calleeOf(call)
  return receiver ? `${receiver.text.slice(-60)}.${name}` : name
}

export const hostPatternRules: readonly Rule[] = [
  {
    id: 'unescaped-dot',
    summary: 'A regular expression for a host has an unescaped dot, so it accepts other hosts.',
    seeAlso: ['CWE-20', 'CWE-625'],
    severity: 'moderate',
    category: 'security',
    confidence: 0.85,
    syntax: [
      {
        languages: allRuleLanguages,
        nodes: ['regex', 'new_expression', ...callTypes],
        check: checkHostPattern,
      },
    ],
  },
]
