// Ends memories: they stay as history, and nothing finds them by their words any more.
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'

/** How they end. */
interface Ending {
  /** Username of who dismissed them. */
  readonly by?: string
  /** The ids of those that take their places, in the order of the ids. */
  readonly successors?: readonly string[]
}

/**
 * In the transaction that holds the lock of `lockMemories`.
 *
 * @returns the terms of those that counted until now, for `updateTermCounts`
 */
export async function endRows(
  tx: Db,
  ids: readonly string[],
  { by, successors = [] }: Ending = {},
): Promise<{ terms: number[] }[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<{ terms: number[] }>`
    update memories set ended_at = now(), ended_by = ${by ?? null}, superseded_by = ending.successor,
      terms = '{}', weights = '{}'
    from (
      select old.id, old.terms, successor
      from unnest(${ids}::uuid[], ${successors}::uuid[]) as pair (id, successor) join memories old using (id)
      where old.ended_at is null
    ) as ending
    where memories.id = ending.id
    returning ending.terms`.execute(tx)
  return rows
}
