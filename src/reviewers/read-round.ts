// Has a model read one round, and asks it once more where it gave no proof of having read it.
import { ModelError } from '../domain/errors.ts'
import { bySeverity, type ProposedFinding } from '../domain/finding.ts'
import { type Assignment, askForFindings, type RoundReport } from './ask-for-findings.ts'
import { keepMostSevere } from './read-findings.ts'
import type { ContextRound } from './reviewer.ts'

/** What came of a round. */
export interface ReadRound extends RoundReport {
  /** Why it counts as not read; null where it was. */
  readonly unproven: string | null
  /** Of the second asking. */
  readonly failure: ModelError | null
}

const noProof = 'It gave no proof of having read what it was shown.'

/**
 * Asks for the findings in one round, and once more in just the same way where the answer doesn't tell the planted
 * defect: with a new one, of which nothing was said yet. What the model found is kept either way. Throws `ModelError`
 * where there is no usable answer at all.
 *
 * @param files names those of the round, for the notes
 */
export async function readRound(
  assignment: Assignment,
  round: ContextRound,
  files: string,
  signal: AbortSignal,
): Promise<ReadRound> {
  const callsBefore = assignment.budget.usage.calls
  const first = await askForFindings(assignment, round, files, signal)
  if (first.isProven) return { ...first, unproven: null, failure: null }
  // The limit of steps holds for the round, and what ended early would end so again.
  const steps = assignment.limits.steps - (assignment.budget.usage.calls - callsBefore)
  if (!first.complete || steps < 1) return { ...first, unproven: noProof, failure: null }
  try {
    const again = { ...assignment, limits: { ...assignment.limits, steps } }
    const second = await askForFindings(again, round, files, signal)
    return { ...join(first, second), unproven: second.isProven ? null : noProof, failure: null }
  } catch (error) {
    // What was found before is not to be lost with it.
    if (!(error instanceof ModelError)) throw error
    return { ...first, unproven: `${noProof} ${error.publicMessage}`, failure: error }
  }
}

/** Both answers as one; most of what the second one says repeats the first. */
function join(first: RoundReport, second: RoundReport): RoundReport {
  const all = uniteFindings([...first.findings, ...second.findings])
  const findings = keepMostSevere(all)
  return {
    findings,
    summary: second.summary === '' ? first.summary : second.summary,
    notes: [...new Set([...first.notes, ...second.notes])],
    dropped: Math.max(first.dropped, second.dropped) + all.length - findings.length,
    answeredBy: [...first.answeredBy, ...second.answeredBy],
    complete: second.complete,
    isProven: second.isProven,
  }
}

/** Each claim once, as severe as it was made. */
function uniteFindings(findings: readonly ProposedFinding[]): ProposedFinding[] {
  const byClaim = Map.groupBy(findings, ({ path, title }) => JSON.stringify([path, title]))
  return [...byClaim.values()].map((same) => same.toSorted(bySeverity)[0]!)
}
