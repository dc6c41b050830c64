// Searches memories by words, and by meaning if the query has a vector.
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { Memory } from '../../domain/memory.ts'
import type { MemoryQuery, RankedMemory } from './memory-query.ts'
import { rankByMeaning } from './rank-by-meaning.ts'
import { rankByWords } from './rank-by-words.ts'
import { memoryFields } from './read-memories.ts'

/** This is the usual constant of rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009). */
const rankOffset = 60

/** Each ranking that is fused has at least this many entries. */
const minRanked = 50

export type FoundMemory = Memory & { readonly score: number }

/**
 * Finds the best current memories, best first. Without an embedding they have the order of
 * `rankByWords`, otherwise the ranks of `rankByWords` and `rankByMeaning` are fused. Scores of
 * different queries can't be compared.
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

/** The score is the sum of a memory's reciprocal ranks. */
function fuseRanks(rankings: readonly (readonly RankedMemory[])[]): RankedMemory[] {
  const scores = new Map<string, number>()
  for (const ranking of rankings) {
    for (const [index, { id }] of ranking.entries())
      scores.set(id, (scores.get(id) ?? 0) + 1 / (rankOffset + index + 1))
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
  const ids = ranked.map(({ id }) => id)
  const { rows } = await sql<Memory>`
    select ${memoryFields} from memories m
    where m.repo = ${repo} and m.ended_at is null and m.id = any(${ids}::uuid[])`.execute(db)
  const memories = new Map(rows.map((row) => [row.id, row]))
  return ranked.flatMap(({ id, score }) => {
    const memory = memories.get(id)
    return memory === undefined ? [] : [{ ...memory, score }]
  })
}
