// The judge: anchors each proposal, merges what says the same, follows earlier findings, orders and caps.
import type { ReviewContext } from '../context.ts'
import type { Finding } from '../domain/finding.ts'
import { noUsage, type Usage } from '../domain/review.ts'
import type { Change, ReviewerReport, Verifier } from '../reviewers/reviewer.ts'
import { isCommentable } from '../workspace/commentable-lines.ts'
import { type Anchored, anchorProposal } from './anchor-findings.ts'
import { followFinding, locateOpen } from './follow-findings.ts'
import { byWeight, type Identified, identifyClaims, mergeDuplicates } from './identify-findings.ts'

/** Critical findings go over the cap, up to so many inline comments in all: nobody reads more. */
const maxInlineWithCritical = 30

/** What the judge came to. */
export interface Judgement {
  /** Open findings of this review, those carried over from earlier ones among them, most severe first. */
  readonly findings: readonly Finding[]
  /** Earlier findings whose cause is gone. */
  readonly resolved: readonly Finding[]
  /** Proposals that were dropped, by reason, for the coverage section. */
  readonly dropped: Readonly<Record<string, number>>
  /** Of the verification. */
  readonly usage: Usage
  /** Limits of the verification, one sentence each. */
  readonly notes: readonly string[]
}

/** What the judge reads of a reviewer's report. */
export type JudgedReport = Pick<ReviewerReport, 'findings' | 'unread'> & { readonly reviewer: string }

/**
 * Judges what the reviewers propose. `maxInline` findings stand on their lines; the others are held back and listed,
 * so that nothing is lost.
 */
export async function judgeFindings(
  _ctx: Pick<ReviewContext, 'syntax'>,
  input: { change: Change; reports: readonly JudgedReport[]; verifier: Verifier | null; maxInline: number },
  _signal: AbortSignal,
): Promise<Judgement> {
  const { change, reports } = input
  const earlier = change.earlier.findings
  const dropped: Record<string, number> = {}
  const drop = (reason: string, count = 1) => {
    if (count > 0) dropped[reason] = (dropped[reason] ?? 0) + count
  }
  const anchored: Anchored[] = []
  for (const proposal of reports.flatMap((report) => report.findings)) {
    const result = await anchorProposal(change, proposal)
    if (typeof result === 'string') drop(result)
    else anchored.push(result)
  }
  const claims = mergeDuplicates(anchored)
  drop('said twice', anchored.length - claims.length)
  const open = locateOpen(change, earlier)
  const { identified, said } = identifyClaims(claims, open)
  const states = new Map(earlier.map((finding) => [finding.fingerprint, finding]))
  const fresh = identified.flatMap((finding) => openFinding(finding, states.get(finding.fingerprint)) ?? [])
  drop('answered before', identified.length - fresh.length)

  const raised = new Set(fresh.map((finding) => finding.fingerprint))
  const followed: Finding[] = []
  for (const located of open.filter(({ finding }) => !raised.has(finding.fingerprint))) {
    const { finding } = located
    const wasLookedFor = finding.rule !== null && !said.has(finding.fingerprint) && wasRead(input, finding)
    followed.push(await followFinding(change, located, wasLookedFor))
  }
  const carried = followed.filter((finding) => finding.state === 'open')
  const resolved = followed.filter((finding) => finding.state === 'resolved')
  const findings = placeFindings(change, [...fresh, ...carried], input.maxInline)
  return { findings, resolved, dropped, usage: noUsage, notes: [] }
}

/** Opens a finding, anew where it had been resolved. Undefined when people have answered it. */
function openFinding({ anchorText: _, ...finding }: Identified, known: Finding | undefined): Finding | undefined {
  if (known?.state === 'dismissed') return undefined
  const reopened = (known?.reopened ?? 0) + (known?.state === 'resolved' ? 1 : 0)
  return { ...finding, reopened, state: 'open' }
}

/** Whether the reviewer of a finding looked at its file this time. */
function wasRead(
  { change, reports }: { change: Change; reports: readonly JudgedReport[] },
  { reviewer, path }: Finding,
): boolean {
  const report = reports.find((candidate) => candidate.reviewer === reviewer)
  return report !== undefined && !report.unread.includes(path) && change.files.some((file) => file.path === path)
}

/** The last look before a comment is posted: a line that the platform would refuse is told in the summary instead. */
function standsInDiff(change: Change, { path, side, startLine, endLine }: Finding): boolean {
  const files = change.diff.files.filter((file) => file.path === path)
  return files.some((file) => isCommentable(file, side, startLine, endLine))
}

/**
 * Orders by severity and confidence, and holds back what is over the cap. Critical ones go over it, up to 30 inline
 * comments in all (or the cap, where that is more).
 */
function placeFindings(change: Change, findings: readonly Finding[], maxInline: number): Finding[] {
  const most = Math.max(maxInline, maxInlineWithCritical)
  let inline = 0
  return findings.toSorted(byWeight).map((finding) => {
    if (finding.placement === 'summary' || !standsInDiff(change, finding)) return { ...finding, placement: 'summary' }
    inline += 1
    const isShown = inline <= (finding.severity === 'critical' ? most : maxInline)
    return { ...finding, placement: isShown ? 'inline' : 'held_back' }
  })
}
