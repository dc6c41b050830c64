// Finds the repositories whose data a caller may see.
import { type RawBuilder, sql } from 'kysely'
import { splitRepositoryName } from '../contract/repository-name.ts'
import type { Db } from '../db/database.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import type { Caller } from './tokens.ts'

/** `all` is for administrators. */
export type Scope = 'all' | readonly RepositoryName[]

/**
 * Repositories that are or were connected to the caller's account and that the platform still shows
 * them. A formerly connected repository is excluded if another person's connection lasted longer,
 * because its later data came through that one. For lists only; administrators see all.
 */
export async function findScope(
  db: Db,
  caller: Pick<Caller, 'userId' | 'isAdmin'>,
): Promise<Scope> {
  if (caller.isAdmin) return 'all'
  const { rows } = await sql<{ repoFullName: string }>`
    select distinct repo_full_name from (
      select repo_full_name,
        max(coalesce(deactivated_at, 'infinity')) over same_repository as until,
        first_value(access_lost_at) over (same_repository order by id desc) as access_lost_at
      from installations where user_id = ${caller.userId}
      window same_repository as (partition by lower(repo_full_name))
    ) own
    where access_lost_at is null and not exists (
      select from installations other
      where lower(other.repo_full_name) = lower(own.repo_full_name)
        and other.user_id <> ${caller.userId}
        and coalesce(other.deactivated_at, 'infinity') > own.until
    )`.execute(db)
  return rows.map((row) => row.repoFullName)
}

/** Restricts the caller's scope to one repository, if given: empty when they can't see it. */
export async function findScopeWithin(
  db: Db,
  caller: Pick<Caller, 'userId' | 'isAdmin'>,
  repo: RepositoryName | undefined,
): Promise<Scope> {
  const scope = await findScope(db, caller)
  if (repo === undefined) return scope
  return scope === 'all' || scope.includes(repo) ? [repo] : []
}

/** A SQL condition that a row's repository is in the scope. */
export function isInScope(scope: Scope, column = 'repo'): RawBuilder<boolean> {
  return scope === 'all' ? sql`true` : sql`${sql.ref(column)} = any(${scope}::text[])`
}

/**
 * Checks access to a single repository, which must be connected to the caller's account now and
 * still be visible to them. Applies to administrators too.
 *
 * @param repo in any spelling, even an invalid one
 * @returns the name in the platform's spelling, else undefined
 */
export async function findConnectedRepository(
  db: Db,
  caller: Pick<Caller, 'userId'>,
  repo: string,
): Promise<RepositoryName | undefined> {
  if (splitRepositoryName(repo) === undefined) return undefined
  const row = await db
    .selectFrom('installations')
    .select('repoFullName')
    .where('userId', '=', caller.userId)
    .where('isActive', '=', true)
    .where('accessLostAt', 'is', null)
    .where(sql<string>`lower(repo_full_name)`, '=', repo.toLowerCase())
    .executeTakeFirst()
  return row?.repoFullName
}
