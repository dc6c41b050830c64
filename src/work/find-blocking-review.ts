// Finds another pull request whose review, or its lack, blocks the same commit.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'
import { type ReviewEnd, reviewEnds } from '../domain/review.ts'

export interface BlockingReview {
  readonly number: number
  readonly end: ReviewEnd
}

/**
 * A commit has one status for all of its pull requests, and its author can open one against a base
 * branch with lax settings. So the strictest review decides the status. A skipped one counts too,
 * or the review of another pull request would satisfy its required check.
 *
 * @returns the blocking pull request with the lowest number, or null
 */
export async function findBlockingReview(
  db: Db,
  ref: PullRequestRef,
  headSha: string,
): Promise<BlockingReview | null> {
  const { rows } = await sql<{ number: number; ends: unknown }>`
    select p.number, r.decision->'ends' as ends
    from pull_requests p, lateral (
      select decision, head_sha from workflow_runs
      where repo = p.repo and pr_number = p.number and status = 'completed'
        -- Reviews that an earlier version skipped don't say whether they block.
        and (verdict is not null or decision->>'blocks' is not null)
      order by id desc limit 1) as r
    where p.repo = ${ref.repo} and p.number <> ${ref.number}
      and p.state = 'open' and p.head_sha = ${headSha}
      and r.head_sha = ${headSha} and r.decision->>'blocks' = 'true'
    order by p.number limit 1`.execute(db)
  const [row] = rows
  if (row === undefined) return null
  const ends = Array.isArray(row.ends) ? row.ends : []
  return { number: row.number, end: reviewEnds.find((end) => ends.includes(end)) ?? 'incomplete' }
}
