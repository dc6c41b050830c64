// Deletes what is stored about a repository, for example when another one takes over its name.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import { forgetMemories } from './memory/forget-memories.ts'

/**
 * Deletes the knowledge and the scan of a repository; a running scan loses its lease.
 *
 * @param repo is matched without regard to case
 */
export async function deleteScanAndKnowledge(tx: Db, repo: RepositoryName): Promise<void> {
  await sql`delete from scans where lower(repo) = ${repo.toLowerCase()}`.execute(tx)
  await deleteKnowledge(tx, repo)
}

/**
 * Deletes everything but the scan. The files of the code graph become unreachable here;
 * the next scan of any repository deletes them, see `deleteUnusedGraphs`.
 */
export async function deleteKnowledge(tx: Db, repo: RepositoryName): Promise<void> {
  const lowerCaseName = repo.toLowerCase()
  await sql`delete from code_graphs where lower(repo) = ${lowerCaseName}`.execute(tx)
  await sql`delete from pull_request_files where lower(repo) = ${lowerCaseName}`.execute(tx)
  await sql`delete from pull_request_issues where lower(repo) = ${lowerCaseName}`.execute(tx)
  await forgetMemories(tx, repo)
}
