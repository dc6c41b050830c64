// Stores the accounts that installed the App, and ends the connections of repositories they remove.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import type { AppInstallation } from '../platforms/platform-app.ts'
import { isRepository } from './installations.ts'

/** An installation with the number of repositories that are connected through it. */
interface ListedAppInstallation {
  readonly id: number
  /** It is the host's id. */
  readonly platformId: string
  readonly accountLogin: string
  readonly accountType: 'user' | 'organization'
  readonly htmlUrl: string
  readonly suspendedAt: Date | null
  readonly repositories: number
}

/**
 * Stores an installation or updates it. A removed one stays removed, because an older delivery may
 * arrive late, unless it was removed before `seenSince`: then that was wrong, because the host
 * doesn't use an id again.
 *
 * @param seenSince since when the host confirmed that it exists; null for a delivery
 * @returns its id here; undefined if it was removed
 */
export async function saveAppInstallation(
  tx: Db,
  source: string,
  { id, account, isSuspended, htmlUrl }: AppInstallation,
  seenSince: Date | null,
): Promise<number | undefined> {
  const changing = {
    removedAt: null,
    accountLogin: account.login,
    htmlUrl,
    suspendedAt: isSuspended ? sql<Date>`coalesce(app_installations.suspended_at, now())` : null,
  }
  const row = await tx
    .insertInto('appInstallations')
    .values({
      source,
      platformId: id,
      accountId: account.id,
      accountType: account.type,
      ...changing,
      suspendedAt: isSuspended ? sql<Date>`now()` : null,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['source', 'platformId'])
        .doUpdateSet(changing)
        .where((where) =>
          where.or([
            where('appInstallations.removedAt', 'is', null),
            where('appInstallations.removedAt', '<', seenSince),
          ]),
        ),
    )
    .returning('id')
    .executeTakeFirst()
  return row?.id
}

/** Marks an installation as removed. Returns its id here; undefined if it isn't known. */
export async function removeAppInstallation(
  tx: Db,
  source: string,
  platformId: string,
): Promise<number | undefined> {
  const row = await tx
    .updateTable('appInstallations')
    .set({ removedAt: sql<Date>`now()` })
    .where('source', '=', source)
    .where('platformId', '=', platformId)
    .where('removedAt', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return row?.id
}

/** Lists the installations that were not removed, by account. */
export async function listAppInstallations(
  db: Db,
  source: string,
): Promise<ListedAppInstallation[]> {
  return db
    .selectFrom('appInstallations as a')
    .select(['id', 'platformId', 'accountLogin', 'accountType', 'htmlUrl', 'suspendedAt'])
    .select(
      sql<number>`(
        select count(distinct platform_repo_id)::int from installations
        where app_installation_id = a.id and is_active)`.as('repositories'),
    )
    .where('source', '=', source)
    .where('removedAt', 'is', null)
    .orderBy(sql`lower(account_login) collate "C"`)
    .orderBy('id')
    .execute()
}

/** A repository of an installation that is connected, or that a person disconnected. */
export interface InstalledRepository {
  /** It is the host's id of the installation. */
  readonly platformId: string
  /** It is the host's id of the repository. */
  readonly repositoryId: string
  /** The names of its active connections in lower case; null if there are none. */
  readonly names: readonly string[] | null
}

/** Lists the repositories of all installations of a host. */
export async function listInstalledRepositories(
  db: Db,
  source: string,
): Promise<InstalledRepository[]> {
  const { rows } = await sql<InstalledRepository>`
    select a.platform_id, i.platform_repo_id as repository_id,
      array_agg(lower(i.repo_full_name)) filter (where i.is_active) as names
    from installations i join app_installations a on a.id = i.app_installation_id
    where a.source = ${source} and i.platform_repo_id is not null
    group by a.platform_id, i.platform_repo_id`.execute(db)
  return rows
}

/** A connection that ended. */
interface EndedConnection {
  readonly userId: number
  readonly login: string
  readonly repo: RepositoryName
}

/**
 * Ends the connections that receive their deliveries through an installation. Those with a webhook
 * of their own stay, without the installation.
 *
 * @param platformRepoIds the host's ids of the repositories; null for all
 */
export async function endAppConnections(
  tx: Db,
  appInstallationId: number,
  platformRepoIds: readonly string[] | null,
): Promise<EndedConnection[]> {
  const { rows } = await sql<EndedConnection & { isActive: boolean }>`
    update installations set
      app_installation_id = null,
      is_active = webhook_id <> 0,
      deactivated_at = case when webhook_id = 0 then now() end
    where app_installation_id = ${appInstallationId} and is_active
      and ${
        platformRepoIds === null
          ? sql`true`
          : sql`platform_repo_id = any(${platformRepoIds}::text[])`
      }
    returning user_id, repo_full_name as repo, is_active,
      (select login from users where id = user_id)`.execute(tx)
  return rows.filter(({ isActive }) => !isActive)
}

/** How the App may read and write a repository. */
export interface AppConnection {
  /** The connection that belongs to the installation. */
  readonly connectionId: number
  readonly appInstallationId: number
  /** It is the host's id of the installation. */
  readonly platformInstallationId: string
  readonly platformRepoId: string
}

/** Finds the connection of a repository through an installation that is not suspended. */
export function findAppConnection(
  db: Db,
  source: string,
  repo: RepositoryName,
): Promise<AppConnection | undefined> {
  return db
    .selectFrom('installations as i')
    .innerJoin('appInstallations as a', 'a.id', 'i.appInstallationId')
    .select(['i.id as connectionId', 'a.id as appInstallationId'])
    .select(['a.platformId as platformInstallationId'])
    .select(sql<string>`i.platform_repo_id`.as('platformRepoId'))
    .where(isRepository(repo))
    .where('i.isActive', '=', true)
    .where('i.platformRepoId', 'is not', null)
    .where('a.source', '=', source)
    .where('a.suspendedAt', 'is', null)
    .where('a.removedAt', 'is', null)
    .orderBy('i.id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/**
 * Finds the name and the owner of the connection that a repository has through an installation;
 * undefined if it has none.
 */
export async function findAppConnectedName(
  tx: Db,
  { source, platformId }: { source: string; platformId: string },
  platformRepoId: string,
): Promise<
  | {
      appInstallationId: number
      repo: RepositoryName
      user: { userId: number; login: string }
    }
  | undefined
> {
  const row = await tx
    .selectFrom('installations as i')
    .innerJoin('appInstallations as a', 'a.id', 'i.appInstallationId')
    .innerJoin('users as u', 'u.id', 'i.userId')
    .select(['a.id as appInstallationId', 'i.repoFullName as repo'])
    .select(['u.id as userId', 'u.login'])
    .where('a.source', '=', source)
    .where('a.platformId', '=', platformId)
    .where('a.removedAt', 'is', null)
    .where('i.platformRepoId', '=', platformRepoId)
    .where('i.isActive', '=', true)
    .orderBy('i.id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { userId, login, ...connection } = row
  return { ...connection, user: { userId, login } }
}
