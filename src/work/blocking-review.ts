// Finds another pull request whose review, or its lack, blocks the same commit.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'
import { type ReviewEnd, reviewEnds } from '../domain/review.ts'

export interface BlockingReview {
  readonly number: number
  /** How its review ended; `pending` if one is waiting or under way. */
  readonly end: ReviewEnd | 'pending'
}

/** Whether a review of pull request `p` is waiting or under way. */
export const isReviewWaiting = sql<boolean>`exists (
  select from events e
  where e.repo = p.repo and e.pr_number = p.number and e.wants_review
    and e.status in ('pending', 'processing'))`

/**
 * Selects the decision of the latest run of pull request `p` that ended, if it is of the head and
 * base branch. It selects nothing if that run failed.
 */
export const currentDecision = sql`
  select decision from (
    select status, head_sha, base_branch, decision from workflow_runs
    where repo = p.repo and pr_number = p.number and status in ('completed', 'failed')
    order by id desc limit 1
  ) as latest
  where status = 'completed' and head_sha = p.head_sha
    and (base_branch is null or base_branch = p.base_branch)`

/**
 * Selects whether a review of pull request `p` is `waiting`, and of its current decision whether it
 * `blocks` and its `ends`. Having none blocks.
 */
const stateOfOther = sql`
  select ${isReviewWaiting} as waiting, r.ends, coalesce(r.blocks, true) as blocks
  from (select) as one
  left join lateral (
    select decision->'ends' as ends,
      -- Reviews that an earlier version skipped don't say whether they block.
      coalesce((decision->>'blocks')::boolean, false) as blocks
    from (${currentDecision}) as current
  ) as r on true`

/**
 * A commit has one check for all of its pull requests, and its author can open one against a base
 * branch with lax settings. So the strictest review decides the check. A skipped or missing one
 * counts too, or the review of another pull request would satisfy its required check.
 *
 * @returns the blocking pull request with the lowest number, one whose review has ended if there
 *   is one; null for none
 */
export async function findBlockingReview(
  db: Db,
  ref: PullRequestRef,
  headSha: string,
): Promise<BlockingReview | null> {
  const { rows } = await sql<{ number: number; waiting: boolean; ends: unknown }>`
    select p.number, state.waiting, state.ends
    from pull_requests p, lateral (${stateOfOther}) as state
    where p.repo = ${ref.repo} and p.number <> ${ref.number}
      and p.state = 'open' and p.head_sha = ${headSha} and (state.waiting or state.blocks)
    order by state.waiting, p.number limit 1`.execute(db)
  const [row] = rows
  if (row === undefined) return null
  const ends = Array.isArray(row.ends) ? row.ends : []
  const end = reviewEnds.find((one) => ends.includes(one)) ?? 'incomplete'
  return { number: row.number, end: row.waiting ? 'pending' : end }
}
