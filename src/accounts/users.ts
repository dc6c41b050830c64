// Stores the people who signed in, with their encrypted platform tokens.
import { sql } from 'kysely'
import { z } from 'zod'
import { hostSuffix } from '../contract/repository-name.ts'
import { toStorableText } from '../contract/storable-text.ts'
import type { Db } from '../db/database.ts'
import type { Row } from '../db/schema.ts'
import { type KeyRing, reseal, seal, unseal } from '../lib/key-ring.ts'
import type { PlatformSettings } from '../platforms/code-hosts.ts'
import type { OAuthGrant, Viewer } from '../platforms/platform.ts'

/** The operator's account has this value instead of the id of a platform. */
export const operatorPlatform = 'operator'

/** Who may sign in, and where. */
export interface SignInConfig extends Pick<PlatformSettings, 'hosts'> {
  /** Usernames in lower case, with `@` and the host unless it is the first; null for everyone. */
  readonly signInAllowed: ReadonlySet<string> | null
}

/**
 * Whether an account may sign in. Ignores case, as platforms do. The same username at another host
 * may be another person's.
 */
export function maySignIn(
  { signInAllowed, hosts }: SignInConfig,
  { platform, login }: { readonly platform: string; readonly login: string },
): boolean {
  const host = hosts.find((one) => one.platform.id === platform)?.platform
  if (host === undefined) return false
  const name = login + hostSuffix(host.name)
  return signInAllowed === null || signInAllowed.has(name.toLowerCase())
}

/**
 * Creates the account at the first sign-in, else updates it. The first account of all hosts is an
 * administrator.
 *
 * @param input `hosts` are the ids of all hosts at which people sign in
 */
export async function saveUser(
  tx: Db,
  keys: KeyRing,
  input: { platform: string; hosts: readonly string[]; viewer: Viewer; grant: UserGrant },
): Promise<{ id: number; isAdmin: boolean }> {
  const { platform, hosts, viewer, grant } = input
  // Only one of two people who sign in at the same time can be the first.
  await lockAdministrators(tx)
  const profile = {
    login: toStorableText(viewer.login),
    name: toStorableText(viewer.name),
    avatarUrl: toStorableText(viewer.avatarUrl),
    encryptedToken: sealGrant(keys, grant, sealContextOf(platform, viewer.id)),
  }
  return tx
    .insertInto('users')
    .values({
      platform,
      platformUserId: viewer.id,
      isAdmin: sql<boolean>`not exists (
        select from users where platform = any(${hosts}::text[]))`,
      ...profile,
    })
    .onConflict((conflict) => conflict.columns(['platform', 'platformUserId']).doUpdateSet(profile))
    .returning(['id', 'isAdmin'])
    .executeTakeFirstOrThrow()
}

/** Until the transaction ends, nobody else can become an administrator or stop being one. */
export async function lockAdministrators(tx: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('umpire first account'))`.execute(tx)
}

/** Whether anyone has signed in so far, at one of the hosts. */
export async function hasUsers(db: Db, hosts: readonly string[]): Promise<boolean> {
  const user = await db
    .selectFrom('users')
    .select('id')
    .where('platform', 'in', hosts)
    .limit(1)
    .executeTakeFirst()
  return user !== undefined
}

/** Finds the account of a person who signed in at least once, by the platform's id. */
export function findUserByPlatformId(
  db: Db,
  platform: string,
  platformUserId: string,
): Promise<{ userId: number; login: string } | undefined> {
  return db
    .selectFrom('users')
    .select(['id as userId', 'login'])
    .where('platform', '=', platform)
    .where('platformUserId', '=', platformUserId)
    .executeTakeFirst()
}

/** Reads the encrypted token of a person. */
export function findTokenHolder(db: Db, userId: number): Promise<TokenHolder | undefined> {
  return db
    .selectFrom('users')
    .select(['platform', 'platformUserId', 'encryptedToken'])
    .where('id', '=', userId)
    .executeTakeFirst()
}

/**
 * Gives one process the right to renew a person's token for a time. Returns the stored token;
 * undefined while another process has the right.
 */
export function claimTokenRenewal(
  db: Db,
  userId: number,
  seconds: number,
): Promise<TokenHolder | undefined> {
  return db
    .updateTable('users')
    .set({ tokenRenewalUntil: sql<Date>`now() + make_interval(secs => ${seconds})` })
    .where('id', '=', userId)
    .where(sql<boolean>`coalesce(token_renewal_until < now(), true)`)
    .returning(['platform', 'platformUserId', 'encryptedToken'])
    .executeTakeFirst()
}

export async function releaseTokenRenewal(db: Db, userId: number): Promise<void> {
  await db.updateTable('users').set({ tokenRenewalUntil: null }).where('id', '=', userId).execute()
}

/** Stores a renewed token, unless the person signed in again in the meantime. */
export async function saveRenewedGrant(
  db: Db,
  keys: KeyRing,
  holder: TokenHolder & { readonly userId: number },
  grant: UserGrant,
): Promise<void> {
  const context = sealContextOf(holder.platform, holder.platformUserId)
  await db
    .updateTable('users')
    .set({ encryptedToken: sealGrant(keys, grant, context) })
    .where('id', '=', holder.userId)
    .where('encryptedToken', '=', holder.encryptedToken)
    .execute()
}

/** A platform token, and what renews it if it expires. */
export type UserGrant = Omit<OAuthGrant, 'scopes'>

const expiringGrant = z.object({
  token: z.string(),
  refreshToken: z.string(),
  expiresAt: z.coerce.date(),
})

/** A token that doesn't expire is stored alone. No token begins like a JSON object. */
function sealGrant(keys: KeyRing, grant: UserGrant, context: string): Buffer {
  const { token, refreshToken, expiresAt } = grant
  const isExpiring = refreshToken !== null && expiresAt !== null
  const text = isExpiring ? JSON.stringify({ token, refreshToken, expiresAt }) : token
  return seal(keys, text, context)
}

/** The columns of `users` that hold an encrypted token. */
export type TokenHolder = Pick<Row<'users'>, 'platform' | 'platformUserId' | 'encryptedToken'>

/** Decrypts a stored token; undefined if there is none or no current key decrypts it. */
export function unsealGrant(keys: KeyRing, user: TokenHolder): UserGrant | undefined {
  const text = unsealText(keys, user)
  if (text === undefined) return undefined
  if (!text.startsWith('{')) return { token: text, refreshToken: null, expiresAt: null }
  return expiringGrant.parse(JSON.parse(text))
}

function unsealText(keys: KeyRing, user: TokenHolder): string | undefined {
  if (user.encryptedToken === null) return undefined
  return unseal(keys, user.encryptedToken, sealContextOf(user.platform, user.platformUserId))
}

/** Encrypts tokens under older keys again with the current one. */
export async function resealTokens(db: Db, keys: KeyRing): Promise<void> {
  const users = await db
    .selectFrom('users')
    .select(['id', 'platform', 'platformUserId', 'encryptedToken'])
    .where('encryptedToken', 'is not', null)
    .execute()
  for (const user of users) {
    const sealed = user.encryptedToken as Buffer
    const encryptedToken = reseal(keys, sealed, sealContextOf(user.platform, user.platformUserId))
    if (encryptedToken === undefined) continue
    await db
      .updateTable('users')
      .set({ encryptedToken })
      .where('id', '=', user.id)
      // A sign-in in the meantime may have stored a newer token.
      .where('encryptedToken', '=', sealed)
      .execute()
  }
}

/** The id of the key that encrypted a token, which `seal` stores in front of it. */
const sealKeyId = sql<string>`encode(substring(encrypted_token from 2 for 8), 'hex')`

/**
 * Deletes tokens that no current key decrypts, so that their owners have to sign in again. Returns
 * how many there were.
 */
export async function deleteLostTokens(db: Db, keys: Pick<KeyRing, 'ids'>): Promise<number> {
  const affectedUsers = await db
    .updateTable('users')
    .set({ encryptedToken: null })
    .where('encryptedToken', 'is not', null)
    .where(sealKeyId, 'not in', keys.ids)
    .returning('id')
    .execute()
  return affectedUsers.length
}

function sealContextOf(platform: string, platformUserId: string): string {
  return `token of ${platform} ${platformUserId}`
}
