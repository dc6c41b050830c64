// The ratchet: what people dismissed or answered isn't raised again, and about code that was seen before only what is worse is.
import type { DiffHunk } from '../../domain/diff.ts'
import { type Finding, type Severity, severities } from '../../domain/finding.ts'
import { areSeenLines } from '../../git/hunk-identity.ts'
import type { Change } from '../../reviewers/reviewer.ts'
import { listLines } from './find-code.ts'
import { moveToLines } from './follow-findings.ts'
import { type IdentifiedClaim, isSameClaim } from './identify-findings.ts'
import type { LocatedFinding } from './locate-findings.ts'

/** What became of the claims of one review. */
export interface OpenedClaims {
  /** Open now: said again, come back after they were resolved, or new. */
  readonly opened: readonly Finding[]
  /** How many people had answered before. */
  readonly answered: number
  /** How many new ones about unchanged code are no worse than what was said before. */
  readonly suppressed: number
}

/** Raises claims, but for those that were answered and those that the ratchet holds down. */
export function openClaims(
  change: Change,
  claims: readonly IdentifiedClaim[],
  located: readonly LocatedFinding[],
): OpenedClaims {
  // Under the present names of their files, where they still stand.
  const earlier = [...change.earlier.findings, ...located.map(({ finding }) => finding)]
  const known = new Map(earlier.map((finding) => [finding.fingerprint, finding]))
  const dismissed = located.filter(({ finding }) => finding.state === 'dismissed')
  const answers = located.filter(({ finding }) => finding.answered)
  const raised: Finding[] = []
  let answered = 0
  let heldDown = 0
  for (const claim of claims) {
    const before = known.get(claim.fingerprint)
    const isDismissed =
      before?.state === 'dismissed' || dismissed.some((earlier) => isSameClaim(claim, earlier))
    if (isDismissed || (!before && answers.some((earlier) => isRepeated(claim, earlier))))
      answered += 1
    else if (
      before?.state !== 'open' &&
      !isNewAndCritical(claim, before) &&
      isSuppressed(change, claim, located)
    )
      heldDown += 1
    else raised.push(openFinding(change, claim, before))
  }
  return { opened: raised, answered, suppressed: heldDown }
}

/** Whether a claim only says in other words what people answered, which goes on counting by itself. */
function isRepeated(claim: IdentifiedClaim, earlier: LocatedFinding): boolean {
  return (
    severities.indexOf(claim.severity) >= severities.indexOf(earlier.finding.severity) &&
    isSameClaim(claim, earlier)
  )
}

/** What is critical is raised however late. One that was withdrawn isn't new: its code didn't come back. */
function isNewAndCritical({ severity }: IdentifiedClaim, before: Finding | undefined): boolean {
  return before === undefined && severity === 'critical'
}

/** The note for the coverage section; none where nothing was held down. */
export function describeSuppressed(count: number): string[] {
  if (count === 0) return []
  const claims = count === 1 ? '1 new claim' : `${count} new claims`
  const verb = count === 1 ? 'was' : 'were'
  return [`${claims} about unchanged code ${verb} not raised: no worse than what was said before.`]
}

/**
 * Whether a claim that isn't open stays unsaid: the lines were read before, and it is no worse than the worst that was
 * said about their file, or minor where nothing was. Rules are exempt: on unchanged lines they say the same again, so
 * what is new of them comes from a change elsewhere or from a new rule, and doesn't differ from run to run.
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
  const settled = change.earlier.findings.filter(({ state }) => state === 'resolved')
  const said = [...located.map(({ finding }) => finding), ...settled]
    .filter(({ path }) => path === claim.path || path === file?.oldPath)
    .map(({ severity }) => severities.indexOf(severity))
  const worst = Math.min(severities.indexOf('minor'), ...said)
  return severities.indexOf(claim.severity) >= worst
}

function wasSeen(
  change: Change,
  claim: Pick<Finding, 'path' | 'side' | 'startLine' | 'endLine'>,
): boolean {
  const file = change.diff.files.find(({ path }) => path === claim.path)
  const hunk = file?.hunks.find((candidate) => holdsLine(candidate, claim))
  return hunk !== undefined && areSeenLines(hunk, claim, change.earlier.seenLines)
}

function holdsLine(
  hunk: DiffHunk,
  { side, startLine }: Pick<Finding, 'side' | 'startLine'>,
): boolean {
  return listLines(hunk, side).some(({ number }) => number === startLine)
}

/**
 * Opens a claim, anew where it had been resolved. One that stands already keeps the words of a model that were posted, and
 * on unchanged code at least its severity: neither changes with the mood of a model. What a rule says differs only where
 * the code does, as when fewer calls are left that don't fit.
 */
function openFinding(change: Change, claim: IdentifiedClaim, before: Finding | undefined): Finding {
  const { anchorText: _text, isFoundByRule: _ruled, ...fresh } = claim
  if (before === undefined) return { ...fresh, state: 'open', reopened: 0 }
  if (before.state === 'resolved') return { ...fresh, state: 'open', reopened: before.reopened + 1 }
  const isSeen = wasSeen(change, claim)
  const severity = isSeen ? findWorse(before.severity, fresh.severity) : fresh.severity
  const isModels = before.rule === null && fresh.rule === null
  const keepsWords = isModels && before.placement === 'inline' && severity === before.severity
  const said = keepsWords ? keepWords(fresh, before, isSeen) : fresh
  return { ...said, severity, state: 'open', reopened: before.reopened }
}

/** On unchanged code that is all that its comment shows: each difference would edit it, and tell whoever follows. */
function keepWords<Claim extends Omit<Finding, 'state' | 'reopened'>>(
  claim: Claim,
  before: Finding,
  isSeen: boolean,
) {
  const { title, body, citation } = before
  if (!isSeen) return { ...claim, title, body }
  const { citation: _, ...bare } = claim
  return { ...bare, title, body, ...moveToLines(before, claim), ...(citation && { citation }) }
}

function findWorse(a: Severity, b: Severity): Severity {
  return severities.indexOf(a) < severities.indexOf(b) ? a : b
}
