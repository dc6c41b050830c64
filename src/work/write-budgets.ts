// Paces the writes of all processes to the code host: they share a budget for each account, in the
// database.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { PlatformError } from '../domain/errors.ts'
import { delay as waitInRealTime } from '../lib/abortable.ts'
import type { Log } from '../lib/logger.ts'
import { createFairSemaphore, type FairSemaphore } from '../lib/semaphore.ts'
import type { WritePacer } from '../platforms/write-pacer.ts'

/** The number of writes that an account may send; 0 for no limit. */
interface WriteLimits {
  readonly perMinute: number
  /** Counts only the writes that notify people. */
  readonly noticesPerHour: number
}

/** Work that has to wait longer ends, and is retried after that time. */
const maxWaitMs = 10 * 60_000
const maxRefusalMs = 2 * 60 * 60_000

/**
 * Creates a pacer for this process.
 *
 * @param delay waits a number of milliseconds
 */
export function createWritePacer(
  { db, log }: { db: Db; log: Pick<Log, 'debug' | 'warn'> },
  limits: WriteLimits,
  delay: typeof waitInRealTime = waitInRealTime,
): WritePacer {
  const buckets = {
    all: createBucket(limits.perMinute, 60),
    notices: createBucket(limits.noticesPerHour, 3600),
  }
  const queues = createQueues()

  async function wait(account: string, milliseconds: number, signal: AbortSignal | undefined) {
    if (milliseconds > maxWaitMs) throw tooLongWait(milliseconds)
    log.debug({ wait_ms: milliseconds }, 'A write waits for its turn')
    await delay(milliseconds, signal)
    // The host may have refused another write in the meantime.
    return readRefusal(db, account)
  }

  return {
    async waitForTurn({ account, repository, notifies }, signal) {
      // Only the first in line reserves a time, so that the repositories take turns.
      const queue = `${notifies ? 'notices' : 'silent'} ${account}`
      using _turn = await queues.enter(queue, repository, signal)
      let milliseconds = await reserve(db, account, notifies ? buckets : { all: buckets.all })
      while (milliseconds > 0) milliseconds = await wait(account, milliseconds, signal)
    },
    async recordRefusal(account, milliseconds) {
      log.warn({ wait_seconds: Math.ceil(milliseconds / 1000) }, 'The code host refuses writes')
      await saveRefusal(db, account, Math.min(milliseconds, maxRefusalMs)).catch((error) =>
        log.warn({ err: error }, 'The refusal could not be stored for other processes'),
      )
    },
  }
}

/**
 * A token bucket. In each period it admits at most as many writes as the limit: a quarter of them
 * at once, and the others while it fills again.
 */
interface Bucket {
  /** The time in which the bucket regains one write. */
  readonly stepSeconds: number
  /** How long before it is full the bucket has one write. */
  readonly burstSeconds: number
  /** If it is full later than that, then the clock was set back, and it counts as full now. */
  readonly maxSeconds: number
}

function createBucket(limit: number, seconds: number): Bucket {
  const burst = Math.max(1, Math.floor(limit / 4))
  const stepSeconds = limit === 0 ? 0 : seconds / Math.max(1, limit - burst)
  const maxSeconds = limit === 0 ? 0 : burst * stepSeconds + maxWaitMs / 1000
  return { stepSeconds, burstSeconds: (burst - 1) * stepSeconds, maxSeconds }
}

const after = (seconds: number | RawBuilder<number>) =>
  sql<Date>`now() + make_interval(secs => ${seconds})`

/**
 * Reserves the time of the next write, unless that is too long from now. The row's lock is the
 * order of all processes. A write that has to wait for the bucket of notices takes from the other
 * one before, so that silent writes don't wait with it.
 *
 * @returns how many milliseconds from now that time is
 */
async function reserve(
  db: Db,
  account: string,
  { all, notices }: { all: Bucket; notices?: Bucket },
): Promise<number> {
  const fullAt = (column: RawBuilder<Date>, { maxSeconds }: Bucket) =>
    sql<Date>`case when ${column} > ${after(maxSeconds)} then now() else ${column} end`
  const admits = (column: RawBuilder<Date>, bucket: Bucket) =>
    sql`${fullAt(column, bucket)} - make_interval(secs => ${bucket.burstSeconds})`
  const writes = sql<Date>`b.writes_full_at`
  const noticed = sql<Date>`b.notices_full_at`
  const admitted = sql<Date>`greatest(
    now(), ${admits(writes, all)},
    least(coalesce(b.refused_until, now()), ${after(maxRefusalMs / 1000)}))`
  const next =
    notices === undefined ? admitted : sql<Date>`greatest(${admitted}, ${admits(noticed, notices)})`
  const spend = (column: RawBuilder<Date>, bucket: Bucket, at: RawBuilder<Date>) =>
    sql<Date>`case
      when ${next} > ${after(maxWaitMs / 1000)} then ${fullAt(column, bucket)}
      else greatest(${fullAt(column, bucket)}, ${at})
        + make_interval(secs => ${bucket.stepSeconds}) end`
  const { rows } = await sql<{ milliseconds: number; isNew: boolean }>`
    insert into write_budgets as b (account, writes_full_at, notices_full_at, next_write_at)
    values (${account}, ${after(all.stepSeconds)}, ${after(notices?.stepSeconds ?? 0)}, now())
    on conflict (account) do update set
      writes_full_at = ${spend(writes, all, admitted)},
      notices_full_at = ${notices === undefined ? noticed : spend(noticed, notices, next)},
      next_write_at = ${next}
    returning
      ceil(extract(epoch from next_write_at - now()) * 1000)::float8 as milliseconds,
      xmax = 0 as is_new`.execute(db)
  const [row] = rows
  if (row?.isNew) await deleteUnused(db)
  return row?.milliseconds ?? 0
}

/** Deletes what says no more than a missing row. Tokens that are renewed leave such rows. */
async function deleteUnused(db: Db): Promise<void> {
  await db
    .deleteFrom('writeBudgets')
    .where(
      sql<boolean>`greatest(writes_full_at, notices_full_at, next_write_at, refused_until) < now()`,
    )
    .execute()
}

/** Returns for how many milliseconds the host refuses writes of an account; 0 if it doesn't. */
async function readRefusal(db: Db, account: string): Promise<number> {
  const row = await db
    .selectFrom('writeBudgets')
    .select(
      sql<number>`ceil(extract(epoch from refused_until - now()) * 1000)::float8`.as(
        'milliseconds',
      ),
    )
    .where('account', '=', account)
    .where('refusedUntil', '>', sql<Date>`now()`)
    .executeTakeFirst()
  return row?.milliseconds ?? 0
}

/** Stores a refusal, unless a longer one is stored. */
async function saveRefusal(db: Db, account: string, milliseconds: number): Promise<void> {
  const refusedUntil = after(milliseconds / 1000)
  const now = sql<Date>`now()`
  const latest = sql<Date>`greatest(excluded.refused_until,
    least(write_budgets.refused_until, ${after(maxRefusalMs / 1000)}))`
  await db
    .insertInto('writeBudgets')
    .values({ account, writesFullAt: now, noticesFullAt: now, nextWriteAt: now, refusedUntil })
    .onConflict((conflict) => conflict.column('account').doUpdateSet({ refusedUntil: latest }))
    .execute()
}

function tooLongWait(milliseconds: number): PlatformError {
  const message = 'The platform accepts no more writes of this account at the moment.'
  return new PlatformError('platform_rate_limited', message, { retryAfterMs: milliseconds })
}

/** Queues with names, each of which admits one write at a time. */
function createQueues() {
  const queues = new Map<string, { readonly semaphore: FairSemaphore; writes: number }>()
  return {
    async enter(name: string, repository: string, signal: AbortSignal | undefined) {
      const queue = queues.get(name) ?? { semaphore: createFairSemaphore(1), writes: 0 }
      queues.set(name, queue)
      queue.writes += 1
      const leave = () => {
        queue.writes -= 1
        if (queue.writes === 0) queues.delete(name)
      }
      try {
        const release = await queue.semaphore.acquire(repository, signal)
        return {
          [Symbol.dispose]() {
            release()
            leave()
          },
        }
      } catch (error) {
        leave()
        throw error
      }
    },
  }
}
