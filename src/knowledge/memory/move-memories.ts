// Lets memories follow the files that were renamed on the default branch.
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { RepositoryName } from '../../domain/pull-request.ts'
import type { Rename } from '../touches/move-touches.ts'
import { lockMemories } from './save-memories.ts'

/**
 * Moves the current memories of files to their new names, all at once: files may have changed places. The project map is
 * left as it is: it is described anew.
 *
 * @param renames no two from or to the same path
 */
export async function moveMemories(tx: Db, repo: RepositoryName, renames: readonly Rename[]): Promise<void> {
  const moves = renames.filter(({ from, to }) => from !== to)
  if (moves.length === 0) return
  await lockMemories(tx, repo)
  const from = moves.map((move) => move.from)
  const to = moves.map((move) => move.to)
  const isMoved = sql`repo = ${repo} and ended_at is null and memory_type <> 'project_map'`
  await sql`
    update memories set path = renamed.target
    from unnest(${from}::text[], ${to}::text[]) as renamed (source, target)
    where ${isMoved} and path = renamed.source`.execute(tx)
  // Aside first, under subjects that no memory has: none is to meet one that is about to move too.
  await sql`
    update memories set subject = '/' || renamed.target
    from unnest(${from}::text[], ${to}::text[]) as renamed (source, target)
    where ${isMoved} and subject = renamed.source`.execute(tx)
  const aside = to.map((path) => `/${path}`)
  await sql`
    update memories m set subject = case when exists (
        select from memories standing
        where standing.repo = m.repo and standing.memory_type = m.memory_type and standing.ended_at is null
          and standing.subject = substr(m.subject, 2))
      then m.subject else substr(m.subject, 2) end
    where ${isMoved} and subject = any(${aside}::text[])`.execute(tx)
}
