// Maintains the number of current memories that contain each term.
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'

/** Each memory's terms are without repetition. */
type TermLists = readonly { readonly terms: readonly number[] }[]

/**
 * Adds the terms of new memories and subtracts those of ended ones, in their transaction and under
 * the lock of `lockMemories`.
 */
export async function updateTermCounts(tx: Db, added: TermLists, ended: TermLists): Promise<void> {
  const changes = new Map<number, number>()
  const add = (lists: TermLists, difference: number) => {
    for (const { terms } of lists) {
      for (const term of terms) changes.set(term, (changes.get(term) ?? 0) + difference)
    }
  }
  add(added, 1)
  add(ended, -1)
  // A fixed order prevents deadlocks between repositories that share terms.
  const changed = [...changes]
    .filter(([, difference]) => difference !== 0)
    .sort(([one], [other]) => one - other)
  if (changed.length === 0) return
  const terms = changed.map(([term]) => term)
  const differences = changed.map(([, difference]) => difference)
  await sql`
    insert into memory_terms (term, memories)
    select * from unnest(${terms}::bigint[], ${differences}::integer[])
    on conflict (term) do update set memories = memory_terms.memories + excluded.memories
  `.execute(tx)
  const decreased = changed.filter(([, difference]) => difference < 0).map(([term]) => term)
  await sql`
    delete from memory_terms where memories <= 0 and term = any(${decreased}::bigint[])
  `.execute(tx)
}

/** Returns the number of current memories for each term that occurs in any. */
export async function readTermCounts(
  db: Db,
  terms: readonly number[],
): Promise<Map<number, number>> {
  const { rows } = await sql<{ term: number; memories: number }>`
    select term, memories from memory_terms where term = any(${terms}::bigint[])`.execute(db)
  return new Map(rows.map(({ term, memories }) => [term, memories]))
}
