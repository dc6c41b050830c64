// The queue of all background work: what has to be done, who works on it until when, and when it is
// tried again. All times are the database's clock.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { limitRows } from '../db/limit-rows.ts'
import type { Row } from '../db/schema.ts'
import { LeaseLostError } from '../domain/errors.ts'
import type { RepositoryName } from '../domain/pull-request.ts'

export const workKinds = ['review', 'scan', 'request', 'answer'] as const
export type WorkKind = (typeof workKinds)[number]

/** Names a piece of work, which the queue contains at most once. */
export interface WorkSubject {
  readonly kind: WorkKind
  readonly repo: RepositoryName
  /** The number of the pull request; 0 for a scan; else the id of a platform request. */
  readonly number: number
}

interface NewWork extends WorkSubject {
  /**
   * The pull request where it has to be done in the order of `number`: one at a time, and not
   * before an earlier one that waits for another attempt. Undefined or null if it needs no order.
   */
  readonly pullNumber?: number | null
}

/** Claimed work. The fence is higher than those of all earlier claims. */
export interface Claim extends WorkSubject {
  readonly fence: number
  /** How many times it was claimed, without claims that were given back. */
  readonly claims: number
  /** 1 for the first attempt; attempts that lost their worker don't count. */
  readonly attempt: number
  /** How many of the claims lost their worker. */
  readonly losses: number
  /** For how long it has been in the queue. */
  readonly ageSeconds: number
  /** Why the last attempt failed. */
  readonly failure: WorkFailure | null
  /** Whether its owner has more work of this kind that is due. */
  readonly hasMore: boolean
}

/** The message is shown to people. */
export interface WorkFailure {
  readonly message: string
  readonly code: string
}

/** Says that an owner has work that is due in so many seconds. */
export interface DueWork {
  readonly kind: WorkKind
  readonly owner: string
  readonly seconds: number
}

/** Work that becomes due is announced on this PostgreSQL channel as JSON, see `DueWork`. */
export const workChannel = 'umpire_work'

/** Builds an expression that announces a work item, due in `seconds`, on commit. */
function announceWork(seconds: number): RawBuilder<unknown> {
  return sql`pg_notify(${workChannel},
    json_build_object('kind', kind, 'owner', owner, 'seconds', ${seconds}::float8)::text)`
}

/**
 * Adds work that is due now, in the caller's transaction. Work that is in the queue already stays
 * as it is, unless `restart` makes waiting work due now, with all of its attempts.
 */
export async function enqueue(
  tx: Db,
  subjects: readonly NewWork[],
  { restart = false }: { restart?: boolean } = {},
): Promise<void> {
  if (subjects.length === 0) return
  const onConflict = restart
    ? sql`(kind, repo, number) do update set ${freshState} where work_items.status = 'pending'`
    : sql`do nothing`
  await sql`
    with added as (
      insert into work_items (kind, repo, number, pull_number)
      select * from unnest(
        ${subjects.map(({ kind }) => kind)}::text[],
        ${subjects.map(({ repo }) => repo)}::text[],
        ${subjects.map(({ number }) => number)}::int[],
        ${subjects.map(({ pullNumber }) => pullNumber)}::int[])
      on conflict ${onConflict}
      returning kind, owner)
    select ${announceWork(0)} from added`.execute(tx)
}

/** The columns of work that nobody has tried yet. */
const freshState = sql`status = 'pending', worker = null, attempts = 0, losses = 0,
  due_at = now(), scheduled_at = now(), created_at = now(), error = null, error_code = null`

/**
 * Claims the work of an owner that is due for the longest time, under a lease. This includes work
 * whose lease has expired: its worker is lost. It doesn't include work that an earlier one at the
 * same pull request holds up.
 *
 * @param options `worker` names the claiming worker
 */
export async function claimNext(
  db: Db,
  { kind, owner }: Pick<DueWork, 'kind' | 'owner'>,
  { worker, leaseSeconds }: { worker: string; leaseSeconds: number },
): Promise<Claim | undefined> {
  const isDue = sql`kind = ${kind} and owner = ${owner} and due_at <= now()`
  const { rows } = await sql<Row<'workItems'> & Pick<Claim, 'ageSeconds' | 'hasMore'>>`
    with next as (
      select repo, number from work_items candidate
      where ${isDue} and not exists (
        select from work_items earlier
        where earlier.kind = candidate.kind and earlier.repo = candidate.repo
          and earlier.pull_number = candidate.pull_number
          and earlier.number < candidate.number)
      order by due_at ${limitRows(1)} for update skip locked)
    update work_items w set status = 'processing', worker = ${worker},
      attempts = attempts + 1, losses = losses + (status = 'processing')::int,
      fence = nextval('work_fences'), due_at = ${fromNow(leaseSeconds)}, scheduled_at = now()
    from next where w.kind = ${kind} and w.repo = next.repo and w.number = next.number
    returning w.*,
      extract(epoch from now() - w.created_at)::float8 as age_seconds,
      exists (
        select from work_items
        where ${isDue} and (repo, number) <> (w.repo, w.number)) as has_more`.execute(db)
  const [row] = rows
  if (row === undefined) return undefined
  const { repo, number, fence, attempts: claims, losses, ageSeconds } = row
  return {
    kind,
    repo,
    number,
    fence,
    claims,
    losses,
    ageSeconds,
    attempt: claims - losses,
    failure: row.error === null ? null : { message: row.error, code: row.errorCode ?? '' },
    hasMore: row.hasMore,
  }
}

/**
 * Whether claimed work used up its attempts, or lost too many workers. A lost worker interrupts all
 * of its work, which says little about one piece: so losses have a limit of their own.
 */
export function isExhausted(
  { attempt, losses }: Pick<Claim, 'attempt' | 'losses'>,
  { maxAttempts, maxLosses }: { maxAttempts: number; maxLosses: number },
): boolean {
  return attempt > maxAttempts || losses >= maxLosses
}

/** Why exhausted work failed. */
export function describeExhaustion({ failure, losses }: Claim): WorkFailure {
  return failure ?? { message: `Its worker was lost ${losses} times.`, code: 'attempts_exhausted' }
}

/** A condition on `work_items`: nobody else has claimed the work since. */
function isClaimedBy({ kind, repo, number, fence }: Claim): RawBuilder<boolean> {
  return sql<boolean>`kind = ${kind} and repo = ${repo} and number = ${number}
    and fence = ${fence} and status = 'processing'`
}

/** A condition that is true while the claim's lease lasts. */
export function isHeld(claim: Claim): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select from work_items where ${isClaimedBy(claim)} and due_at > now())`
}

/** Throws LeaseLostError if another worker holds the work or its lease has expired. */
export async function assertHeld(db: Db, claim: Claim): Promise<void> {
  const { rows } = await sql<{ held: boolean }>`select ${isHeld(claim)} as held`.execute(db)
  if (!rows[0]!.held) throw new LeaseLostError()
}

/** Extends the lease. Throws LeaseLostError if another worker holds the work. */
export async function extendLease(db: Db, claim: Claim, leaseSeconds: number): Promise<void> {
  const { rows } = await sql`
    update work_items set due_at = ${fromNow(leaseSeconds)}, scheduled_at = now()
    where ${isClaimedBy(claim)} returning 1`.execute(db)
  if (rows.length === 0) throw new LeaseLostError()
}

export interface RequeueOptions {
  readonly delaySeconds: number
  readonly countsAsAttempt: boolean
  readonly failure?: WorkFailure
}

/**
 * Returns claimed work to the queue in the caller's transaction: with a delay after a failure, or
 * at once when the worker stops. Throws LeaseLostError like `extendLease`.
 *
 * @returns the number of claims that count
 */
export async function requeue(
  tx: Db,
  claim: Claim,
  { delaySeconds, countsAsAttempt, failure }: RequeueOptions,
): Promise<number> {
  const { rows } = await sql<{ attempts: number }>`
    with changed as (
      update work_items set status = 'pending', worker = null,
        due_at = ${fromNow(delaySeconds)}, scheduled_at = now(),
        attempts = attempts - ${countsAsAttempt ? 0 : 1},
        error = ${failure?.message ?? null}, error_code = ${failure?.code ?? null}
      where ${isClaimedBy(claim)} returning *)
    select attempts, ${announceWork(delaySeconds)} from changed`.execute(tx)
  if (rows.length === 0) throw new LeaseLostError()
  return rows[0]!.attempts
}

/**
 * Removes claimed work from the queue in the caller's transaction, and announces work that it may
 * have held up. Throws LeaseLostError like `extendLease`: the transaction must roll back.
 *
 * @param options `again`: the same work was requested meanwhile, so it starts from the beginning
 */
export async function finish(
  tx: Db,
  claim: Claim,
  { again = false }: { again?: boolean } = {},
): Promise<void> {
  const { rows } = again
    ? await sql`
        with changed as (
          update work_items set ${freshState} where ${isClaimedBy(claim)} returning *)
        select ${announceWork(0)} from changed`.execute(tx)
    : await sql`
        with changed as (delete from work_items where ${isClaimedBy(claim)} returning *)
        select case when pull_number is not null then ${announceWork(0)} end
        from changed`.execute(tx)
  if (rows.length === 0) throw new LeaseLostError()
}

/**
 * Lists who has work that is due within `withinSeconds`, also because its worker was lost. A clock
 * that was set back shortens leases and waits first; the heartbeats of living workers extend their
 * leases again.
 */
export async function findDueWork(
  db: Db,
  { leaseSeconds, withinSeconds }: { leaseSeconds: number; withinSeconds: number },
): Promise<DueWork[]> {
  await sql`
    update work_items set scheduled_at = now(),
      due_at = case status when 'processing' then ${fromNow(leaseSeconds)} else now() end
    where scheduled_at > now() + interval '5 seconds'`.execute(db)
  const { rows } = await sql<DueWork>`
    select distinct kind, owner,
      greatest(ceil(extract(epoch from due_at - now())), 0)::float8 as seconds
    from work_items where due_at < ${fromNow(withinSeconds)}`.execute(db)
  return rows
}

/**
 * Ends all leases at once. Only for a database that no other process can have open: their holders
 * are gone.
 */
export async function endAllLeases(db: Db): Promise<void> {
  await sql`update work_items set due_at = now() where status = 'processing'`.execute(db)
}

function fromNow(seconds: number): RawBuilder<Date> {
  return sql<Date>`now() + make_interval(secs => ${seconds})`
}
