// Has a model read one round, and asks it once more where it gave no proof of having read it.
import { ModelError } from '../domain/errors.ts'
import { compareBySeverity, type ProposedFinding } from '../domain/finding.ts'
import { type Assignment, askForFindings, type RoundReport } from './ask-for-findings.ts'
import { keepMostSevere } from './parse-findings.ts'
import type { ContextRound } from './reviewer.ts'

/** What came of a round. */
export interface CheckedRoundReport extends RoundReport {
  /** Why it counts as not read; null where it was. */
  readonly unreadReason: string | null
  /** Of the second asking. */
  readonly failure: ModelError | null
}

const attentionCheckFailed = 'It gave no proof of having read what it was shown.'

/**
 * Asks for the findings in one round, and once more in just the same way where the answer doesn't tell the planted
 * defect: with a new one, of which nothing was said yet. What the model found is kept either way. Throws `ModelError`
 * where there is no usable answer at all.
 *
 * @param files names those of the round, for the notes
 */
export async function reviewWithAttentionCheck(
  assignment: Assignment,
  round: ContextRound,
  files: string,
  signal: AbortSignal,
): Promise<CheckedRoundReport> {
  const callsBefore = assignment.budget.usage.calls
  const first = await askForFindings(assignment, round, files, signal)
  if (first.passedAttentionCheck) return { ...first, unreadReason: null, failure: null }
  // The limit of steps holds for the round, and what ended early would end so again.
  const steps = assignment.limits.steps - (assignment.budget.usage.calls - callsBefore)
  if (!first.complete || steps < 1)
    return { ...first, unreadReason: attentionCheckFailed, failure: null }
  try {
    const again = { ...assignment, limits: { ...assignment.limits, steps } }
    const second = await askForFindings(again, round, files, signal)
    return {
      ...mergeReports(first, second),
      unreadReason: second.passedAttentionCheck ? null : attentionCheckFailed,
      failure: null,
    }
  } catch (error) {
    // What was found before is not to be lost with it.
    if (!(error instanceof ModelError)) throw error
    return {
      ...first,
      unreadReason: `${attentionCheckFailed} ${error.publicMessage}`,
      failure: error,
    }
  }
}

/** Both answers as one; most of what the second one says repeats the first. */
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

/** Each claim once, as severe as it was made. */
function mergeFindings(findings: readonly ProposedFinding[]): ProposedFinding[] {
  const byClaim = Map.groupBy(findings, ({ path, title }) => JSON.stringify([path, title]))
  return [...byClaim.values()].map((same) => same.toSorted(compareBySeverity)[0]!)
}
