// The tools of context sources that are trusted since they were first met.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'

/** Fingerprints of a source's tools, by name. */
export async function readToolPins(
  db: Db,
  source: string,
): Promise<Readonly<Record<string, string>>> {
  const rows = await db
    .selectFrom('context_tools')
    .select(['tool', 'fingerprint'])
    .where('source', '=', source)
    .execute()
  return Object.fromEntries(rows.map(({ tool, fingerprint }) => [tool, fingerprint]))
}

/** Keeps one; who came first counts. */
export async function addToolPin(
  db: Db,
  source: string,
  tool: string,
  fingerprint: string,
): Promise<void> {
  await db
    .insertInto('context_tools')
    .values({ source, tool, fingerprint })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Forgets a source's: what it offers next is trusted. Returns how many there were. */
export async function deleteToolPins(db: Db, source: string): Promise<number> {
  const { rows } =
    await sql`delete from context_tools where source = ${source} returning tool`.execute(db)
  return rows.length
}
