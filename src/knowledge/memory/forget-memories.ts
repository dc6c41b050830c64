// Forgets all memories of a repository, with their history.
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { RepositoryName } from '../../domain/pull-request.ts'
import { updateTermCounts } from './count-terms.ts'
import { lockMemories } from './save-memories.ts'

/** @param repo in any spelling */
export async function forgetMemories(tx: Db, repo: RepositoryName): Promise<void> {
  await lockMemories(tx, repo)
  const { rows } = await sql<{ terms: number[]; ended_at: Date | null }>`
    delete from memories where lower(repo) = ${repo.toLowerCase()} returning terms, ended_at`.execute(
    tx,
  )
  await updateTermCounts(
    tx,
    [],
    // The words of the others don't count any more.
    rows.filter(({ ended_at }) => ended_at === null),
  )
}
