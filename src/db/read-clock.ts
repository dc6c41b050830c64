// Reads the database's clock, which is the same for all processes.
import { sql } from 'kysely'
import type { Db } from './database.ts'

export async function readClock(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select now()`.execute(db)
  return rows[0]!.now
}
