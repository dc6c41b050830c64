// Stores the vectors of memories, and lists memories without one.
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { lockMemories } from './save-memories.ts'
import { type Embedding, packVector } from './vectors.ts'

/** A repository has at most this many vectors. */
const maxVectors = 20_000

export interface UnembeddedMemory {
  readonly id: string
  readonly text: string
  readonly path: string | null
}

/** Counts current memories that have no vector of the embedder yet but should get one. */
export async function countUnembedded(db: Db, repo: string, embedder: string): Promise<number> {
  const { rows } = await sql<{ memories: number; vectors: number }>`
    select
      (select count(*)::integer from memories where repo = ${repo} and ended_at is null)
        as memories,
      (select count(*)::integer from memory_vectors where repo = ${repo} and embedder = ${embedder})
        as vectors`.execute(db)
  const { memories = 0, vectors = 0 } = rows[0] ?? {}
  return Math.max(0, Math.min(memories, maxVectors) - vectors)
}

/** Lists memories without a vector, newest first, that follow the one with the id `after`. */
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
      and not exists (
        select from memory_vectors v where v.memory_id = m.id and v.embedder = ${embedder}
      )
    order by m.updated_at desc, m.id desc limit ${limit}`.execute(db)
  return rows
}

/**
 * Stores vectors, replacing those of other embedders. Memories that have ended get none. If the
 * embedder's dimension has changed, its earlier vectors are deleted.
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
  // Without the lock a memory that is being dismissed could get a vector.
  await lockMemories(tx, repo)
  // All stored vectors of an embedder have the same dimension, so one of them is enough.
  const isOfEmbedder = sql`repo = ${repo} and embedder = ${embedder}`
  await sql`
    delete from memory_vectors where ${isOfEmbedder}
      and (select length(signs) from memory_vectors where ${isOfEmbedder} limit 1)
        <> ${first.vector.length}`.execute(tx)
  const rows = vectors.map(({ id, vector }) => {
    const { bytes, norm, signs } = packVector(vector)
    return { id, signs, norm, vector: Buffer.from(bytes.buffer).toString('base64') }
  })
  await sql`
    insert into memory_vectors (memory_id, repo, embedder, signs, vector, norm)
    select m.id, m.repo, ${embedder}, new.signs::bit varying, decode(new.vector, 'base64'), new.norm
    from json_to_recordset(${JSON.stringify(rows)}::json) as new (
      id uuid, signs text, vector text, norm real)
    join memories m on m.id = new.id and m.repo = ${repo} and m.ended_at is null
    on conflict (memory_id) do update set
      embedder = excluded.embedder, signs = excluded.signs,
      vector = excluded.vector, norm = excluded.norm`.execute(tx)
}

/**
 * Deletes all vectors of a repository.
 *
 * @param tx a transaction
 */
export async function deleteVectors(tx: Db, repo: string): Promise<void> {
  await lockMemories(tx, repo)
  await sql`delete from memory_vectors where repo = ${repo}`.execute(tx)
}
