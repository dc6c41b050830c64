// Lets what pull requests touched follow the files that were renamed on the default branch.
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { RepositoryName } from '../../domain/pull-request.ts'

/** A file that was renamed. */
export interface FileRename {
  readonly from: string
  readonly to: string
}

/**
 * Moves the touches of a repository's files to their new names, all at once: files may have changed places. Where a run
 * touched the file under its new name as well, that touch stands.
 *
 * @param renames no two from or to the same path
 */
export async function moveFileActivity(
  tx: Db,
  repo: RepositoryName,
  renames: readonly FileRename[],
): Promise<void> {
  const moves = renames.filter(({ from, to }) => from !== to)
  if (moves.length === 0) return
  const from = moves.map((move) => move.from)
  const to = moves.map((move) => move.to)
  // Aside first, under names that no file has: none is to meet one that is about to move too.
  await sql`
    update pull_request_files f set path = '/' || renamed.target
    from unnest(${from}::text[], ${to}::text[]) as renamed (source, target)
    where f.repo = ${repo} and f.path = renamed.source`.execute(tx)
  const aside = to.map((path) => `/${path}`)
  await sql`
    delete from pull_request_files moved using pull_request_files standing
    where moved.repo = ${repo} and moved.path = any(${aside}::text[])
      and standing.run_id = moved.run_id and standing.path = substr(moved.path, 2)`.execute(tx)
  await sql`
    update pull_request_files set path = substr(path, 2)
    where repo = ${repo} and path = any(${aside}::text[])`.execute(tx)
}
