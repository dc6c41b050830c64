// Whoever runs this service: an account of its own, and a view of all tokens that were made for programs.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { isTokenId } from './credentials.ts'
import { type ApiToken, selectApiTokens, toApiToken } from './tokens.ts'
import { operatorPlatform } from './users.ts'

/** How the operator is called, in an account that no platform can have. */
export const operatorLogin = 'operator'

/** An account, as far as tokens are made for it. */
export interface Account {
  readonly id: number
  readonly login: string
}

/** A named token, with whose it is. */
export interface OwnedToken extends ApiToken {
  readonly login: string
  /** It makes its bearer an administrator, whoever the account is. */
  readonly grantsAdmin: boolean
}

/** Most tokens that are listed; the newest. */
const maxListedTokens = 1000

/** The operator's account, made where there is none. It has no token of a platform. */
export async function ensureOperator(tx: Db): Promise<Account> {
  const fields = { login: operatorLogin, name: 'Operator', avatar_url: '', encrypted_token: null }
  await tx
    .insertInto('users')
    .values({
      platform: operatorPlatform,
      platform_user_id: operatorLogin,
      is_admin: false,
      ...fields,
    })
    .onConflict((conflict) => conflict.columns(['platform', 'platform_user_id']).doNothing())
    .execute()
  return tx
    .selectFrom('users')
    .select(['id', 'login'])
    .where('platform', '=', operatorPlatform)
    .where('platform_user_id', '=', operatorLogin)
    .executeTakeFirstOrThrow()
}

/** The accounts that had a username at their last sign-in, in any letter case. Two, where one gave it up since. */
export function findAccounts(db: Db, platform: string, login: string): Promise<Account[]> {
  return db
    .selectFrom('users')
    .select(['id', 'login'])
    .where('platform', '=', platform)
    .where(sql<string>`lower(login)`, '=', login.toLowerCase())
    .orderBy('id')
    .limit(2)
    .execute()
}

/** Everybody's named tokens that still count, the newest first. */
export async function listAllApiTokens(db: Db): Promise<OwnedToken[]> {
  const rows = await selectApiTokens(db)
    .innerJoin('users', 'users.id', 'tokens.user_id')
    .select(['tokens.grants_admin', 'users.login'])
    .limit(maxListedTokens)
    .execute()
  return rows.map((row) => ({
    ...toApiToken(row),
    login: row.login,
    grantsAdmin: row.grants_admin,
  }))
}

/** Whose named token it is; undefined where there is none of this id. */
export async function findTokenOwner(db: Db, tokenId: string): Promise<Account | undefined> {
  if (!isTokenId(tokenId)) return undefined
  return db
    .selectFrom('tokens')
    .innerJoin('users', 'users.id', 'tokens.user_id')
    .select(['users.id', 'users.login'])
    .where('tokens.id', '=', tokenId)
    .where('tokens.kind', '=', 'api')
    .executeTakeFirst()
}
