// Brings the planner's statistics of tables up to date after much was written: the database's own look at them comes minutes later.
import { sql } from 'kysely'
import type { Db } from './database.ts'

/**
 * Analyses tables, one by one, of which a fifth and more is new. Few rows are let be.
 *
 * @param written how many rows were written, by names of tables, which come from us
 */
export async function analyzeTables(
  db: Db,
  written: Readonly<Record<string, number>>,
): Promise<void> {
  // What the database counts itself it tells late, each connection for itself.
  const { rows } = await sql<{ name: string; rows: number }>`
    select relname as name, greatest(reltuples, 0)::float8 as rows from pg_class
    where oid = any(${Object.keys(written)}::regclass[])`.execute(db)
  for (const { name, rows: known } of rows) {
    if (written[name]! > 500 + 0.2 * known) await sql`analyze ${sql.table(name)}`.execute(db)
  }
}
