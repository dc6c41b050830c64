// Replaces the secrets of webhooks: the next one is accepted before the platform uses it, and the
// former ones for a while after that.
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import { type KeyRing, seal } from '../lib/key-ring.ts'
import { type AppSecrets, findApp, openApp, sealContextOf } from './platform-apps.ts'

/**
 * How long a former secret is accepted. Platforms send a failed delivery again for three days, with
 * its first signature.
 */
const formerSecretDays = 3
const formerUntil = sql<Date>`now() + make_interval(days => ${sql.lit(formerSecretDays)})`

/** The secret that will be the current one once the platform uses it. */
export interface NextSecret {
  readonly secret: string
  /** Whether no earlier attempt may have given it to the platform. */
  readonly isNew: boolean
}

/** A webhook. Each host counts its webhooks for itself, so the id alone identifies none. */
interface RepositoryWebhook {
  readonly repo: RepositoryName
  readonly webhookId: number
}

const hostOf = (repo: RepositoryName) => sql<string>`host_of(${repo})`

export function makeWebhookSecret(): string {
  return randomBytes(32).toString('hex')
}

/**
 * Stores the next secret of a repository's webhook, which is accepted from now on. Returns that of
 * an attempt that didn't end, because the platform may use it already.
 */
export async function addNextSecret(
  db: Db,
  { repo, webhookId }: RepositoryWebhook,
): Promise<NextSecret> {
  const host = hostOf(repo)
  const added = await db
    .insertInto('spareWebhookSecrets')
    .values({ webhookId, host, secret: makeWebhookSecret(), acceptedUntil: null })
    .onConflict((conflict) =>
      conflict.columns(['webhookId', 'host']).where('acceptedUntil', 'is', null).doNothing(),
    )
    .returning('secret')
    .executeTakeFirst()
  if (added !== undefined) return { ...added, isNew: true }
  const earlier = await db
    .selectFrom('spareWebhookSecrets')
    .select('secret')
    .where('webhookId', '=', webhookId)
    .where('host', '=', host)
    .where('acceptedUntil', 'is', null)
    .executeTakeFirstOrThrow()
  return { ...earlier, isNew: false }
}

/** Deletes the next secret of a webhook, which the platform doesn't use. */
export async function deleteNextSecret(
  db: Db,
  { repo, webhookId }: RepositoryWebhook,
): Promise<void> {
  await db
    .deleteFrom('spareWebhookSecrets')
    .where('webhookId', '=', webhookId)
    .where('host', '=', hostOf(repo))
    .where('acceptedUntil', 'is', null)
    .execute()
}

/**
 * Makes the next secret of a webhook the current one.
 *
 * @param acceptFormer whether the former secrets are accepted for a while
 */
export async function useNextSecret(
  tx: Db,
  webhook: RepositoryWebhook,
  { secret, acceptFormer }: { secret: string; acceptFormer: boolean },
): Promise<void> {
  const { repo, webhookId } = webhook
  const host = hostOf(repo)
  await deleteNextSecret(tx, webhook)
  await tx
    .deleteFrom('spareWebhookSecrets')
    .where((where) =>
      acceptFormer
        ? where('acceptedUntil', '<', sql<Date>`now()`)
        : where.and([where('webhookId', '=', webhookId), where('host', '=', host)]),
    )
    .execute()
  if (acceptFormer) {
    await sql`
      insert into spare_webhook_secrets (webhook_id, host, secret, accepted_until)
      select distinct webhook_id, ${host}, webhook_secret, ${formerUntil} from installations
      where webhook_id = ${webhookId} and host_of(repo_full_name) = ${host}
        and webhook_secret <> ${secret}
      on conflict do nothing`.execute(tx)
  }
  await tx
    .updateTable('installations')
    .set({ webhookSecret: secret })
    .where('webhookId', '=', webhookId)
    .where(sql`host_of(repo_full_name)`, '=', host)
    .execute()
}

/** Stores that another webhook of the platform replaced one, with its secrets. */
export async function moveWebhook(
  tx: Db,
  { repo, webhookId: from }: RepositoryWebhook,
  to: number,
): Promise<void> {
  if (from === to) return
  const host = hostOf(repo)
  await tx
    .updateTable('spareWebhookSecrets')
    .set({ webhookId: to })
    .where('webhookId', '=', from)
    .where('host', '=', host)
    .execute()
  await tx
    .updateTable('installations')
    .set({ webhookId: to })
    .where('webhookId', '=', from)
    .where(sql`host_of(repo_full_name)`, '=', host)
    .execute()
}

/**
 * Reads the secrets of the App's webhook that are accepted now; none if there is no App, and null
 * if no current key decrypts them.
 */
export async function readAppWebhookSecrets(
  db: Db,
  keys: KeyRing,
  source: string,
): Promise<readonly string[] | null> {
  const opened = await readSecrets(db, keys, source)
  if (opened === undefined) return (await findApp(db, source)) === undefined ? [] : null
  const { webhookSecret, nextWebhookSecret, formerWebhookSecrets } = opened.secrets
  const former = formerWebhookSecrets.filter((one) => isAccepted(one, opened.now))
  const next = nextWebhookSecret === undefined ? [] : [nextWebhookSecret]
  return [webhookSecret, ...next, ...former.map(({ secret }) => secret)]
}

/** Like `addNextSecret`, for the webhook of the App. Undefined if there is none to change. */
export function addNextAppSecret(
  db: Db,
  keys: KeyRing,
  source: string,
): Promise<NextSecret | undefined> {
  return changeSecrets(db, keys, source, (secrets) => {
    const { nextWebhookSecret: secret = makeWebhookSecret() } = secrets
    const isNew = secrets.nextWebhookSecret === undefined
    return { changed: { ...secrets, nextWebhookSecret: secret }, result: { secret, isNew } }
  })
}

/** Deletes the next secret of the App's webhook, which the platform doesn't use. */
export async function deleteNextAppSecret(db: Db, keys: KeyRing, source: string): Promise<void> {
  await changeSecrets(db, keys, source, ({ nextWebhookSecret: _, ...secrets }) => {
    return { changed: secrets, result: undefined }
  })
}

/** Like `useNextSecret`, for the webhook of the App. Returns false if that was removed. */
export async function useNextAppSecret(
  tx: Db,
  keys: KeyRing,
  source: string,
  { secret, acceptFormer }: { secret: string; acceptFormer: boolean },
): Promise<boolean> {
  const isChanged = await changeSecrets(tx, keys, source, (secrets, now) => {
    const { nextWebhookSecret: _, webhookSecret, formerWebhookSecrets, ...others } = secrets
    const acceptedUntil = new Date(now.getTime() + formerSecretDays * 24 * 3_600_000).toISOString()
    const former = acceptFormer
      ? [
          ...formerWebhookSecrets.filter((one) => isAccepted(one, now)),
          { secret: webhookSecret, acceptedUntil },
        ]
      : []
    const changed = { ...others, webhookSecret: secret, formerWebhookSecrets: former }
    return { changed, result: true }
  })
  return isChanged ?? false
}

function isAccepted({ acceptedUntil }: { acceptedUntil: string }, now: Date): boolean {
  return Date.parse(acceptedUntil) > now.getTime()
}

/** Decrypts the App's secrets. `now` is the time of the database. */
async function readSecrets(db: Db, keys: KeyRing, source: string, lock?: 'lock') {
  const row = await db
    .selectFrom('platformApps')
    .select(['encryptedSecrets', sql<Date>`now()`.as('now')])
    .where('source', '=', source)
    .$if(lock === 'lock', (query) => query.forUpdate())
    .executeTakeFirst()
  const secrets = row && openApp(keys, source, row.encryptedSecrets)
  return row && secrets && { secrets, now: row.now }
}

/** Changes the App's secrets while nobody else does. Undefined if there are none to change. */
async function changeSecrets<Result>(
  db: Db,
  keys: KeyRing,
  source: string,
  change: (secrets: AppSecrets, now: Date) => { changed: AppSecrets; result: Result },
): Promise<Result | undefined> {
  const run = async (tx: Db) => {
    const opened = await readSecrets(tx, keys, source, 'lock')
    if (opened === undefined) return undefined
    const { changed, result } = change(opened.secrets, opened.now)
    keys.reveal([changed.webhookSecret, changed.nextWebhookSecret ?? changed.webhookSecret])
    await tx
      .updateTable('platformApps')
      .set({ encryptedSecrets: seal(keys, JSON.stringify(changed), sealContextOf(source)) })
      .where('source', '=', source)
      .execute()
    return result
  }
  return db.isTransaction ? run(db) : db.transaction().execute(run)
}
