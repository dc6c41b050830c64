// Which repositories a caller may see.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import { splitRepositoryName } from '../platforms/repository-name.ts'
import type { Caller } from './tokens.ts'

/** The repositories whose data a caller sees: `all` for administrators. */
export type Scope = 'all' | readonly RepositoryName[]

/** Those that are or were connected to the caller's account; all for an administrator. For lists only. */
export async function findScope(db: Db, caller: Pick<Caller, 'userId' | 'isAdmin'>): Promise<Scope> {
  if (caller.isAdmin) return 'all'
  const rows = await db
    .selectFrom('installations')
    .select('repo_full_name')
    .distinct()
    .where('user_id', '=', caller.userId)
    .execute()
  return rows.map((row) => row.repo_full_name)
}

/**
 * The repository's name as the platform spells it, when it is connected to the caller's account now; else undefined. What
 * endpoints of a single repository ask for, from administrators too.
 *
 * @param repo in any spelling, well-formed or not
 */
export async function findConnectedRepository(
  db: Db,
  caller: Pick<Caller, 'userId'>,
  repo: string,
): Promise<RepositoryName | undefined> {
  if (splitRepositoryName(repo) === undefined) return undefined
  const row = await db
    .selectFrom('installations')
    .select('repo_full_name')
    .where('user_id', '=', caller.userId)
    .where('is_active', '=', true)
    .where(sql<string>`lower(repo_full_name)`, '=', repo.toLowerCase())
    .executeTakeFirst()
  return row?.repo_full_name
}
