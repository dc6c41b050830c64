// Forgets what is known of a repository: another one has its name now.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import { forgetMemories } from './memory/forget-memories.ts'

/**
 * Its scan as well: one that runs loses its lease. In the caller's transaction.
 *
 * @param repo in any spelling
 */
export async function deleteScanAndKnowledge(tx: Db, repo: RepositoryName): Promise<void> {
  await sql`delete from scans where lower(repo) = ${repo.toLowerCase()}`.execute(tx)
  await deleteKnowledge(tx, repo)
}

/** All but the scan. The files of the code graph are left to the next scan of any repository: nobody can read them. */
export async function deleteKnowledge(tx: Db, repo: RepositoryName): Promise<void> {
  const name = repo.toLowerCase()
  await sql`delete from code_graphs where lower(repo) = ${name}`.execute(tx)
  await sql`delete from pull_request_files where lower(repo) = ${name}`.execute(tx)
  await sql`delete from pull_request_issues where lower(repo) = ${name}`.execute(tx)
  await forgetMemories(tx, repo)
}
