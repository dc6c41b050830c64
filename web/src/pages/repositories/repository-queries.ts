// API queries about repositories. Keys contain the name, so that live updates can refresh them.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type {
  contributorsSchema,
  repositoryGraphSchema,
} from '../../../../src/contract/analytics-schemas.ts'
import type {
  listMemoriesSchema,
  memoryHistorySchema,
  memoryStatsSchema,
  projectMapSchema,
} from '../../../../src/contract/memory-schemas.ts'
import type { listRepositoriesSchema } from '../../../../src/contract/repository-schemas.ts'
import type { readScanSchema } from '../../../../src/contract/scan-schemas.ts'
import type { ApiClient } from '../../api/api-client.ts'
import type { ResponseBody } from '../../api/response-body.ts'
import type { CodeMap } from './code/code-map-model.ts'

type RepositoriesResponse = ResponseBody<typeof listRepositoriesSchema>
export type Repository = RepositoriesResponse['repositories'][number]
export type Scan = ResponseBody<typeof readScanSchema>
export type MapEntry = ResponseBody<typeof projectMapSchema>['memories'][number]
type MemoriesResponse = ResponseBody<typeof listMemoriesSchema>
export type Memory = MemoriesResponse['memories'][number]
export type MemoryType = Memory['type']
export type PastMemory = ResponseBody<typeof memoryHistorySchema>['memories'][number]
export type RepositoryGraph = ResponseBody<typeof repositoryGraphSchema>
export type Contributor = ResponseBody<typeof contributorsSchema>['contributors'][number]

/** Repositories that are connected to the account, or repositories that the user can connect. */
export function repositoriesQuery(api: ApiClient, filter: { connected: boolean; search: string }) {
  return infiniteQueryOptions({
    queryKey: ['repositories', filter],
    queryFn: ({ pageParam: page, signal }) => {
      const query = {
        connected: String(filter.connected),
        search: filter.search,
        page,
        per_page: 30,
      }
      return api.request<RepositoriesResponse>('/api/v1/repos', { query, signal })
    },
    initialPageParam: 1,
    getNextPageParam: ({ page, has_more }) => (has_more ? page + 1 : null),
  })
}

export function scanQuery(api: ApiClient, repo: string) {
  return queryOptions({
    queryKey: ['repository', repo, 'scan'],
    queryFn: ({ signal }) => api.request<Scan>('/api/v1/memory/scan', { query: { repo }, signal }),
  })
}

export function projectMapQuery(api: ApiClient, repo: string) {
  return queryOptions({
    queryKey: ['repository', repo, 'map'],
    queryFn: ({ signal }) =>
      api.request<ResponseBody<typeof projectMapSchema>>('/api/v1/memory/project-map', {
        query: { repo },
        signal,
      }),
  })
}

export function memoryStatsQuery(api: ApiClient, repo: string) {
  return queryOptions({
    queryKey: ['repository', repo, 'stats'],
    queryFn: ({ signal }) =>
      api.request<ResponseBody<typeof memoryStatsSchema>>('/api/v1/memory/stats', {
        query: { repo },
        signal,
      }),
  })
}

/** Lists memories, or searches them if the filter has search words. */
export function memoriesQuery(
  api: ApiClient,
  repo: string,
  filter: { search: string; type: MemoryType | '' },
) {
  return infiniteQueryOptions({
    queryKey: ['repository', repo, 'memories', filter],
    queryFn: ({ pageParam, signal }) => {
      const query = { repo, ...filter, before: pageParam ?? undefined, limit: 30 }
      return api.request<MemoriesResponse>('/api/v1/memory', { query, signal })
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })
}

export function memoryHistoryQuery(api: ApiClient, repo: string, id: string) {
  return queryOptions({
    queryKey: ['repository', repo, 'history', id],
    queryFn: ({ signal }) =>
      api.request<ResponseBody<typeof memoryHistorySchema>>(`/api/v1/memory/${id}/history`, {
        query: { repo },
        signal,
      }),
  })
}

export function graphQuery(api: ApiClient, repo: string) {
  return queryOptions({
    queryKey: ['repository', repo, 'graph'],
    queryFn: ({ signal }) =>
      api.request<RepositoryGraph>('/api/v1/analytics/graph', { query: { repo }, signal }),
  })
}

/** The code map below a directory; `.` for the root. */
export function codeMapQuery(api: ApiClient, repo: string, path: string) {
  return queryOptions({
    queryKey: ['repository', repo, 'code-map', path],
    queryFn: ({ signal }) =>
      api.request<CodeMap>('/api/v1/memory/code-map', { query: { repo, path }, signal }),
  })
}

export function contributorsQuery(api: ApiClient, repo: string) {
  return infiniteQueryOptions({
    queryKey: ['repository', repo, 'contributors'],
    queryFn: ({ pageParam: page, signal }) =>
      api.request<ResponseBody<typeof contributorsSchema>>('/api/v1/analytics/contributors', {
        query: { repo, page },
        signal,
      }),
    initialPageParam: 1,
    getNextPageParam: ({ page = 1, total_pages: pages = 1 }) => (page < pages ? page + 1 : null),
  })
}
