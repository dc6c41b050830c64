// Runs the rules that read the text of added lines, without parsing the file.

import type { FileDiff } from '../../domain/diff.ts'
import { defaultRules } from './default-rules.ts'
import { downloadRules } from './download-rules.ts'
import { leftoverRules } from './leftover-rules.ts'
import { promptInjectionRules } from './prompt-injection-rules.ts'
import { type Rule, type RuleFinding, toRuleFinding } from './rule.ts'
import { secretRules } from './secret-rules.ts'
import { trojanSourceRules } from './trojan-source-rules.ts'

/** Characters that every regular expression of these rules reads quickly enough. */
const maxPartLength = 2_000
/** Characters that two parts share. No rule looks for a longer text. */
const partOverlap = 500

export const lineRules: readonly Rule[] = [
  ...secretRules,
  ...defaultRules.filter(({ line }) => line),
  ...downloadRules,
  ...trojanSourceRules,
  ...promptInjectionRules,
  ...leftoverRules,
]

const maxLinesAbove = 12

/** Skips nearly every line with one test, before any rule is run. */
const anyKeyword = new RegExp(lineRules.map(({ keyword }) => keyword!.source).join('|'), 'i')

/**
 * Runs the rules on the added lines of a file. A long line is read in parts that overlap, so that
 * the rules see every match as a whole.
 *
 * @param added the texts of the lines by their numbers at the head
 */
export function checkLines(
  { path, hunks }: FileDiff,
  added: ReadonlyMap<number, string>,
  isTest: boolean,
): RuleFinding[] {
  const deleted = hunks
    .flatMap(({ lines }) => lines)
    .flatMap(({ kind, text }) => (kind === 'deleted' ? [text.slice(0, maxPartLength)] : []))
  const found: RuleFinding[] = []
  for (const [number, full] of added) {
    for (const text of splitLine(full)) {
      if (!anyKeyword.test(text)) continue
      const next = added.get(number + 1)?.slice(0, maxPartLength) ?? ''
      const above = listLinesAbove(added, number)
      for (const rule of lineRules) {
        const hit = rule.line!({ path, text, next, above, deleted, isTest })
        if (!hit || isReported(found, rule, number)) continue
        found.push(toRuleFinding(rule, { ...hit, at: { startLine: number, endLine: number } }))
      }
    }
  }
  return found
}

function listLinesAbove(added: ReadonlyMap<number, string>, number: number): string[] {
  const above: string[] = []
  for (let at = number - 1; added.has(at) && above.length < maxLinesAbove; at--)
    above.push(added.get(at)!.slice(0, maxPartLength))
  return above
}

/** Findings are in the order of their lines, so only the last line can hold this rule's finding. */
function isReported(found: readonly RuleFinding[], { id }: Rule, line: number): boolean {
  if (found.at(-1)?.startLine !== line) return false
  return found.some((finding) => finding.rule === id && finding.startLine === line)
}

function splitLine(full: string): string[] {
  if (full.length <= maxPartLength) return [full]
  const parts: string[] = []
  for (let at = 0; at < full.length - partOverlap; at += maxPartLength - partOverlap) {
    parts.push(full.slice(at, at + maxPartLength))
  }
  return parts
}
