// Deletes all memories that a repository has, with their history.
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { RepositoryName } from '../../domain/pull-request.ts'
import { updateTermCounts } from './count-terms.ts'
import { lockMemories } from './save-memories.ts'

/** @param repo can be in any letter case */
export async function forgetMemories(tx: Db, repo: RepositoryName): Promise<void> {
  await lockMemories(tx, repo)
  const { rows } = await sql<{ terms: number[]; endedAt: Date | null }>`
    delete from memories where lower(repo) = ${repo.toLowerCase()}
    returning terms, ended_at`.execute(tx)
  // The terms of ended memories were subtracted when they ended.
  const current = rows.filter(({ endedAt }) => endedAt === null)
  await updateTermCounts(tx, [], current)
}
