// Keeps count of how many current memories each term is in.
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'

/** Terms of memories, each a list without repetition. */
type TermLists = readonly { readonly terms: readonly number[] }[]

/** Counts memories that came and memories that ended, in their transaction, under the lock of `lockMemories`. */
export async function updateTermCounts(tx: Db, came: TermLists, ended: TermLists): Promise<void> {
  const changes = new Map<number, number>()
  const add = (lists: TermLists, by: number) => {
    for (const { terms } of lists)
      for (const term of terms) changes.set(term, (changes.get(term) ?? 0) + by)
  }
  add(came, 1)
  add(ended, -1)
  // In order, so that those who write of different repositories with a term in common never wait for each other in turn.
  const changed = [...changes].filter(([, by]) => by !== 0).sort(([one], [other]) => one - other)
  if (changed.length === 0) return
  await sql`
    insert into memory_terms (term, memories)
    select * from unnest(${changed.map(([term]) => term)}::bigint[], ${changed.map(([, by]) => by)}::integer[])
    on conflict (term) do update set memories = memory_terms.memories + excluded.memories`.execute(
    tx,
  )
  const fewer = changed.filter(([, by]) => by < 0).map(([term]) => term)
  await sql`delete from memory_terms where memories <= 0 and term = any(${fewer}::bigint[])`.execute(
    tx,
  )
}

/** In how many memories each of some terms is; those in none are left out. */
export async function readTermCounts(
  db: Db,
  terms: readonly number[],
): Promise<Map<number, number>> {
  const { rows } = await sql<{ term: number; memories: number }>`
    select term, memories from memory_terms where term = any(${terms}::bigint[])`.execute(db)
  return new Map(rows.map(({ term, memories }) => [term, memories]))
}
