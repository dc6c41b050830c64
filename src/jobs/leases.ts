// What claims of work have in common: a lease by the database's clock, prolonged while the work goes on.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { RunStatus } from '../db/schema.ts'
import { LeaseLostError } from '../domain/errors.ts'

/** What came of trying to claim a piece of work. */
export type ClaimResult<Claimed> =
  | { readonly kind: 'claimed'; readonly run: Claimed }
  /** Another worker holds it; it looks for what is new itself when it ends. */
  | { readonly kind: 'busy' }
  /** Not to be tried again yet. */
  | { readonly kind: 'later'; readonly seconds: number }
  /** It failed, or lost its worker, too often: failed now. */
  | { readonly kind: 'exhausted' }
  /** Nothing is waiting. */
  | { readonly kind: 'settled' }

/** Who claims, for how long without a sign of life, and how often a piece of work may fail, and lose its worker. */
export interface ClaimOptions {
  readonly worker: string
  readonly leaseSeconds: number
  readonly maxAttempts: number
  readonly maxLosses: number
}

/** A piece of work that waits, or whose lease has ended, as it is stored. */
interface Claimable {
  readonly status: RunStatus
  readonly attempts: number
  readonly losses: number
}

/**
 * Counts the tries of a piece of work that is being claimed. A worker that is lost takes all that it is at along with it,
 * which says little about one piece of work: losses are no failed tries, and have a higher bound of their own.
 *
 * @returns which try begins, without those that lost their worker, and how many of those there were
 */
export function countAttempts(
  { status, attempts, losses }: Claimable,
  { maxAttempts, maxLosses }: ClaimOptions,
): { attempt: number; losses: number; isExhausted: boolean } {
  const lost = losses + Number(status === 'processing')
  const failures = attempts - lost
  return {
    attempt: failures + 1,
    losses: lost,
    isExhausted: failures >= maxAttempts || lost >= maxLosses,
  }
}

/** How a piece of work is given back. */
export interface RequeueOptions {
  readonly delaySeconds: number
  readonly countsAsAttempt: boolean
  readonly error?: string
  readonly errorCode?: string
}

/**
 * Brings back what a clock that went back has left in the future: no lease is longer than it can be, and no wait began
 * later than now. The leases of living workers are prolonged as ever.
 */
export async function clampFutureTimes(
  db: Db,
  table: 'workflow_runs' | 'scans',
  leaseSeconds: number,
): Promise<void> {
  const longest = leaseEnd(leaseSeconds)
  await sql`
    update ${sql.table(table)} set
      lease_until = case when lease_until > ${longest} then ${longest} else lease_until end,
      retry_at = case when put_back_at > now() then null else retry_at end,
      put_back_at = case when put_back_at > now() then null else put_back_at end
    where status in ('pending', 'processing') and (lease_until > ${longest} or put_back_at > now())`.execute(
    db,
  )
}

/** Whether somebody should have taken it up by now, at `due`; or it is `since` a time that is yet to come. */
export function isOverdue(
  due: RawBuilder<unknown>,
  since: RawBuilder<unknown>,
): RawBuilder<boolean> {
  return sql<boolean>`(${due} < now() - interval '5 seconds' or ${since} > now())`
}

/** When a lease of so many seconds ends. */
export function leaseEnd(seconds: number) {
  return sql<Date>`now() + make_interval(secs => ${seconds})`
}

/**
 * Does work under a lease, which is prolonged until the work ends, however it ends.
 *
 * @param lease `extend` prolongs it; throws LeaseLostError when it isn't ours any more
 * @param work its signal fires when the lease is lost, or couldn't be prolonged in time
 */
export async function withLease<Result>(
  lease: { readonly seconds: number; extend(): Promise<void> },
  work: (lost: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const lost = new AbortController()
  let goodUntil = performance.now() + lease.seconds * 1000
  const prolong = async () => {
    const asked = performance.now()
    try {
      await lease.extend()
      goodUntil = asked + lease.seconds * 1000
    } catch (error) {
      if (error instanceof LeaseLostError) lost.abort(error)
    }
  }
  const beat = () => {
    // Also when the database doesn't answer at all.
    if (performance.now() > goodUntil) lost.abort(new LeaseLostError())
    else void prolong()
  }
  const timer = setInterval(beat, (lease.seconds * 1000) / 3)
  try {
    return await work(lost.signal)
  } finally {
    clearInterval(timer)
  }
}
