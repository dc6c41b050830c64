// Verifies claims of models and applies the outcome to each finding.
import { type Finding, severities } from '../../domain/finding.ts'
import { noUsage, type Usage } from '../../domain/review.ts'
import { isSeenHunk } from '../../git/hunk-identity.ts'
import type { Change, ClaimCheck, Verifier } from '../../reviewers/reviewer.ts'
import { type ChangeFiles, filterExistingEvidence } from './change-files.ts'
import { mergeEvidence } from './merge-findings.ts'

/** The result of verifying one finding. */
export interface CheckedFinding {
  /**
   * `settled`: unchanged, as it is by a rule, was confirmed before, or there is no verifier.
   * `unsure`: the code neither confirms nor refutes it. `unchecked`: the verifier failed.
   */
  readonly outcome: ClaimCheck['outcome'] | 'settled' | 'unchecked'
  readonly finding: Finding
  /** The verifier's reason, or an empty string. Untrusted. */
  readonly reason: string
}

export interface Verification {
  /** Has the order of the findings. */
  readonly verified: readonly CheckedFinding[]
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
  { change, files, verifier }: { change: Change; files: ChangeFiles; verifier: Verifier | null },
  findings: readonly Finding[],
  signal: AbortSignal,
): Promise<Verification> {
  if (verifier === null) {
    const verified = findings.map((finding) => ({
      outcome: 'settled' as const,
      finding,
      reason: '',
    }))
    return { verified, usage: noUsage, notes: [] }
  }
  const open = findings.filter((finding) => !isSettled(change, finding))
  const { checks, usage, notes } = await verifier.verify(change, open, signal)
  const checkOf = new Map(open.map((finding, index) => [finding, checks[index]]))
  const verified: CheckedFinding[] = []
  for (const finding of findings) {
    const settled: CheckedFinding = {
      outcome: 'settled',
      finding: { ...finding, verified: true },
      reason: '',
    }
    const checked = checkOf.has(finding)
      ? await applyCheck(files, finding, checkOf.get(finding))
      : settled
    const staysConfirmed = checked.outcome !== 'refuted' && wasConfirmed(change, finding)
    verified.push(staysConfirmed ? settled : checked)
  }
  return { verified, usage, notes }
}

function isSettled(change: Change, finding: Finding): boolean {
  return (
    finding.rule !== null || (wasConfirmed(change, finding) && !hasUnseenHunks(change, finding))
  )
}

/** Whether an earlier review confirmed the finding with at least its present severity. */
function wasConfirmed(change: Change, finding: Finding): boolean {
  const before = change.earlier.findings.find(
    ({ fingerprint }) => fingerprint === finding.fingerprint,
  )
  const isWorse =
    before && severities.indexOf(finding.severity) < severities.indexOf(before.severity)
  return before?.state === 'open' && before.verified && !isWorse
}

function hasUnseenHunks({ diff, earlier: { seenLines } }: Change, { path }: Finding): boolean {
  const hunks = diff.files.find((file) => file.path === path)?.hunks ?? []
  return seenLines.size > 0 && hunks.some((hunk) => !isSeenHunk(hunk, seenLines))
}

async function applyCheck(
  files: ChangeFiles,
  finding: Finding,
  check: ClaimCheck | undefined,
): Promise<CheckedFinding> {
  const unverified = { ...finding, verified: false }
  if (check === undefined) return { outcome: 'unchecked', finding: unverified, reason: '' }
  const { reason, severity } = check
  const evidence = await filterExistingEvidence(files, finding.side, check.evidence)
  if (check.outcome === 'confirmed') {
    const confirmed = {
      ...finding,
      verified: true,
      severity,
      evidence: mergeEvidence([...finding.evidence, ...evidence]),
    }
    return { outcome: 'confirmed', finding: confirmed, reason }
  }
  // A refutation without existing evidence doesn't count.
  const isRefuted = check.outcome === 'refuted' && evidence.length > 0
  return { outcome: isRefuted ? 'refuted' : 'unsure', finding: unverified, reason }
}
