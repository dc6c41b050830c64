// The judge: anchors, merges, identifies, verifies and places findings, and follows earlier ones.
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

/** Minimum confidence of a model in a claim, 0 to 1. It is lower where a missed bug costs more. */
const minConfidence: Readonly<Record<Severity, number>> = {
  critical: 0.2,
  moderate: 0.35,
  minor: 0.5,
}

export interface Judgement {
  /** Open findings, including those of earlier reviews, most severe first. */
  readonly findings: readonly Finding[]
  /** Earlier findings whose code is gone, or that were refuted. */
  readonly resolved: readonly Finding[]
  /** Earlier findings that people dismissed and whose code still exists. */
  readonly dismissed: readonly Finding[]
  /** Counts dropped proposals by reason, for the coverage section. */
  readonly dropped: Readonly<Record<string, number>>
  /** Describes rejected claims for the coverage section. Untrusted, as it has text by models. */
  readonly rejected: readonly string[]
  /** What the verification used. */
  readonly usage: Usage
  /** Describe limits of the verification, one sentence each. */
  readonly notes: readonly string[]
}

export type JudgedReport = Pick<ReviewerReport, 'findings' | 'unread' | 'skippedRules'> & {
  readonly reviewer: string
}

export interface JudgingTask {
  readonly change: Change
  readonly reports: readonly JudgedReport[]
  /** Without one, a model's claim counts as verified if the code that it quotes exists. */
  readonly verifier: Verifier | null
  /** Maximum number of inline comments. The other findings are suppressed and listed. */
  readonly maxInline: number
}

export async function judgeFindings(
  ctx: Pick<ReviewContext, 'syntax'>,
  input: JudgingTask,
  signal: AbortSignal,
): Promise<Judgement> {
  const { change } = input
  const files = createChangeFiles(change)
  const checkSuggestion = createSuggestionCheck(ctx.syntax, files)
  const { anchored, dropped } = await anchorAll(input, files, checkSuggestion)
  const claims = mergeDuplicates(anchored)
  const sure = claims.filter(isSure)
  const located = await locateFindings(change)
  const { identified, repeated } = identifyClaims(sure, located)
  const { opened, answered, suppressed } = openClaims(change, identified, located)
  const unrepeated = listUnrepeated(opened, located)
  const followed = await followAll({ ...input, files, checkSuggestion, repeated }, unrepeated)
  const carried = followed.filter(({ state }) => state === 'open')

  const { verified, usage, notes } = await verifyFindings(
    { ...input, files },
    [...opened, ...carried],
    signal,
  )
  const ruleClaims = mapRuleClaims(sure, identified)
  const sorted = sortVerified({ change, located, ruleClaims }, verified)
  return {
    findings: placeFindings(change, sorted.open, input.maxInline),
    resolved: [...followed.filter(({ state }) => state === 'resolved'), ...sorted.withdrawn],
    dismissed: followed.filter(({ state }) => state === 'dismissed'),
    dropped: {
      ...dropped,
      duplicate: anchored.length - claims.length,
      answered,
    },
    rejected: [
      ...describeRejected(
        { ...sorted, tooUnsure: claims.length - sure.length },
        change.settings.minSeverity,
      ),
      ...describeSuppressed(suppressed + sorted.suppressed),
    ],
    usage,
    notes,
  }
}

async function anchorAll(
  { change, reports }: JudgingTask,
  files: ChangeFiles,
  checkSuggestion: SuggestionCheck,
): Promise<{ anchored: AnchoredClaim[]; dropped: Record<string, number> }> {
  const anchored: AnchoredClaim[] = []
  const dropped: Record<string, number> = {}
  for (const proposal of reports.flatMap((report) => report.findings)) {
    // A large change takes long, so other work is done between proposals.
    await setImmediate()
    const result = await anchorProposal(change, files, proposal)
    if (typeof result === 'string') dropped[result] = (dropped[result] ?? 0) + 1
    else anchored.push({ ...result, suggestion: await checkSuggestion(result) })
  }
  return { anchored, dropped }
}

/** Whether a rule makes the claim too, or the confidence of the model is high enough. */
function isSure({ strongest, members }: Claim): boolean {
  return (
    members.some(({ rule }) => rule !== null) ||
    strongest.confidence >= minConfidence[strongest.severity]
  )
}

/** Returns the claim of a rule by fingerprint, for claims that a rule makes too. */
function mapRuleClaims(
  claims: readonly Claim[],
  identified: readonly IdentifiedClaim[],
): Map<string, AnchoredClaim> {
  return new Map(
    identified.flatMap(({ fingerprint }, index) => {
      const byRule = claims[index]!.members.find(({ rule }) => rule !== null)
      return byRule ? [[fingerprint, byRule]] : []
    }),
  )
}

function listUnrepeated(
  opened: readonly Finding[],
  located: readonly LocatedFinding[],
): LocatedFinding[] {
  const fingerprints = new Set(opened.map(({ fingerprint }) => fingerprint))
  return located.filter(({ finding }) => !fingerprints.has(finding.fingerprint))
}

async function followAll(
  input: JudgingTask & {
    files: ChangeFiles
    checkSuggestion: SuggestionCheck
    repeated: ReadonlySet<string>
  },
  unrepeated: readonly LocatedFinding[],
): Promise<Finding[]> {
  const followed: Finding[] = []
  for (const earlier of unrepeated) {
    const { finding } = earlier
    const wasLookedFor =
      finding.rule !== null && !input.repeated.has(finding.fingerprint) && wasRead(input, finding)
    const result = await followFinding(input.change, input.files, earlier, wasLookedFor)
    followed.push({ ...result, suggestion: await input.checkSuggestion(result) })
  }
  return followed
}

/** Whether the reviewer of a finding read its file in this review, with the same rule. */
function wasRead({ change, reports }: JudgingTask, { reviewer, path, rule }: Finding): boolean {
  const report = reports.find((candidate) => candidate.reviewer === reviewer)
  if (report === undefined || report.unread.includes(path)) return false
  const isRuleSkipped = rule !== null && (report.skippedRules?.includes(rule) ?? false)
  return !isRuleSkipped && listReviewedFiles(change).some((file) => file.path === path)
}

interface SortingTask {
  readonly change: Change
  readonly located: readonly LocatedFinding[]
  /** Claims of rules by fingerprint. */
  readonly ruleClaims: ReadonlyMap<string, AnchoredClaim>
}

/** Sorts verified findings into open, withdrawn and rejected ones. */
function sortVerified(
  { change, located, ruleClaims }: SortingTask,
  verified: readonly CheckedFinding[],
) {
  const earlierState = new Map(
    change.earlier.findings.map(({ fingerprint, state }) => [fingerprint, state]),
  )
  const minRank = severities.indexOf(change.settings.minSeverity)
  const isNewAndSuppressed = (finding: Finding) =>
    !earlierState.has(finding.fingerprint) &&
    isSuppressed(
      change,
      { ...finding, isFoundByRule: ruleClaims.has(finding.fingerprint) },
      located,
    )
  const open: Finding[] = []
  const withdrawn: Finding[] = []
  const refuted: CheckedFinding[] = []
  let doubtful = 0
  let belowSeverity = 0
  let suppressed = 0
  for (const checked of verified) {
    const finding = preferRule(checked, ruleClaims)
    const wasOpen = earlierState.get(finding.fingerprint) === 'open'
    const isByModel = finding.rule === null
    if (checked.outcome === 'refuted' && isByModel) {
      refuted.push(checked)
      if (wasOpen) withdrawn.push({ ...finding, state: 'resolved' })
    } else if (wasOpen) open.push(finding)
    else if (checked.outcome === 'unsure' && isByModel && finding.severity === 'minor')
      doubtful += 1
    else if (severities.indexOf(finding.severity) > minRank) belowSeverity += 1
    // The verifier may have lowered the severity of a claim that was opened as critical.
    else if (finding.severity !== 'critical' && isNewAndSuppressed(finding)) suppressed += 1
    else open.push(finding)
  }
  return { open, withdrawn, refuted, doubtful, belowSeverity, suppressed }
}

/**
 * Replaces a model's claim by the same claim of a rule, unless the model's was confirmed with at
 * least the severity that the rule gives.
 */
function preferRule(
  { outcome, finding }: CheckedFinding,
  ruleClaims: ReadonlyMap<string, AnchoredClaim>,
): Finding {
  const rule = ruleClaims.get(finding.fingerprint)
  if (rule === undefined) return finding
  const isConfirmed = outcome === 'confirmed' || outcome === 'settled'
  const isAsSevere = severities.indexOf(finding.severity) <= severities.indexOf(rule.severity)
  if (isConfirmed && isAsSevere) return finding
  const { anchorText, ...claim } = rule
  return { ...finding, ...claim, anchorHash: hashAnchor(anchorText) }
}
