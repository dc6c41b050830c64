// Decides which claims become findings: answered ones and repeats about unchanged code don't.
import type { DiffHunk } from '../../domain/diff.ts'
import { type Finding, type Severity, severities } from '../../domain/finding.ts'
import { areSeenLines } from '../../git/hunk-identity.ts'
import type { Change } from '../../reviewers/reviewer.ts'
import { listLines } from './find-code.ts'
import { moveToLines } from './follow-findings.ts'
import { type IdentifiedClaim, isSameClaim } from './identify-findings.ts'
import type { LocatedFinding } from './locate-findings.ts'

export interface OpenedClaims {
  /** Findings that are open now: new, repeated or reopened ones. */
  readonly opened: readonly Finding[]
  /** Number of claims that people had answered. */
  readonly answered: number
  /** Number of new claims about unchanged code that are no more severe than earlier ones. */
  readonly suppressed: number
}

/** Opens all claims except answered and suppressed ones. */
export function openClaims(
  change: Change,
  claims: readonly IdentifiedClaim[],
  located: readonly LocatedFinding[],
): OpenedClaims {
  // Located findings come last because they have the present paths of their files.
  const earlier = [...change.earlier.findings, ...located.map(({ finding }) => finding)]
  const byFingerprint = new Map(earlier.map((finding) => [finding.fingerprint, finding]))
  const opened: Finding[] = []
  let answered = 0
  let suppressed = 0
  for (const claim of claims) {
    const before = byFingerprint.get(claim.fingerprint)
    if (wasAnswered(claim, before, located)) answered += 1
    else if (canSuppress(claim, before) && isSuppressed(change, claim, located)) suppressed += 1
    else opened.push(openFinding(change, claim, before))
  }
  return { opened, answered, suppressed }
}

function wasAnswered(
  claim: IdentifiedClaim,
  before: Finding | undefined,
  located: readonly LocatedFinding[],
): boolean {
  if (before?.state === 'dismissed') return true
  const same = located.filter((earlier) => isSameClaim(claim, earlier))
  if (same.some(({ finding }) => finding.state === 'dismissed')) return true
  return before === undefined && same.some((earlier) => isAnswered(claim, earlier))
}

/**
 * An answered finding stays open, but isn't repeated in other words unless it became more severe.
 */
function isAnswered(claim: IdentifiedClaim, { finding }: LocatedFinding): boolean {
  const isWorse = severities.indexOf(claim.severity) < severities.indexOf(finding.severity)
  return finding.answered === true && !isWorse
}

/** Open findings stay open, and new critical ones are always reported. */
function canSuppress({ severity }: IdentifiedClaim, before: Finding | undefined): boolean {
  if (before === undefined) return severity !== 'critical'
  return before.state !== 'open'
}

export function describeSuppressed(count: number): string[] {
  if (count === 0) return []
  const claims = count === 1 ? '1 new claim' : `${count} new claims`
  const verb = count === 1 ? 'was' : 'were'
  return [
    `${claims} about unchanged code ${verb} not reported: no worse than what was reported before.`,
  ]
}

/**
 * Whether a claim that isn't open is suppressed: its lines were read before, and it is no more
 * severe than the worst finding of its file, or minor if there was none. Rules are exempt because
 * they give the same result on unchanged lines, so that a new claim has a cause elsewhere.
 */
export function isSuppressed(
  change: Change,
  claim: Pick<
    IdentifiedClaim,
    'path' | 'side' | 'startLine' | 'endLine' | 'severity' | 'isFoundByRule'
  >,
  located: readonly LocatedFinding[],
): boolean {
  if (claim.isFoundByRule || !wasSeen(change, claim)) return false
  const file = change.diff.files.find(({ path }) => path === claim.path)
  const resolved = change.earlier.findings.filter(({ state }) => state === 'resolved')
  const ranks = [...located.map(({ finding }) => finding), ...resolved]
    .filter(({ path }) => path === claim.path || path === file?.oldPath)
    .map(({ severity }) => severities.indexOf(severity))
  const worstRank = Math.min(severities.indexOf('minor'), ...ranks)
  return severities.indexOf(claim.severity) >= worstRank
}

function wasSeen(
  change: Change,
  claim: Pick<Finding, 'path' | 'side' | 'startLine' | 'endLine'>,
): boolean {
  const file = change.diff.files.find(({ path }) => path === claim.path)
  const hunk = file?.hunks.find((candidate) => hasLine(candidate, claim))
  return hunk !== undefined && areSeenLines(hunk, claim, change.earlier.seenLines)
}

function hasLine(
  hunk: DiffHunk,
  { side, startLine }: Pick<Finding, 'side' | 'startLine'>,
): boolean {
  return listLines(hunk, side).some(({ number }) => number === startLine)
}

/**
 * Opens a claim, or reopens its resolved finding. An open finding keeps the posted text of a model,
 * and on unchanged code its severity doesn't fall: both would vary from run to run. The text of a
 * rule only changes with the code.
 */
function openFinding(change: Change, claim: IdentifiedClaim, before: Finding | undefined): Finding {
  const { anchorText: _text, isFoundByRule: _rule, ...proposed } = claim
  if (before === undefined) return { ...proposed, state: 'open', reopened: 0 }
  if (before.state === 'resolved') {
    return { ...proposed, state: 'open', reopened: before.reopened + 1 }
  }
  const isSeen = wasSeen(change, claim)
  const severity = isSeen ? findWorse(before.severity, proposed.severity) : proposed.severity
  const isByModel = before.rule === null && proposed.rule === null
  const keepsText = isByModel && before.placement === 'inline' && severity === before.severity
  const worded = keepsText ? keepPostedText(proposed, before, isSeen) : proposed
  return { ...worded, severity, state: 'open', reopened: before.reopened }
}

/**
 * On unchanged code all that the comment shows is kept, because each edit notifies its followers.
 */
function keepPostedText<Claim extends Omit<Finding, 'state' | 'reopened'>>(
  claim: Claim,
  before: Finding,
  isSeen: boolean,
) {
  const { title, body, citation } = before
  if (!isSeen) return { ...claim, title, body }
  const { citation: _, ...withoutCitation } = claim
  const posted = { title, body, ...moveToLines(before, claim), ...(citation && { citation }) }
  return { ...withoutCitation, ...posted }
}

function findWorse(a: Severity, b: Severity): Severity {
  return severities.indexOf(a) < severities.indexOf(b) ? a : b
}
