// Asks a model for the findings in one round, and again when it failed the attention check.
import { ModelError } from '../domain/errors.ts'
import { compareBySeverity, type ProposedFinding } from '../domain/finding.ts'
import { type Assignment, askForFindings, type RoundReport } from './ask-for-findings.ts'
import type { ContextRound } from './packed-context.ts'
import { keepMostSevere } from './parse-findings.ts'
import type { AttentionCount } from './reviewer.ts'

export interface CheckedRoundReport extends RoundReport {
  /** Why the round counts as not read; null when it was read. */
  readonly unreadReason: string | null
  readonly attention: AttentionCount
  /** The error that ended the second request. */
  readonly failure: ModelError | null
}

const attentionCheckFailed = 'It gave no proof of having read what it was shown.'

/**
 * Asks for the findings in one round. When the answer doesn't report the canary, asks again with
 * another canary, and merges the findings. Throws `ModelError` when there is no usable answer.
 *
 * @param files names the files of the round, for the notes
 */
export async function reviewWithAttentionCheck(
  assignment: Assignment,
  round: ContextRound,
  files: string,
  signal: AbortSignal,
): Promise<CheckedRoundReport> {
  const callsBefore = assignment.budget.usage.calls
  const first = await askForFindings(assignment, round, files, signal)
  const shown = assignment.canaryFields.length === 0 ? 0 : 1
  if (first.passedAttentionCheck)
    return { ...first, unreadReason: null, attention: { shown, missed: 0 }, failure: null }
  const onceMissed = {
    ...first,
    unreadReason: attentionCheckFailed,
    attention: { shown, missed: 1 },
  }
  // Both requests share the round's steps, and an answer that ended early would do so again.
  const steps = assignment.limits.steps - (assignment.budget.usage.calls - callsBefore)
  if (!first.complete || steps < 1) return { ...onceMissed, failure: null }
  try {
    const secondAssignment = { ...assignment, limits: { ...assignment.limits, steps } }
    const second = await askForFindings(secondAssignment, round, files, signal)
    return {
      ...mergeReports(first, second),
      unreadReason: second.passedAttentionCheck ? null : attentionCheckFailed,
      attention: { shown: 2, missed: second.passedAttentionCheck ? 1 : 2 },
      failure: null,
    }
  } catch (error) {
    // A failed second request must not lose the findings of the first.
    if (!(error instanceof ModelError)) throw error
    return {
      ...onceMissed,
      unreadReason: `${attentionCheckFailed} ${error.publicMessage}`,
      failure: error,
    }
  }
}

export function addAttention(counts: readonly (AttentionCount | undefined)[]): AttentionCount {
  const sum = (key: keyof AttentionCount) =>
    counts.reduce((total, count) => total + (count?.[key] ?? 0), 0)
  return { shown: sum('shown'), missed: sum('missed') }
}

/** Merges both answers. The second one mostly repeats the first, so counts are not added up. */
function mergeReports(first: RoundReport, second: RoundReport): RoundReport {
  const all = mergeFindings([...first.findings, ...second.findings])
  const findings = keepMostSevere(all)
  return {
    findings,
    summary: second.summary === '' ? first.summary : second.summary,
    notes: [...new Set([...first.notes, ...second.notes])],
    dropped: Math.max(first.dropped, second.dropped) + all.length - findings.length,
    answeredBy: [...first.answeredBy, ...second.answeredBy],
    complete: second.complete,
    passedAttentionCheck: second.passedAttentionCheck,
  }
}

/** Keeps the most severe of equal claims. */
function mergeFindings(findings: readonly ProposedFinding[]): ProposedFinding[] {
  const byClaim = Map.groupBy(findings, ({ path, title }) => JSON.stringify([path, title]))
  return [...byClaim.values()].map((same) => same.toSorted(compareBySeverity)[0]!)
}
