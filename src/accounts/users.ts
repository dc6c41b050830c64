// People: who signed in, and the platform's token that they left with us.
import { sql } from 'kysely'
import type { Config } from '../config/config.ts'
import { toStorableText } from '../contract/storable-text.ts'
import type { Db } from '../db/database.ts'
import { isSealedByCurrentKey, type KeyRing, seal, unseal } from '../lib/key-ring.ts'
import type { Viewer } from '../platforms/platform.ts'

/** The platform of the operator's own account, which no platform has. */
export const operatorPlatform = 'operator'

/** Whether a username may sign in. Case makes no difference, as at the platforms. */
export function maySignIn(signInAllowed: Config['signInAllowed'], login: string): boolean {
  return signInAllowed === null || signInAllowed.has(login.toLowerCase())
}

/** Makes the account at the first sign-in, brings it up to date at the others. The first account is an administrator. */
export async function saveUser(
  tx: Db,
  keys: KeyRing,
  input: { platform: string; viewer: Viewer; token: string },
): Promise<{ id: number; isAdmin: boolean }> {
  const { platform, viewer, token } = input
  // Of two that sign in at once, one is the first.
  await sql`select pg_advisory_xact_lock(hashtext('umpire first account'))`.execute(tx)
  const profile = {
    login: toStorableText(viewer.login),
    name: toStorableText(viewer.name),
    avatar_url: toStorableText(viewer.avatarUrl),
    encrypted_token: seal(keys, token, sealContextOf(platform, viewer.id)),
  }
  const user = await tx
    .insertInto('users')
    .values({
      platform,
      platform_user_id: viewer.id,
      is_admin: sql<boolean>`not exists (select from users where platform = ${platform})`,
      ...profile,
    })
    .onConflict((conflict) =>
      conflict.columns(['platform', 'platform_user_id']).doUpdateSet(profile),
    )
    .returning(['id', 'is_admin'])
    .executeTakeFirstOrThrow()
  return { id: user.id, isAdmin: user.is_admin }
}

/** Whether anybody signed in so far. */
export async function hasUsers(db: Db, platform: string): Promise<boolean> {
  const user = await db
    .selectFrom('users')
    .select('id')
    .where('platform', '=', platform)
    .limit(1)
    .executeTakeFirst()
  return user !== undefined
}

/** The person's token of the platform; undefined where there is none or it can't be decrypted. */
export async function readPlatformToken(
  db: Db,
  keys: KeyRing,
  userId: number,
): Promise<string | undefined> {
  const user = await db
    .selectFrom('users')
    .select(['platform', 'platform_user_id', 'encrypted_token'])
    .where('id', '=', userId)
    .executeTakeFirst()
  return user && unsealToken(keys, user)
}

/** A row of `users`, as far as its token goes. */
export interface TokenHolder {
  readonly platform: string
  readonly platform_user_id: string
  readonly encrypted_token: Buffer | null
}

/** See `readPlatformToken`. */
export function unsealToken(keys: KeyRing, user: TokenHolder): string | undefined {
  if (user.encrypted_token === null) return undefined
  return unseal(keys, user.encrypted_token, sealContextOf(user.platform, user.platform_user_id))
}

/** Seals tokens that are under an older key anew, so that the older key can be dropped. */
export async function resealTokens(db: Db, keys: KeyRing): Promise<number> {
  const users = await db
    .selectFrom('users')
    .select(['id', 'platform', 'platform_user_id', 'encrypted_token'])
    .where('encrypted_token', 'is not', null)
    .execute()
  let renewed = 0
  for (const user of users) {
    const sealed = user.encrypted_token as Buffer
    const token = isSealedByCurrentKey(keys, sealed) ? undefined : unsealToken(keys, user)
    if (token === undefined) continue
    await db
      .updateTable('users')
      .set({
        encrypted_token: seal(keys, token, sealContextOf(user.platform, user.platform_user_id)),
      })
      .where('id', '=', user.id)
      // A sign-in meanwhile brought a newer one.
      .where('encrypted_token', '=', sealed)
      .execute()
    renewed += 1
  }
  return renewed
}

/** How many tokens of the platform are stored under a key. */
export interface SealCount {
  /** See `DerivedKeys`. */
  readonly keyId: string
  readonly count: number
}

/** The id of the key under which a token of the platform is stored: it stands in what is stored, see `seal`. */
const sealKeyId = sql<string>`encode(substring(encrypted_token from 2 for 8), 'hex')`

/** Under which keys the tokens of the platform are stored. */
export async function countSealsByKey(db: Db): Promise<SealCount[]> {
  const { rows } = await sql<{ key_id: string; count: number }>`
    select ${sealKeyId} as key_id, count(*)::int as count from users
    where encrypted_token is not null group by key_id order by key_id`.execute(db)
  return rows.map(({ key_id: keyId, count }) => ({ keyId, count }))
}

/** How many of them no key in force opens: the secret key was lost, or another one was set in its place. */
export function countLostTokens(seals: readonly SealCount[], keys: Pick<KeyRing, 'ids'>): number {
  return seals.reduce((sum, { keyId, count }) => (keys.ids.includes(keyId) ? sum : sum + count), 0)
}

/** Forgets those for good: their people have to sign in again. Returns how many there were. */
export async function deleteLostTokens(db: Db, keys: Pick<KeyRing, 'ids'>): Promise<number> {
  const forgotten = await db
    .updateTable('users')
    .set({ encrypted_token: null })
    .where('encrypted_token', 'is not', null)
    .where(sealKeyId, 'not in', keys.ids)
    .returning('id')
    .execute()
  return forgotten.length
}

function sealContextOf(platform: string, platformUserId: string): string {
  return `token of ${platform} ${platformUserId}`
}
