// What is asked of the service about repositories. What is of one is keyed by its name: the live stream says when to ask anew.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { contributors, graph } from '../../../../src/http/contract/analytics.ts'
import type {
  listMemories,
  memoryHistory,
  memoryStats,
  projectMap,
} from '../../../../src/http/contract/memory.ts'
import type { listRepositories } from '../../../../src/http/contract/repositories.ts'
import type { readScan } from '../../../../src/http/contract/scans.ts'
import type { Api } from '../../api/api.ts'
import type { Answer } from '../../api/json.ts'
import type { CodeMap } from './code/code-map.ts'

type RepositoriesPage = Answer<typeof listRepositories>
export type Repository = RepositoriesPage['repositories'][number]
export type Scan = Answer<typeof readScan>
export type MapEntry = Answer<typeof projectMap>['memories'][number]
type MemoriesPage = Answer<typeof listMemories>
export type Memory = MemoriesPage['memories'][number]
export type MemoryType = Memory['type']
export type PastMemory = Answer<typeof memoryHistory>['memories'][number]
export type Graph = Answer<typeof graph>
export type Contributor = Answer<typeof contributors>['contributors'][number]

/** Those that are connected to the person's account, or those that the platform lets them connect. */
export function repositoriesQuery(api: Api, filter: { connected: boolean; search: string }) {
  return infiniteQueryOptions({
    queryKey: ['repositories', filter],
    queryFn: ({ pageParam: page, signal }) => {
      const query = {
        connected: String(filter.connected),
        search: filter.search,
        page,
        per_page: 30,
      }
      return api.ask<RepositoriesPage>('/api/v1/repos', { query, signal })
    },
    initialPageParam: 1,
    getNextPageParam: ({ page, has_more }) => (has_more ? page + 1 : null),
  })
}

export function scanQuery(api: Api, repo: string) {
  return queryOptions({
    queryKey: ['repository', repo, 'scan'],
    queryFn: ({ signal }) => api.ask<Scan>('/api/v1/memory/scan', { query: { repo }, signal }),
  })
}

export function projectMapQuery(api: Api, repo: string) {
  return queryOptions({
    queryKey: ['repository', repo, 'map'],
    queryFn: ({ signal }) =>
      api.ask<Answer<typeof projectMap>>('/api/v1/memory/project-map', { query: { repo }, signal }),
  })
}

export function memoryStatsQuery(api: Api, repo: string) {
  return queryOptions({
    queryKey: ['repository', repo, 'stats'],
    queryFn: ({ signal }) =>
      api.ask<Answer<typeof memoryStats>>('/api/v1/memory/stats', { query: { repo }, signal }),
  })
}

/** Listed, or searched where there are words. */
export function memoriesQuery(
  api: Api,
  repo: string,
  filter: { search: string; type: MemoryType | '' },
) {
  return infiniteQueryOptions({
    queryKey: ['repository', repo, 'memories', filter],
    queryFn: ({ pageParam, signal }) => {
      const query = { repo, ...filter, before: pageParam ?? undefined, limit: 30 }
      return api.ask<MemoriesPage>('/api/v1/memory', { query, signal })
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })
}

export function memoryHistoryQuery(api: Api, repo: string, id: string) {
  return queryOptions({
    queryKey: ['repository', repo, 'history', id],
    queryFn: ({ signal }) =>
      api.ask<Answer<typeof memoryHistory>>(`/api/v1/memory/${id}/history`, {
        query: { repo },
        signal,
      }),
  })
}

export function graphQuery(api: Api, repo: string) {
  return queryOptions({
    queryKey: ['repository', repo, 'graph'],
    queryFn: ({ signal }) => api.ask<Graph>('/api/v1/analytics/graph', { query: { repo }, signal }),
  })
}

/** What is below a directory; `.` for the root. */
export function codeMapQuery(api: Api, repo: string, path: string) {
  return queryOptions({
    queryKey: ['repository', repo, 'code-map', path],
    queryFn: ({ signal }) =>
      api.ask<CodeMap>('/api/v1/memory/code-map', { query: { repo, path }, signal }),
  })
}

/** By username. */
export function contributorsQuery(api: Api, repo: string) {
  return infiniteQueryOptions({
    queryKey: ['repository', repo, 'contributors'],
    queryFn: ({ pageParam: page, signal }) =>
      api.ask<Answer<typeof contributors>>('/api/v1/analytics/contributors', {
        query: { repo, page },
        signal,
      }),
    initialPageParam: 1,
    getNextPageParam: ({ page = 1, total_pages: pages = 1 }) => (page < pages ? page + 1 : null),
  })
}
