// Stores the vectors of memories, and tells which memories have none yet.
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { lockMemories } from './save-memories.ts'
import { type Embedding, packVector } from './vectors.ts'

/** Of one repository. Of more, those that came when there was room; the newest of them first. */
const maxVectors = 20_000

/** A memory that an embedder has to see. */
export interface UnembeddedMemory {
  readonly id: string
  readonly text: string
  readonly path: string | null
}

/** How many current memories of a repository lack a vector of an embedder and are to have one. */
export async function countUnembedded(db: Db, repo: string, embedder: string): Promise<number> {
  const { rows } = await sql<{ memories: number; vectors: number }>`
    select
      (select count(*) from memories where repo = ${repo} and ended_at is null)::integer as memories,
      (select count(*) from memory_vectors where repo = ${repo} and embedder = ${embedder})::integer as vectors`.execute(
    db,
  )
  const { memories = 0, vectors = 0 } = rows[0] ?? {}
  return Math.max(0, Math.min(memories, maxVectors) - vectors)
}

/** Some of them, the newest first, after the one with the id `after`. */
export async function listUnembedded(
  db: Db,
  repo: string,
  { embedder, after, limit }: { embedder: string; after: string | undefined; limit: number },
): Promise<UnembeddedMemory[]> {
  const isLater =
    after === undefined
      ? sql``
      : sql`and (m.updated_at, m.id) < (select updated_at, id from memories where id = ${after})`
  const { rows } = await sql<UnembeddedMemory>`
    select m.id, m.text, m.path from memories m
    where m.repo = ${repo} and m.ended_at is null ${isLater}
      and not exists (select from memory_vectors v where v.memory_id = m.id and v.embedder = ${embedder})
    order by m.updated_at desc, m.id desc limit ${limit}`.execute(db)
  return rows
}

/**
 * Stores vectors in the place of other embedders'. A memory that ended meanwhile gets none. Where the embedder's dimension
 * changed, its earlier vectors go.
 *
 * @param tx a transaction
 */
export async function saveVectors(
  tx: Db,
  repo: string,
  embedder: string,
  vectors: readonly { readonly id: string; readonly vector: Embedding['vector'] }[],
): Promise<void> {
  const [first] = vectors
  if (first === undefined) return
  // Else one that is just being dismissed would keep it.
  await lockMemories(tx, repo)
  // All that are there are of one dimension.
  const isOfEmbedder = sql`repo = ${repo} and embedder = ${embedder}`
  await sql`
    delete from memory_vectors where ${isOfEmbedder}
      and (select length(signs) from memory_vectors where ${isOfEmbedder} limit 1) <> ${first.vector.length}`.execute(
    tx,
  )
  const rows = vectors.map(({ id, vector }) => {
    const { bytes, norm, signs } = packVector(vector)
    return { id, signs, norm, vector: Buffer.from(bytes.buffer).toString('base64') }
  })
  await sql`
    insert into memory_vectors (memory_id, repo, embedder, signs, vector, norm)
    select m.id, m.repo, ${embedder}, made.signs::bit varying, decode(made.vector, 'base64'), made.norm
    from json_to_recordset(${JSON.stringify(rows)}::json) as made (id uuid, signs text, vector text, norm real)
    join memories m on m.id = made.id and m.repo = ${repo} and m.ended_at is null
    on conflict (memory_id) do update set
      embedder = excluded.embedder, signs = excluded.signs, vector = excluded.vector, norm = excluded.norm`.execute(
    tx,
  )
}

/**
 * Drops all vectors of a repository.
 *
 * @param tx a transaction
 */
export async function deleteVectors(tx: Db, repo: string): Promise<void> {
  await lockMemories(tx, repo)
  await sql`delete from memory_vectors where repo = ${repo}`.execute(tx)
}
