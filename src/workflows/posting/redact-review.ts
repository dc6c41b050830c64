// Removes our secrets from a review before it is shown or stored.
import { type Finding, mapCitationText, type ProposedFinding } from '../../domain/finding.ts'
import type { Review } from '../../domain/review.ts'
import { redactKnownSecrets } from '../../lib/redact-known-secrets.ts'
import type { Judgment } from '../judge-findings.ts'
import { isHarmlessCode } from './escape-markdown.ts'

/** Redacts `secrets` in all texts of a review. */
export function redactReview(review: Review, secrets: readonly string[]): Review {
  const { coverage } = review
  const redact = (text: string) => redactKnownSecrets(text, secrets)
  return {
    ...review,
    summary: redact(review.summary),
    words: redact(review.words),
    findings: redactFindings(review.findings, secrets),
    coverage: {
      ...coverage,
      skipped: coverage.skipped.map((file) => ({
        ...file,
        path: redact(file.path),
        reason: redact(file.reason),
      })),
      notes: coverage.notes.map(redact),
      setAside: coverage.setAside.map(redact),
    },
  }
}

/** Redacts what is stored of a judgment, because the page, the API and later reviews show it. */
export function redactJudgment<
  T extends Pick<Judgment, 'findings' | 'resolved' | 'dismissed' | 'rejected'>,
>(judgment: T, secrets: readonly string[]): T {
  return {
    ...judgment,
    findings: redactFindings(judgment.findings, secrets),
    resolved: redactFindings(judgment.resolved, secrets),
    dismissed: redactFindings(judgment.dismissed, secrets),
    rejected: judgment.rejected.map((text) => redactKnownSecrets(text, secrets)),
  }
}

export function redactFindings(
  findings: readonly Finding[],
  secrets: readonly string[],
): Finding[] {
  return findings.map(({ dismissal, ...finding }) => ({
    ...redactFinding(finding, secrets),
    ...(dismissal && {
      dismissal: { ...dismissal, reason: redactKnownSecrets(dismissal.reason, secrets) },
    }),
  }))
}

/** Redacts one finding. A suggestion is dropped instead of altered, because it may be committed. */
export function redactFinding<One extends ProposedFinding>(
  finding: One,
  secrets: readonly string[],
): One {
  const redact = (text: string) => redactKnownSecrets(text, secrets)
  const { suggestion } = finding
  const isHarmless =
    suggestion !== null && redact(suggestion) === suggestion && isHarmlessCode(suggestion)
  return {
    ...finding,
    path: redact(finding.path),
    title: redact(finding.title),
    body: redact(finding.body),
    suggestion: isHarmless ? suggestion : null,
    evidence: finding.evidence.map((item) => ({
      ...item,
      path: redact(item.path),
      note: redact(item.note),
    })),
    ...(finding.citation && { citation: mapCitationText(finding.citation, redact) }),
  }
}
