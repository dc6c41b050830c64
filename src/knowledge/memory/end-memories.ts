// Ends memories that are no longer true, unless a person wrote them.
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { MemoryType, NewMemory, Provenance } from '../../domain/memory.ts'
import { updateTermCounts } from './count-terms.ts'
import { endRows } from './end-rows.ts'
import { lockMemories, memoryKey, toStoredSubject } from './save-memories.ts'

type Subject = Pick<NewMemory, 'type' | 'subject'>

/** @param tx a transaction */
export async function endMemories(tx: Db, repo: string, gone: readonly Subject[]): Promise<void> {
  if (gone.length === 0) return
  await lockMemories(tx, repo)
  const subjects = gone.map(({ subject }) => toStoredSubject(subject))
  const { rows } = await sql<{ id: string }>`
    select id from memories
    join unnest(${gone.map(({ type }) => type)}::text[], ${subjects}::text[]) as gone (type, subject)
      on memory_type = gone.type and memories.subject = gone.subject
    where repo = ${repo} and ended_at is null and trust <> 'person'`.execute(tx)
  await endAll(tx, rows)
}

/** Which other memories end: those of these types that this source wrote of subjects that are not among the new ones. */
interface EndScope {
  readonly types: readonly MemoryType[]
  readonly source: Provenance['source']
}

/**
 * Ends the memories that a source wrote and wouldn't write any more.
 *
 * @param tx a transaction
 * @param kept what it writes now
 */
export async function endOtherMemories(
  tx: Db,
  repo: string,
  kept: readonly Subject[],
  { types, source }: EndScope,
): Promise<void> {
  await lockMemories(tx, repo)
  const { rows: old } = await sql<{ id: string; type: MemoryType; subject: string }>`
    select id, memory_type as type, subject from memories
    where repo = ${repo} and ended_at is null and memory_type = any(${types}::text[])
      and provenance ->> 'source' = ${source}`.execute(tx)
  const stays = new Set(kept.map(({ type, subject }) => memoryKey(type, toStoredSubject(subject))))
  const gone = old.filter(({ type, subject }) => !stays.has(memoryKey(type, subject)))
  await endAll(tx, gone)
}

async function endAll(tx: Db, memories: readonly { readonly id: string }[]): Promise<void> {
  const ended = await endRows(
    tx,
    memories.map(({ id }) => id),
  )
  await updateTermCounts(tx, [], ended)
}
