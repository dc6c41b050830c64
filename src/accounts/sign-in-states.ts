// Records used OAuth states, so that each is accepted once by all processes together.
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'

/** Marks a state as used. Returns false if it was used before. */
export async function redeemState(db: Db, state: string): Promise<boolean> {
  await db.deleteFrom('usedSignInStates').where('expiresAt', '<', sql<Date>`now()`).execute()
  const used = await db
    .insertInto('usedSignInStates')
    .values({
      digest: createHash('sha256').update(state).digest(),
      // A state expires much earlier, even if the clocks of the processes differ.
      expiresAt: sql<Date>`now() + interval '1 day'`,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('digest')
    .executeTakeFirst()
  return used !== undefined
}
