// The rules that read the text of lines. They run without parsing, so that nobody loads the others for them.
import { leftoverRules } from './leftover-rules.ts'
import { type Rule, type RuleFinding, toRuleFinding } from './rule.ts'
import { secretRules } from './secret-rules.ts'

/** No line that people write is longer; a rule that reads a line reads no more of it. */
const maxLineLength = 2_000

export const lineRules: readonly Rule[] = [...secretRules, ...leftoverRules]

/** Nearly every line fails this one test, and costs no more. */
const anyKeyword = new RegExp(lineRules.map(({ keyword }) => keyword!.source).join('|'), 'i')

/**
 * Runs the rules on the added lines of a file.
 *
 * @param added their text by their number at the head
 */
export function checkLines(path: string, added: ReadonlyMap<number, string>, isTest: boolean): RuleFinding[] {
  const found: RuleFinding[] = []
  for (const [number, full] of added) {
    const text = full.length > maxLineLength ? full.slice(0, maxLineLength) : full
    if (!anyKeyword.test(text)) continue
    const next = added.get(number + 1)?.slice(0, maxLineLength) ?? ''
    for (const rule of lineRules) {
      const hit = rule.line!({ path, text, next, isTest })
      if (hit) found.push(toRuleFinding(rule, { ...hit, at: { startLine: number, endLine: number } }))
    }
  }
  return found
}
