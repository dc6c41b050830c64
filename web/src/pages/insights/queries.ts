// What is asked of the service for insights: both parts at once, so that what is shown is of one moment.
import { queryOptions } from '@tanstack/react-query'
import type { insights } from '../../../../src/http/contract/analytics.ts'
import type { reviewing } from '../../../../src/http/contract/reviewing.ts'
import type { Api } from '../../api/api.ts'
import type { Answer } from '../../api/json.ts'
import { type InsightsSearch, usualPeriod } from './insights-search.ts'

/** What came of the pull requests. */
export type Outcome = Answer<typeof insights>
/** How their reviewing went. */
export type Reviewing = Answer<typeof reviewing>
export type Day = Reviewing['days'][number]

export interface Insights {
  readonly outcome: Outcome
  readonly reviewing: Reviewing
}

/** The live stream says when to ask anew. */
export function insightsQuery(api: Api, { days = usualPeriod, repo }: InsightsSearch) {
  return queryOptions({
    queryKey: ['insights', { days, repo }],
    queryFn: async ({ signal }): Promise<Insights> => {
      const query = { days, repo }
      const [outcome, reviewing] = await Promise.all([
        api.ask<Outcome>('/api/v1/analytics/insights', { query, signal }),
        api.ask<Reviewing>('/api/v1/analytics/reviewing', { query, signal }),
      ])
      return { outcome, reviewing }
    },
  })
}
