// Reviews again what a completed run left undone: a pull request that was closed meanwhile, or a model that was away.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { transactionWithRetry } from '../db/transaction.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'
import { insertReviewRequest, redoEvent } from '../events/review-requests.ts'
import type { Notifications } from './queue.ts'
import { hasWaitingEvents, lockPullRequest } from './runs.ts'

/**
 * What a completed run waits for to be done again. `reopened`: its pull request was closed; `model`: its model took no
 * part, or not to the end.
 */
export type RedoTrigger = 'reopened' | 'model'

/** A review that fails in the same way again and again is not paid for without end. */
const maxRunsOfHead = 5
/** At most so many at once: the next round finds the others. */
const maxBatchSize = 100

/** The runs that wait for that, of open pull requests; `r` is the run. */
const selectPendingRedos = (when: RedoTrigger) => sql`
  from workflow_runs r join pull_requests p on p.repo = r.repo and p.number = r.pr_number
  where r.redo_when = ${when} and p.state = 'open'`

/** Ends the waiting of runs whose head was reviewed too often already. */
export async function dropExhaustedRedos(db: Db): Promise<void> {
  await transactionWithRetry(db, (tx) =>
    sql`update workflow_runs r set redo_when = null
      where redo_when is not null and (select count(*) from workflow_runs s
        where s.repo = r.repo and s.pr_number = r.pr_number and s.head_sha = r.head_sha) > ${sql.lit(maxRunsOfHead)}
    `.execute(tx),
  )
}

/** Whether any review waits for that. */
export async function hasPendingRedos(db: Db, when: RedoTrigger): Promise<boolean> {
  const { rows } = await sql`select 1 ${selectPendingRedos(when)} limit 1`.execute(db)
  return rows.length > 0
}

/**
 * Asks for the review of each open pull request whose latest run waits for that, and forgets what later runs made
 * obsolete. What is in vain must be forgotten before.
 *
 * @returns how many reviews were asked for
 */
export async function redoReviews(
  db: Db,
  notifications: Notifications,
  when: RedoTrigger,
): Promise<number> {
  const { rows } = await sql<PullRequestRef & { id: number; is_latest: boolean }>`
    select r.id, r.repo, r.pr_number as number,
      not exists (select 1 from workflow_runs n where n.repo = r.repo and n.pr_number = r.pr_number and n.id > r.id)
        as is_latest
    ${selectPendingRedos(when)} order by r.id limit ${sql.lit(maxBatchSize)}`.execute(db)
  let asked = 0
  for (const { id, is_latest: isLatest, ...ref } of rows) {
    const isAsked = await transactionWithRetry(db, async (tx) => {
      if ((await lockPullRequest(tx, ref)) !== 'open') return false
      const { rows: freed } = await sql<{ event: number | null }>`
        update workflow_runs set redo_when = null where id = ${id} and redo_when = ${when}
        returning (select max(id) from events where run_id = workflow_runs.id) as event`.execute(tx)
      const event = freed[0]?.event ?? null
      // Another worker was first, or somebody asked already.
      if (event === null || !isLatest || (await hasWaitingEvents(tx, ref))) return false
      await insertReviewRequest(tx, ref, { id: event, type: redoEvent })
      await notifications.reviews.notify(tx, [ref])
      return true
    })
    if (isAsked) asked += 1
  }
  return asked
}
