// The reviews list as far as it is loaded: the newest entries are asked for whenever something changed, older ones when
// they are wanted.
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { ApiClient } from './api-client.ts'
import type { Review } from './shared-queries.ts'

export interface ReviewsFilter {
  readonly status?: string
  readonly search?: string
  /** `owner/repo` */
  readonly repo?: string
}

export interface LoadedReviews {
  /** The newest first. */
  readonly rows: readonly Review[]
  readonly hasMore: boolean
}

const pageSize = 50

const queryKeyOf = (filter: ReviewsFilter) => ['reviews', filter] as const

/** The list. However much of it is loaded, one page is asked for anew. */
export function reviewsQuery(api: ApiClient, filter: ReviewsFilter) {
  return queryOptions({
    queryKey: queryKeyOf(filter),
    queryFn: async ({ client, signal }): Promise<LoadedReviews> => {
      const newest = await fetchPage(api, { ...filter }, signal)
      return mergeNewest(newest, client.getQueryData<LoadedReviews>(queryKeyOf(filter)))
    },
  })
}

/** Adds the page after `last`, the last row that is loaded. */
export async function loadOlderReviews(
  api: ApiClient,
  client: QueryClient,
  filter: ReviewsFilter,
  last: Review,
): Promise<void> {
  const page = await fetchPage(api, { ...filter, before: last.id })
  client.setQueryData<LoadedReviews>(queryKeyOf(filter), (known) => {
    // Meanwhile it may have been loaded from the beginning.
    if (known?.rows.at(-1)?.id !== last.id) return known
    const shown = new Set(known.rows.map(pullRequestKey))
    const rows = [...known.rows, ...page.filter((row) => !shown.has(pullRequestKey(row)))]
    return { rows, hasMore: page.length === pageSize }
  })
}

/** Notes how a review stands, where its row isn't asked for with the newest ones. */
export function updateCachedStatus(
  client: QueryClient,
  changed: Pick<Review, 'id' | 'status'>,
): void {
  client.setQueriesData<LoadedReviews>({ queryKey: ['reviews'] }, (known) => {
    const index =
      known?.rows.findIndex(({ id, status }) => id === changed.id && status !== changed.status) ??
      -1
    const row = known?.rows[index]
    if (known === undefined || row === undefined || index < pageSize) return known
    return { ...known, rows: known.rows.with(index, { ...row, status: changed.status }) }
  })
}

function fetchPage(
  api: ApiClient,
  query: ReviewsFilter & { before?: number },
  signal?: AbortSignal,
): Promise<Review[]> {
  return api.request<Review[]>('/api/v1/reviews', {
    query: { ...query, limit: pageSize },
    ...(signal && { signal }),
  })
}

/** Older rows stay, unless more came than a page holds: then some between them would be missing. */
function mergeNewest(newest: readonly Review[], known: LoadedReviews | undefined): LoadedReviews {
  const oldest = newest.at(-1)
  if (newest.length < pageSize || oldest === undefined) return { rows: newest, hasMore: false }
  const first = known?.rows[0]
  if (known === undefined || first === undefined || first.id < oldest.id)
    return { rows: newest, hasMore: true }
  const shown = new Set(newest.map(pullRequestKey))
  const older = known.rows.filter((row) => row.id < oldest.id && !shown.has(pullRequestKey(row)))
  return { rows: [...newest, ...older], hasMore: known.hasMore }
}

/** A pull request has one row. */
function pullRequestKey({ repo_name, pr_number }: Review): string {
  return `${repo_name}#${pr_number}`
}
