// Fourth step: has the claims of models and other tools verified, and applies the results.
import type { Change } from '../../domain/change.ts'
import { type Finding, isOwnRule, isWorse } from '../../domain/finding.ts'
import { noUsage, type Usage } from '../../domain/review.ts'
import { isSeenHunk } from '../../git/hunk-identity.ts'
import type { ClaimCheck, Verifier } from '../../reviewers/reviewer.ts'
import { type ChangeFiles, filterExistingEvidence } from './change-files.ts'
import { hashAnchor } from './locate-earlier.ts'
import { mergeEvidence } from './merge.ts'
import type { Tracked, Verified } from './stages.ts'

interface VerificationTask {
  readonly change: Change
  readonly files: ChangeFiles
  /** Without one, a model's claim counts as verified if the code that it quotes exists. */
  readonly verifier: Verifier | null
}

interface Verification {
  /** Has the order of the tracked findings. */
  readonly verified: readonly Verified[]
  readonly usage: Usage
  /** Limits of the verification, one sentence each. */
  readonly notes: readonly string[]
}

/**
 * Verifies findings. One that an earlier review confirmed is only verified again if it is more
 * severe now or its file changed, as the fix may be on another line. It then stays confirmed unless
 * refuted.
 */
export async function verifyFindings(
  { change, files, verifier }: VerificationTask,
  tracked: readonly Tracked[],
  signal: AbortSignal,
): Promise<Verification> {
  if (verifier === null) {
    const verified = tracked.map((each) => preferRule(settle(each, each.finding)))
    return { verified, usage: noUsage, notes: [] }
  }
  const unsettled = tracked.filter((each) => !isSettled(change, each))
  const { checks, usage, notes } = await verifier.verify(
    change,
    unsettled.map(({ finding }) => finding),
    signal,
  )
  const checkOf = new Map(unsettled.map((each, index) => [each, checks[index]]))
  const verified: Verified[] = []
  for (const each of tracked) {
    const settled = settle(each, { ...each.finding, verified: true })
    const checked = checkOf.has(each) ? await applyCheck(files, each, checkOf.get(each)) : settled
    const staysConfirmed = checked.outcome !== 'refuted' && wasConfirmed(change, each)
    verified.push(preferRule(staysConfirmed ? settled : checked))
  }
  return { verified, usage, notes }
}

function settle(tracked: Tracked, finding: Finding): Verified {
  return { ...tracked, finding, outcome: 'settled', reason: '' }
}

function isSettled(change: Change, tracked: Tracked): boolean {
  const { finding } = tracked
  return (
    isOwnRule(finding.rule) || (wasConfirmed(change, tracked) && !hasUnseenHunks(change, finding))
  )
}

/** Whether an earlier review confirmed the finding with at least its present severity. */
function wasConfirmed({ earlier }: Change, { finding, before }: Tracked): boolean {
  if (earlier.isVerifiedAgain) return false
  return before?.state === 'open' && before.verified && !isWorse(finding.severity, before.severity)
}

function hasUnseenHunks({ diff, earlier: { seenLines } }: Change, { path }: Finding): boolean {
  const hunks = diff.files.find((file) => file.path === path)?.hunks ?? []
  return seenLines.size > 0 && hunks.some((hunk) => !isSeenHunk(hunk, seenLines))
}

async function applyCheck(
  files: ChangeFiles,
  tracked: Tracked,
  check: ClaimCheck | undefined,
): Promise<Verified> {
  const { finding } = tracked
  const unverified = { ...finding, verified: false }
  if (check === undefined) {
    return { ...tracked, finding: unverified, outcome: 'unchecked', reason: '' }
  }
  const { reason, severity } = check
  const evidence = await filterExistingEvidence(files, finding.side, check.evidence)
  if (check.outcome === 'confirmed') {
    const confirmed = {
      ...finding,
      verified: true,
      severity,
      evidence: mergeEvidence([...finding.evidence, ...evidence]),
    }
    return { ...tracked, finding: confirmed, outcome: 'confirmed', reason }
  }
  // A refutation without existing evidence doesn't count.
  const isRefuted = check.outcome === 'refuted' && evidence.length > 0
  return { ...tracked, finding: unverified, outcome: isRefuted ? 'refuted' : 'unsure', reason }
}

/**
 * Replaces a model's claim by the same claim of a rule, unless the model's was confirmed with at
 * least the severity that the rule gives.
 */
function preferRule(verified: Verified): Verified {
  const { finding, byRule, outcome } = verified
  if (byRule === null) return verified
  const isConfirmed = outcome === 'confirmed' || outcome === 'settled'
  if (isConfirmed && !isWorse(byRule.severity, finding.severity)) return verified
  const { anchorText, ...claim } = byRule
  return { ...verified, finding: { ...finding, ...claim, anchorHash: hashAnchor(anchorText) } }
}
