// Runs: who holds a pull request's review, for how long, and how it ends. All times are the database's clock.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'
import { ConnectionEndedError, LeaseLostError } from '../domain/errors.ts'
import type { PullRequestRef, PullRequestState } from '../domain/pull-request.ts'
import { refreshListing } from '../events/listing.ts'
import { dismissalEvent } from '../events/review-requests.ts'
import {
  type ClaimOptions,
  type ClaimResult,
  clampFutureTimes,
  countAttempts,
  isOverdue,
  leaseEnd,
  type RequeueOptions,
} from './leases.ts'
import type { RedoTrigger } from './redo-reviews.ts'

/** A claimed run. `fence` tells this claim from earlier and later ones. */
export interface ClaimedRun extends PullRequestRef {
  readonly id: number
  readonly fence: number
  /** 1 for the first try; those that lost their worker don't count. */
  readonly attempt: number
  /** The head that deliveries had told of when its events were taken up last. */
  readonly lastSeenHead: string | null
  /** How long the oldest of its events had waited for the claim, in seconds. */
  readonly waitedSeconds: number
}

const unfinishedStatuses = ['pending', 'processing'] as const
const newRun = { status: 'pending', attempts: 0, losses: 0 } as const

/**
 * Takes up a pull request's review: the run becomes `processing` under a lease, and so do its waiting events. A run
 * whose lease ended is taken over with a higher fence.
 */
export async function claimRun(
  db: Db,
  ref: PullRequestRef,
  options: ClaimOptions,
): Promise<ClaimResult<ClaimedRun>> {
  return db.transaction().execute(async (tx) => {
    await lockPullRequest(tx, ref)
    const existing = await tx
      .selectFrom('workflow_runs')
      .select(['id', 'status', 'attempts', 'losses'])
      .select(sql<boolean>`coalesce(lease_until > now(), false)`.as('held'))
      .select(
        sql<number>`coalesce(extract(epoch from retry_at - now()), 0)::float8`.as('wait_seconds'),
      )
      .where(samePullRequest(ref))
      .where('status', 'in', unfinishedStatuses)
      .executeTakeFirst()
    if (existing?.status === 'processing' && existing.held) return { kind: 'busy' }
    if (existing?.status === 'pending' && existing.wait_seconds > 0) {
      return { kind: 'later', seconds: existing.wait_seconds }
    }
    const { attempt, losses, isExhausted } = countAttempts(existing ?? newRun, options)
    if (existing && isExhausted) {
      await endAsExhausted(tx, existing.id, losses)
      await refreshListing(tx, ref)
      return { kind: 'exhausted' }
    }
    if (!existing && !(await hasWaitingEvents(tx, ref))) return { kind: 'settled' }
    const id = existing?.id ?? (await insertRun(tx, ref))
    const run = await tx
      .updateTable('workflow_runs')
      .set((eb) => ({
        status: 'processing',
        worker: options.worker,
        attempts: eb('attempts', '+', 1),
        losses,
        fence: eb('fence', '+', 1),
        lease_until: leaseEnd(options.leaseSeconds),
        retry_at: null,
        started_at: sql`coalesce(started_at, now())`,
      }))
      .where('id', '=', id)
      .returning('fence')
      .executeTakeFirstOrThrow()
    const waitedSeconds = await moveEventsToRun(tx, ref, id)
    await refreshListing(tx, ref)
    const lastSeenHead = await readLastSeenHead(tx, ref)
    return {
      kind: 'claimed',
      run: { ...ref, id, fence: run.fence, attempt, lastSeenHead, waitedSeconds },
    }
  })
}

/** Prolongs the lease. Throws LeaseLostError when the run isn't ours any more. */
export async function extendLease(db: Db, run: ClaimedRun, leaseSeconds: number): Promise<void> {
  const result = await db
    .updateTable('workflow_runs')
    .set({ lease_until: leaseEnd(leaseSeconds) })
    .where(heldBy(run))
    .returning('id')
    .execute()
  if (result.length === 0) throw new LeaseLostError()
}

/** Throws LeaseLostError when the run isn't ours any more or its lease ended. */
export async function assertLease(db: Db, run: ClaimedRun): Promise<void> {
  const held = await db
    .selectFrom('workflow_runs')
    .select('id')
    .where(heldBy(run))
    .where('lease_until', '>', sql<Date>`now()`)
    .executeTakeFirst()
  if (!held) throw new LeaseLostError()
}

/**
 * What every write to the platform asks first. Throws LeaseLostError as `assertLease`, and ConnectionEndedError where the
 * repository was disconnected from whose token it would be written with.
 *
 * @param installationId null for the deployment-wide token
 */
export async function assertCanWrite(
  db: Db,
  run: ClaimedRun,
  installationId: number | null,
): Promise<void> {
  const { rows } = await sql<{ connected: boolean }>`
    select coalesce((select is_active from installations where id = ${installationId}), true) as connected
    from workflow_runs where ${heldBy(run)} and lease_until > now()`.execute(db)
  const [held] = rows
  if (!held) throw new LeaseLostError()
  if (!held.connected) throw new ConnectionEndedError()
}

/**
 * Makes the events that came in meanwhile this run's own, so that it settles them. Called before the head is looked
 * at: a push whose event is taken up here is visible at the platform by then. A dismissal waits for a run of its own,
 * as this one may have recalled the findings already. Returns the run as it is to go on.
 */
export async function claimEvents(db: Db, run: ClaimedRun): Promise<ClaimedRun> {
  return db.transaction().execute(async (tx) => {
    await lockRun(tx, run)
    await moveEventsToRun(tx, run, run.id, { except: dismissalEvent })
    await refreshListing(tx, run)
    return { ...run, lastSeenHead: await readLastSeenHead(tx, run) }
  })
}

/** Holds the run until the transaction ends: nobody takes it over meanwhile. Throws LeaseLostError as `assertLease`. */
export async function lockRun(tx: Db, run: ClaimedRun): Promise<void> {
  await lockPullRequest(tx, run)
  await assertLease(tx, run)
}

/** The columns of a run that its end sets. */
export type RunOutcome = Partial<
  Pick<
    Schema['workflow_runs'],
    | 'head_sha'
    | 'verdict'
    | 'confidence'
    | 'summary'
    | 'published_url'
    | 'seen_lines'
    | 'error'
    | 'error_code'
  > & {
    files_analyzed: number
    coverage: string
    usage: string
    sources: string | null
    reach: string | null
    decision: string
    timings: string
    warnings: string
    redo_when: RedoTrigger | null
    basis: string
  }
>

/**
 * Ends a run and its events, in the caller's transaction. Returns whether more events are waiting, for which the
 * caller sends a wake-up, and the seconds since the run was claimed first. Throws LeaseLostError when the run isn't ours any more: the transaction must roll back.
 *
 * A push after the last look at the head may have been skipped as a duplicate of an event of this run. Then that event
 * isn't settled: it waits for the next run, which reviews the push.
 */
export async function endRun(
  tx: Db,
  run: ClaimedRun,
  status: 'completed' | 'failed',
  outcome: RunOutcome,
): Promise<{ moreWaiting: boolean; seconds: number }> {
  await lockPullRequest(tx, run)
  const ended = await tx
    .updateTable('workflow_runs')
    .set({
      ...outcome,
      status,
      finished_at: sql`now()`,
      lease_until: null,
      is_learned: !outcome.verdict,
    })
    .where(heldBy(run))
    .returning(sql<number>`extract(epoch from now() - started_at)::float8`.as('seconds'))
    .executeTakeFirst()
  if (!ended) throw new LeaseLostError()
  const lastSeenHead = await readLastSeenHead(tx, run)
  if (lastSeenHead !== run.lastSeenHead && lastSeenHead !== outcome.head_sha)
    await requeueNewestEvent(tx, run)
  await tx
    .updateTable('events')
    .set({ status, processed_at: sql`now()` })
    .where('run_id', '=', run.id)
    .where('status', '=', 'processing')
    .where('wants_review', '=', true)
    .execute()
  await refreshListing(tx, run)
  return { moreWaiting: await hasWaitingEvents(tx, run), seconds: ended.seconds }
}

/**
 * Gives a run back, to be taken up again: after a fault with a delay, or at once when the worker stops. Its events
 * wait again.
 */
export async function requeueRun(tx: Db, run: ClaimedRun, options: RequeueOptions): Promise<void> {
  await lockPullRequest(tx, run)
  const back = await tx
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
  if (back.length === 0) throw new LeaseLostError()
  await tx
    .updateTable('events')
    .set({ status: 'pending' })
    .where('run_id', '=', run.id)
    .where('status', '=', 'processing')
    .execute()
  await refreshListing(tx, run)
}

/**
 * Pull requests that wait though nobody holds them: their wake-up was lost, their worker died, or a clock went back. The
 * oldest first, at most 1000.
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
         or (status = 'pending' and ${isOverdue(sql`coalesce(retry_at, created_at)`, sql`created_at`)})
      union all
      select e.repo, e.pr_number, e.created_at from events e
      where e.wants_review and e.status in ('pending', 'processing')
        and ${isOverdue(sql`e.created_at`, sql`e.created_at`)}
        and not exists (
          select 1 from workflow_runs r
          where r.repo = e.repo and r.pr_number = e.pr_number and r.status in ('pending', 'processing'))
    ) as stranded
    group by repo, number
    order by min(created_at)
    limit 1000`.execute(db)
  return rows
}

/**
 * Pull requests of which a review was recorded so many seconds ago and nothing was learned: whoever was at it has died. At most
 * 100.
 */
export async function findUnlearnedPullRequests(
  db: Db,
  seconds: number,
): Promise<PullRequestRef[]> {
  const { rows } = await sql<PullRequestRef>`
    select distinct repo, pr_number as number from workflow_runs
    where not is_learned and (finished_at < now() - make_interval(secs => ${seconds}) or finished_at > now())
    limit 100`.execute(db)
  return rows
}

/** Writes down that what there was to learn of a pull request was learned. */
export async function markLearned(db: Db, ref: PullRequestRef): Promise<void> {
  await sql`update workflow_runs set is_learned = true where ${samePullRequest(ref)} and not is_learned`.execute(
    db,
  )
}

/**
 * Ends all leases at once. Only for a database that no other process can have open: whoever held them is dead.
 */
export async function endRunLeases(db: Db): Promise<void> {
  await db
    .updateTable('workflow_runs')
    .set({ lease_until: sql`now() - interval '1 second'` })
    .where('status', '=', 'processing')
    .execute()
}

/**
 * Locks the pull request's row: claims, ends, new events and retries of one pull request come one after the other. Returns
 * how it stands.
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

/** The head that the newest delivery told of, also one that was skipped as a duplicate. */
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

/** Returns how long the oldest of them has waited, in seconds. */
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

/** Whether a review of the pull request is asked for that has not ended. */
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
