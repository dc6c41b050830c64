// Ends rows of memories: they stay in the history, but searches no longer find them.
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'

interface Ending {
  /** The username of the person who dismissed the memories. */
  readonly by?: string
  /** The ids of the memories that replace them, in the order of `ids`. */
  readonly successors?: readonly string[]
}

/**
 * Ends memories in the transaction that has the lock of `lockMemories`.
 *
 * @returns the terms of the memories that were current, for `updateTermCounts`
 */
export async function endRows(
  tx: Db,
  ids: readonly string[],
  { by, successors = [] }: Ending = {},
): Promise<{ terms: number[] }[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<{ terms: number[] }>`
    update memories set
      ended_at = now(), ended_by = ${by ?? null}, superseded_by = ending.successor,
      terms = '{}', weights = '{}'
    from (
      select old.id, old.terms, successor
      from unnest(${ids}::uuid[], ${successors}::uuid[]) as pair (id, successor)
      join memories old using (id)
      where old.ended_at is null
    ) as ending
    where memories.id = ending.id
    returning ending.terms`.execute(tx)
  return rows
}
