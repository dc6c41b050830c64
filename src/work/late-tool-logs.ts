// Chooses reviews that wait for logs of other tools, because hosts send no event for them.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { transactionWithRetry } from '../db/transaction.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'
import type { KnownToolLogs } from '../domain/review.ts'

/** What runs longer is not waited for. */
const maxHours = 6
const minSeconds = 90

/** A review whose code host may have logs that it didn't know. */
export interface WaitingReview extends PullRequestRef {
  readonly runId: number
  readonly headSha: string
  readonly toolLogs: KnownToolLogs
}

/**
 * Claims the latest reviews of open pull requests that wait for logs. The pauses between claims of
 * one grow with the time since the review.
 */
export async function claimWaitingReviews(db: Db, limit: number): Promise<WaitingReview[]> {
  const { rows } = await sql<WaitingReview>`
    update workflow_runs r set tools_checked_at = now()
    from (
      select w.id from workflow_runs w
      join pull_requests p on p.repo = w.repo and p.number = w.pr_number
      where w.redo_when = 'tools' and w.basis->'toolLogs' is not null
        and p.state = 'open' and w.head_sha = p.head_sha
        and not exists (select from workflow_runs n
          where n.repo = w.repo and n.pr_number = w.pr_number
            and n.status in ('pending', 'processing'))
        and coalesce(w.tools_checked_at, w.finished_at) < now() - greatest(
          make_interval(secs => ${minSeconds}), (now() - w.finished_at) / 3)
      order by w.tools_checked_at nulls first
      limit ${limit}
      for update of w skip locked
    ) as due
    where r.id = due.id
    returning r.id as run_id, r.repo, r.pr_number as number, r.head_sha,
      r.basis->'toolLogs' as tool_logs`.execute(db)
  return rows
}

/**
 * Stops waiting where it took too long, and where a later run has ended. If that only decided the
 * verdict again, it took over the wait: so the wait must be there until then.
 */
export async function endLongWaits(db: Db): Promise<void> {
  await transactionWithRetry(db, (tx) =>
    sql`update workflow_runs r set redo_when = null
      where redo_when = 'tools' and (
        finished_at < now() - make_interval(hours => ${sql.lit(maxHours)})
        or exists (select from workflow_runs n
          where n.repo = r.repo and n.pr_number = r.pr_number and n.id > r.id
            and n.status = 'completed'))`.execute(tx),
  )
}

/** Stops waiting for the logs of one review, because all of them are there. */
export async function endWait(db: Db, runId: number): Promise<void> {
  await sql`update workflow_runs set redo_when = null
    where id = ${runId} and redo_when = 'tools'`.execute(db)
}
