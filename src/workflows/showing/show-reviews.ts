// Reads the list of reviews and single reviews, with the current states of their pull requests.

import { findScope, findScopeWithin } from '../../accounts/scope.ts'
import type { Caller } from '../../accounts/tokens.ts'
import type { ServiceContext } from '../../context.ts'
import type { EventStatus } from '../../contract/enums.ts'
import type { PullRequestState, RepositoryName } from '../../domain/pull-request.ts'
import { type ListedReview, listReviews, type ReviewQuery } from '../../events/list-reviews.ts'
import { type ReviewDetail, readReview } from '../../events/read-review.ts'
import { pullRequestKey, refreshStates } from './refresh-states.ts'

interface ListRequest {
  readonly status?: EventStatus | PullRequestState | undefined
  readonly search: string
  readonly limit: number
  /** The list is limited to this repository. */
  readonly repo?: RepositoryName | undefined
  /** The list is limited to entries with a smaller id. */
  readonly before?: number | undefined
}

type ReadContext = Pick<ServiceContext, 'db' | 'hosts'>

const refOf = (review: ListedReview) => ({ repo: review.repoName, number: review.prNumber })

/**
 * Lists the reviews that the caller may see. States that can't be fetched before the signal is
 * aborted are the stored ones.
 */
export async function showReviews(
  ctx: ReadContext,
  caller: Caller,
  { status, search, limit, repo, before }: ListRequest,
  signal: AbortSignal,
): Promise<ListedReview[]> {
  const query = { scope: await findScopeWithin(ctx.db, caller, repo), search, limit, before }
  if (status === undefined) return showStates(ctx, caller, await listReviews(ctx.db, query), signal)
  if (status === 'open' || status === 'merged' || status === 'closed') {
    await refreshNewest(ctx, caller, query, signal)
    return listReviews(ctx.db, { ...query, filter: { column: 'state', values: [status] } })
  }
  const filter = { column: 'listedStatus', values: [status] } as const
  return showStates(ctx, caller, await listReviews(ctx.db, { ...query, filter }), signal)
}

/** Refreshes the newest reviews that may have changed, before the stored states filter the list. */
async function refreshNewest(
  ctx: ReadContext,
  caller: Caller,
  query: ReviewQuery,
  signal: AbortSignal,
): Promise<void> {
  const filter = { column: 'state', values: ['open', 'closed'] } as const
  const candidates = await listReviews(ctx.db, { ...query, filter })
  await refreshStates(ctx, { userId: caller.userId, pullRequests: candidates.map(refOf) }, signal)
}

async function showStates<Review extends ListedReview>(
  ctx: ReadContext,
  caller: Caller,
  reviews: readonly Review[],
  signal: AbortSignal,
): Promise<Review[]> {
  const states = await refreshStates(
    ctx,
    { userId: caller.userId, pullRequests: reviews.map(refOf) },
    signal,
  )
  return reviews.map((review) => ({
    ...review,
    prStatus: states.get(pullRequestKey(refOf(review))) ?? review.prStatus,
  }))
}

/** Reads one review; undefined if there is none that the caller may see. */
export async function showReview(
  ctx: ReadContext,
  caller: Caller,
  id: number,
  signal: AbortSignal,
): Promise<ReviewDetail | undefined> {
  const review = await readReview(ctx.db, await findScope(ctx.db, caller), id)
  if (review === undefined) return undefined
  const [shown] = await showStates(ctx, caller, [review], signal)
  return shown
}
