// Replaces the name of a deleted person in pull requests, dismissals, questions and payloads.
import { zstdDecompressSync } from 'node:zlib'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { limitRows } from '../db/limit-rows.ts'
import { transactionWithRetry } from '../db/transaction.ts'
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

const namingColumns = [
  ['pull_requests', 'author'],
  ['pull_requests', 'paused_by'],
  ['dismissals', 'login'],
  ['answers', 'requester'],
] as const

/** Replaces the name in everything but payloads and runs, in the caller's transaction. */
export async function renameInRecords(tx: Db, { login, suffix }: PersonName): Promise<void> {
  for (const [table, column] of namingColumns) {
    const name = sql.ref(column)
    await sql`
      update ${sql.table(table)} set ${name} = ${deletedLogin}
      where ${name} = ${login} and host_of(repo) = ${suffix}`.execute(tx)
  }
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
    const ids = rows.filter(({ payload }) => mayContain(payload, quoted)).map(({ id }) => id)
    if (ids.length > 0) {
      await db.updateTable('events').set({ payload: empty }).where('id', 'in', ids).execute()
    }
    emptied += ids.length
    if (rows.length < batchSize) return emptied
    last = rows.at(-1)!.id
  }
}

/** A damaged payload may contain anything. */
function mayContain(payload: Buffer, text: string): boolean {
  try {
    return zstdDecompressSync(payload).toString('utf8').toLowerCase().includes(text)
  } catch {
    return true
  }
}

/**
 * Replaces the name in runs. They name who wrote the memories that they applied, who paused the
 * reviews, and the people of the reported impact. Each batch has a transaction of its own, because
 * reading them all takes long.
 */
export async function renameInRuns(db: Db, person: PersonName): Promise<void> {
  for (let last: number | null = 0; last !== null; ) {
    const after: number = last
    last = await transactionWithRetry(db, (tx) => renameInBatch(tx, person, after))
  }
}

/** Returns the last id of the batch, or null if there are no more runs. */
async function renameInBatch(
  tx: Db,
  { login, suffix }: PersonName,
  after: number,
): Promise<number | null> {
  const from = namesInRuns(login)
  const to = namesInRuns(deletedLogin)
  const { rows } = await sql<{ last: number | null }>`
    select max(id) as last from (
      select id from workflow_runs where id > ${after} order by id ${limitRows(batchSize)}) batch
  `.execute(tx)
  const { last } = rows[0]!
  if (last === null) return null
  await sql`
    update workflow_runs set
      basis = replace(basis::text, ${from.user}, ${to.user})::jsonb,
      reach = replace(replace(reach::text, ${from.owner}, ${to.owner}),
        ${from.author}, ${to.author})::jsonb,
      summary = replace(summary, ${from.pause}, ${to.pause})
    where id > ${after} and id <= ${last} and host_of(repo) = ${suffix} and (
      strpos(basis::text, ${from.user}) > 0 or strpos(reach::text, ${from.owner}) > 0
      or strpos(reach::text, ${from.author}) > 0 or strpos(summary, ${from.pause}) > 0)
  `.execute(tx)
  return last
}

/** How runs contain a name: in the JSON of their basis and impact, and in their summary. */
function namesInRuns(name: string) {
  const quoted = JSON.stringify(name)
  return {
    user: `"user": ${quoted}`,
    owner: `"login": ${quoted}`,
    author: `"author": ${quoted}`,
    pause: `\`${name}\` paused its reviews`,
  }
}
