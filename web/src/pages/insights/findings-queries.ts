// API queries of the list of findings.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { ApiClient } from '../../api/api-client.ts'
import type { RequestOf, ResponseOf } from '../../api/endpoints.ts'
import type { FindingsSearch } from './findings-search.ts'

export type FindingEntry = ResponseOf<'listFindings'>['findings'][number]

export type FindingCounts = ResponseOf<'countFindings'>

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

/** The values of each filter, with the number of findings that the other filters select. */
export function findingCountsQuery(api: ApiClient, filter: FindingsSearch) {
  const { sort: _, ...query } = toQuery(filter)
  return queryOptions({
    queryKey: ['insights', 'finding-counts', query],
    queryFn: ({ signal }) => api.call('countFindings', { query }, { signal }),
    placeholderData: keepPreviousData,
  })
}

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
