// Requests new reviews for pull requests that were reopened, or whose model or token was missing.
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

/** Errors of reviews that had no token, or one that the code host didn't accept. */
const tokenErrors = ['no_token', 'platform_unauthorized']

/**
 * Requests the reviews of open pull requests again that failed for want of a token, if one arrived
 * since: someone who connected the repository signed in, connected it again, or installed the App.
 *
 * @returns how many reviews were requested
 */
export async function redoTokenless(db: Db): Promise<number> {
  const { rows } = await sql<PullRequestRef & { id: number; event: number }>`
    with arrivals as (
      select i.repo_full_name as repo, max(greatest(i.created_at, a.created_at, t.created_at)) as at
      from installations i
      left join app_installations a on a.id = i.app_installation_id
      left join tokens t on t.user_id = i.user_id and t.kind = 'session'
        and t.created_at > now() - ${maxAge}
      where i.is_active and greatest(i.created_at, a.created_at, t.created_at) > now() - ${maxAge}
      group by i.repo_full_name)
    select r.id, r.repo, r.pr_number as number, max(e.id) as event from arrivals
    join events e on e.repo = arrivals.repo and e.status = 'failed'
    join workflow_runs r on r.id = e.run_id and ${isTokenless} and r.finished_at < arrivals.at
    join pull_requests p on p.repo = r.repo and p.number = r.pr_number and p.state = 'open'
    group by r.id order by r.id limit ${sql.lit(maxBatchSize)}`.execute(db)
  let requestedCount = 0
  for (const { id, event, ...ref } of rows) {
    requestedCount += await transactionWithRetry(db, async (tx) => {
      if ((await lockPullRequest(tx, ref)) !== 'open' || (await hasWaitingEvents(tx, ref))) return 0
      const { rows: failed } = await sql`
        select from workflow_runs r where r.id = ${id} and ${isTokenless}`.execute(tx)
      if (failed.length === 0) return 0
      await insertReviewRequest(tx, ref, { id: event, type: redoEvent })
      return 1
    })
  }
  return requestedCount
}

/** For how long a token counts as new, so that few rows are read. */
const maxAge = sql`interval '1 day'`

/** A condition on the latest run `r` of a pull request. */
const isTokenless = sql<boolean>`r.status = 'failed' and r.error_code = any(${tokenErrors})
  and not exists (
    select from workflow_runs n
    where n.repo = r.repo and n.pr_number = r.pr_number and n.id > r.id)`
