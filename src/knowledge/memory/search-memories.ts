// Finds memories: by their words, and by their meaning where the query has a vector.
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { Memory } from '../../domain/memory.ts'
import type { MemoryQuery, RankedMemory } from './memory-query.ts'
import { rankByMeaning } from './rank-by-meaning.ts'
import { rankByWords } from './rank-by-words.ts'
import { type MemoryRow, memoryColumns, toMemory } from './read-memories.ts'

/** Of reciprocal rank fusion, the usual one (Cormack, Clarke and Büttcher, SIGIR 2009). */
const rankOffset = 60

/** Of each order that is fused with another one, so many count at least. */
const minRanked = 50

export type FoundMemory = Memory & { readonly score: number }

/**
 * The current memories that fit best, best first: in the order of `rankByWords`, or in that and the order of `rankByMeaning`
 * fused by their ranks. Scores of different queries can't be compared.
 */
export async function searchMemories(
  db: Db,
  repo: string,
  query: MemoryQuery,
): Promise<FoundMemory[]> {
  const { embedding } = query
  if (!embedding) return readRanked(db, repo, await rankByWords(db, repo, query))
  const words = await rankByWords(db, repo, { ...query, limit: Math.max(query.limit, minRanked) })
  const meaning = await rankByMeaning(db, repo, { ...query, embedding })
  return readRanked(db, repo, fuseRanks([words, meaning]).slice(0, query.limit))
}

/** What stands high in one of some orders, or fairly high in several. */
function fuseRanks(orders: readonly (readonly RankedMemory[])[]): RankedMemory[] {
  const scores = new Map<string, number>()
  for (const order of orders) {
    for (const [at, { id }] of order.entries())
      scores.set(id, (scores.get(id) ?? 0) + 1 / (rankOffset + at + 1))
  }
  return [...scores]
    .map(([id, score]) => ({ id, score }))
    .sort((one, other) => other.score - one.score)
}

async function readRanked(
  db: Db,
  repo: string,
  ranked: readonly RankedMemory[],
): Promise<FoundMemory[]> {
  if (ranked.length === 0) return []
  const { rows } = await sql<MemoryRow>`
    select ${memoryColumns} from memories m
    where m.repo = ${repo} and m.ended_at is null and m.id = any(${ranked.map(({ id }) => id)}::uuid[])`.execute(
    db,
  )
  const memories = new Map(rows.map((row) => [row.id, toMemory(row)]))
  return ranked.flatMap(({ id, score }) => {
    const memory = memories.get(id)
    return memory === undefined ? [] : [{ ...memory, score }]
  })
}
