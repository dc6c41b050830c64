// Encrypts stored secrets again when the key changes, and counts those that no key decrypts.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { KeyRing } from '../lib/key-ring.ts'
import { resealChannels } from './notification-channels.ts'
import { deleteLostApps, resealApps } from './platform-apps.ts'
import { deleteLostTokens, resealTokens } from './users.ts'

/** The number of platform tokens and Apps whose secrets are encrypted with one key. */
export interface SealCount {
  /** See `DerivedKeys`. */
  readonly keyId: string
  readonly count: number
}

/** Counts platform tokens and Apps by the key that encrypted them. */
export async function countSealsByKey(db: Db): Promise<SealCount[]> {
  const { rows } = await sql<SealCount>`
    with sealed as (
      select encrypted_token as bytes from users where encrypted_token is not null
      union all select encrypted_secrets from platform_apps
    )
    -- The key's id is in front of what it encrypted, see lib/key-ring.ts.
    select encode(substring(bytes from 2 for 8), 'hex') as key_id, count(*)::int as count
    from sealed group by key_id order by key_id`.execute(db)
  return rows
}

/** Counts secrets that no current key decrypts, because the secret key was lost or replaced. */
export function countLostSecrets(seals: readonly SealCount[], keys: Pick<KeyRing, 'ids'>): number {
  return seals.reduce((sum, { keyId, count }) => (keys.ids.includes(keyId) ? sum : sum + count), 0)
}

/** Encrypts secrets under older keys again with the current one. */
export async function resealSecrets(db: Db, keys: KeyRing): Promise<void> {
  await resealTokens(db, keys)
  await resealApps(db, keys)
  await resealChannels(db, keys)
}

/**
 * Deletes the secrets that no current key decrypts, so that people sign in again and create the App
 * again. Returns how many there were.
 */
export async function deleteLostSecrets(db: Db, keys: Pick<KeyRing, 'ids'>): Promise<number> {
  return (await deleteLostTokens(db, keys)) + (await deleteLostApps(db, keys))
}
