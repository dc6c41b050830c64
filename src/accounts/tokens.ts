// Stores credentials that can be revoked: browser sessions and API tokens.
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { Row } from '../db/schema.ts'
import { type Claims, isTokenId } from './credentials.ts'
import { maySignIn, operatorPlatform, type SignInConfig } from './users.ts'

/** Identifies the account and the credential of a request. */
export interface Caller {
  readonly userId: number
  /** The host at which the person signs in. */
  readonly platform: string
  /** The login that the platform reported at the last sign-in. */
  readonly login: string
  readonly name: string
  readonly avatarUrl: string
  readonly isAdmin: boolean
  readonly tokenId: string
}

/** The fields of an API token that lists show. */
export type ApiToken = Pick<Row<'tokens'>, 'id' | 'name' | 'createdAt' | 'expiresAt' | 'lastUsedAt'>

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
    .values({ id, name: '', grantsAdmin: false, ...input })
    .execute()
  return id
}

/**
 * Finds the account of a credential. Undefined if the credential was revoked or has expired, or its
 * user was deleted, may no longer sign in, or belongs to a host that isn't served any more. The
 * operator's account is exempt from the last two conditions, because it never signs in.
 */
export async function findCaller(
  db: Db,
  { userId, tokenId }: Claims,
  config: SignInConfig,
): Promise<Caller | undefined> {
  const row = await db
    .selectFrom('tokens')
    .innerJoin('users', 'users.id', 'tokens.userId')
    .select([
      'users.platform',
      'users.login',
      'users.name',
      'users.avatarUrl',
      'users.isAdmin',
      'tokens.grantsAdmin',
    ])
    .select(
      sql<boolean>`(last_used_at is null or last_used_at < now() - interval '1 minute')`.as(
        'isUseOutdated',
      ),
    )
    .where('tokens.id', '=', tokenId)
    .where('tokens.userId', '=', userId)
    .where('tokens.revokedAt', 'is', null)
    .where('tokens.expiresAt', '>', sql<Date>`now()`)
    .executeTakeFirst()
  if (!row) return undefined
  const isAllowed = row.platform === operatorPlatform || maySignIn(config, row)
  if (!isAllowed) return undefined
  if (row.isUseOutdated) await recordTokenUse(db, tokenId)
  const isAdmin = row.isAdmin || row.grantsAdmin
  const { platform, login, name, avatarUrl } = row
  return { userId, platform, login, name, avatarUrl, isAdmin, tokenId }
}

async function recordTokenUse(db: Db, tokenId: string): Promise<void> {
  await db.updateTable('tokens').set({ lastUsedAt: sql`now()` }).where('id', '=', tokenId).execute()
}

/** Returns a person's valid API tokens, newest first. */
export async function listApiTokens(db: Db, userId: number): Promise<ApiToken[]> {
  return selectApiTokens(db).where('tokens.userId', '=', userId).execute()
}

/** Builds a query for the valid API tokens of all people, newest first. */
export function selectApiTokens(db: Db) {
  return db
    .selectFrom('tokens')
    .select(['tokens.id', 'tokens.name', 'tokens.createdAt'])
    .select(['tokens.expiresAt', 'tokens.lastUsedAt'])
    .where('tokens.kind', '=', 'api')
    .where('tokens.revokedAt', 'is', null)
    .where('tokens.expiresAt', '>', sql<Date>`now()`)
    .orderBy('tokens.createdAt', 'desc')
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
    .set({ revokedAt: sql`now()` })
    .whereRef('users.id', '=', 'tokens.userId')
    .where('tokens.id', '=', input.tokenId)
    .where('tokens.userId', '=', input.userId)
    .where('tokens.kind', '=', input.kind)
    .where('tokens.revokedAt', 'is', null)
    .where('tokens.expiresAt', '>', sql<Date>`now()`)
    .returning(['tokens.name', 'users.login'])
    .executeTakeFirst()
}

/** Deletes tokens that expired 30 days ago, and all sessions but the newest `keptSessions`. */
export async function pruneTokens(
  tx: Db,
  userId: number,
  input: { keptSessions: number },
): Promise<void> {
  const tokensOfUser = tx.selectFrom('tokens').select('id').where('userId', '=', userId)
  const oldSessions = tokensOfUser
    .where('kind', '=', 'session')
    .orderBy('createdAt', 'desc')
    .offset(input.keptSessions)
  await tx
    .deleteFrom('tokens')
    .where('userId', '=', userId)
    .where(({ or, eb }) =>
      or([
        eb('expiresAt', '<', sql<Date>`now() - interval '30 days'`),
        eb('id', 'in', oldSessions),
      ]),
    )
    .execute()
}
