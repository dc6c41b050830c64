// Queries for the inbox. Refreshes the newest page and loads older pages on demand.
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { ApiClient } from './api-client.ts'
import type { RequestOf, ResponseOf } from './endpoints.ts'

export type ReviewsFilter = NonNullable<RequestOf<'countInbox'>['query']>
export type InboxEntry = ResponseOf<'listInbox'>['entries'][number]
export type InboxCounts = ResponseOf<'countInbox'>

export interface LoadedReviews {
  /** Newest first. */
  readonly rows: readonly InboxEntry[]
  readonly hasMore: boolean
}

const pageSize = 50

const getQueryKey = (filter: ReviewsFilter) => ['reviews', filter] as const

/** Refetches only the newest page and merges it with the rows that are already loaded. */
export function reviewsQuery(api: ApiClient, filter: ReviewsFilter) {
  return queryOptions({
    queryKey: getQueryKey(filter),
    queryFn: async ({ client, signal }): Promise<LoadedReviews> => {
      const newest = await fetchPage(api, filter, { signal })
      return mergeNewest(newest, client.getQueryData<LoadedReviews>(getQueryKey(filter)))
    },
  })
}

/** The entries of each tab, and the values of each filter. */
export function reviewCountsQuery(api: ApiClient, filter: ReviewsFilter) {
  return queryOptions({
    queryKey: ['review-counts', filter],
    queryFn: ({ signal }) => api.call('countInbox', { query: filter }, { signal }),
  })
}

/** Loads the page after `last`, which must be the last loaded row. */
export async function loadOlderReviews(
  api: ApiClient,
  client: QueryClient,
  filter: ReviewsFilter,
  last: InboxEntry,
): Promise<void> {
  const page = await fetchPage(api, filter, { before: last.id })
  client.setQueryData<LoadedReviews>(getQueryKey(filter), (cached) => {
    // The list may have been reloaded in the meantime.
    if (cached?.rows.at(-1)?.id !== last.id) return cached
    const loadedKeys = new Set(cached.rows.map(pullRequestKey))
    const added = page.rows.filter((row) => !loadedKeys.has(pullRequestKey(row)))
    return { rows: [...cached.rows, ...added], hasMore: page.hasMore }
  })
}

/** Updates the status of a review on older pages, which are not refetched. */
export function updateCachedStatus(
  client: QueryClient,
  changed: Pick<InboxEntry, 'id' | 'status'>,
): void {
  client.setQueriesData<LoadedReviews>({ queryKey: ['reviews'] }, (cached) => {
    const index =
      cached?.rows.findIndex(({ id, status }) => id === changed.id && status !== changed.status) ??
      -1
    const row = cached?.rows[index]
    if (cached === undefined || row === undefined || index < pageSize) return cached
    return { ...cached, rows: cached.rows.with(index, { ...row, status: changed.status }) }
  })
}

async function fetchPage(
  api: ApiClient,
  filter: ReviewsFilter,
  { before, signal }: { before?: number; signal?: AbortSignal },
): Promise<LoadedReviews> {
  const query = { ...filter, limit: pageSize, before }
  const { entries, next } = await api.call('listInbox', { query }, { signal })
  return { rows: entries, hasMore: next !== null }
}

/** Drops older rows if more than one page is new, because rows between them would be missing. */
function mergeNewest(newest: LoadedReviews, cached: LoadedReviews | undefined): LoadedReviews {
  const oldest = newest.rows.at(-1)
  const first = cached?.rows[0]
  if (!newest.hasMore || oldest === undefined) return newest
  if (cached === undefined || first === undefined || first.id < oldest.id) return newest
  const loadedKeys = new Set(newest.rows.map(pullRequestKey))
  const older = cached.rows.filter(
    (row) => row.id < oldest.id && !loadedKeys.has(pullRequestKey(row)),
  )
  return { rows: [...newest.rows, ...older], hasMore: older.length === 0 || cached.hasMore }
}

function pullRequestKey({ repo_name, pr_number }: InboxEntry): string {
  return `${repo_name}#${pr_number}`
}
