// Third step: recognizes findings across pushes. Opens what is claimed now, and follows the
// findings of earlier reviews that are not claimed again.

import { type Change, listReviewedFiles } from '../../domain/change.ts'
import { type Finding, isWorse, type Severity, severities } from '../../domain/finding.ts'
import { areSeenLines, markReadByRules } from '../../git/hunk-identity.ts'
import type { ReviewerReport } from '../../reviewers/reviewer.ts'
import type { ChangeFiles } from './change-files.ts'
import type { SuggestionCheck } from './check-suggestion.ts'
import { type LineRange, listLines } from './code-range.ts'
import { followFinding, moveToLines } from './follow.ts'
import { type Identified, identifyClaims, isSameClaim } from './identify.ts'
import { hashAnchor, type LocatedFinding, locateEarlierFindings } from './locate-earlier.ts'
import { applyPolicy, policy, type Rejected } from './policy.ts'
import type { Merged, Tracked } from './stages.ts'

/** What a reviewer read: an earlier finding may only be resolved if it was looked for. */
type ReadingReport = Pick<ReviewerReport, 'unread' | 'skippedRules'> & {
  readonly reviewer: string
}

interface TrackingTask {
  readonly change: Change
  readonly reports: readonly ReadingReport[]
  readonly files: ChangeFiles
  readonly checkSuggestion: SuggestionCheck
}

interface TrackedFindings {
  /** New, repeated and reopened findings, then those that are open since earlier reviews. */
  readonly open: readonly Tracked[]
  readonly rejected: readonly Rejected<Tracked>[]
  /** Earlier findings whose code is gone. */
  readonly resolved: readonly Finding[]
  /** Earlier findings that people dismissed and whose code still exists. */
  readonly dismissed: readonly Finding[]
}

export async function trackFindings(
  task: TrackingTask,
  claims: readonly Merged[],
): Promise<TrackedFindings> {
  const { change, files } = task
  const located = await locateEarlierFindings(change)
  const { identified, repeated } = identifyClaims(claims, located)
  const context = { change, files, located, repeated, earlier: indexEarlier(change, located) }
  const tracked = identified.map((claim) => openClaim(context, claim))
  const { kept, rejected } = applyPolicy(policy.tracked, tracked, change.settings)
  const followed = await followAll(task, listUnclaimed(located, kept), repeated)
  const carried = followed.filter(({ state }) => state === 'open')
  return {
    open: [...kept, ...carried.map((finding) => carryOver(context, finding, identified))],
    rejected,
    resolved: followed.filter(({ state }) => state === 'resolved'),
    dismissed: followed.filter(({ state }) => state === 'dismissed'),
  }
}

interface EarlierContext {
  readonly change: Change
  readonly files: ChangeFiles
  readonly located: readonly LocatedFinding[]
  /** The fingerprints of findings that are claimed again, even if not reported. */
  readonly repeated: ReadonlySet<string>
  readonly earlier: ReadonlyMap<Finding['fingerprint'], Finding>
}

/** Located findings come last, so that their present paths replace the stored ones. */
function indexEarlier(
  change: Change,
  located: readonly LocatedFinding[],
): ReadonlyMap<string, Finding> {
  const earlier = [...change.earlier.findings, ...located.map(({ finding }) => finding)]
  return new Map(earlier.map((finding) => [finding.fingerprint, finding]))
}

/** Lists the earlier findings that are not among the open claims. */
function listUnclaimed(
  located: readonly LocatedFinding[],
  open: readonly Tracked[],
): LocatedFinding[] {
  const claimed = new Set(open.map(({ finding }) => finding.fingerprint))
  return located.filter(({ finding }) => !claimed.has(finding.fingerprint))
}

/** @param repeated the fingerprints of findings that are claimed again, even if not reported */
async function followAll(
  { change, reports, files, checkSuggestion }: TrackingTask,
  unclaimed: readonly LocatedFinding[],
  repeated: ReadonlySet<string>,
): Promise<Finding[]> {
  const followed: Finding[] = []
  for (const earlier of unclaimed) {
    const { finding } = earlier
    const wasLookedFor =
      finding.rule !== null &&
      !repeated.has(finding.fingerprint) &&
      wasRead(change, reports, finding)
    const result = await followFinding(change, files, earlier, wasLookedFor)
    followed.push({ ...result, suggestion: await checkSuggestion(result) })
  }
  return followed
}

/** Whether the reviewer of a finding read its file in this review, with the same rule. */
function wasRead(
  change: Change,
  reports: readonly ReadingReport[],
  { reviewer, path, rule }: Finding,
): boolean {
  const report = reports.find((candidate) => candidate.reviewer === reviewer)
  if (report === undefined || report.unread.includes(path)) return false
  const isRuleSkipped = rule !== null && (report.skippedRules?.includes(rule) ?? false)
  return !isRuleSkipped && listReviewedFiles(change).some((file) => file.path === path)
}

/** @param claims may contain the finding as a rule claims it, although a person answered it */
function carryOver(
  { change, files, located, earlier }: EarlierContext,
  finding: Finding,
  claims: readonly Identified[],
): Tracked {
  const claim = claims.find(({ fingerprint }) => fingerprint === finding.fingerprint)
  return {
    finding,
    byRule: claim?.byRule ?? null,
    before: earlier.get(finding.fingerprint) ?? null,
    repeats: [],
    isSeen: wasSeen(change, files, finding),
    worstReported: findWorstReported(change, located, finding.path),
  }
}

/**
 * Opens a claim, or reopens its resolved finding. A model words and rates the same problem
 * differently each time, so an open finding keeps its posted text, and on unchanged code its
 * severity isn't lowered. The text of a rule only changes with the code.
 */
function openClaim(context: EarlierContext, identified: Identified): Tracked {
  const { change, files, located, earlier } = context
  const { claim, byRule, fingerprint } = identified
  const before = earlier.get(fingerprint) ?? null
  const isSeen = wasSeen(change, files, claim)
  const { anchorText, ...proposed } = claim
  const opened: Finding = {
    ...proposed,
    ...(isUncovered(context, identified) && { placement: 'summary' }),
    fingerprint,
    anchorHash: hashAnchor(anchorText),
    state: 'open',
    reopened: before === null ? 0 : before.reopened + (before.state === 'resolved' ? 1 : 0),
  }
  return {
    finding: before?.state === 'open' ? keepOpen(opened, before, isSeen) : opened,
    byRule,
    before,
    repeats: located.filter((each) => isSameClaim(claim, each)).map(({ finding }) => finding),
    isSeen,
    worstReported: findWorstReported(change, located, claim.path),
  }
}

/**
 * Whether a fix uncovered the claim of a rule on lines that rules have read before: many checks
 * report the first mistake of a function. It counts, but stays in the summary while its lines do,
 * as fixes shouldn't lead to more comments. Critical claims and those of security are exempt.
 */
function isUncovered(
  { change, files, located, repeated, earlier }: EarlierContext,
  { claim, byRule, fingerprint }: Identified,
): boolean {
  if (byRule === null || claim.severity === 'critical' || claim.category === 'security')
    return false
  if (!wasSeen(change, files, claim, markReadByRules)) return false
  const before = earlier.get(fingerprint)
  if (before?.state === 'open') return before.placement === 'summary'
  return located.some(
    ({ finding: { state, rule, path, fingerprint: other } }) =>
      state === 'open' && rule === byRule.rule && path === claim.path && !repeated.has(other),
  )
}

/** Updates a finding that is open already. */
function keepOpen(claimed: Finding, before: Finding, isSeen: boolean): Finding {
  const isLess = isSeen && isWorse(before.severity, claimed.severity)
  const severity = isLess ? before.severity : claimed.severity
  const isByModel = before.rule === null && claimed.rule === null
  const keepsText = isByModel && before.placement === 'inline' && severity === before.severity
  return { ...(keepsText ? keepPostedText(claimed, before, isSeen) : claimed), severity }
}

/**
 * On unchanged code, keeps everything that the comment contains: each edit notifies people.
 */
function keepPostedText(claimed: Finding, before: Finding, isSeen: boolean): Finding {
  const { title, body, citation } = before
  if (!isSeen) return { ...claimed, title, body }
  const { citation: _, ...withoutCitation } = claimed
  const posted = { title, body, ...moveToLines(before, claimed), ...(citation && { citation }) }
  return { ...withoutCitation, ...posted }
}

/**
 * Whether the lines of a claim were read in an earlier review: by models, unless `mark` makes of
 * their identities what says that others did.
 */
function wasSeen(
  { diff, earlier: { seenLines } }: Change,
  files: ChangeFiles,
  claim: Pick<Finding, 'path' | 'side'> & LineRange,
  mark = (identity: string) => identity,
): boolean {
  if (seenLines.size === 0) return false
  const file = diff.files.find(({ path }) => path === claim.path)
  const hunk = file?.hunks.find((candidate) =>
    listLines(candidate, claim.side).some(({ number }) => number === claim.startLine),
  )
  const isSeen = (identity: string) => seenLines.has(mark(identity))
  return hunk !== undefined && areSeenLines(files.identities(hunk), claim, isSeen)
}

function findWorstReported(
  change: Change,
  located: readonly LocatedFinding[],
  path: string,
): Severity {
  const file = change.diff.files.find((candidate) => candidate.path === path)
  const resolved = change.earlier.findings.filter(({ state }) => state === 'resolved')
  const reported = [...located.map(({ finding }) => finding), ...resolved]
    .filter((finding) => finding.path === path || finding.path === file?.oldPath)
    .map(({ severity }) => severity)
  return severities.find((severity) => reported.includes(severity)) ?? 'minor'
}
