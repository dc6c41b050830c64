// Serves what became of findings and pull requests.
import { findScopeWithin } from '../accounts/scope.ts'
import { type Outcomes, readOutcomes } from '../analytics/outcomes.ts'
import type { ServiceContext } from '../context.ts'
import * as contract from '../contract/outcome-endpoints.ts'
import type { AddRoute } from './add-route.ts'

export function addOutcomeRoutes(addRoute: AddRoute, { db }: ServiceContext): void {
  addRoute(contract.outcomes, async ({ caller, query: { days, repo } }) => {
    const scope = await findScopeWithin(db, caller, repo)
    return describeOutcomes(await readOutcomes(db, scope, days), days)
  })
}

/** Times inside of JSON are texts. */
function describeOutcomes({ start, end, ...outcomes }: Outcomes, days: number) {
  const { firstReview, parts, openCritical } = outcomes
  return {
    ...outcomes,
    period: { start, end, days },
    firstReview: {
      current: roundTimes(firstReview.current),
      previous: roundTimes(firstReview.previous),
    },
    parts: parts.map((part) => ({
      ...part,
      start: new Date(part.start),
      end: new Date(part.end),
      firstReviewMedianSeconds: round(part.firstReviewMedianSeconds),
    })),
    openCritical: openCritical.map((entry) => ({ ...entry, mergedAt: new Date(entry.mergedAt) })),
  }
}

function roundTimes({ medianSeconds, p90Seconds, count }: Outcomes['firstReview']['current']) {
  return { medianSeconds: round(medianSeconds), p90Seconds: round(p90Seconds), count }
}

/** Rounds to hundredths. */
function round(value: number | null): number | null {
  return value === null ? null : Math.round(value * 100) / 100
}
