// Turns what a rule found into a proposed finding.

import { redactSecrets } from '../../code/find-secrets.ts'
import type { DiffSide } from '../../domain/diff.ts'
import type { ProposedFinding } from '../../domain/finding.ts'
import type { RuleFinding } from './rule.ts'

/** Where a finding of a rule is, and the texts of its lines by number. */
interface RuleLocation {
  readonly path: string
  readonly side: DiffSide
  readonly texts: ReadonlyMap<number, string>
}

/** Secrets are redacted. If the lines hold one, quote and suggestion are left out as a whole. */
export function toProposedFinding(
  finding: Omit<RuleFinding, 'isHarmlessInTests'>,
  { path, side, texts }: RuleLocation,
): ProposedFinding {
  const lines: string[] = []
  for (let line = finding.startLine; line <= finding.endLine; line++)
    lines.push(texts.get(line) ?? '')
  const text = lines.join('\n')
  const isClean = finding.rule !== 'hardcoded-secret' && redactSecrets(text) === text
  const { suggestion } = finding
  const isCleanSuggestion =
    isClean && suggestion !== null && redactSecrets(suggestion) === suggestion
  return {
    reviewer: 'static',
    rule: finding.rule,
    path,
    side,
    startLine: finding.startLine,
    endLine: finding.endLine,
    quote: isClean ? text : '',
    severity: finding.severity,
    category: finding.category,
    title: redactSecrets(finding.title),
    body: redactSecrets(finding.body),
    suggestion: isCleanSuggestion ? suggestion : null,
    evidence: [
      { path, line: finding.startLine, note: 'the line itself' },
      ...finding.evidence.map((item) => ({
        path: item.path ?? path,
        line: item.line,
        note: redactSecrets(item.note),
      })),
    ],
    confidence: finding.confidence,
  }
}
