// The reviews list as far as it is loaded: the newest entries are asked for whenever something changed, older ones when
// they are wanted.
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { Api } from './api.ts'
import type { Review } from './queries.ts'

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

const keyOf = (filter: ReviewsFilter) => ['reviews', filter] as const

/** The list. However much of it is loaded, one page is asked for anew. */
export function reviewsQuery(api: Api, filter: ReviewsFilter) {
  return queryOptions({
    queryKey: keyOf(filter),
    queryFn: async ({ client, signal }): Promise<LoadedReviews> => {
      const newest = await askPage(api, { ...filter }, signal)
      return joinNewest(newest, client.getQueryData<LoadedReviews>(keyOf(filter)))
    },
  })
}

/** Adds the page after `last`, the last row that is loaded. */
export async function loadOlder(
  api: Api,
  client: QueryClient,
  filter: ReviewsFilter,
  last: Review,
): Promise<void> {
  const page = await askPage(api, { ...filter, before: last.id })
  client.setQueryData<LoadedReviews>(keyOf(filter), (known) => {
    // Meanwhile it may have been loaded from the beginning.
    if (known?.rows.at(-1)?.id !== last.id) return known
    const shown = new Set(known.rows.map(nameOf))
    const rows = [...known.rows, ...page.filter((row) => !shown.has(nameOf(row)))]
    return { rows, hasMore: page.length === pageSize }
  })
}

/** Notes how a review stands, where its row isn't asked for with the newest ones. */
export function noteStatus(client: QueryClient, changed: Pick<Review, 'id' | 'status'>): void {
  client.setQueriesData<LoadedReviews>({ queryKey: ['reviews'] }, (known) => {
    const index =
      known?.rows.findIndex(({ id, status }) => id === changed.id && status !== changed.status) ??
      -1
    const row = known?.rows[index]
    if (known === undefined || row === undefined || index < pageSize) return known
    return { ...known, rows: known.rows.with(index, { ...row, status: changed.status }) }
  })
}

function askPage(
  api: Api,
  query: ReviewsFilter & { before?: number },
  signal?: AbortSignal,
): Promise<Review[]> {
  return api.ask<Review[]>('/api/v1/reviews', {
    query: { ...query, limit: pageSize },
    ...(signal && { signal }),
  })
}

/** Older rows stay, unless more came than a page holds: then some between them would be missing. */
function joinNewest(newest: readonly Review[], known: LoadedReviews | undefined): LoadedReviews {
  const oldest = newest.at(-1)
  if (newest.length < pageSize || oldest === undefined) return { rows: newest, hasMore: false }
  const first = known?.rows[0]
  if (known === undefined || first === undefined || first.id < oldest.id)
    return { rows: newest, hasMore: true }
  const shown = new Set(newest.map(nameOf))
  const older = known.rows.filter((row) => row.id < oldest.id && !shown.has(nameOf(row)))
  return { rows: [...newest, ...older], hasMore: known.hasMore }
}

/** A pull request has one row. */
function nameOf({ repo_name, pr_number }: Review): string {
  return `${repo_name}#${pr_number}`
}
