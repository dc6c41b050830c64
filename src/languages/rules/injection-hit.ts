// Words the findings about values that are executed as a part of a text.
import type { Node } from 'web-tree-sitter'
import { type BuiltText, builtTextOf, type InsertedValue } from './built-text.ts'
import { isDeveloperTool } from './developer-tools.ts'
import type { Hit, ParsedFile } from './syntax-check.ts'
import { firstLine, lineOf, quoteCode } from './syntax-nodes.ts'
import { sourceOf } from './value-sources.ts'

/** The words that differ by the language of the text. */
interface Wording {
  /** The name of the class of bugs, before the word injection. */
  readonly name: string
  /** What the value is concatenated into. */
  readonly target: string
  readonly payload: string
  readonly remedy: (isOne: boolean) => string
}

export const sqlInjection: Wording = {
  name: 'SQL',
  target: 'query',
  payload: 'a quote or more SQL',
  remedy: (isOne) =>
    `Pass ${isOne ? 'it as a parameter' : 'them as parameters'} of the query; choose names from ` +
    'a fixed list.',
}

export const shellInjection: Wording = {
  name: 'Command',
  target: 'shell command',
  payload: 'a `;`, a `$(…)` or a quote',
  remedy: () => 'Pass the arguments as a list, without a shell.',
}

interface RiskyValue extends InsertedValue {
  readonly isSent: boolean
}

/** Returns the values that may hold syntax; those of a request first. */
export function riskyValues(values: readonly InsertedValue[], file: ParsedFile): RiskyValue[] {
  const isTool = isDeveloperTool(file.path)
  const risky = values.flatMap((value) => {
    const source = sourceOf(value, file)
    // The values in a tool of developers are their own.
    if (source === 'harmless' || (isTool && source !== 'request')) return []
    return [{ ...value, isSent: source === 'request' }]
  })
  return risky.toSorted((a, b) => Number(b.isSent) - Number(a.isSent))
}

/** What shows how likely an attacker chooses a value. */
export function severityOf(
  isSent: boolean,
): Pick<Hit, 'severity' | 'confidence'> & { why: string } {
  return isSent
    ? {
        severity: 'critical',
        confidence: 0.95,
        why: 'This is critical, because the value comes from a request.',
      }
    : {
        severity: 'moderate',
        confidence: 0.8,
        why: "This is moderate, because the code doesn't show where the value comes from.",
      }
}

/** @param use the node that executes the text */
export function injectionHit(
  values: readonly RiskyValue[],
  use: Node,
  { name, target, payload, remedy }: Wording,
): Hit | undefined {
  const [first] = values
  if (!first) return undefined
  const { list, isOne } = listCode(values.map(({ code }) => code))
  const { why, ...severity } = severityOf(first.isSent)
  return {
    // The text has to change where it is built; the call may be further down.
    at: firstLine(first.node),
    fallback: firstLine(use),
    title: `${name} injection: ${list} ${isOne ? 'is' : 'are'} concatenated into the ${target}`,
    body:
      `When ${isOne ? list : 'one of them'} contains ${payload}, that text is executed with the ` +
      `rights of this program. ${why} ${remedy(isOne)}`,
    ...severity,
    evidence:
      lineOf(first.node) === lineOf(use) ? [] : [{ line: lineOf(use), note: 'and executed here' }],
  }
}

/** Names all values that one text inserts, so that none is left when the first is fixed. */
function listCode(codes: readonly string[]): { list: string; isOne: boolean } {
  const names = [...new Set(codes.map(quoteCode))].slice(0, 5)
  const isOne = names.length === 1
  return {
    isOne,
    list: isOne ? names[0]! : `${names.slice(0, -1).join(', ')} and ${names.at(-1)!}`,
  }
}

/** The text that a node builds, or the node as the only value of one. */
export function textOrValue(node: Node, file: ParsedFile): BuiltText {
  return (
    builtTextOf(node, file) ?? {
      text: '\0',
      values: [{ code: node.text.slice(0, 200), node, before: '', after: '' }],
    }
  )
}
