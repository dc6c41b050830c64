// Stores credentials that can be revoked: browser sessions and API tokens.
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { ServiceConfig } from '../config/config.ts'
import type { Db } from '../db/database.ts'
import { type Claims, isTokenId } from './credentials.ts'
import { maySignIn, operatorPlatform } from './users.ts'

/** Identifies the account and the credential of a request. */
export interface Caller {
  readonly userId: number
  /** The login that the platform reported at the last sign-in. */
  readonly login: string
  readonly name: string
  readonly avatarUrl: string
  readonly isAdmin: boolean
  readonly tokenId: string
}

/** The fields of an API token that lists show. */
export interface ApiToken {
  readonly id: string
  readonly name: string
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly lastUsedAt: Date | null
}

/** Stores a credential before it is issued. Returns its id. */
export async function saveToken(
  db: Db,
  input: {
    userId: number
    kind: 'session' | 'api'
    name?: string
    grantsAdmin?: boolean
    expiresAt: Date
  },
): Promise<string> {
  const id = randomUUID()
  await db
    .insertInto('tokens')
    .values({
      id,
      user_id: input.userId,
      kind: input.kind,
      name: input.name ?? '',
      grants_admin: input.grantsAdmin ?? false,
      expires_at: input.expiresAt,
    })
    .execute()
  return id
}

/**
 * Finds the account of a credential. Undefined if the credential was revoked or has expired, or its
 * user was deleted or may no longer sign in. The operator's account is exempt from the last
 * condition, because it never signs in.
 */
export async function findCaller(
  db: Db,
  { userId, tokenId }: Claims,
  signInAllowed: ServiceConfig['signInAllowed'],
): Promise<Caller | undefined> {
  const row = await db
    .selectFrom('tokens')
    .innerJoin('users', 'users.id', 'tokens.user_id')
    .select([
      'users.platform',
      'users.login',
      'users.name',
      'users.avatar_url',
      'users.is_admin',
      'tokens.grants_admin',
    ])
    .select(
      sql<boolean>`(last_used_at is null or last_used_at < now() - interval '1 minute')`.as(
        'is_use_outdated',
      ),
    )
    .where('tokens.id', '=', tokenId)
    .where('tokens.user_id', '=', userId)
    .where('tokens.revoked_at', 'is', null)
    .where('tokens.expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
  if (!row) return undefined
  const isAllowed = row.platform === operatorPlatform || maySignIn(signInAllowed, row.login)
  if (!isAllowed) return undefined
  if (row.is_use_outdated) await recordTokenUse(db, tokenId)
  const isAdmin = row.is_admin || row.grants_admin
  return { userId, login: row.login, name: row.name, avatarUrl: row.avatar_url, isAdmin, tokenId }
}

async function recordTokenUse(db: Db, tokenId: string): Promise<void> {
  await db
    .updateTable('tokens')
    .set({ last_used_at: sql`now()` })
    .where('id', '=', tokenId)
    .execute()
}

/** Returns a person's valid API tokens, newest first. */
export async function listApiTokens(db: Db, userId: number): Promise<ApiToken[]> {
  return selectApiTokens(db).where('tokens.user_id', '=', userId).execute()
}

/** Builds a query for the valid API tokens of all people, newest first. */
export function selectApiTokens(db: Db) {
  return db
    .selectFrom('tokens')
    .select(['tokens.id', 'tokens.name', 'tokens.created_at as createdAt'])
    .select(['tokens.expires_at as expiresAt', 'tokens.last_used_at as lastUsedAt'])
    .where('tokens.kind', '=', 'api')
    .where('tokens.revoked_at', 'is', null)
    .where('tokens.expires_at', '>', sql<Date>`now()`)
    .orderBy('tokens.created_at', 'desc')
    .orderBy('tokens.id')
}

/**
 * Counts a person's valid API tokens. Locks the person's row until the transaction ends, so that
 * the count stays true while a token is added.
 */
export async function countApiTokens(tx: Db, userId: number): Promise<number> {
  await tx.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().execute()
  return (await listApiTokens(tx, userId)).length
}

/** Revokes a credential. Returns its name and owner; undefined when there is no valid one. */
export async function revokeToken(
  db: Db,
  input: { userId: number; tokenId: string; kind: 'session' | 'api' },
): Promise<{ name: string; login: string } | undefined> {
  if (!isTokenId(input.tokenId)) return undefined
  return db
    .updateTable('tokens')
    .from('users')
    .set({ revoked_at: sql`now()` })
    .whereRef('users.id', '=', 'tokens.user_id')
    .where('tokens.id', '=', input.tokenId)
    .where('tokens.user_id', '=', input.userId)
    .where('tokens.kind', '=', input.kind)
    .where('tokens.revoked_at', 'is', null)
    .where('tokens.expires_at', '>', sql<Date>`now()`)
    .returning(['tokens.name', 'users.login'])
    .executeTakeFirst()
}

/** Deletes tokens that expired 30 days ago, and all sessions but the newest `keptSessions`. */
export async function pruneTokens(
  tx: Db,
  userId: number,
  input: { keptSessions: number },
): Promise<void> {
  const tokensOfUser = tx.selectFrom('tokens').select('id').where('user_id', '=', userId)
  const oldSessions = tokensOfUser
    .where('kind', '=', 'session')
    .orderBy('created_at', 'desc')
    .offset(input.keptSessions)
  await tx
    .deleteFrom('tokens')
    .where('user_id', '=', userId)
    .where(({ or, eb }) =>
      or([
        eb('expires_at', '<', sql<Date>`now() - interval '30 days'`),
        eb('id', 'in', oldSessions),
      ]),
    )
    .execute()
}
