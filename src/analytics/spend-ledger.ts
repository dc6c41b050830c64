// Reserves the cost of model calls in the database, so that all workers together keep the limits.
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { transactionWithRetry } from '../db/transaction.ts'
import { delay } from '../lib/abortable.ts'
import {
  describeLimit,
  findRefusal,
  type LimitState,
  remainingOf,
  type SpendLedger,
} from '../models/budget.ts'
import type { ModelsConfig } from '../models/models-config.ts'
import { spentTodayUsd, startOfDay } from './model-spend.ts'

/** The calls that share the limit of one review. */
export interface SpendSubject {
  readonly owner: string
  /** It is null for the calls of one budget alone. */
  readonly name: string | null
  /** Reads the recorded cost of its earlier calls, in US dollars. */
  readonly readRecordedUsd: (db: Db) => Promise<number>
}

/** Calls end long before. An older reservation is of a dead worker, and isn't waited for. */
const maxCallMinutes = 30
const pollMs = 500
/** Reservations of dead workers count toward the day, and toward a review that is tried again. */
const retentionDays = 2

/** Opens the account of one budget. */
export function createSpendLedger(
  db: Db,
  limits: ModelsConfig['budget'],
  { name, ...others }: SpendSubject,
): SpendLedger {
  const id = randomUUID()
  const subject = { name: name ?? id, ...others }
  const hasLimits = Object.values(limits).some((limit) => limit !== null)
  return {
    id,
    reserve: async (usd) => {
      if (!hasLimits) return { settle: async () => {} }
      return transactionWithRetry(db, async (tx) => {
        // Until the commit, no other worker reserves what this one reads as unspent.
        await sql`select pg_advisory_xact_lock(hashtext('umpire model spend'))`.execute(tx)
        const refusal = findRefusal(await readStates(tx, limits, subject), usd)
        if (refusal !== undefined) return refusal
        const { owner, name } = subject
        const row = await tx
          .insertInto('modelReservations')
          .values({ budgetId: id, owner, subject: name, usd, state: 'open' })
          .returning('id')
          .executeTakeFirstOrThrow()
        return { settle: (costUsd: number | null) => settleReservation(db, row.id, costUsd) }
      })
    },
    remainingUsd: async () =>
      hasLimits ? remainingOf(await readStates(db, limits, subject)) : Infinity,
    waitForChange: (signal) => delay(pollMs, signal),
  }
}

async function settleReservation(db: Db, id: number, costUsd: number | null): Promise<void> {
  await db
    .updateTable('modelReservations')
    .set(costUsd === null ? { state: 'lost' } : { state: 'settled', usd: costUsd })
    .where('id', '=', id)
    .execute()
}

/** Counts calls in progress as spent, because their worker died. */
export async function loseReservations(db: Db, subject: string): Promise<void> {
  await db
    .updateTable('modelReservations')
    .set({ state: 'lost' })
    .where('subject', '=', subject)
    .where('state', '=', 'open')
    .execute()
}

/**
 * Reads what counts toward each limit: recorded cost, and what isn't recorded yet. That is read
 * first: what is recorded meanwhile counts twice, and not never.
 */
async function readStates(
  db: Db,
  { perReviewUsd, perDayUsd, perOwnerDayUsd }: ModelsConfig['budget'],
  { owner, name, readRecordedUsd }: SpendSubject,
): Promise<LimitState[]> {
  const read = async (
    label: string,
    limitUsd: number | null,
    counts: ReturnType<typeof sql<boolean>>,
    readRecorded: () => Promise<number>,
  ) => {
    if (limitUsd === null) return []
    const { spentUsd, heldUsd } = await sumReservations(db, counts)
    const recordedUsd = await readRecorded()
    return describeLimit(label, limitUsd, { spentUsd: recordedUsd + spentUsd, heldUsd })
  }
  const isToday = sql<boolean>`created_at >= ${startOfDay}`
  return [
    ...(await read('for one review', perReviewUsd, sql`subject = ${name}`, () =>
      readRecordedUsd(db),
    )),
    ...(await read('for one day', perDayUsd, isToday, () => spentTodayUsd(db))),
    ...(await read(
      'for one day of one owner',
      perOwnerDayUsd,
      sql`${isToday} and owner = ${owner}`,
      () => spentTodayUsd(db, owner),
    )),
  ]
}

async function sumReservations(db: Db, counts: ReturnType<typeof sql<boolean>>) {
  const { rows } = await sql<{ spentUsd: number; heldUsd: number }>`
    with counted as (
      select usd, state = 'open'
        and created_at > now() - make_interval(mins => ${maxCallMinutes}) as is_held
      from model_reservations where ${counts}
    )
    select coalesce(sum(usd) filter (where not is_held), 0)::float8 as spent_usd,
      coalesce(sum(usd) filter (where is_held), 0)::float8 as held_usd
    from counted`.execute(db)
  return rows[0]!
}

/** Deletes reservations that count toward no limit anymore. */
export async function pruneReservations(db: Db): Promise<void> {
  await sql`
    delete from model_reservations
    where created_at < now() - make_interval(days => ${retentionDays})`.execute(db)
}
