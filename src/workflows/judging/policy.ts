// The policy of the judge: which claims are not reported, and how many are commented on lines.
import { type Severity, severities } from '../../domain/finding.ts'
import type { Merged, Tracked, Verified } from './stages.ts'

/** Minimum confidence of a model in a claim, 0 to 1. It is lower where a missed bug costs more. */
const minConfidence: Readonly<Record<Severity, number>> = {
  critical: 0.2,
  moderate: 0.35,
  minor: 0.5,
}

/** Critical findings may exceed the maximum number of inline comments up to this many in all. */
const maxInlineWithCritical = 30

/** Returns how many inline comments there may be in all, including one of this severity. */
export function limitInlineComments(severity: Severity, maxInline: number): number {
  return severity === 'critical' ? Math.max(maxInline, maxInlineWithCritical) : maxInline
}

/** Why a claim is not reported. */
export type Rejection =
  | 'too unsure'
  | 'answered'
  | 'seen before'
  | 'refuted'
  | 'doubtful'
  | 'below severity'

interface PolicyRule<Stage> {
  readonly rejection: Rejection
  readonly applies: (claim: Stage, settings: PolicySettings) => boolean
}

export interface PolicySettings {
  readonly minSeverity: Severity
}

/**
 * The rules by the stage after which they are applied. The first rule that applies decides. None
 * hides a finding that is open already, unless a model made the claim and it is refuted now.
 */
export const policy = {
  merged: [{ rejection: 'too unsure', applies: isTooUnsure }],
  tracked: [
    { rejection: 'answered', applies: isDismissed },
    { rejection: 'answered', applies: isAnswered },
    { rejection: 'seen before', applies: isSeenBefore },
  ],
  verified: [
    { rejection: 'refuted', applies: isRefuted },
    { rejection: 'doubtful', applies: isDoubtful },
    { rejection: 'below severity', applies: isBelowSeverity },
    // The verifier may have lowered the severity.
    { rejection: 'seen before', applies: isSeenBefore },
  ],
} as const satisfies {
  merged: readonly PolicyRule<Merged>[]
  tracked: readonly PolicyRule<Tracked>[]
  verified: readonly PolicyRule<Verified>[]
}

interface Filtered<Stage> {
  readonly kept: readonly Stage[]
  readonly rejected: readonly Rejected<Stage>[]
}

export interface Rejected<Stage> {
  readonly rejection: Rejection
  readonly claim: Stage
}

/** Applies one row of the policy to the claims of its stage. */
export function applyPolicy<Stage>(
  rules: readonly PolicyRule<Stage>[],
  claims: readonly Stage[],
  settings: PolicySettings,
): Filtered<Stage> {
  const kept: Stage[] = []
  const rejected: Rejected<Stage>[] = []
  for (const claim of claims) {
    const rule = rules.find(({ applies }) => applies(claim, settings))
    if (rule) rejected.push({ rejection: rule.rejection, claim })
    else kept.push(claim)
  }
  return { kept, rejected }
}

/** No rule makes the claim too, and the confidence of the model is too low. */
function isTooUnsure({ claim, byRule }: Merged): boolean {
  return byRule === null && claim.confidence < minConfidence[claim.severity]
}

/** A person dismissed it, or another finding that claims the same. */
function isDismissed({ before, repeats }: Tracked): boolean {
  return before?.state === 'dismissed' || repeats.some(({ state }) => state === 'dismissed')
}

/** A person answered a finding that claims the same in other words, and it isn't worse now. */
function isAnswered({ finding, before, repeats }: Tracked): boolean {
  return (
    before === null &&
    repeats.some(({ answered, severity }) => answered && !isWorse(finding.severity, severity))
  )
}

/**
 * The ratchet: on lines that were read before, a model must find something worse than what was
 * reported for the file. New critical findings are always reported. Rules are exempt: they give the
 * same result on unchanged lines, so that a new claim has its cause elsewhere.
 */
function isSeenBefore({ finding, byRule, before, isSeen, worstReported }: Tracked): boolean {
  const isExempt = before === null ? finding.severity === 'critical' : before.state === 'open'
  return !isExempt && byRule === null && isSeen && !isWorse(finding.severity, worstReported)
}

/** The code refutes the claim of a model. */
function isRefuted({ finding, outcome }: Verified): boolean {
  return finding.rule === null && outcome === 'refuted'
}

/** A new minor claim of a model that nothing in the code shows. */
function isDoubtful({ finding, before, outcome }: Verified): boolean {
  const isByModel = finding.rule === null
  return !isOpen(before) && isByModel && outcome === 'unsure' && finding.severity === 'minor'
}

function isBelowSeverity({ finding, before }: Verified, { minSeverity }: PolicySettings): boolean {
  return !isOpen(before) && isWorse(minSeverity, finding.severity)
}

function isOpen(before: Tracked['before']): boolean {
  return before?.state === 'open'
}

/** Whether a severity is worse than another. */
export function isWorse(severity: Severity, other: Severity): boolean {
  return severities.indexOf(severity) < severities.indexOf(other)
}
