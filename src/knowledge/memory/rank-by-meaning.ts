// Ranks memories by how similar their vectors are to a query's.
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { limitRows } from '../../db/limit-rows.ts'
import type { RankedMemory } from './memory-query.ts'
import { type MemoryFilter, matchesFilter } from './read-memories.ts'
import { cosineOf, type Embedding, packVector, toUnitVector } from './vectors.ts'

/** Cosines are computed only for the memories whose vectors' signs agree most with the query's. */
const maxCandidates = 500

/** Every query has nearest memories, even if none is relevant, so only a few count as results. */
const maxNearest = 20

/** Results have at least this share of the best score. */
const minShareOfBest = 0.5

/** Ranks the current memories that are nearest in meaning, nearest first. Scores are cosines. */
export async function rankByMeaning(
  db: Db,
  repo: string,
  { embedding, ...filter }: MemoryFilter & { readonly embedding: Embedding },
): Promise<RankedMemory[]> {
  const vector = toUnitVector(embedding.vector)
  const candidates = await readCandidates(db, repo, embedding, filter)
  const ranked = candidates.map(({ id, vector: { buffer, byteOffset, length }, norm }) => {
    const bytes = new Int8Array(buffer, byteOffset, length)
    return { id, score: cosineOf(vector, { bytes, norm }) }
  })
  const nearest = ranked.toSorted((one, other) => other.score - one.score).slice(0, maxNearest)
  const minScore = minShareOfBest * (nearest[0]?.score ?? 0)
  return nearest.filter(({ score }) => score > 0 && score >= minScore)
}

interface Candidate {
  readonly id: string
  readonly vector: Buffer<ArrayBuffer>
  readonly norm: number
}

async function readCandidates(
  db: Db,
  repo: string,
  { embedder, vector }: Embedding,
  filter: MemoryFilter,
): Promise<Candidate[]> {
  const { signs } = packVector(vector)
  const isFiltered = filter.types !== undefined || filter.path !== undefined
  const memory = isFiltered
    ? sql`join memories m on m.id = v.memory_id ${matchesFilter(filter)}`
    : sql``
  const { rows } = await sql<Candidate>`
    with candidate as materialized (
      select v.memory_id from memory_vectors v ${memory}
      where v.repo = ${repo} and v.embedder = ${embedder} and length(v.signs) = ${signs.length}
      order by bit_count(v.signs # ${signs}::bit varying), v.memory_id ${limitRows(maxCandidates)}
    )
    select memory_id as id, vector, norm
    from candidate join memory_vectors using (memory_id)`.execute(db)
  return rows
}
