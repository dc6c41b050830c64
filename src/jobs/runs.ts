// Claims, leases and ends of pull-request reviews (runs). All times are the database's clock.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { ConnectionEndedError, LeaseLostError } from '../domain/errors.ts'
import type { PullRequestRef, PullRequestState } from '../domain/pull-request.ts'
import { refreshListing } from '../events/listing.ts'
import { dismissalEvent } from '../events/review-requests.ts'
import {
  type ClaimOptions,
  type ClaimResult,
  clampFutureTimes,
  countAttempts,
  findClaimObstacle,
  isOverdue,
  leaseEnd,
  type RequeueOptions,
} from './leases.ts'
import { outcomeColumns, type RunOutcome } from './run-outcome.ts'

/** A claimed run. `fence` differs for each claim of a run. */
export interface ClaimedRun extends PullRequestRef {
  readonly id: number
  readonly fence: number
  /** 1 for the first attempt; attempts that lost their worker don't count. */
  readonly attempt: number
  /** The head of the newest delivery at the time when this run claimed its events. */
  readonly lastSeenHead: string | null
  /** How long its oldest event had waited for the claim, in seconds. */
  readonly waitedSeconds: number
}

const unfinishedStatuses = ['pending', 'processing'] as const
const newRun = { status: 'pending', attempts: 0, losses: 0 } as const

/**
 * Claims the review of a pull request: the run and its pending events become `processing` under a
 * lease. A run whose lease has expired is taken over with a higher fence.
 */
export async function claimRun(
  db: Db,
  ref: PullRequestRef,
  options: ClaimOptions,
): Promise<ClaimResult<ClaimedRun>> {
  return db.transaction().execute(async (tx) => {
    await lockPullRequest(tx, ref)
    const existing = await findUnfinishedRun(tx, ref)
    const obstacle = existing && findClaimObstacle(existing)
    if (obstacle) return obstacle
    const { attempt, losses, isExhausted } = countAttempts(existing ?? newRun, options)
    if (existing && isExhausted) {
      await endAsExhausted(tx, existing.id, losses)
      await refreshListing(tx, ref)
      return { kind: 'exhausted' }
    }
    if (!existing && !(await hasWaitingEvents(tx, ref))) return { kind: 'settled' }
    const id = existing?.id ?? (await insertRun(tx, ref))
    const fence = await startRun(tx, id, losses, options)
    const waitedSeconds = await moveEventsToRun(tx, ref, id)
    await refreshListing(tx, ref)
    const lastSeenHead = await readLastSeenHead(tx, ref)
    return {
      kind: 'claimed',
      run: { ...ref, id, fence, attempt, lastSeenHead, waitedSeconds },
    }
  })
}

function findUnfinishedRun(tx: Db, ref: PullRequestRef) {
  return tx
    .selectFrom('workflow_runs')
    .select(['id', 'status', 'attempts', 'losses'])
    .select(sql<boolean>`coalesce(lease_until > now(), false)`.as('held'))
    .select(
      sql<number>`coalesce(extract(epoch from retry_at - now()), 0)::float8`.as('wait_seconds'),
    )
    .where(samePullRequest(ref))
    .where('status', 'in', unfinishedStatuses)
    .executeTakeFirst()
}

/** Gives the run to the worker for one lease. Returns the fence of this claim. */
async function startRun(
  tx: Db,
  id: number,
  losses: number,
  { worker, leaseSeconds }: ClaimOptions,
): Promise<number> {
  const { fence } = await tx
    .updateTable('workflow_runs')
    .set((eb) => ({
      status: 'processing',
      worker,
      attempts: eb('attempts', '+', 1),
      losses,
      fence: eb('fence', '+', 1),
      lease_until: leaseEnd(leaseSeconds),
      retry_at: null,
      started_at: sql`coalesce(started_at, now())`,
    }))
    .where('id', '=', id)
    .returning('fence')
    .executeTakeFirstOrThrow()
  return fence
}

/** Extends the lease. Throws LeaseLostError if another worker holds the run. */
export async function extendLease(db: Db, run: ClaimedRun, leaseSeconds: number): Promise<void> {
  const result = await db
    .updateTable('workflow_runs')
    .set({ lease_until: leaseEnd(leaseSeconds) })
    .where(heldBy(run))
    .returning('id')
    .execute()
  if (result.length === 0) throw new LeaseLostError()
}

/** Throws LeaseLostError if another worker holds the run or its lease has expired. */
async function assertLease(db: Db, run: ClaimedRun): Promise<void> {
  const held = await db
    .selectFrom('workflow_runs')
    .select('id')
    .where(heldBy(run))
    .where('lease_until', '>', sql<Date>`now()`)
    .executeTakeFirst()
  if (!held) throw new LeaseLostError()
}

/**
 * Every write to the code host is preceded by this check. Throws LeaseLostError like `assertLease`,
 * and ConnectionEndedError if the connection whose token would be used has ended.
 *
 * @param installationId null for the deployment-wide token
 */
export async function assertCanWrite(
  db: Db,
  run: ClaimedRun,
  installationId: number | null,
): Promise<void> {
  const { rows } = await sql<{ connected: boolean }>`
    select coalesce(
      (select is_active from installations where id = ${installationId}), true) as connected
    from workflow_runs where ${heldBy(run)} and lease_until > now()`.execute(db)
  const [held] = rows
  if (!held) throw new LeaseLostError()
  if (!held.connected) throw new ConnectionEndedError()
}

/**
 * Adds newly arrived events to this run, so that it settles them. Call it before reading the head:
 * the pushes of claimed events are visible at the host by then. Dismissals wait for a run of their
 * own, because this run may have loaded the findings already.
 *
 * @returns the run to go on with
 */
export async function claimEvents(db: Db, run: ClaimedRun): Promise<ClaimedRun> {
  return db.transaction().execute(async (tx) => {
    await lockRun(tx, run)
    await moveEventsToRun(tx, run, run.id, { except: dismissalEvent })
    await refreshListing(tx, run)
    return { ...run, lastSeenHead: await readLastSeenHead(tx, run) }
  })
}

/** Locks the run until the transaction ends. Throws LeaseLostError like `assertLease`. */
export async function lockRun(tx: Db, run: ClaimedRun): Promise<void> {
  await lockPullRequest(tx, run)
  await assertLease(tx, run)
}

/**
 * Ends a run and its events, in the caller's transaction. `moreWaiting`: the caller has to notify a
 * worker of waiting events; `seconds` passed since the run was first claimed. Throws LeaseLostError
 * if another worker holds the run: the transaction must roll back.
 *
 * A push after the last read of the head may have been skipped as a duplicate of an event of this
 * run. That event then stays pending, so that the next run reviews the push.
 */
export async function endRun(
  tx: Db,
  run: ClaimedRun,
  outcome: RunOutcome,
): Promise<{ moreWaiting: boolean; seconds: number }> {
  await lockPullRequest(tx, run)
  const ended = await tx
    .updateTable('workflow_runs')
    .set({
      ...outcomeColumns(outcome),
      finished_at: sql`now()`,
      lease_until: null,
    })
    .where(heldBy(run))
    .returning(sql<number>`extract(epoch from now() - started_at)::float8`.as('seconds'))
    .executeTakeFirst()
  if (!ended) throw new LeaseLostError()
  const lastSeenHead = await readLastSeenHead(tx, run)
  const readHead = outcome.kind === 'failed' ? undefined : outcome.headSha
  const hasUnseenPush = lastSeenHead !== run.lastSeenHead && lastSeenHead !== readHead
  if (hasUnseenPush) await requeueNewestEvent(tx, run)
  await tx
    .updateTable('events')
    .set({
      status: outcome.kind === 'failed' ? 'failed' : 'completed',
      processed_at: sql`now()`,
    })
    .where('run_id', '=', run.id)
    .where('status', '=', 'processing')
    .where('wants_review', '=', true)
    .execute()
  await refreshListing(tx, run)
  return { moreWaiting: await hasWaitingEvents(tx, run), seconds: ended.seconds }
}

/**
 * Returns a run and its events to the queue: with a delay after a failure, or at once when the
 * worker stops.
 */
export async function requeueRun(tx: Db, run: ClaimedRun, options: RequeueOptions): Promise<void> {
  await lockPullRequest(tx, run)
  const requeued = await tx
    .updateTable('workflow_runs')
    .set((eb) => ({
      status: 'pending',
      worker: null,
      lease_until: null,
      retry_at: sql`now() + make_interval(secs => ${options.delaySeconds})`,
      put_back_at: sql`now()`,
      attempts: options.countsAsAttempt ? eb.ref('attempts') : eb('attempts', '-', 1),
      error: options.error ?? null,
      error_code: options.errorCode ?? null,
    }))
    .where(heldBy(run))
    .returning('id')
    .execute()
  if (requeued.length === 0) throw new LeaseLostError()
  await tx
    .updateTable('events')
    .set({ status: 'pending' })
    .where('run_id', '=', run.id)
    .where('status', '=', 'processing')
    .execute()
  await refreshListing(tx, run)
}

/**
 * Lists pull requests with work that no worker holds, because a notification was lost, a worker
 * died or the clock was set back. Returns at most 1,000, the oldest first.
 */
export async function findStrandedPullRequests(
  db: Db,
  leaseSeconds: number,
): Promise<PullRequestRef[]> {
  await clampFutureTimes(db, 'workflow_runs', leaseSeconds)
  const { rows } = await sql<PullRequestRef>`
    select repo, number from (
      select repo, pr_number as number, created_at from workflow_runs
      where (status = 'processing' and lease_until < now())
        or (status = 'pending'
          and ${isOverdue(sql`coalesce(retry_at, created_at)`, sql`created_at`)})
      union all
      select e.repo, e.pr_number, e.created_at from events e
      where e.wants_review and e.status in ('pending', 'processing')
        and ${isOverdue(sql`e.created_at`, sql`e.created_at`)}
        and not exists (
          select 1 from workflow_runs r
          where r.repo = e.repo and r.pr_number = e.pr_number
            and r.status in ('pending', 'processing'))
    ) as stranded
    group by repo, number
    order by min(created_at)
    limit 1000`.execute(db)
  return rows
}

/**
 * Lists pull requests whose review was recorded `seconds` ago without updating the memory, because
 * its worker died. Returns at most 100.
 */
export async function findUnlearnedPullRequests(
  db: Db,
  seconds: number,
): Promise<PullRequestRef[]> {
  const { rows } = await sql<PullRequestRef>`
    select distinct repo, pr_number as number from workflow_runs
    where not is_learned
      and (finished_at < now() - make_interval(secs => ${seconds}) or finished_at > now())
    limit 100`.execute(db)
  return rows
}

/** Marks the runs of a pull request as processed into the memory. */
export async function markLearned(db: Db, ref: PullRequestRef): Promise<void> {
  await sql`
    update workflow_runs set is_learned = true
    where ${samePullRequest(ref)} and not is_learned`.execute(db)
}

/**
 * Ends all leases at once. Only for a database that no other process can have open: their holders
 * are gone.
 */
export async function endRunLeases(db: Db): Promise<void> {
  await db
    .updateTable('workflow_runs')
    .set({ lease_until: sql`now() - interval '1 second'` })
    .where('status', '=', 'processing')
    .execute()
}

/**
 * Locks the pull request's row, which serializes claims, ends, new events and retries. Returns the
 * pull request's stored state.
 */
export async function lockPullRequest(
  tx: Db,
  ref: PullRequestRef,
): Promise<PullRequestState | undefined> {
  const row = await tx
    .selectFrom('pull_requests')
    .select('state')
    .where('repo', '=', ref.repo)
    .where('number', '=', ref.number)
    .forUpdate()
    .executeTakeFirst()
  return row?.state
}

/** The head in the newest delivery, even if that was skipped as a duplicate. */
async function readLastSeenHead(tx: Db, ref: PullRequestRef): Promise<string | null> {
  const row = await tx
    .selectFrom('pull_requests')
    .select('head_sha')
    .where('repo', '=', ref.repo)
    .where('number', '=', ref.number)
    .executeTakeFirst()
  return row?.head_sha ?? null
}

async function requeueNewestEvent(tx: Db, run: ClaimedRun): Promise<void> {
  await tx
    .updateTable('events')
    .set({ status: 'pending' })
    .where('id', '=', (eb) =>
      eb
        .selectFrom('events')
        .select(({ fn }) => fn.max('id').as('id'))
        .where('run_id', '=', run.id)
        .where('status', '=', 'processing')
        .where('wants_review', '=', true),
    )
    .execute()
}

async function insertRun(tx: Db, ref: PullRequestRef): Promise<number> {
  const row = await tx
    .insertInto('workflow_runs')
    .values({
      workflow_type: 'pr_review',
      repo: ref.repo,
      pr_number: ref.number,
      status: 'pending',
      attempts: 0,
      fence: 0,
      worker: null,
    } as never)
    .returning('id')
    .executeTakeFirstOrThrow()
  return row.id
}

/** Returns the age of the oldest moved event in seconds. */
async function moveEventsToRun(
  tx: Db,
  ref: PullRequestRef,
  runId: number,
  { except = '' }: { except?: string } = {},
): Promise<number> {
  const moved = await tx
    .updateTable('events')
    .set({ status: 'processing', run_id: runId })
    .where('repo', '=', ref.repo)
    .where('pr_number', '=', ref.number)
    .where('wants_review', '=', true)
    .where('status', 'in', unfinishedStatuses)
    .where('event_type', '<>', except)
    .returning(sql<number>`extract(epoch from now() - created_at)::float8`.as('seconds'))
    .execute()
  return Math.max(0, ...moved.map(({ seconds }) => seconds))
}

/** Whether a requested review of the pull request is pending or in progress. */
export async function hasWaitingEvents(tx: Db, ref: PullRequestRef): Promise<boolean> {
  const waiting = await tx
    .selectFrom('events')
    .select('id')
    .where('repo', '=', ref.repo)
    .where('pr_number', '=', ref.number)
    .where('wants_review', '=', true)
    .where('status', 'in', unfinishedStatuses)
    .limit(1)
    .executeTakeFirst()
  return waiting !== undefined
}

async function endAsExhausted(tx: Db, runId: number, losses: number): Promise<void> {
  await tx
    .updateTable('workflow_runs')
    .set({
      status: 'failed',
      finished_at: sql`now()`,
      lease_until: null,
      error: sql`coalesce(error, ${`Its worker was lost ${losses} times.`})`,
      error_code: sql`coalesce(error_code, 'attempts_exhausted')`,
    })
    .where('id', '=', runId)
    .execute()
  await tx
    .updateTable('events')
    .set({ status: 'failed', processed_at: sql`now()` })
    .where('run_id', '=', runId)
    .where('status', 'in', unfinishedStatuses)
    .execute()
}

function samePullRequest(ref: PullRequestRef) {
  return sql<boolean>`repo = ${ref.repo} and pr_number = ${ref.number}`
}

function heldBy(run: ClaimedRun) {
  return sql<boolean>`id = ${run.id} and fence = ${run.fence} and status = 'processing'`
}
