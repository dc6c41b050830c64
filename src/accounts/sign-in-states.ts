// OAuth states that came back from the platform: none counts twice, in whichever process it arrives.
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'

/** Uses a state up. False where it was used before. */
export async function redeemState(db: Db, state: string): Promise<boolean> {
  await db.deleteFrom('used_sign_in_states').where('expires_at', '<', sql<Date>`now()`).execute()
  const used = await db
    .insertInto('used_sign_in_states')
    .values({
      digest: createHash('sha256').update(state).digest(),
      // Far longer than a state itself counts, by whosever clock.
      expires_at: sql<Date>`now() + interval '1 day'`,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('digest')
    .executeTakeFirst()
  return used !== undefined
}
