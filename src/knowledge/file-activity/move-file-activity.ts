// Moves the activity of files that were renamed on the default branch.
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { RepositoryName } from '../../domain/pull-request.ts'

export interface FileRename {
  readonly from: string
  readonly to: string
}

/**
 * Moves the activity of a repository's files to their new names, all at once, because files may
 * have swapped names. If a run also has activity under the new name, that one stays.
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
  // Temporary paths that no file can have prevent conflicts between rows that are being moved.
  await sql`
    update pull_request_files f set path = '/' || renamed.target
    from unnest(${from}::text[], ${to}::text[]) as renamed (source, target)
    where f.repo = ${repo} and f.path = renamed.source`.execute(tx)
  const temporaryPaths = to.map((path) => `/${path}`)
  await sql`
    delete from pull_request_files moved using pull_request_files existing
    where moved.repo = ${repo} and moved.path = any(${temporaryPaths}::text[])
      and existing.run_id = moved.run_id and existing.path = substr(moved.path, 2)`.execute(tx)
  await sql`
    update pull_request_files set path = substr(path, 2)
    where repo = ${repo} and path = any(${temporaryPaths}::text[])`.execute(tx)
}
