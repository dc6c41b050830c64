// What the settings page asks of the service.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { createApiToken, listApiTokens } from '../../../../src/http/contract/accounts.ts'
import type { listAudit } from '../../../../src/http/contract/audit.ts'
import type {
  checkSources,
  runChecks,
  showSettings,
} from '../../../../src/http/contract/settings.ts'
import type { Api } from '../../api/api.ts'
import type { Answer } from '../../api/json.ts'

export type Settings = Answer<typeof showSettings>
export type SourceHealth = Answer<typeof checkSources>['sources'][number]
export type SetUpCheck = Answer<typeof runChecks>['checks'][number]
export type ApiToken = Answer<typeof listApiTokens>['tokens'][number]
export type NewApiToken = Answer<typeof createApiToken>
type AuditPage = Answer<typeof listAudit>
export type AuditEntry = AuditPage['entries'][number]

export function settingsQuery(api: Api) {
  return queryOptions({
    queryKey: ['settings'],
    queryFn: ({ signal }) => api.ask<Settings>('/api/v1/settings', { signal }),
    staleTime: 5 * 60_000,
  })
}

/** Takes as long as the slowest source does. */
export function sourcesQuery(api: Api) {
  return queryOptions({
    queryKey: ['settings', 'sources'],
    queryFn: ({ signal }) =>
      api.ask<Answer<typeof checkSources>>('/api/v1/settings/sources', { signal }),
  })
}

/** For administrators. Takes as long as a model may take to answer. */
export function checksQuery(api: Api) {
  return queryOptions({
    queryKey: ['settings', 'checks'],
    queryFn: ({ signal }) =>
      api.ask<Answer<typeof runChecks>>('/api/v1/settings/checks', { signal }),
    // The service itself looks no more often.
    staleTime: 60_000,
  })
}

export function tokensQuery(api: Api) {
  return queryOptions({
    queryKey: ['tokens'],
    queryFn: ({ signal }) => api.ask<Answer<typeof listApiTokens>>('/api/v1/tokens', { signal }),
  })
}

export function auditQuery(api: Api) {
  return infiniteQueryOptions({
    queryKey: ['audit'],
    queryFn: ({ pageParam, signal }) =>
      api.ask<AuditPage>('/api/v1/audit', { query: { before: pageParam ?? undefined }, signal }),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
    // What was done shows at once.
    staleTime: 0,
  })
}
