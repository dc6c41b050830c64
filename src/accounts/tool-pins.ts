// Stores fingerprints of context source tools, which are trusted as they were on first use.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'

/** Reads the fingerprints of a source's tools, by tool name. */
export async function readToolPins(
  db: Db,
  source: string,
): Promise<Readonly<Record<string, string>>> {
  const rows = await db
    .selectFrom('contextTools')
    .select(['tool', 'fingerprint'])
    .where('source', '=', source)
    .execute()
  return Object.fromEntries(rows.map(({ tool, fingerprint }) => [tool, fingerprint]))
}

/** Stores a fingerprint, unless the tool already has one. */
export async function addToolPin(
  db: Db,
  source: string,
  tool: string,
  fingerprint: string,
): Promise<void> {
  await db
    .insertInto('contextTools')
    .values({ source, tool, fingerprint })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Deletes a source's fingerprints, so that its next tools are trusted. Returns their number. */
export async function deleteToolPins(db: Db, source: string): Promise<number> {
  const { rows } =
    await sql`delete from context_tools where source = ${source} returning tool`.execute(db)
  return rows.length
}
