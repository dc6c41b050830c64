// Ends a memory that a person dismissed.
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { updateTermCounts } from './count-terms.ts'
import { endRows } from './end-rows.ts'
import { lockMemories } from './save-memories.ts'

/**
 * Ends a memory. It stays in the history, so that the same text isn't saved again.
 *
 * @param tx a transaction
 * @returns false if the repository has no current memory with this id
 */
export async function dismissMemory(
  tx: Db,
  repo: string,
  id: string,
  login: string,
): Promise<boolean> {
  await lockMemories(tx, repo)
  const { rows } = await sql<{ id: string }>`
    select id from memories where id = ${id} and repo = ${repo} and ended_at is null`.execute(tx)
  const ended = await endRows(
    tx,
    rows.map((row) => row.id),
    { by: login },
  )
  await updateTermCounts(tx, [], ended)
  return ended.length > 0
}
