// Runs the rules that look at all changed lines of a file together, whatever its language.

import { type Change, listReviewedFiles } from '../../domain/change.ts'
import type { FileDiff } from '../../domain/diff.ts'
import type { ProposedFinding } from '../../domain/finding.ts'
import { toProposedFinding } from './propose-finding.ts'
import { reviewSettingsRules } from './review-settings-rules.ts'
import { type FileHit, type IsDisabled, toRuleFinding } from './rule.ts'

/** Returns what the enabled rules find in the reviewed files. */
export function checkFiles(change: Change, isDisabled: IsDisabled): ProposedFinding[] {
  const findings: ProposedFinding[] = []
  for (const file of listReviewedFiles(change)) {
    for (const rule of reviewSettingsRules) {
      const hit = isDisabled(rule.id, file.path) ? undefined : rule.file?.(file)
      if (!hit) continue
      const { side, at } = hit
      const texts = new Map([[at.startLine, findChangedLine(file, hit)]])
      findings.push(toProposedFinding(toRuleFinding(rule, hit), { path: file.path, side, texts }))
    }
  }
  return findings
}

/** The text of the changed line that a hit is on; empty where the diff has none. */
function findChangedLine({ hunks }: FileDiff, { side, at }: FileHit): string {
  const lines = hunks.flatMap((hunk) => hunk.lines)
  const line = lines.find(
    ({ kind, newLine, oldLine }) =>
      kind !== 'context' && (side === 'RIGHT' ? newLine : oldLine) === at.startLine,
  )
  return line?.text.replace(/\r$/, '') ?? ''
}
