// API queries about repositories. Keys contain the name, so that live updates can refresh them.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { ApiClient } from '../../api/api-client.ts'
import type { ResponseOf } from '../../api/endpoints.ts'

export type Repository = ResponseOf<'listRepositories'>['repositories'][number]
export type Scan = ResponseOf<'readScan'>
export type MapEntry = ResponseOf<'projectMap'>['memories'][number]
export type Memory = ResponseOf<'listMemories'>['memories'][number]
export type MemoryType = Memory['type']
export type PastMemory = ResponseOf<'memoryHistory'>['memories'][number]
export type RepositoryGraph = ResponseOf<'repositoryGraph'>
export type RepositorySettings = ResponseOf<'showRepositorySettings'>
export type RepositorySetting = RepositorySettings['settings'][number]
export type RepositoryHealth = ResponseOf<'showRepositoryHealth'>
export type Contributor = ResponseOf<'contributors'>['contributors'][number]

/** The parameters of a path with a repository. */
export function splitName(name: string): { owner: string; repo: string } {
  const [owner = '', repo = ''] = name.split('/')
  return { owner, repo }
}

/** Repositories that are connected to the account, or repositories that the user can connect. */
export function repositoriesQuery(api: ApiClient, filter: { connected: boolean; search: string }) {
  return infiniteQueryOptions({
    queryKey: ['repositories', filter],
    queryFn: ({ pageParam: page, signal }) => {
      const connected = filter.connected ? 'true' : 'false'
      const query = { connected, search: filter.search, page, per_page: 30 } as const
      return api.call('listRepositories', { query }, { signal })
    },
    initialPageParam: 1,
    getNextPageParam: ({ page, has_more }) => (has_more ? page + 1 : null),
  })
}

export function scanQuery(api: ApiClient, repo: string) {
  return queryOptions({
    queryKey: ['repository', repo, 'scan'],
    queryFn: ({ signal }) => api.call('readScan', { query: { repo } }, { signal }),
  })
}

export function projectMapQuery(api: ApiClient, repo: string) {
  return queryOptions({
    queryKey: ['repository', repo, 'map'],
    queryFn: ({ signal }) => api.call('projectMap', { query: { repo } }, { signal }),
  })
}

export function memoryStatsQuery(api: ApiClient, repo: string) {
  return queryOptions({
    queryKey: ['repository', repo, 'stats'],
    queryFn: ({ signal }) => api.call('memoryStats', { query: { repo } }, { signal }),
  })
}

/** Lists memories, or searches them if the filter has search words. */
export function memoriesQuery(
  api: ApiClient,
  repo: string,
  filter: { search: string; type: MemoryType | ''; origin: 'written' | 'computed' },
) {
  return infiniteQueryOptions({
    queryKey: ['repository', repo, 'memories', filter],
    queryFn: ({ pageParam, signal }) => {
      const before = pageParam ?? undefined
      const { search, type, origin } = filter
      const query = { repo, search, type: type || undefined, origin, before, limit: 30 }
      return api.call('listMemories', { query }, { signal })
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })
}

export function memoryHistoryQuery(api: ApiClient, repo: string, id: string) {
  return queryOptions({
    queryKey: ['repository', repo, 'history', id],
    queryFn: ({ signal }) =>
      api.call('memoryHistory', { params: { id }, query: { repo } }, { signal }),
  })
}

export function graphQuery(api: ApiClient, repo: string) {
  return queryOptions({
    queryKey: ['repository', repo, 'graph'],
    queryFn: ({ signal }) => api.call('repositoryGraph', { query: { repo } }, { signal }),
  })
}

/** The code map below a directory; `.` for the root. */
export function codeMapQuery(api: ApiClient, repo: string, path: string) {
  return queryOptions({
    queryKey: ['repository', repo, 'code-map', path],
    queryFn: ({ signal }) => api.call('showCodeMap', { query: { repo, path } }, { signal }),
  })
}

/** Live updates don't refresh it, because the platform is queried each time. */
export function repositoryHealthQuery(api: ApiClient, repo: string) {
  return queryOptions({
    queryKey: ['repository-health', repo],
    queryFn: ({ signal }) =>
      api.call('showRepositoryHealth', { params: splitName(repo) }, { signal }),
  })
}

/** The last five reviews. */
export function recentReviewsQuery(api: ApiClient, repo: string) {
  return queryOptions({
    queryKey: ['repository', repo, 'reviews'],
    queryFn: ({ signal }) =>
      api.call('listInbox', { query: { tab: 'all', repo, limit: 5 } }, { signal }),
  })
}

/** Live updates don't refresh it, because the platform is queried each time. */
export function repositorySettingsQuery(api: ApiClient, repo: string) {
  return queryOptions({
    queryKey: ['repository-settings', repo],
    queryFn: ({ signal }) => api.call('showRepositorySettings', { query: { repo } }, { signal }),
  })
}

export function contributorsQuery(api: ApiClient, repo: string) {
  return infiniteQueryOptions({
    queryKey: ['repository', repo, 'contributors'],
    queryFn: ({ pageParam: page, signal }) =>
      api.call('contributors', { query: { repo, page } }, { signal }),
    initialPageParam: 1,
    getNextPageParam: ({ page = 1, total_pages: pages = 1 }) => (page < pages ? page + 1 : null),
  })
}
