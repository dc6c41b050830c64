// Credentials that were given out and can be revoked: sessions of browsers, and named tokens for programs.
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Config } from '../config/config.ts'
import type { Db } from '../db/database.ts'
import { type Claims, isTokenId } from './credentials.ts'
import { maySignIn, operatorPlatform } from './users.ts'

/** Who makes a request. */
export interface Caller {
  readonly userId: number
  /** The platform's username at the last sign-in. */
  readonly login: string
  readonly name: string
  readonly avatarUrl: string
  readonly isAdmin: boolean
  /** The credential's id in `tokens`. */
  readonly tokenId: string
}

/** What lists show of a named token. */
export interface ApiToken {
  readonly id: string
  readonly name: string
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly lastUsedAt: Date | null
}

/** Writes down a credential that is about to be given out. Returns its id. */
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
 * Whom a credential's claims name; undefined where it was revoked, has expired, its user is gone or may not sign in any
 * more. What the operator gives out for a person counts no longer than that; only the operator's own account never signs in.
 */
export async function findCaller(
  db: Db,
  { userId, tokenId }: Claims,
  signInAllowed: Config['signInAllowed'],
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
        'is_use_to_be_noted',
      ),
    )
    .where('tokens.id', '=', tokenId)
    .where('tokens.user_id', '=', userId)
    .where('tokens.revoked_at', 'is', null)
    .where('tokens.expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
  if (!row || !(row.platform === operatorPlatform || maySignIn(signInAllowed, row.login)))
    return undefined
  if (row.is_use_to_be_noted) await recordTokenUse(db, tokenId)
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

/** A person's named tokens that still count, the newest first. */
export async function listApiTokens(db: Db, userId: number): Promise<ApiToken[]> {
  const rows = await selectApiTokens(db).where('tokens.user_id', '=', userId).execute()
  return rows.map(toApiToken)
}

/** All named tokens that still count, the newest first. */
export function selectApiTokens(db: Db) {
  return db
    .selectFrom('tokens')
    .select([
      'tokens.id',
      'tokens.name',
      'tokens.created_at',
      'tokens.expires_at',
      'tokens.last_used_at',
    ])
    .where('tokens.kind', '=', 'api')
    .where('tokens.revoked_at', 'is', null)
    .where('tokens.expires_at', '>', sql<Date>`now()`)
    .orderBy('tokens.created_at', 'desc')
    .orderBy('tokens.id')
}

/** A row of `selectApiTokens` as lists show it. */
export function toApiToken(
  row: Awaited<ReturnType<ReturnType<typeof selectApiTokens>['execute']>>[number],
): ApiToken {
  const { id, name, created_at: createdAt, expires_at: expiresAt, last_used_at: lastUsedAt } = row
  return { id, name, createdAt, expiresAt, lastUsedAt }
}

/**
 * How many named tokens of a person still count. Until the transaction ends, nobody else gets an answer for the same
 * person: so that what is added because of it stays true.
 */
export async function countApiTokens(tx: Db, userId: number): Promise<number> {
  await tx.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().execute()
  return (await listApiTokens(tx, userId)).length
}

/** Makes a credential worthless. Returns its name and whose it was; undefined where there is none that counted. */
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

/** Deletes what a person has no use for: what expired 30 days ago, and of the sessions all but the newest ones. */
export async function pruneTokens(
  tx: Db,
  userId: number,
  input: { keptSessions: number },
): Promise<void> {
  const ofPerson = tx.selectFrom('tokens').select('id').where('user_id', '=', userId)
  const older = ofPerson
    .where('kind', '=', 'session')
    .orderBy('created_at', 'desc')
    .offset(input.keptSessions)
  await tx
    .deleteFrom('tokens')
    .where('user_id', '=', userId)
    .where(({ or, eb }) =>
      or([eb('expires_at', '<', sql<Date>`now() - interval '30 days'`), eb('id', 'in', older)]),
    )
    .execute()
}
