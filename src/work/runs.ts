// Pull-request reviews (runs): how claimed work becomes one, adds events, and ends. All times are
// the database's clock.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { ConnectionEndedError, LeaseLostError } from '../domain/errors.ts'
import type { PullRequestRef, PullRequestState } from '../domain/pull-request.ts'
import { refreshListing } from '../events/listing.ts'
import { dismissalEvent, fullReviewEvent } from '../events/review-requests.ts'
import { requestGroupUpdates } from './platform-requests.ts'
import { outcomeColumns, type RunOutcome } from './run-outcome.ts'
import {
  assertHeld,
  type Claim,
  describeExhaustion,
  finish,
  isHeld,
  type RequeueOptions,
  requeue,
} from './work-items.ts'

/** A run in progress, and the claim that permits to write it. */
export interface ClaimedRun extends Claim {
  readonly id: number
  /** False if an earlier claim may have done a part of it. */
  readonly isNew: boolean
  /** Whether an earlier claim came to posting the review. */
  readonly mayBePosted: boolean
  /** The head of the newest delivery at the time when this run claimed its events. */
  readonly lastSeenHead: string | null
  /** How long its oldest event had waited for the claim, in seconds. */
  readonly waitedSeconds: number
}

const unfinishedStatuses = ['pending', 'processing'] as const

/**
 * Begins the claimed review of a pull request, or goes on with its unfinished run: the run and its
 * pending events become `processing`. Returns null, and finishes the work, if nothing is left to
 * review. Throws LeaseLostError like `assertHeld`.
 */
export async function beginRun(db: Db, claim: Claim): Promise<ClaimedRun | null> {
  return db.transaction().execute(async (tx) => {
    const lastSeenHead = await lockRun(tx, claim)
    const started = await startRun(tx, claim)
    if (started === undefined) {
      await finish(tx, claim)
      return null
    }
    const waitedSeconds = await moveEventsToRun(tx, claim, started.id)
    await refreshListing(tx, claim)
    return { ...claim, ...started, lastSeenHead, waitedSeconds }
  })
}

/** Creates the run if there is none; undefined if there are no events for one. */
async function startRun(
  tx: Db,
  { repo, number, claims }: Claim,
): Promise<Pick<ClaimedRun, 'id' | 'isNew' | 'mayBePosted'> | undefined> {
  const isUnfinished = sql`status in ('pending', 'processing')`
  const { rows } = await sql<Pick<ClaimedRun, 'id' | 'isNew' | 'mayBePosted'>>`
    insert into workflow_runs (workflow_type, repo, pr_number, status, attempts, started_at)
    select 'pr_review', ${repo}, ${number}::int, 'processing', ${claims}::int, now()
    where exists (
      select from events
      where repo = ${repo} and pr_number = ${number} and wants_review and ${isUnfinished})
    or exists (
      select from workflow_runs
      where repo = ${repo} and pr_number = ${number} and ${isUnfinished})
    on conflict (repo, pr_number) where ${isUnfinished} do update
    set status = 'processing', attempts = excluded.attempts,
      started_at = coalesce(workflow_runs.started_at, excluded.started_at)
    returning id, started_at = now() as is_new,
      posting_started_at is not null as may_be_posted`.execute(tx)
  return rows[0]
}

/** Reads the head whose check shows that the run is in progress; null if none does. */
export async function readShownHead(db: Db, { id }: ClaimedRun): Promise<string | null> {
  const row = await db
    .selectFrom('workflowRuns')
    .select('shownHeadSha')
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.shownHeadSha ?? null
}

/**
 * Stores that head, or null after its check ended. Call it before the check shows the progress: the
 * worker may be lost in between.
 */
export async function saveShownHead(
  db: Db,
  run: ClaimedRun,
  headSha: string | null,
): Promise<void> {
  await db
    .updateTable('workflowRuns')
    .set({ shownHeadSha: headSha })
    .where('id', '=', run.id)
    .where(sql<boolean>`exists (select where ${isHeld(run)})`)
    .execute()
}

/** Stores that the review will be posted. */
export async function markPosting(tx: Db, run: ClaimedRun): Promise<void> {
  const values = { postingStartedAt: sql<Date>`now()` }
  await tx.updateTable('workflowRuns').set(values).where('id', '=', run.id).execute()
}

/** Returns the ID of the newest event of a run: the page and the API show its review under it. */
export async function readEventId(db: Db, run: ClaimedRun): Promise<number> {
  const { id } = await db
    .selectFrom('events')
    .select('id')
    .where('repo', '=', run.repo)
    .where('prNumber', '=', run.number)
    .where('runId', '=', run.id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()
  return id
}

/** What permits to use a token. */
export interface AccessBasis {
  /** The connection whose token it is; null for the deployment-wide token. */
  readonly installationId: number | null
  /** The App's installation whose token it is; null for a person's or the deployment-wide token. */
  readonly appInstallationId: number | null
}

/**
 * Every write to the code host is preceded by this check. Throws LeaseLostError like `assertHeld`,
 * and ConnectionEndedError if the connection whose token would be used has ended, or if the App was
 * removed from the repository or suspended.
 *
 * @param access null if there is no token to write with
 */
export async function assertCanWrite(
  db: Db,
  claim: Claim,
  access: AccessBasis | null,
): Promise<void> {
  const { rows } = await sql<{ connected: boolean }>`
    select ${isConnected(access)} as connected where ${isHeld(claim)}`.execute(db)
  const [held] = rows
  if (!held) throw new LeaseLostError()
  if (!held.connected) throw new ConnectionEndedError()
}

/** Precedes writes to the code host outside of claimed work. Throws ConnectionEndedError. */
export async function assertConnected(db: Db, access: AccessBasis): Promise<void> {
  const { rows } = await sql<{ connected: boolean }>`
    select ${isConnected(access)} as connected`.execute(db)
  if (!rows[0]!.connected) throw new ConnectionEndedError()
}

function isConnected(access: AccessBasis | null): RawBuilder<boolean> {
  const { installationId = null, appInstallationId = null } = access ?? {}
  return sql`coalesce((select is_active from installations where id = ${installationId}), true)
    and (${appInstallationId}::bigint is null or exists (
      select from installations i
      join app_installations a on a.id = i.app_installation_id
      where i.id = ${installationId} and a.id = ${appInstallationId}
        and a.suspended_at is null and a.removed_at is null
    ))`
}

/**
 * Adds newly arrived events to this run, so that it settles them. Call it before reading the head:
 * the pushes of claimed events are visible at the host by then. Dismissals and requests for full
 * reviews wait for a run of their own, because this run may have loaded the findings already.
 *
 * @returns the run to go on with
 */
export async function claimEvents(db: Db, run: ClaimedRun): Promise<ClaimedRun> {
  return db.transaction().execute(async (tx) => {
    const lastSeenHead = await lockRun(tx, run)
    await moveEventsToRun(tx, run, run.id, { except: [dismissalEvent, fullReviewEvent] })
    await refreshListing(tx, run)
    return { ...run, lastSeenHead }
  })
}

/**
 * Locks the pull request until the transaction ends. Throws LeaseLostError like `assertHeld`.
 *
 * @returns the head in the newest delivery, even if that was skipped as a duplicate
 */
export async function lockRun(tx: Db, claim: Claim): Promise<string | null> {
  const pullRequest = await lockRow(tx, claim)
  await assertHeld(tx, claim)
  return pullRequest?.headSha ?? null
}

/**
 * Ends a run and its events in the caller's transaction, and finishes the work or, if events
 * arrived meanwhile, requests the next run. Throws LeaseLostError if another worker holds the run:
 * the transaction must roll back.
 *
 * A push after the last read of the head may have been skipped as a duplicate of an event of this
 * run. That event then stays pending, so that the next run reviews the push.
 *
 * @returns the seconds since the run was first claimed
 */
export async function endRun(tx: Db, run: ClaimedRun, outcome: RunOutcome): Promise<number> {
  const lastSeenHead = (await lockRow(tx, run))?.headSha ?? null
  const { seconds } = await tx
    .updateTable('workflowRuns')
    .set({ ...outcomeColumns(outcome), finishedAt: sql`now()` })
    .where('id', '=', run.id)
    .returning(sql<number>`extract(epoch from now() - started_at)::float8`.as('seconds'))
    .executeTakeFirstOrThrow()
  const readHead = outcome.kind === 'failed' ? undefined : outcome.seen.headSha
  const hasUnseenPush = lastSeenHead !== run.lastSeenHead && lastSeenHead !== readHead
  if (hasUnseenPush) await requeueNewestEvent(tx, run)
  await tx
    .updateTable('events')
    .set({
      status: outcome.kind === 'failed' ? 'failed' : 'completed',
      processedAt: sql`now()`,
    })
    .where('runId', '=', run.id)
    .where('status', '=', 'processing')
    .where('wantsReview', '=', true)
    .execute()
  await refreshListing(tx, run)
  await requestGroupUpdates(tx, run)
  await finish(tx, run, { again: await hasWaitingEvents(tx, run) })
  return seconds
}

/** Returns a run and its events to the queue in the caller's transaction, as `requeue` does. */
export async function requeueRun(tx: Db, run: ClaimedRun, options: RequeueOptions): Promise<void> {
  await lockPullRequest(tx, run)
  const attempts = await requeue(tx, run, options)
  await tx
    .updateTable('workflowRuns')
    .set({
      status: 'pending',
      attempts,
      error: options.failure?.message ?? null,
      errorCode: options.failure?.code ?? null,
    })
    .where('id', '=', run.id)
    .execute()
  await tx
    .updateTable('events')
    .set({ status: 'pending' })
    .where('runId', '=', run.id)
    .where('status', '=', 'processing')
    .execute()
  await refreshListing(tx, run)
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
 * Locks the pull request's row, which serializes claims, ends, new events and retries. Returns the
 * pull request's stored state.
 */
export async function lockPullRequest(
  tx: Db,
  ref: PullRequestRef,
): Promise<PullRequestState | undefined> {
  return (await lockRow(tx, ref))?.state
}

function lockRow(tx: Db, { repo, number }: PullRequestRef) {
  return tx
    .selectFrom('pullRequests')
    .select(['state', 'headSha'])
    .where('repo', '=', repo)
    .where('number', '=', number)
    .forUpdate()
    .executeTakeFirst()
}

async function requeueNewestEvent(tx: Db, run: ClaimedRun): Promise<void> {
  await tx
    .updateTable('events')
    .set({ status: 'pending' })
    .where('id', '=', (eb) =>
      eb
        .selectFrom('events')
        .select(({ fn }) => fn.max('id').as('id'))
        .where('runId', '=', run.id)
        .where('status', '=', 'processing')
        .where('wantsReview', '=', true),
    )
    .execute()
}

/** Returns the age of the oldest moved event in seconds. */
async function moveEventsToRun(
  tx: Db,
  ref: PullRequestRef,
  runId: number,
  { except = [] }: { except?: readonly string[] } = {},
): Promise<number> {
  const moved = await tx
    .updateTable('events')
    .set({ status: 'processing', runId })
    .where('repo', '=', ref.repo)
    .where('prNumber', '=', ref.number)
    .where('wantsReview', '=', true)
    .where('status', 'in', unfinishedStatuses)
    .$if(except.length > 0, (query) => query.where('eventType', 'not in', except))
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
    .where('prNumber', '=', ref.number)
    .where('wantsReview', '=', true)
    .where('status', 'in', unfinishedStatuses)
    .limit(1)
    .executeTakeFirst()
  return waiting !== undefined
}

/**
 * Fails the run of exhausted work with its events, in the caller's transaction. Events that arrived
 * meanwhile get a run of their own.
 *
 * @returns the id of the run; undefined if there was none
 */
export async function failExhaustedRun(tx: Db, claim: Claim): Promise<number | undefined> {
  await lockPullRequest(tx, claim)
  const failed = await tx
    .updateTable('workflowRuns')
    .set({
      ...outcomeColumns({ kind: 'failed', ...describeExhaustion(claim) }),
      finishedAt: sql`now()`,
    })
    .where(samePullRequest(claim))
    .where('status', 'in', unfinishedStatuses)
    .returning('id')
    .executeTakeFirst()
  await tx
    .updateTable('events')
    .set({ status: 'failed', processedAt: sql`now()` })
    .where('runId', '=', failed?.id ?? null)
    .where('status', 'in', unfinishedStatuses)
    .execute()
  await refreshListing(tx, claim)
  await requestGroupUpdates(tx, claim)
  await finish(tx, claim, { again: await hasWaitingEvents(tx, claim) })
  return failed?.id
}

function samePullRequest(ref: PullRequestRef) {
  return sql<boolean>`repo = ${ref.repo} and pr_number = ${ref.number}`
}
