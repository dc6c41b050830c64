// Finds checks that no longer show what decides them. A commit has one check for all pull requests
// with that head, and each of their reviews writes it, by what was known of the others then.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'
import {
  type BlockingReview,
  currentDecision,
  findBlockingReview,
  isReviewWaiting,
} from './blocking-review.ts'

/**
 * Marks all pull requests with the head, if it has several. They stay marked when they are closed:
 * they may be reopened. This reads all pull requests of the repository: an index on heads would
 * cost each delivery more than it saves each review.
 */
export async function markSharedHead(
  db: Db,
  { repo, number }: PullRequestRef,
  headSha: string,
): Promise<void> {
  await sql`
    update pull_requests set shared_head_sha = head_sha
    where repo = ${repo} and head_sha = ${headSha} and shared_head_sha is distinct from head_sha
      and exists (
        select from pull_requests
        where repo = ${repo} and head_sha = ${headSha} and number <> ${number}
      )`.execute(db)
}

/** Whether another pull request has, or had, the head. */
export async function isHeadShared(
  db: Db,
  { repo, number }: PullRequestRef,
  headSha: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('pullRequests')
    .select('sharedHeadSha')
    .where('repo', '=', repo)
    .where('number', '=', number)
    .executeTakeFirst()
  return row?.sharedHeadSha === headSha
}

/** Finds another open pull request with the head that can write its check. */
export async function findSharer(
  db: Db,
  { repo, number }: PullRequestRef,
  headSha: string,
): Promise<PullRequestRef | undefined> {
  const { rows } = await sql<PullRequestRef>`
    select p.repo, p.number from pull_requests p
    where p.repo = ${repo} and p.number <> ${number} and p.head_sha = ${headSha}
      and p.state = 'open' and exists (
        select from events where repo = p.repo and pr_number = p.number and wants_review)
    order by p.number limit 1`.execute(db)
  return rows[0]
}

/** Limits one round, which looks at any of them. */
const maxHeads = 100

interface Sharer extends PullRequestRef {
  readonly headSha: string
  /** What the latest run of the head and base branch stored; null if there is none. */
  readonly decision: { readonly blocks?: unknown; readonly other?: unknown } | null
  /** Whether the latest run of the head is of a pull request that was closed or pushed to. */
  readonly isOverwritten: boolean
}

/**
 * Returns open pull requests whose check has to be written again: what they knew of the others
 * isn't true anymore, or one wrote it last that was closed or pushed to since. Heads of which a
 * review is waiting or under way are left out, because its end writes the check.
 */
export async function findOutdatedChecks(db: Db): Promise<PullRequestRef[]> {
  const { rows } = await sql<Sharer>`
    with heads as (
      select repo, head_sha from pull_requests p
      where shared_head_sha = head_sha and state = 'open'
      group by repo, head_sha
      having not bool_or(${isReviewWaiting})
      order by random() limit ${sql.lit(maxHeads)}
    )
    select p.repo, p.number, p.head_sha, own.decision,
      coalesce(last.is_gone and p.number = min(p.number) over head, false) as is_overwritten
    from heads
    join pull_requests p using (repo, head_sha)
    left join lateral (${currentDecision}) as own on true
    left join lateral (
      select o.state <> 'open' or o.head_sha <> p.head_sha as is_gone from pull_requests o
      join workflow_runs r on r.repo = o.repo and r.pr_number = o.number
      where o.repo = p.repo and o.shared_head_sha = p.head_sha
        and coalesce(r.head_sha, r.shown_head_sha, o.head_sha) = p.head_sha
        and r.status in ('completed', 'failed')
      order by r.finished_at desc, r.id desc limit 1
    ) as last on true
    where p.state = 'open' and exists (
      select from events where repo = p.repo and pr_number = p.number and wants_review)
    window head as (partition by p.repo, p.head_sha)
    order by p.repo, p.number`.execute(db)
  const outdated: PullRequestRef[] = []
  for (const { repo, number, headSha, decision, isOverwritten } of rows) {
    const ref = { repo, number }
    if (isOverwritten || (await isOutdated(db, ref, { headSha, decision }))) outdated.push(ref)
  }
  return outdated
}

async function isOutdated(
  db: Db,
  ref: PullRequestRef,
  { headSha, decision }: Pick<Sharer, 'headSha' | 'decision'>,
): Promise<boolean> {
  if (decision === null || decision.blocks === true) return false
  return !isSame(decision.other, await findBlockingReview(db, ref, headSha))
}

function isSame(known: unknown, now: BlockingReview | null): boolean {
  const { number = null, end = null } = (known ?? {}) as Partial<BlockingReview>
  return number === (now?.number ?? null) && end === (now?.end ?? null)
}
