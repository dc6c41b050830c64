// Makes a proposal for the judge of what a rule found.
import type { DiffSide } from '../../domain/diff.ts'
import type { ProposedFinding } from '../../domain/finding.ts'
import type { RuleFinding } from './rule.ts'
import { redactSecrets } from './secret-rules.ts'

/** Where a finding of a rule stands, and the text of its lines. */
export interface RuleLocation {
  readonly path: string
  readonly side: DiffSide
  readonly texts: ReadonlyMap<number, string>
}

/** A finding for the judge. Its lines are certain; where a line holds a secret, nothing of it is repeated. */
export function toProposedFinding(
  finding: RuleFinding,
  { path, side, texts }: RuleLocation,
): ProposedFinding {
  const quote: string[] = []
  for (let line = finding.startLine; line <= finding.endLine; line++)
    quote.push(texts.get(line) ?? '')
  const text = quote.join('\n')
  const isClean = finding.rule !== 'hardcoded-secret' && redactSecrets(text) === text
  const suggestion = finding.suggestion
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
    suggestion:
      isClean && suggestion !== null && redactSecrets(suggestion) === suggestion
        ? suggestion
        : null,
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
