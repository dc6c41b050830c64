// Finds which deliveries arrived, and stores until when the failed ones were asked for again.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { clockSlack } from './reconciliations.ts'

/**
 * Claims the look at failed deliveries to the App, so that only one of all processes looks.
 *
 * @returns until when they were asked for again; undefined if no look is due, or there is no App
 */
export async function claimAppRedelivery(
  db: Db,
  source: string,
  everySeconds: number,
): Promise<{ redeliveredUntil: Date | null } | undefined> {
  const pause = sql`make_interval(secs => ${everySeconds})`
  return db
    .updateTable('platformApps')
    .set({ redeliveryDueAt: sql<Date>`now() + ${pause}` })
    .where('source', '=', source)
    .where(
      sql<boolean>`redelivery_due_at <= now()
          or redelivery_due_at > now() + ${pause} + ${clockSlack}`,
    )
    .returning('redeliveredUntil')
    .executeTakeFirst()
}

export async function saveAppRedelivery(
  db: Db,
  source: string,
  redeliveredUntil: Date,
): Promise<void> {
  await db
    .updateTable('platformApps')
    .set({ redeliveredUntil })
    .where('source', '=', source)
    .execute()
}

/** The clocks of the host and of the database may differ. */
const clockToleranceMinutes = 60

/**
 * Returns those of the deliveries that arrived, although their answer was late or lost. Reads only
 * the events of the time since then, because events have no index by delivery.
 */
export async function findArrivedDeliveries(
  db: Db,
  deliveryIds: readonly string[],
  since: Date,
): Promise<Set<string>> {
  if (deliveryIds.length === 0) return new Set()
  const { rows } = await sql<{ deliveryId: string }>`
    select delivery_id from unused_deliveries where delivery_id = any(${deliveryIds}::text[])
    union
    select delivery_id from events
    where delivery_id = any(${deliveryIds}::text[]) and id > coalesce((
      select id from events
      where created_at <
        ${since}::timestamptz - make_interval(mins => ${sql.lit(clockToleranceMinutes)})
      order by id desc limit 1
    ), 0)`.execute(db)
  return new Set(rows.map(({ deliveryId }) => deliveryId))
}
