// API queries of the settings page.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { ApiClient } from '../../api/api-client.ts'
import type { ResponseOf } from '../../api/endpoints.ts'
import type { CodeHost } from '../../api/platform-name.ts'

export type Settings = ResponseOf<'showSettings'>
export type SourceHealth = ResponseOf<'checkSources'>['sources'][number]
export type SetupCheck = ResponseOf<'runChecks'>['checks'][number]
export type App = NonNullable<ResponseOf<'showApp'>['app']>
export type AppInstallation = App['installations'][number]
export type ApiToken = ResponseOf<'listApiTokens'>['tokens'][number]
export type NewApiToken = ResponseOf<'createApiToken'>
export type NotificationChannel = ResponseOf<'listNotificationChannels'>['channels'][number]
export type People = ResponseOf<'listPeople'>
export type Person = People['people'][number]
export type DeletionPlan = ResponseOf<'planPersonDeletion'>
export type CheckedSettings = ResponseOf<'checkSettingsFile'>
export type Rule = ResponseOf<'listRules'>['rules'][number]
export type AuditEntry = ResponseOf<'listAudit'>['entries'][number]

export function settingsQuery(api: ApiClient) {
  return queryOptions({
    queryKey: ['settings'],
    queryFn: ({ signal }) => api.call('showSettings', {}, { signal }),
    staleTime: 5 * 60_000,
  })
}

/** Takes as long as the slowest source. */
export function sourcesQuery(api: ApiClient) {
  return queryOptions({
    queryKey: ['settings', 'sources'],
    queryFn: ({ signal }) => api.call('checkSources', {}, { signal }),
  })
}

/** Only for administrators. Waits for the models to respond. */
export function checksQuery(api: ApiClient) {
  return queryOptions({
    queryKey: ['settings', 'checks'],
    queryFn: ({ signal }) => api.call('runChecks', {}, { signal }),
    // The service repeats the checks at most once a minute, and after a change of the App.
    staleTime: 0,
  })
}

/** The API answers administrators only. */
/** The parameter that names a host to endpoints; none for the first one. */
export function hostQuery({ id, suffix }: CodeHost): { host?: string } {
  return suffix === '' ? {} : { host: id }
}

export function appQuery(api: ApiClient, host: CodeHost) {
  return queryOptions({
    queryKey: ['app', host.id],
    queryFn: ({ signal }) => api.call('showApp', { query: hostQuery(host) }, { signal }),
    // People return here after they installed it in another tab.
    staleTime: 0,
  })
}

export function tokensQuery(api: ApiClient) {
  return queryOptions({
    queryKey: ['tokens'],
    queryFn: ({ signal }) => api.call('listApiTokens', {}, { signal }),
  })
}

export function channelsQuery(api: ApiClient) {
  return queryOptions({
    queryKey: ['notifications'],
    queryFn: ({ signal }) => api.call('listNotificationChannels', {}, { signal }),
    // A failure of the last notification must appear.
    staleTime: 0,
  })
}

/** Administrators get everyone, others themselves. */
export function peopleQuery(api: ApiClient) {
  return queryOptions({
    queryKey: ['people'],
    queryFn: ({ signal }) => api.call('listPeople', {}, { signal }),
    staleTime: 0,
  })
}

/** What the deletion of a person would do. */
export function deletionQuery(api: ApiClient, id: number) {
  return queryOptions({
    queryKey: ['people', id, 'deletion'],
    queryFn: ({ signal }) => api.call('planPersonDeletion', { params: { id } }, { signal }),
    staleTime: 0,
  })
}

/** @param repo counts findings of this repository only; empty for all */
export function rulesQuery(api: ApiClient, repo: string) {
  return queryOptions({
    queryKey: ['rules', repo],
    queryFn: ({ signal }) =>
      api.call('listRules', { query: { repo: repo || undefined } }, { signal }),
    // The rules stay in place while the counts of another repository load.
    placeholderData: keepPreviousData,
  })
}

export function ruleSamplesQuery(api: ApiClient, id: string) {
  return queryOptions({
    queryKey: ['rule-samples', id],
    queryFn: ({ signal }) => api.call('readRuleSamples', { params: { id } }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** The first repositories that are connected to the account, by name. */
export function connectedNamesQuery(api: ApiClient) {
  return queryOptions({
    queryKey: ['repositories', 'names'],
    queryFn: ({ signal }) =>
      api.call('listRepositories', { query: { connected: 'true', per_page: 100 } }, { signal }),
  })
}

export function auditQuery(api: ApiClient) {
  return infiniteQueryOptions({
    queryKey: ['audit'],
    queryFn: ({ pageParam, signal }) =>
      api.call('listAudit', { query: { before: pageParam ?? undefined } }, { signal }),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
    // New entries must appear immediately.
    staleTime: 0,
  })
}
