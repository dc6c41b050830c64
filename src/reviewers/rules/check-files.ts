// Runs the rules that look at all changed lines of a file together, whatever its language.
import type { ProposedFinding } from '../../domain/finding.ts'
import { type Change, listReviewedFiles } from '../reviewer.ts'
import { toProposedFinding } from './propose-finding.ts'
import { reviewSettingsRules } from './review-settings-rules.ts'
import { toRuleFinding } from './rule.ts'

/** What the rules find in the files that somebody reads, those that are switched off left out. */
export function checkFiles(change: Change, disabled: ReadonlySet<string>): ProposedFinding[] {
  const findings: ProposedFinding[] = []
  for (const file of listReviewedFiles(change)) {
    for (const rule of reviewSettingsRules) {
      const hit = disabled.has(rule.id) ? undefined : rule.file?.(file)
      if (!hit) continue
      const { side, at } = hit
      const lines = file.hunks.flatMap((hunk) => hunk.lines)
      const line = lines.find(
        ({ kind, newLine, oldLine }) =>
          kind !== 'context' && (side === 'RIGHT' ? newLine : oldLine) === at.startLine,
      )
      const texts = new Map([[at.startLine, line?.text.replace(/\r$/, '') ?? '']])
      findings.push(toProposedFinding(toRuleFinding(rule, hit), { path: file.path, side, texts }))
    }
  }
  return findings
}
