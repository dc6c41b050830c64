// Stores the App that this deployment created at a code host, with its encrypted secrets.
import { sql } from 'kysely'
import { z } from 'zod'
import { toStorableText } from '../contract/storable-text.ts'
import type { Db } from '../db/database.ts'
import { type KeyRing, reseal, seal, unseal } from '../lib/key-ring.ts'
import type { AppRegistration } from '../platforms/platform-app.ts'

/** What everyone may know of an App. */
interface StoredApp {
  readonly slug: string
  readonly name: string
  /** Login of the account that owns it. */
  readonly owner: string
  readonly htmlUrl: string
  readonly clientId: string
  readonly createdAt: Date
}

const secretsSchema = z.object({
  clientSecret: z.string(),
  webhookSecret: z.string(),
  privateKey: z.string(),
  /** The platform may use it already, see webhook-secrets.ts. */
  nextWebhookSecret: z.string().optional(),
  formerWebhookSecrets: z
    .array(z.object({ secret: z.string(), acceptedUntil: z.iso.datetime() }))
    .default([]),
})
export type AppSecrets = z.output<typeof secretsSchema>

/** Stores a new App. Returns false if the host has one already. */
export async function insertApp(
  tx: Db,
  keys: KeyRing,
  source: string,
  app: AppRegistration,
): Promise<boolean> {
  const { clientSecret, webhookSecret, privateKey } = app
  keys.reveal([clientSecret, webhookSecret, privateKey])
  const secrets = JSON.stringify({ clientSecret, webhookSecret, privateKey })
  const inserted = await tx
    .insertInto('platformApps')
    .values({
      source,
      appId: app.id,
      slug: app.slug,
      name: toStorableText(app.name),
      owner: app.owner,
      htmlUrl: app.htmlUrl,
      clientId: app.clientId,
      encryptedSecrets: seal(keys, secrets, sealContextOf(source)),
    })
    .onConflict((conflict) => conflict.column('source').doNothing())
    .returning('source')
    .executeTakeFirst()
  return inserted !== undefined
}

/** Finds the App of a host, without its secrets. */
export function findApp(db: Db, source: string): Promise<StoredApp | undefined> {
  return db
    .selectFrom('platformApps')
    .select(['slug', 'name', 'owner', 'htmlUrl', 'clientId', 'createdAt'])
    .where('source', '=', source)
    .executeTakeFirst()
}

/** An App whose secrets are still encrypted. */
interface SealedApp {
  readonly source: string
  readonly name: string
  readonly clientId: string
  readonly encryptedSecrets: Buffer
}

/** Lists the Apps of all hosts. */
export function listSealedApps(db: Db): Promise<SealedApp[]> {
  return db
    .selectFrom('platformApps')
    .select(['source', 'name', 'clientId', 'encryptedSecrets'])
    .orderBy('source')
    .execute()
}

/** Decrypts the secrets of the App of a host; undefined if no current key decrypts them. */
export function openApp(
  keys: KeyRing,
  source: string,
  encryptedSecrets: Buffer,
): AppSecrets | undefined {
  const text = unseal(keys, encryptedSecrets, sealContextOf(source))
  if (text === undefined) return undefined
  const secrets = secretsSchema.parse(JSON.parse(text))
  const { clientSecret, webhookSecret, privateKey, nextWebhookSecret = webhookSecret } = secrets
  const former = secrets.formerWebhookSecrets.map(({ secret }) => secret)
  keys.reveal([clientSecret, webhookSecret, privateKey, nextWebhookSecret, ...former])
  return secrets
}

/** Reads the App with its secrets; undefined if there is none, or they can't be decrypted. */
export async function readApp(
  db: Db,
  keys: KeyRing,
  source: string,
): Promise<AppRegistration | undefined> {
  const row = await db
    .selectFrom('platformApps')
    .select(['appId as id', 'slug', 'name', 'owner', 'htmlUrl', 'clientId', 'encryptedSecrets'])
    .where('source', '=', source)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { encryptedSecrets, ...app } = row
  const secrets = openApp(keys, source, encryptedSecrets)
  if (secrets === undefined) return undefined
  const { clientSecret, webhookSecret, privateKey } = secrets
  return { ...app, clientSecret, webhookSecret, privateKey }
}

/** Deletes the App and its installations. Returns its name; undefined if there is none. */
export async function deleteApp(tx: Db, source: string): Promise<string | undefined> {
  const deleted = await tx
    .deleteFrom('platformApps')
    .where('source', '=', source)
    .returning('name')
    .executeTakeFirst()
  return deleted?.name
}

/** Encrypts secrets under older keys again with the current one. */
export async function resealApps(db: Db, keys: KeyRing): Promise<void> {
  const apps = await db.selectFrom('platformApps').select(['source', 'encryptedSecrets']).execute()
  for (const { source, encryptedSecrets: sealed } of apps) {
    const encryptedSecrets = reseal(keys, sealed, sealContextOf(source))
    if (encryptedSecrets === undefined) continue
    await db
      .updateTable('platformApps')
      .set({ encryptedSecrets })
      .where('source', '=', source)
      // The App may have been replaced in the meantime.
      .where('encryptedSecrets', '=', sealed)
      .execute()
  }
}

/**
 * Deletes Apps whose secrets no current key decrypts: they have to be created again. Returns how
 * many there were.
 */
export async function deleteLostApps(db: Db, keys: Pick<KeyRing, 'ids'>): Promise<number> {
  const deleted = await db
    .deleteFrom('platformApps')
    .where(
      sql<string>`encode(substring(encrypted_secrets from 2 for 8), 'hex')`,
      'not in',
      keys.ids,
    )
    .returning('source')
    .execute()
  return deleted.length
}

export function sealContextOf(source: string): string {
  return `app of ${source}`
}
