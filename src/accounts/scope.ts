// Which repositories a caller may see.
import { type RawBuilder, sql } from 'kysely'
import { splitRepositoryName } from '../contract/repository-name.ts'
import type { Db } from '../db/database.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import type { Caller } from './tokens.ts'

/** The repositories whose data a caller sees: `all` for administrators. */
export type Scope = 'all' | readonly RepositoryName[]

/**
 * Those that are connected to the caller's account, and those that were, unless somebody else's connection lasted longer:
 * what came in through that one isn't theirs. None that the platform doesn't show them any more, see access-checks.ts. All
 * for an administrator. For lists only.
 */
export async function findScope(
  db: Db,
  caller: Pick<Caller, 'userId' | 'isAdmin'>,
): Promise<Scope> {
  if (caller.isAdmin) return 'all'
  const { rows } = await sql<{ repo_full_name: string }>`
    select distinct repo_full_name from (
      select repo_full_name,
        max(coalesce(deactivated_at, 'infinity')) over same_repository as until,
        first_value(access_lost_at) over (same_repository order by id desc) as access_lost_at
      from installations where user_id = ${caller.userId}
      window same_repository as (partition by lower(repo_full_name))
    ) own
    where access_lost_at is null and not exists (
      select from installations other
      where lower(other.repo_full_name) = lower(own.repo_full_name) and other.user_id <> ${caller.userId}
        and coalesce(other.deactivated_at, 'infinity') > own.until
    )`.execute(db)
  return rows.map((row) => row.repo_full_name)
}

/** All that the caller sees or, where one repository is asked for, that one of it: nothing where they don't see it. */
export async function findScopeWithin(
  db: Db,
  caller: Pick<Caller, 'userId' | 'isAdmin'>,
  repo: RepositoryName | undefined,
): Promise<Scope> {
  const scope = await findScope(db, caller)
  if (repo === undefined) return scope
  return scope === 'all' || scope.includes(repo) ? [repo] : []
}

/** The condition that a row's repository is in the scope; for after a `where` or an `and`. */
export function isInScope(scope: Scope, column = 'repo'): RawBuilder<boolean> {
  return scope === 'all' ? sql`true` : sql`${sql.ref(column)} = any(${scope}::text[])`
}

/**
 * The repository's name as the platform spells it, when it is connected to the caller's account now and the platform still
 * shows it to them; else undefined. What endpoints of a single repository ask for, from administrators too.
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
    .where('access_lost_at', 'is', null)
    .where(sql<string>`lower(repo_full_name)`, '=', repo.toLowerCase())
    .executeTakeFirst()
  return row?.repo_full_name
}
