// Ends memories that are no longer valid.
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { MemoryType, NewMemory, Provenance } from '../../domain/memory.ts'
import { updateTermCounts } from './count-terms.ts'
import { endRows } from './end-rows.ts'
import { lockMemories, memoryKey, toStoredSubject } from './save-memories.ts'

type Subject = Pick<NewMemory, 'type' | 'subject'>

/**
 * Ends the memories of these subjects, except those that a person wrote.
 *
 * @param tx a transaction
 */
export async function endMemories(
  tx: Db,
  repo: string,
  obsolete: readonly Subject[],
): Promise<void> {
  if (obsolete.length === 0) return
  await lockMemories(tx, repo)
  const types = obsolete.map(({ type }) => type)
  const subjects = obsolete.map(({ subject }) => toStoredSubject(subject))
  const { rows } = await sql<{ id: string }>`
    select id from memories
    join unnest(${types}::text[], ${subjects}::text[]) as obsolete (type, subject)
      on memory_type = obsolete.type and memories.subject = obsolete.subject
    where repo = ${repo} and ended_at is null and trust <> 'person'`.execute(tx)
  await endAll(tx, rows)
}

/** Only memories of these types and this source end. */
interface EndScope {
  readonly types: readonly MemoryType[]
  readonly source: Provenance['source']
}

/**
 * Ends the earlier memories of a source that aren't among its current ones.
 *
 * @param tx a transaction
 * @param current the subjects of the source's current memories
 */
export async function endOtherMemories(
  tx: Db,
  repo: string,
  current: readonly Subject[],
  { types, source }: EndScope,
): Promise<void> {
  await lockMemories(tx, repo)
  const { rows: old } = await sql<{ id: string; type: MemoryType; subject: string }>`
    select id, memory_type as type, subject from memories
    where repo = ${repo} and ended_at is null and memory_type = any(${types}::text[])
      and provenance ->> 'source' = ${source}`.execute(tx)
  const currentKeys = new Set(
    current.map(({ type, subject }) => memoryKey(type, toStoredSubject(subject))),
  )
  const obsolete = old.filter(({ type, subject }) => !currentKeys.has(memoryKey(type, subject)))
  await endAll(tx, obsolete)
}

async function endAll(tx: Db, memories: readonly { readonly id: string }[]): Promise<void> {
  const ended = await endRows(
    tx,
    memories.map(({ id }) => id),
  )
  await updateTermCounts(tx, [], ended)
}
