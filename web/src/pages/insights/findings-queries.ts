// API queries of the list of findings.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { ApiClient } from '../../api/api-client.ts'
import type { RequestOf, ResponseOf } from '../../api/endpoints.ts'
import type { FindingsSearch } from './findings-search.ts'

export type FindingEntry = ResponseOf<'listFindings'>['findings'][number]

type Query = NonNullable<RequestOf<'exportFindings'>['query']>

/** Shorter texts are not searched. */
const minSearchLength = 3

export function findingsQuery(api: ApiClient, filter: FindingsSearch) {
  return infiniteQueryOptions({
    queryKey: ['insights', 'findings', filter],
    queryFn: ({ pageParam, signal }) => {
      const query = { ...toQuery(filter), limit: 50, before: pageParam }
      return api.call('listFindings', { query }, { signal })
    },
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  })
}

/** What people can choose: repositories, authors and rules of the last 90 days. */
export function findingOptionsQuery(api: ApiClient) {
  return queryOptions({
    queryKey: ['finding-options'],
    queryFn: async ({ signal }) => {
      const query = { days: 90 }
      const [{ repos, authors }, { rules }] = await Promise.all([
        api.call('insights', { query }, { signal }),
        api.call('outcomes', { query }, { signal }),
      ])
      return { repos: repos.map(({ repo }) => repo), authors: authors.map(nameOf), rules }
    },
    staleTime: 5 * 60_000,
  })
}

/** The insights add the host to authors of further hosts. */
const nameOf = ({ author }: { author: string }) => author.replace(/@[^@]*$/, '')

/** The address of a file with all findings that match. */
export function exportPath(
  api: ApiClient,
  filter: FindingsSearch,
  format: NonNullable<Query['format']>,
): string {
  const entries = Object.entries({ ...toQuery(filter), format })
  const given = entries.filter(([, value]) => value !== undefined && value !== '')
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
  return `${api.pathOf('exportFindings')}?${query}`
}

function toQuery({ period, kind, search = '', ...filter }: FindingsSearch): Query {
  const length = Number(period?.slice(1))
  return {
    ...filter,
    search: search.length < minSearchLength ? '' : search,
    ...(period && (period.startsWith('m') ? { merged_days: length } : { days: length })),
    ...parseKind(kind),
  }
}

function parseKind(kind = ''): Pick<Query, 'rule' | 'category' | 'by'> {
  const [name, value] = [kind.slice(0, kind.indexOf(':')), kind.slice(kind.indexOf(':') + 1)]
  if (name === 'rule') return { rule: value }
  if (name === 'model') return { by: 'model', category: value as Query['category'] }
  return kind === 'model' ? { by: 'model' } : {}
}
