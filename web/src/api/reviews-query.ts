// Query for the reviews list. Refreshes the newest page and loads older pages on demand.
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { ApiClient } from './api-client.ts'
import type { RequestOf } from './endpoints.ts'
import type { Review } from './shared-queries.ts'

export type ReviewsFilter = Pick<ReviewsQuery, 'status' | 'search' | 'repo'>

type ReviewsQuery = NonNullable<RequestOf<'listReviews'>['query']>

export interface LoadedReviews {
  /** Newest first. */
  readonly rows: readonly Review[]
  readonly hasMore: boolean
}

const pageSize = 50

const getQueryKey = (filter: ReviewsFilter) => ['reviews', filter] as const

/** Refetches only the newest page and merges it with the rows that are already loaded. */
export function reviewsQuery(api: ApiClient, filter: ReviewsFilter) {
  return queryOptions({
    queryKey: getQueryKey(filter),
    queryFn: async ({ client, signal }): Promise<LoadedReviews> => {
      const newest = await fetchPage(api, { ...filter }, signal)
      return mergeNewest(newest, client.getQueryData<LoadedReviews>(getQueryKey(filter)))
    },
  })
}

/** Loads the page after `last`, which must be the last loaded row. */
export async function loadOlderReviews(
  api: ApiClient,
  client: QueryClient,
  filter: ReviewsFilter,
  last: Review,
): Promise<void> {
  const page = await fetchPage(api, { ...filter, before: last.id })
  client.setQueryData<LoadedReviews>(getQueryKey(filter), (cached) => {
    // The list may have been reloaded in the meantime.
    if (cached?.rows.at(-1)?.id !== last.id) return cached
    const loadedKeys = new Set(cached.rows.map(pullRequestKey))
    const rows = [...cached.rows, ...page.filter((row) => !loadedKeys.has(pullRequestKey(row)))]
    return { rows, hasMore: page.length === pageSize }
  })
}

/** Updates the status of a review on older pages, which are not refetched. */
export function updateCachedStatus(
  client: QueryClient,
  changed: Pick<Review, 'id' | 'status'>,
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

function fetchPage(api: ApiClient, query: ReviewsQuery, signal?: AbortSignal): Promise<Review[]> {
  return api.call('listReviews', { query: { ...query, limit: pageSize } }, { signal })
}

/** Drops older rows if more than one page is new, because rows between them would be missing. */
function mergeNewest(newest: readonly Review[], cached: LoadedReviews | undefined): LoadedReviews {
  const oldest = newest.at(-1)
  if (newest.length < pageSize || oldest === undefined) return { rows: newest, hasMore: false }
  const first = cached?.rows[0]
  if (cached === undefined || first === undefined || first.id < oldest.id)
    return { rows: newest, hasMore: true }
  const loadedKeys = new Set(newest.map(pullRequestKey))
  const older = cached.rows.filter(
    (row) => row.id < oldest.id && !loadedKeys.has(pullRequestKey(row)),
  )
  return { rows: [...newest, ...older], hasMore: cached.hasMore }
}

function pullRequestKey({ repo_name, pr_number }: Review): string {
  return `${repo_name}#${pr_number}`
}
