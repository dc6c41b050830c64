// The policy of the judge: which claims are not reported, and how many are commented on lines.
import { isOwnRule, isWorse, type Severity } from '../../domain/finding.ts'
import { type RepositorySettings, settingsAt } from '../../domain/repository-settings.ts'
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

/**
 * Returns how many inline comments may say the same about lines of one file: three, or a third of
 * all. Critical ones are not limited.
 */
export function limitRepeated(severity: Severity, maxInline: number): number {
  return severity === 'critical' ? Infinity : Math.max(3, Math.floor(maxInline / 3))
}

/** Why a claim is not reported. */
export type Rejection =
  | 'low confidence'
  | 'dismissed'
  | 'answered'
  | 'not worse on unchanged code'
  | 'refuted'
  | 'minor and unconfirmed'
  | 'below minimum severity'

interface PolicyRule<Stage> {
  readonly rejection: Rejection
  readonly applies: (claim: Stage, settings: PolicySettings) => boolean
}

export type PolicySettings = Pick<
  RepositorySettings,
  'minSeverity' | 'disabledRules' | 'directories'
>

/**
 * The rules by the stage after which they are applied. The first rule that applies decides. None
 * hides a finding that is open already, unless a model made the claim and it is refuted now.
 */
export const policy = {
  merged: [{ rejection: 'low confidence', applies: hasLowConfidence }],
  tracked: [
    { rejection: 'dismissed', applies: isDismissed },
    { rejection: 'answered', applies: isAnswered },
    { rejection: 'not worse on unchanged code', applies: isNotWorse },
  ],
  verified: [
    { rejection: 'refuted', applies: isRefuted },
    { rejection: 'minor and unconfirmed', applies: isMinorAndUnconfirmed },
    { rejection: 'below minimum severity', applies: isBelowMinSeverity },
    // The verifier may have lowered the severity.
    { rejection: 'not worse on unchanged code', applies: isNewAndNotWorse },
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

/** Applies the rules of one stage to its claims. */
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

/** Only models make the claim, and with too little confidence. */
function hasLowConfidence({ claim, byRule }: Merged): boolean {
  return byRule === null && claim.confidence < minConfidence[claim.severity]
}

/** A person dismissed this finding, or an equivalent one. */
function isDismissed({ before, repeats }: Tracked): boolean {
  return before?.state === 'dismissed' || repeats.some(({ state }) => state === 'dismissed')
}

/** A person answered an equivalent finding, and the new one is no more severe. */
function isAnswered({ finding, before, repeats }: Tracked): boolean {
  return (
    before === null &&
    repeats.some(({ answered, severity }) => answered && !isWorse(finding.severity, severity))
  )
}

/**
 * Keeps repeated reviews from adding lesser findings on unchanged code: there, a model's new claim
 * must be worse than everything that was reported for the file. New critical findings are always
 * reported. Rules are exempt: a new claim of a rule on unchanged lines is caused by a change
 * elsewhere, or `track.ts` places it in the summary.
 */
function isNotWorse({ finding, byRule, before, isSeen, worstReported }: Tracked): boolean {
  const isExempt = before === null ? finding.severity === 'critical' : before.state === 'open'
  return !isExempt && byRule === null && isSeen && !isWorse(finding.severity, worstReported)
}

function isNewAndNotWorse(claim: Verified): boolean {
  return claim.before === null && isNotWorse(claim)
}

/** The verifier refuted the claim of a model or another tool. */
function isRefuted({ finding, outcome }: Verified): boolean {
  return !isOwnRule(finding.rule) && outcome === 'refuted'
}

/** The claim is new and minor, none of our rules makes it, and the verifier couldn't confirm it. */
function isMinorAndUnconfirmed({ finding, before, outcome }: Verified): boolean {
  const isUnsure = !isOwnRule(finding.rule) && outcome === 'unsure'
  return !isOpen(before) && isUnsure && finding.severity === 'minor'
}

function isBelowMinSeverity({ finding, before }: Verified, settings: PolicySettings): boolean {
  const { minSeverity } = settingsAt(settings, finding.path)
  return !isOpen(before) && isWorse(minSeverity, finding.severity)
}

function isOpen(before: Tracked['before']): boolean {
  return before?.state === 'open'
}
