// Ends a memory because a person says so.
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { updateTermCounts } from './count-terms.ts'
import { endRows } from './end-rows.ts'
import { lockMemories } from './save-memories.ts'

/**
 * The memory stays as history, and doesn't come back in the same words.
 *
 * @param tx a transaction
 * @returns false where the repository has no current memory of this id
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
