// API queries of the settings page.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type {
  createApiTokenSchema,
  listApiTokensSchema,
} from '../../../../src/contract/account-schemas.ts'
import type { listAuditSchema } from '../../../../src/contract/audit-schemas.ts'
import type {
  checkSourcesSchema,
  runChecksSchema,
  showSettingsSchema,
} from '../../../../src/contract/settings-schemas.ts'
import type { ApiClient } from '../../api/api-client.ts'
import type { ResponseBody } from '../../api/response-body.ts'

export type Settings = ResponseBody<typeof showSettingsSchema>
export type SourceHealth = ResponseBody<typeof checkSourcesSchema>['sources'][number]
export type SetupCheck = ResponseBody<typeof runChecksSchema>['checks'][number]
export type ApiToken = ResponseBody<typeof listApiTokensSchema>['tokens'][number]
export type NewApiToken = ResponseBody<typeof createApiTokenSchema>
type AuditResponse = ResponseBody<typeof listAuditSchema>
export type AuditEntry = AuditResponse['entries'][number]

export function settingsQuery(api: ApiClient) {
  return queryOptions({
    queryKey: ['settings'],
    queryFn: ({ signal }) => api.request<Settings>('/api/v1/settings', { signal }),
    staleTime: 5 * 60_000,
  })
}

/** Takes as long as the slowest source. */
export function sourcesQuery(api: ApiClient) {
  return queryOptions({
    queryKey: ['settings', 'sources'],
    queryFn: ({ signal }) =>
      api.request<ResponseBody<typeof checkSourcesSchema>>('/api/v1/settings/sources', { signal }),
  })
}

/** Only for administrators. Waits for the models to respond. */
export function checksQuery(api: ApiClient) {
  return queryOptions({
    queryKey: ['settings', 'checks'],
    queryFn: ({ signal }) =>
      api.request<ResponseBody<typeof runChecksSchema>>('/api/v1/settings/checks', { signal }),
    // The service repeats the checks at most once a minute.
    staleTime: 60_000,
  })
}

export function tokensQuery(api: ApiClient) {
  return queryOptions({
    queryKey: ['tokens'],
    queryFn: ({ signal }) =>
      api.request<ResponseBody<typeof listApiTokensSchema>>('/api/v1/tokens', { signal }),
  })
}

export function auditQuery(api: ApiClient) {
  return infiniteQueryOptions({
    queryKey: ['audit'],
    queryFn: ({ pageParam, signal }) =>
      api.request<AuditResponse>('/api/v1/audit', {
        query: { before: pageParam ?? undefined },
        signal,
      }),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
    // New entries must appear immediately.
    staleTime: 0,
  })
}
