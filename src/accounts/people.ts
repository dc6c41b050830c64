// Lists the people who signed in, changes who is an administrator, and signs people out.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { RequestError } from '../domain/errors.ts'
import { lockAdministrators, maySignIn, operatorPlatform, type SignInConfig } from './users.ts'

/** A person has one account for each code host. */
export interface Person {
  readonly id: number
  readonly platform: string
  readonly login: string
  readonly name: string
  readonly isAdmin: boolean
}

/** An account, with what it has here. */
export interface ListedPerson extends Person {
  /** When it was created by the first sign-in. */
  readonly createdAt: Date
  /** When a session or token of theirs was last used, to the minute. */
  readonly lastSeenAt: Date | null
  readonly sessions: number
  readonly apiTokens: number
  /** Valid tokens that `umpire token --admin` created, which see all. */
  readonly adminTokens: number
  /** Repositories that they connected. */
  readonly repositories: number
  /** Whether it is the oldest account of all hosts, which is an administrator from the start. */
  readonly isFirst: boolean
  /** The latest audit entry by which they became an administrator. */
  readonly grantedBy: string | null
  readonly grantedAt: Date | null
}

const maxListedPeople = 1000

/**
 * Lists accounts, administrators first, then by username.
 *
 * @param input `platforms` are the ids of the served hosts; `userId` restricts the list to one
 */
export async function listPeople(
  db: Db,
  input: { platforms: readonly string[]; userId?: number },
): Promise<ListedPerson[]> {
  const { platforms, userId } = input
  const { rows } = await sql<ListedPerson>`
    select u.id, u.platform, u.login, u.name, u.is_admin, u.created_at,
      (select max(coalesce(last_used_at, created_at)) from tokens where user_id = u.id)
        as last_seen_at,
      used.sessions, used.api_tokens, used.admin_tokens,
      (select count(*)::integer from installations where user_id = u.id and is_active)
        as repositories,
      u.id = (select min(id) from users where platform = any(${platforms}::text[])) as is_first,
      granted.login as granted_by, granted.created_at as granted_at
    from users u
    cross join lateral (
      select count(*) filter (where kind = 'session')::integer as sessions,
        count(*) filter (where kind = 'api')::integer as api_tokens,
        count(*) filter (where grants_admin)::integer as admin_tokens
      from tokens
      where user_id = u.id and revoked_at is null and expires_at > now()
    ) as used
    left join lateral (
      select login, created_at from audit_log
      where action = 'administrator_added' and subject like '% (account ' || u.id || ')'
      order by id desc limit 1
    ) as granted on true
    where u.platform = any(${[...platforms, operatorPlatform]}::text[])
      and ${userId === undefined ? sql`true` : sql`u.id = ${userId}`}
    order by u.is_admin desc, lower(u.login) collate "C", u.id
    limit ${sql.lit(maxListedPeople)}`.execute(db)
  return rows
}

/** The subject of audit entries about a person. The id stays when the username changes. */
export function describeAccount({ id, login }: Pick<Person, 'id' | 'login'>): string {
  return `${login} (account ${id})`
}

/** Finds the account of a person. The operator's isn't one. */
export async function findPerson(db: Db, id: number): Promise<Person | undefined> {
  return db
    .selectFrom('users')
    .select(['id', 'platform', 'login', 'name', 'isAdmin'])
    .where('id', '=', id)
    .where('platform', '<>', operatorPlatform)
    .executeTakeFirst()
}

/**
 * Throws unless another administrator may sign in. Until the transaction ends, nobody else can
 * change who is an administrator.
 *
 * @throws RequestError `conflict`
 */
export async function requireOtherAdministrator(
  tx: Db,
  config: SignInConfig,
  { id, isAdmin, login }: Pick<Person, 'id' | 'isAdmin' | 'login'>,
): Promise<void> {
  await lockAdministrators(tx)
  if (!isAdmin) return
  const administrators = await tx
    .selectFrom('users')
    .select(['platform', 'login'])
    .where('isAdmin', '=', true)
    .where('id', '<>', id)
    .execute()
  if (administrators.some((one) => maySignIn(config, one))) return
  throw new RequestError(
    'conflict',
    `${login} is the only administrator who may sign in: make someone else an administrator first.`,
  )
}

export async function saveAdministrator(tx: Db, id: number, isAdmin: boolean): Promise<void> {
  await tx.updateTable('users').set({ isAdmin }).where('id', '=', id).execute()
}

/** Revokes all sessions and API tokens of an account. Returns how many were valid. */
export async function revokeAllTokens(tx: Db, userId: number): Promise<number> {
  const revoked = await tx
    .updateTable('tokens')
    .set({ revokedAt: sql`now()` })
    .where('userId', '=', userId)
    .where('revokedAt', 'is', null)
    .where('expiresAt', '>', sql<Date>`now()`)
    .returning('id')
    .execute()
  return revoked.length
}
