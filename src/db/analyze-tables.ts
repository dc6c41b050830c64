// Updates the planner's statistics after bulk writes, because autovacuum does so minutes later.
import { sql } from 'kysely'
import type { Db } from './database.ts'

/**
 * Analyzes the tables in which more than a fifth of the rows is new; skips those with few new rows.
 *
 * @param written number of written rows by table; the names must be trusted
 */
export async function analyzeTables(
  db: Db,
  written: Readonly<Record<string, number>>,
): Promise<void> {
  // `reltuples` is used because each connection reports its own row counts with a delay.
  const { rows } = await sql<{ name: string; rows: number }>`
    select relname as name, greatest(reltuples, 0)::float8 as rows from pg_class
    where oid = any(${Object.keys(written)}::regclass[])`.execute(db)
  for (const { name, rows: analyzedRows } of rows) {
    if (written[name]! > 500 + 0.2 * analyzedRows) await sql`analyze ${sql.table(name)}`.execute(db)
  }
}
