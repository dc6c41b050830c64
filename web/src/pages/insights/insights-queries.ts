// API query for insights. Fetches all parts together, so that their numbers match.
import { queryOptions } from '@tanstack/react-query'
import type { ApiClient } from '../../api/api-client.ts'
import type { ResponseOf } from '../../api/endpoints.ts'
import { defaultPeriodDays, type InsightsSearch } from './insights-search.ts'

/** Statistics about pull requests. */
export type InsightsResponse = ResponseOf<'insights'>
/** Statistics about reviews. */
export type ReviewMetricsResponse = ResponseOf<'reviewMetrics'>
/** What became of findings. */
export type OutcomesResponse = ResponseOf<'outcomes'>
export type DayMetrics = ReviewMetricsResponse['days'][number]

export interface Insights {
  readonly outcomes: OutcomesResponse
  readonly outcome: InsightsResponse
  readonly reviewing: ReviewMetricsResponse
}

export function insightsQuery(api: ApiClient, { days = defaultPeriodDays, repo }: InsightsSearch) {
  return queryOptions({
    queryKey: ['insights', { days, repo }],
    queryFn: async ({ signal }): Promise<Insights> => {
      const query = { days, repo }
      const [outcomes, outcome, reviewing] = await Promise.all([
        api.call('outcomes', { query }, { signal }),
        api.call('insights', { query }, { signal }),
        api.call('reviewMetrics', { query }, { signal }),
      ])
      return { outcomes, outcome, reviewing }
    },
  })
}
