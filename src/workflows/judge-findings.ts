// The judge: anchors each proposal, merges what says the same, follows earlier findings, has the rest verified, places.
import { setImmediate } from 'node:timers/promises'
import type { ReviewContext } from '../context.ts'
import { type Finding, type Severity, severities } from '../domain/finding.ts'
import type { Usage } from '../domain/review.ts'
import {
  type Change,
  listReviewedFiles,
  type ReviewerReport,
  type Verifier,
} from '../reviewers/reviewer.ts'
import { type AnchoredClaim, anchorProposal } from './judging/anchor-findings.ts'
import { type ChangeFiles, createChangeFiles } from './judging/change-files.ts'
import { createSuggestionCheck, type SuggestionCheck } from './judging/check-suggestion.ts'
import { describeRejected } from './judging/describe-rejected.ts'
import { followFinding } from './judging/follow-findings.ts'
import { type IdentifiedClaim, identifyClaims } from './judging/identify-findings.ts'
import { hashAnchor, type LocatedFinding, locateFindings } from './judging/locate-findings.ts'
import { type Claim, mergeDuplicates } from './judging/merge-findings.ts'
import { describeSuppressed, isSuppressed, openClaims } from './judging/open-claims.ts'
import { placeFindings } from './judging/place-findings.ts'
import { type CheckedFinding, verifyFindings } from './judging/verify-findings.ts'

/** How sure a model must be of a claim, 0 to 1. The less a wrong one costs to look at, the more it must be. */
const leastConfidence: Readonly<Record<Severity, number>> = {
  critical: 0.2,
  moderate: 0.35,
  minor: 0.5,
}

/** What the judge came to. */
export interface Judgement {
  /** Open findings of this review, those carried over from earlier ones among them, most severe first. */
  readonly findings: readonly Finding[]
  /** Earlier findings whose cause is gone, or that turned out to be wrong. */
  readonly resolved: readonly Finding[]
  /** Earlier findings that people answered and whose cause stands. */
  readonly dismissed: readonly Finding[]
  /** Proposals that were dropped, by reason, for the coverage section. */
  readonly dropped: Readonly<Record<string, number>>
  /** What was decided against, one sentence each, for the coverage section. Holds a model's words. */
  readonly rejected: readonly string[]
  /** Of the verification. */
  readonly usage: Usage
  /** Limits of the verification, one sentence each. */
  readonly notes: readonly string[]
}

/** What the judge reads of a reviewer's report. */
export type JudgedReport = Pick<ReviewerReport, 'findings' | 'unread' | 'skippedRules'> & {
  readonly reviewer: string
}

/** What is to be judged. */
export interface JudgingTask {
  readonly change: Change
  readonly reports: readonly JudgedReport[]
  /** Without one, a model's claim counts as verified when the code that it quotes stands in the diff. */
  readonly verifier: Verifier | null
  /** So many findings stand on their lines; the others are held back and listed, so that nothing is lost. */
  readonly maxInline: number
}

/** Judges what the reviewers propose. */
export async function judgeFindings(
  ctx: Pick<ReviewContext, 'syntax'>,
  input: JudgingTask,
  signal: AbortSignal,
): Promise<Judgement> {
  const { change } = input
  const files = createChangeFiles(change)
  const offer = createSuggestionCheck(ctx.syntax, files)
  const { anchored, dropped } = await anchorAll(input, files, offer)
  const claims = mergeDuplicates(anchored)
  const sure = claims.filter(isSure)
  const located = await locateFindings(change)
  const { identified, repeated } = identifyClaims(sure, located)
  const { opened: raised, answered, suppressed: heldDown } = openClaims(change, identified, located)
  const unsaid = listUnsaid(raised, located)
  const followed = await followAll({ ...input, files, offer, repeated }, unsaid)
  const carried = followed.filter(({ state }) => state === 'open')

  const { verified, usage, notes } = await verifyFindings(
    { ...input, files },
    [...raised, ...carried],
    signal,
  )
  const sorted = sortVerified(change, verified, { ruled: listRuled(sure, identified), located })
  return {
    findings: placeFindings(change, sorted.open, input.maxInline),
    resolved: [...followed.filter(({ state }) => state === 'resolved'), ...sorted.withdrawn],
    dismissed: followed.filter(({ state }) => state === 'dismissed'),
    dropped: {
      ...dropped,
      'said twice': anchored.length - claims.length,
      'answered before': answered,
    },
    rejected: [
      ...describeRejected(
        { ...sorted, tooUnsure: claims.length - sure.length },
        change.settings.minSeverity,
      ),
      ...describeSuppressed(heldDown + sorted.late),
    ],
    usage,
    notes,
  }
}

async function anchorAll(
  { change, reports }: JudgingTask,
  files: ChangeFiles,
  offer: SuggestionCheck,
): Promise<{ anchored: AnchoredClaim[]; dropped: Record<string, number> }> {
  const anchored: AnchoredClaim[] = []
  const dropped: Record<string, number> = {}
  for (const proposal of reports.flatMap((report) => report.findings)) {
    // In a large change each takes its time: other work goes on in between.
    await setImmediate()
    const result = await anchorProposal(change, files, proposal)
    if (typeof result === 'string') dropped[result] = (dropped[result] ?? 0) + 1
    else anchored.push({ ...result, suggestion: await offer(result) })
  }
  return { anchored, dropped }
}

/** Whether a rule makes the claim too, or the model is sure enough of it. */
function isSure({ strongest, members }: Claim): boolean {
  return (
    members.some(({ rule }) => rule !== null) ||
    strongest.confidence >= leastConfidence[strongest.severity]
  )
}

/** The rule's finding for each claim that a model words and a rule makes too, by fingerprint. */
function listRuled(
  claims: readonly Claim[],
  identified: readonly IdentifiedClaim[],
): Map<string, AnchoredClaim> {
  return new Map(
    identified.flatMap(({ fingerprint }, index) => {
      const ruled = claims[index]!.members.find(({ rule }) => rule !== null)
      return ruled ? [[fingerprint, ruled]] : []
    }),
  )
}

/** The earlier findings that weren't raised again. */
function listUnsaid(
  raised: readonly Finding[],
  located: readonly LocatedFinding[],
): LocatedFinding[] {
  const fingerprints = new Set(raised.map(({ fingerprint }) => fingerprint))
  return located.filter(({ finding }) => !fingerprints.has(finding.fingerprint))
}

async function followAll(
  input: JudgingTask & {
    files: ChangeFiles
    offer: SuggestionCheck
    repeated: ReadonlySet<string>
  },
  unsaid: readonly LocatedFinding[],
): Promise<Finding[]> {
  const followed: Finding[] = []
  for (const earlier of unsaid) {
    const { finding } = earlier
    const wasLookedFor =
      finding.rule !== null && !input.repeated.has(finding.fingerprint) && wasRead(input, finding)
    const result = await followFinding(input.change, input.files, earlier, wasLookedFor)
    followed.push({ ...result, suggestion: await input.offer(result) })
  }
  return followed
}

/** Whether the reviewer of a finding looked at its file this time, with the rule that found it. */
function wasRead({ change, reports }: JudgingTask, { reviewer, path, rule }: Finding): boolean {
  const report = reports.find((candidate) => candidate.reviewer === reviewer)
  if (report === undefined || report.unread.includes(path)) return false
  const isIdle = rule !== null && (report.skippedRules?.includes(rule) ?? false)
  return !isIdle && listReviewedFiles(change).some((file) => file.path === path)
}

/** What the verification means: what stays open, what is taken back, and what isn't raised. */
function sortVerified(
  change: Change,
  verified: readonly CheckedFinding[],
  {
    ruled,
    located,
  }: { ruled: ReadonlyMap<string, AnchoredClaim>; located: readonly LocatedFinding[] },
) {
  const standing = new Set(
    change.earlier.findings.flatMap(({ state, fingerprint }) =>
      state === 'open' ? fingerprint : [],
    ),
  )
  const isBelow = ({ severity }: Finding) =>
    severities.indexOf(severity) > severities.indexOf(change.settings.minSeverity)
  const known = new Set(change.earlier.findings.map(({ fingerprint }) => fingerprint))
  const isLate = (finding: Finding) =>
    !known.has(finding.fingerprint) &&
    isSuppressed(change, { ...finding, isFoundByRule: ruled.has(finding.fingerprint) }, located)
  const open: Finding[] = []
  const withdrawn: Finding[] = []
  const refuted: CheckedFinding[] = []
  let doubtful = 0
  let belowSeverity = 0
  let late = 0
  for (const one of verified) {
    const finding = speakForRule(one, ruled)
    const isStanding = standing.has(finding.fingerprint)
    if (one.outcome === 'refuted' && finding.rule === null) {
      refuted.push(one)
      if (isStanding) withdrawn.push({ ...finding, state: 'resolved' })
    } else if (isStanding) open.push(finding)
    else if (one.outcome === 'unsure' && finding.rule === null && finding.severity === 'minor')
      doubtful += 1
    else if (isBelow(finding)) belowSeverity += 1
    // Raised as critical, and worth less.
    else if (finding.severity !== 'critical' && isLate(finding)) late += 1
    else open.push(finding)
  }
  return { open, withdrawn, refuted, doubtful, belowSeverity, late }
}

/**
 * A rule that makes the claim too stands for it in its own words, when those of the model weren't confirmed or came to
 * less than the rule says by itself.
 */
function speakForRule(
  { outcome, finding }: CheckedFinding,
  ruled: ReadonlyMap<string, AnchoredClaim>,
): Finding {
  const rule = ruled.get(finding.fingerprint)
  if (rule === undefined) return finding
  const isShown = outcome === 'confirmed' || outcome === 'settled'
  if (isShown && severities.indexOf(finding.severity) <= severities.indexOf(rule.severity))
    return finding
  const { anchorText, ...words } = rule
  return { ...finding, ...words, anchorHash: hashAnchor(anchorText) }
}
