// A review as it may be shown: without any secret of ours.
import { type Finding, mapCitationText } from '../../domain/finding.ts'
import type { Review } from '../../domain/review.ts'
import { redactKnownSecrets } from '../../lib/redact-known-secrets.ts'
import type { Judgement } from '../judge-findings.ts'
import { isHarmlessCode } from './escape-markdown.ts'

/** Blots `secrets` out of all that a review says. */
export function redactReview(review: Review, secrets: readonly string[]): Review {
  const { coverage } = review
  const blot = (text: string) => redactKnownSecrets(text, secrets)
  return {
    ...review,
    summary: blot(review.summary),
    findings: review.findings.map((finding) => redactFinding(finding, secrets)),
    coverage: {
      ...coverage,
      skipped: coverage.skipped.map((file) => ({
        ...file,
        path: blot(file.path),
        reason: blot(file.reason),
      })),
      notes: coverage.notes.map(blot),
      setAside: coverage.setAside.map(blot),
    },
  }
}

/** The same for what is kept of a judgement: the page, the API and later reviews show it. */
export function redactJudgement<
  T extends Pick<Judgement, 'findings' | 'resolved' | 'dismissed' | 'rejected'>,
>(judgement: T, secrets: readonly string[]): T {
  const blot = (findings: readonly Finding[]) =>
    findings.map((finding) => redactFinding(finding, secrets))
  return {
    ...judgement,
    findings: blot(judgement.findings),
    resolved: blot(judgement.resolved),
    dismissed: blot(judgement.dismissed),
    rejected: judgement.rejected.map((text) => redactKnownSecrets(text, secrets)),
  }
}

/** The same for one finding. A suggestion is shown as it is or not at all: somebody may commit it. */
export function redactFinding(finding: Finding, secrets: readonly string[]): Finding {
  const blot = (text: string) => redactKnownSecrets(text, secrets)
  const { suggestion } = finding
  const isHarmless =
    suggestion !== null && blot(suggestion) === suggestion && isHarmlessCode(suggestion)
  return {
    ...finding,
    path: blot(finding.path),
    title: blot(finding.title),
    body: blot(finding.body),
    suggestion: isHarmless ? suggestion : null,
    evidence: finding.evidence.map((item) => ({
      ...item,
      path: blot(item.path),
      note: blot(item.note),
    })),
    ...(finding.citation && { citation: mapCitationText(finding.citation, blot) }),
  }
}
