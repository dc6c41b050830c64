// Replaces the name of a deleted person in pull requests, dismissals, questions and payloads.
import { zstdDecompressSync } from 'node:zlib'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { deletedLogin, type PersonName } from '../domain/deleted-person.ts'
import { compressPayload } from './payload.ts'

/** Counts records that name a person. */
export interface PersonRecords {
  readonly pullRequests: number
  readonly dismissals: number
  readonly questions: number
}

export async function countPersonRecords(
  db: Db,
  { login, suffix }: PersonName,
): Promise<PersonRecords> {
  const { rows } = await sql<PersonRecords>`
    select
      (select count(*)::integer from pull_requests
        where author = ${login} and host_of(repo) = ${suffix}) as pull_requests,
      (select count(*)::integer from dismissals
        where login = ${login} and host_of(repo) = ${suffix}) as dismissals,
      (select count(*)::integer from answers
        where requester = ${login} and host_of(repo) = ${suffix}) as questions`.execute(db)
  return rows[0]!
}

/** Replaces the name in everything but payloads, in the caller's transaction. */
export async function renameInRecords(tx: Db, { login, suffix }: PersonName): Promise<void> {
  await sql`
    update pull_requests set author = ${deletedLogin}
    where author = ${login} and host_of(repo) = ${suffix}`.execute(tx)
  await sql`
    update pull_requests set paused_by = ${deletedLogin}
    where paused_by = ${login} and host_of(repo) = ${suffix}`.execute(tx)
  await sql`
    update dismissals set login = ${deletedLogin}
    where login = ${login} and host_of(repo) = ${suffix}`.execute(tx)
  await sql`
    update answers set requester = ${deletedLogin}
    where requester = ${login} and host_of(repo) = ${suffix}`.execute(tx)
  // Reviews name who wrote the memories that they applied.
  const named = `"user": ${JSON.stringify(login)}`
  await sql`
    update workflow_runs
    set basis = replace(basis::text, ${named}, ${`"user": "${deletedLogin}"`})::jsonb
    where host_of(repo) = ${suffix} and strpos(basis::text, ${named}) > 0`.execute(tx)
}

const batchSize = 200

/**
 * Empties the stored payloads that contain a person's username as a JSON string. Nothing reads
 * payloads, and they would have the name, addresses and pictures of the person.
 *
 * @returns how many were emptied
 */
export async function emptyPayloads(db: Db, { login, suffix }: PersonName): Promise<number> {
  const quoted = JSON.stringify(login).toLowerCase()
  const empty = compressPayload('{}')
  let emptied = 0
  for (let last = 0; ; ) {
    const rows = await db
      .selectFrom('events')
      .select(['id', 'payload'])
      .where('id', '>', last)
      .where(sql<boolean>`(repo is null or host_of(repo) = ${suffix})`)
      .orderBy('id')
      .limit(batchSize)
      .execute()
    const ids = rows.filter(({ payload }) => hasText(payload, quoted)).map(({ id }) => id)
    if (ids.length > 0) {
      await db.updateTable('events').set({ payload: empty }).where('id', 'in', ids).execute()
    }
    emptied += ids.length
    if (rows.length < batchSize) return emptied
    last = rows.at(-1)!.id
  }
}

function hasText(payload: Buffer, text: string): boolean {
  return zstdDecompressSync(payload).toString('utf8').toLowerCase().includes(text)
}
