// Leases on claimed work, measured by the database's clock and extended while the work runs.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { RunStatus } from '../db/schema.ts'
import { LeaseLostError } from '../domain/errors.ts'

/** The result of claiming a piece of work. */
export type ClaimResult<Claimed> =
  | { readonly kind: 'claimed'; readonly run: Claimed }
  /** Another worker holds it, and looks for newer events before it ends. */
  | { readonly kind: 'busy' }
  /** The delay before the next attempt isn't over yet. */
  | { readonly kind: 'later'; readonly seconds: number }
  /** It used up its attempts or lost too many workers, and was just marked as failed. */
  | { readonly kind: 'exhausted' }
  /** No work is waiting. */
  | { readonly kind: 'settled' }

/**
 * The claiming worker, the length of its lease, and how many failures and lost workers are allowed.
 */
export interface ClaimOptions {
  readonly worker: string
  readonly leaseSeconds: number
  readonly maxAttempts: number
  readonly maxLosses: number
}

/** The stored row of work that is pending or whose lease has expired. */
interface Claimable {
  readonly status: RunStatus
  readonly attempts: number
  readonly losses: number
}

/**
 * Counts the attempts of work that is being claimed. A lost worker interrupts all of its work,
 * which says little about one piece: losses don't count as attempts and have a higher limit.
 *
 * @returns the number of the attempt that begins, from 1, and the number of lost workers
 */
export function countAttempts(
  { status, attempts, losses }: Claimable,
  { maxAttempts, maxLosses }: ClaimOptions,
): { attempt: number; losses: number; isExhausted: boolean } {
  const totalLosses = losses + Number(status === 'processing')
  const failures = attempts - totalLosses
  return {
    attempt: failures + 1,
    losses: totalLosses,
    isExhausted: failures >= maxAttempts || totalLosses >= maxLosses,
  }
}

/** Why existing work can't be claimed now; null if it can. */
export function findClaimObstacle({
  status,
  held,
  wait_seconds: seconds,
}: {
  status: RunStatus
  held: boolean
  wait_seconds: number
}): { kind: 'busy' } | { kind: 'later'; seconds: number } | null {
  if (status === 'processing' && held) return { kind: 'busy' }
  if (status === 'pending' && seconds > 0) return { kind: 'later', seconds }
  return null
}

export interface RequeueOptions {
  readonly delaySeconds: number
  readonly countsAsAttempt: boolean
  readonly error?: string
  readonly errorCode?: string
}

/**
 * Shortens leases and waits that lie too far in the future after the clock was set back. The
 * heartbeats of living workers extend their leases again.
 */
export async function clampFutureTimes(
  db: Db,
  table: 'workflow_runs' | 'scans',
  leaseSeconds: number,
): Promise<void> {
  const maxLeaseEnd = leaseEnd(leaseSeconds)
  await sql`
    update ${sql.table(table)} set
      lease_until = case when lease_until > ${maxLeaseEnd} then ${maxLeaseEnd} else lease_until end,
      retry_at = case when put_back_at > now() then null else retry_at end,
      put_back_at = case when put_back_at > now() then null else put_back_at end
    where status in ('pending', 'processing')
      and (lease_until > ${maxLeaseEnd} or put_back_at > now())`.execute(db)
}

/**
 * True if work due at `due` is 5 s late, or if `since`, when it was created, lies in the future.
 */
export function isOverdue(
  due: RawBuilder<unknown>,
  since: RawBuilder<unknown>,
): RawBuilder<boolean> {
  return sql<boolean>`(${due} < now() - interval '5 seconds' or ${since} > now())`
}

/** An SQL expression for the end of a lease that starts now. */
export function leaseEnd(seconds: number) {
  return sql<Date>`now() + make_interval(secs => ${seconds})`
}

/**
 * Runs `work` while extending its lease every third of its length.
 *
 * @param lease `extend` throws LeaseLostError when another worker holds the lease
 * @param work its signal is aborted when the lease is lost or couldn't be extended in time
 */
export async function withLease<Result>(
  lease: { readonly seconds: number; extend(): Promise<void> },
  work: (lost: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const lost = new AbortController()
  let validUntil = performance.now() + lease.seconds * 1000
  const extend = async () => {
    const requestedAt = performance.now()
    try {
      await lease.extend()
      validUntil = requestedAt + lease.seconds * 1000
    } catch (error) {
      if (error instanceof LeaseLostError) lost.abort(error)
    }
  }
  const heartbeat = () => {
    // This also covers a database that doesn't answer at all.
    if (performance.now() > validUntil) lost.abort(new LeaseLostError())
    else void extend()
  }
  const timer = setInterval(heartbeat, (lease.seconds * 1000) / 3)
  try {
    return await work(lost.signal)
  } finally {
    clearInterval(timer)
  }
}
