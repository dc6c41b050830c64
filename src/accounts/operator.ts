// Manages the operator's account, and the API tokens of all accounts.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { Row } from '../db/schema.ts'
import { isTokenId } from './credentials.ts'
import { type ApiToken, selectApiTokens } from './tokens.ts'
import { operatorPlatform } from './users.ts'

/** Login of the operator, in an account whose platform doesn't exist. */
export const operatorLogin = 'operator'

/** The fields of an account that issuing a token needs. */
export type Account = Pick<Row<'users'>, 'id' | 'login'>

export type OwnedToken = ApiToken & Pick<Row<'tokens'>, 'grantsAdmin'> & Pick<Account, 'login'>

const maxListedTokens = 1000

/** Returns the operator's account, which has no platform token, and creates it if necessary. */
export async function ensureOperator(tx: Db): Promise<Account> {
  const fields = { login: operatorLogin, name: 'Operator', avatarUrl: '', encryptedToken: null }
  await tx
    .insertInto('users')
    .values({
      platform: operatorPlatform,
      platformUserId: operatorLogin,
      isAdmin: false,
      ...fields,
    })
    .onConflict((conflict) => conflict.columns(['platform', 'platformUserId']).doNothing())
    .execute()
  return tx
    .selectFrom('users')
    .select(['id', 'login'])
    .where('platform', '=', operatorPlatform)
    .where('platformUserId', '=', operatorLogin)
    .executeTakeFirstOrThrow()
}

/** Finds accounts by their login at the last sign-in, ignoring case. Two if a login was reused. */
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

/** Returns the valid API tokens of all accounts, newest first. */
export async function listAllApiTokens(db: Db): Promise<OwnedToken[]> {
  return selectApiTokens(db)
    .innerJoin('users', 'users.id', 'tokens.userId')
    .select(['tokens.grantsAdmin', 'users.login'])
    .limit(maxListedTokens)
    .execute()
}

/** The owner of an API token; undefined when there is no such token. */
export async function findTokenOwner(db: Db, tokenId: string): Promise<Account | undefined> {
  if (!isTokenId(tokenId)) return undefined
  return db
    .selectFrom('tokens')
    .innerJoin('users', 'users.id', 'tokens.userId')
    .select(['users.id', 'users.login'])
    .where('tokens.id', '=', tokenId)
    .where('tokens.kind', '=', 'api')
    .executeTakeFirst()
}
