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

/**
 * Selects whether a review of pull request `o` is `waiting`, and of its latest run that ended
 * whether it `blocks` and its `ends`. A run that failed blocks, as does one of another head or base
 * branch, and none at all.
 */
const stateOfOther = sql`
  select w.waiting, r.ends, coalesce(r.blocks, true) as blocks
  from (
    select exists (
      select from events e
      where e.repo = o.repo and e.pr_number = o.number and e.wants_review
        and e.status in ('pending', 'processing')) as waiting
  ) as w
  left join lateral (
    select decision->'ends' as ends,
      -- Reviews that an earlier version skipped don't say whether they block.
      coalesce((decision->>'blocks')::boolean, false) as blocks
    from (
      select status, head_sha, base_branch, decision from workflow_runs
      where repo = o.repo and pr_number = o.number and status in ('completed', 'failed')
      order by id desc limit 1
    ) as latest
    where status = 'completed' and head_sha = o.head_sha
      and (base_branch is null or base_branch = o.base_branch)
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
    select o.number, state.waiting, state.ends
    from pull_requests o, lateral (${stateOfOther}) as state
    where o.repo = ${ref.repo} and o.number <> ${ref.number}
      and o.state = 'open' and o.head_sha = ${headSha} and (state.waiting or state.blocks)
    order by state.waiting, o.number limit 1`.execute(db)
  const [row] = rows
  if (row === undefined) return null
  const ends = Array.isArray(row.ends) ? row.ends : []
  const end = reviewEnds.find((one) => ends.includes(one)) ?? 'incomplete'
  return { number: row.number, end: row.waiting ? 'pending' : end }
}
