// Requests new reviews for pull requests that were reopened or whose model was unavailable.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { transactionWithRetry } from '../db/transaction.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'
import { insertReviewRequest, redoEvent, toolLogsEvent } from '../events/review-requests.ts'
import type { RedoTrigger } from './run-outcome.ts'
import { hasWaitingEvents, lockPullRequest } from './runs.ts'

/** Limits the cost of a review that fails in the same way each time. */
const maxRunsOfHead = 5
/** CI of a fork can cause these, so they have a limit of their own. */
const maxToolRunsOfHead = 3
/** The next round finds the others. */
const maxBatchSize = 100

/** Selects runs `r` of open pull requests that wait for this trigger. */
const selectPendingRedos = (trigger: RedoTrigger) => sql`
  from workflow_runs r join pull_requests p on p.repo = r.repo and p.number = r.pr_number
  where r.redo_when = ${trigger} and p.state = 'open'`

/**
 * Stops repeating runs whose head was reviewed too often already: because of other tools, or for
 * other reasons.
 *
 * @param triggers what the runs wait for
 */
export async function dropExhaustedRedos(db: Db, triggers: readonly RedoTrigger[]): Promise<void> {
  await transactionWithRetry(db, (tx) =>
    sql`update workflow_runs r set redo_when = null
      where redo_when = any(${triggers}::text[]) and (
        select case r.redo_when
          when 'tools' then count(*) filter (where is_by_tools) >= ${sql.lit(maxToolRunsOfHead)}
          else count(*) filter (where not is_by_tools) > ${sql.lit(maxRunsOfHead)} end
        from (
          select exists (select from events e
            where e.repo = s.repo and e.pr_number = s.pr_number and e.run_id = s.id
              and e.event_type = ${toolLogsEvent}) as is_by_tools
          from workflow_runs s
          where s.repo = r.repo and s.pr_number = r.pr_number and s.head_sha = r.head_sha
        ) as runs_of_head)`.execute(tx),
  )
}

export async function hasPendingRedos(db: Db, trigger: RedoTrigger): Promise<boolean> {
  const { rows } = await sql`select 1 ${selectPendingRedos(trigger)} limit 1`.execute(db)
  return rows.length > 0
}

/**
 * Requests a review of each open pull request whose latest run waits for this trigger, and clears
 * the trigger of older runs. Call `dropExhaustedRedos` before.
 *
 * @returns how many reviews were requested
 */
export async function redoReviews(db: Db, trigger: RedoTrigger): Promise<number> {
  const { rows } = await sql<PullRequestRef & { id: number; isLatest: boolean }>`
    select r.id, r.repo, r.pr_number as number,
      not exists (
        select 1 from workflow_runs n
        where n.repo = r.repo and n.pr_number = r.pr_number and n.id > r.id) as is_latest
    ${selectPendingRedos(trigger)} order by r.id limit ${sql.lit(maxBatchSize)}`.execute(db)
  let requestedCount = 0
  for (const { isLatest, ...run } of rows)
    if (await redoRun(db, run, { trigger, isLatest })) requestedCount += 1
  return requestedCount
}

/**
 * Requests the review of a run again, and clears its trigger. Only clears it if the run isn't the
 * latest of its pull request.
 *
 * @returns whether the review was requested
 */
export async function redoRun(
  db: Db,
  { id, ...ref }: PullRequestRef & { readonly id: number },
  { trigger, isLatest }: { trigger: RedoTrigger; isLatest: boolean },
): Promise<boolean> {
  return transactionWithRetry(db, async (tx) => {
    if ((await lockPullRequest(tx, ref)) !== 'open') return false
    const { rows: cleared } = await sql<{ event: number | null }>`
      update workflow_runs set redo_when = null where id = ${id} and redo_when = ${trigger}
      returning (select max(id) from events where run_id = workflow_runs.id) as event`.execute(tx)
    const event = cleared[0]?.event ?? null
    if (event === null || !isLatest) return false
    const isByTools = trigger === 'tools'
    // Another worker or a user has requested the review already. What waits may only decide the
    // verdict again, though, which reads no logs of tools.
    if (!isByTools && (await hasWaitingEvents(tx, ref))) return false
    await insertReviewRequest(tx, ref, { id: event, type: isByTools ? toolLogsEvent : redoEvent })
    return true
  })
}
