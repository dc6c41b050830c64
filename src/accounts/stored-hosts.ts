// Stores which code hosts a database has data of, so that nothing is used for another host.
import type { Db } from '../db/database.ts'
import type { Row } from '../db/schema.ts'
import { ConfigError } from '../domain/errors.ts'

type StoredHost = Row<'codeHosts'>

/** The hosts of the configuration, of which the first one comes first. */
type ServedHosts = readonly {
  readonly platform: { readonly id: string; readonly url: string }
}[]

interface HostConflict {
  readonly message: string
  readonly remedy: string
}

export function listStoredHosts(db: Db): Promise<StoredHost[]> {
  return db.selectFrom('codeHosts').selectAll().orderBy('id').execute()
}

/**
 * Stores the hosts of the configuration that the database doesn't have yet.
 *
 * @throws ConfigError if the database has another first host, or another address of a host
 */
export async function ensureStoredHosts(db: Db, served: ServedHosts): Promise<void> {
  const stored = await assertStoredHosts(db, served)
  const missing = served.filter(({ platform }) => stored.every(({ id }) => id !== platform.id))
  if (missing.length === 0) return
  const rows = missing.map((host) => {
    const { id, url } = host.platform
    return { id, url, isFirst: host === served[0] }
  })
  await db
    .insertInto('codeHosts')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  // Another process may have stored others at the same time.
  await assertStoredHosts(db, served)
}

/** Throws a ConfigError like `ensureStoredHosts`, and stores nothing. */
export async function assertStoredHosts(db: Db, served: ServedHosts): Promise<StoredHost[]> {
  const stored = await listStoredHosts(db)
  const conflict = findHostConflict(stored, served)
  if (conflict !== null) throw new ConfigError(`${conflict.message} ${conflict.remedy}`)
  return stored
}

/** Why the database can't be used with the hosts of a configuration; null if it can. */
export function findHostConflict(
  stored: readonly StoredHost[],
  served: ServedHosts,
): HostConflict | null {
  const first = stored.find(({ isFirst }) => isFirst)
  const given = served[0]?.platform.id
  if (first !== undefined && first.id !== given) {
    return {
      message:
        `The first code host of this database is ${first.id} (${first.url}), and not ${given}: ` +
        'everything that is stored without the id of a host belongs to it.',
      remedy: `Put ${first.id} first in PLATFORMS, or use another database.`,
    }
  }
  for (const { platform } of served) {
    const former = stored.find(({ id }) => id === platform.id)
    if (former === undefined || former.url === platform.url) continue
    return {
      message:
        `The code host ${former.id} of this database is at ${former.url}, ` +
        `and not at ${platform.url}.`,
      remedy:
        'If the same host has moved there, stop all processes and run umpire migrate --moved ' +
        `${former.id}. If it is another host, add it to PLATFORMS with another id, or use ` +
        'another database.',
    }
  }
  return null
}

/** Stores the new address of a host. Returns the former one; undefined for an unknown host. */
export async function moveStoredHost(
  db: Db,
  { id, url }: ServedHosts[number]['platform'],
): Promise<string | undefined> {
  const former = await db
    .selectFrom('codeHosts')
    .select('url')
    .where('id', '=', id)
    .executeTakeFirst()
  await db.updateTable('codeHosts').set({ url }).where('id', '=', id).execute()
  return former?.url
}
