// The rules that read the text of lines. They run without parsing, so that nobody loads the others for them.

import { downloadRules } from './download-rules.ts'
import { leftoverRules } from './leftover-rules.ts'
import { promptInjectionRules } from './prompt-injection-rules.ts'
import { type Rule, type RuleFinding, toRuleFinding } from './rule.ts'
import { secretRules } from './secret-rules.ts'
import { trojanSourceRules } from './trojan-source-rules.ts'

/** Any expression gets through so much text at once. */
const maxPartLength = 2_000
/** Nothing that a rule looks for is longer. */
const overlap = 500

export const lineRules: readonly Rule[] = [
  ...secretRules,
  ...downloadRules,
  ...trojanSourceRules,
  ...promptInjectionRules,
  ...leftoverRules,
]

/** Nearly every line fails this one test, and costs no more. */
const anyKeyword = new RegExp(lineRules.map(({ keyword }) => keyword!.source).join('|'), 'i')

/**
 * Runs the rules on the added lines of a file. A long line is read in parts that overlap, so that nothing in it is
 * passed over.
 *
 * @param added their text by their number at the head
 */
export function checkLines(
  path: string,
  added: ReadonlyMap<number, string>,
  isTest: boolean,
): RuleFinding[] {
  const found: RuleFinding[] = []
  for (const [number, full] of added) {
    for (const text of splitLine(full)) {
      if (!anyKeyword.test(text)) continue
      const next = added.get(number + 1)?.slice(0, maxPartLength) ?? ''
      for (const rule of lineRules) {
        const hit = rule.line!({ path, text, next, isTest })
        const isKnown = () =>
          found.at(-1)?.startLine === number && found.some((one) => isSame(one, rule, number))
        if (hit && !isKnown())
          found.push(toRuleFinding(rule, { ...hit, at: { startLine: number, endLine: number } }))
      }
    }
  }
  return found
}

function isSame(finding: RuleFinding, { id }: Rule, line: number): boolean {
  return finding.rule === id && finding.startLine === line
}

function splitLine(full: string): string[] {
  if (full.length <= maxPartLength) return [full]
  const parts: string[] = []
  for (let at = 0; at < full.length - overlap; at += maxPartLength - overlap) {
    parts.push(full.slice(at, at + maxPartLength))
  }
  return parts
}
