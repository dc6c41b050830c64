// API query for insights. Fetches both parts together, so that their numbers match.
import { queryOptions } from '@tanstack/react-query'
import type { insightsSchema } from '../../../../src/contract/analytics-schemas.ts'
import type { reviewMetricsSchema } from '../../../../src/contract/review-metrics-schemas.ts'
import type { ApiClient } from '../../api/api-client.ts'
import type { ResponseBody } from '../../api/response-body.ts'
import { defaultPeriodDays, type InsightsSearch } from './insights-search.ts'

/** Statistics about pull requests. */
export type InsightsResponse = ResponseBody<typeof insightsSchema>
/** Statistics about reviews. */
export type ReviewMetricsResponse = ResponseBody<typeof reviewMetricsSchema>
export type DayMetrics = ReviewMetricsResponse['days'][number]

export interface Insights {
  readonly outcome: InsightsResponse
  readonly reviewing: ReviewMetricsResponse
}

export function insightsQuery(api: ApiClient, { days = defaultPeriodDays, repo }: InsightsSearch) {
  return queryOptions({
    queryKey: ['insights', { days, repo }],
    queryFn: async ({ signal }): Promise<Insights> => {
      const query = { days, repo }
      const [outcome, reviewing] = await Promise.all([
        api.request<InsightsResponse>('/api/v1/analytics/insights', { query, signal }),
        api.request<ReviewMetricsResponse>('/api/v1/analytics/reviewing', { query, signal }),
      ])
      return { outcome, reviewing }
    },
  })
}
