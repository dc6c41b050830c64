// Keeps memories: one that counts for each subject. A newer one of other words takes its place, and the old one is history.
import { createHash, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { MemoryTrust, MemoryType, NewMemory, Provenance } from '../../domain/memory.ts'
import { toStorable } from '../../lib/text.ts'
import { countTerms } from './count-terms.ts'
import { type MemoryTerms, readTerms } from './terms.ts'

/** In characters. */
const longestMemory = 4000

/** Rows of one statement. */
const batchSize = 500

/** An index can't hold longer ones; paths may be. */
const longestSubject = 400

/** Which other memories end: those of these types that this source wrote of subjects that are not among the new ones. */
export interface EndOthers {
  readonly types: readonly MemoryType[]
  readonly source: Provenance['source']
}

/** The memory that counts for a subject. */
interface Current {
  readonly id: string
  readonly memory_type: MemoryType
  readonly subject: string
  readonly text: string
  readonly path: string | null
  readonly component_type: string | null
  readonly trust: MemoryTrust
  readonly provenance: Provenance
  readonly created_at: Date
}

/** One that takes the place of `replaced`, or is the first of its subject. */
interface Successor {
  readonly id: string
  readonly memory: NewMemory
  readonly replaced: Current | undefined
  readonly found: MemoryTerms
}

/**
 * Keeps memories of a repository. One of the same subject and words stays as it is, one of other words ends and is
 * followed. What a person wrote is followed by a person's only, and what a person dismissed doesn't come back in the same
 * words. A model's words stay while what they stand for says the same.
 *
 * @param tx a transaction: others that save memories of the repository wait for its end
 */
export async function saveMemories(tx: Db, repo: string, memories: readonly NewMemory[]): Promise<void> {
  await lockMemories(tx, repo)
  const wanted = new Map(memories.map(makeStorable).map((memory) => [keyOf(memory.type, memory.subject), memory]))
  const all = [...wanted.values()]
  for (let start = 0; start < all.length; start += batchSize) {
    await saveBatch(tx, repo, all.slice(start, start + batchSize))
  }
}

/** Keeps everybody else from changing the memories of a repository until the transaction ends. */
export async function lockMemories(tx: Db, repo: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('umpire memories'), hashtext(${repo}))`.execute(tx)
}

/** Short and without accidents: what is the same has the same. */
export function digestOf(text: string): string {
  return createHash('sha256').update(toStorable(text).slice(0, longestMemory)).digest('base64url').slice(0, 22)
}

function makeStorable(memory: NewMemory): NewMemory {
  return {
    ...memory,
    subject: makeSubject(memory.subject),
    text: toStorable(memory.text).slice(0, longestMemory).toWellFormed(),
    path: memory.path === null ? null : toStorable(memory.path),
    componentType: memory.componentType === null ? null : toStorable(memory.componentType),
  }
}

/** As it is stored. */
export function makeSubject(subject: string): string {
  const storable = toStorable(subject)
  return storable.length <= longestSubject ? storable : `${storable.slice(0, longestSubject)}…${digestOf(storable)}`
}

function keyOf(type: MemoryType, subject: string): string {
  return `${type}\0${subject}`
}

async function saveBatch(tx: Db, repo: string, memories: readonly NewMemory[]): Promise<void> {
  const known = await readKnown(tx, repo, memories)
  const successors = memories.flatMap((memory): Successor[] => {
    const replaced = known.current.get(keyOf(memory.type, memory.subject))
    const isDismissed = memory.trust !== 'person' && known.dismissed.has(wordsOf(memory))
    if (isDismissed || (replaced && !mayFollow(replaced, memory))) return []
    return [{ id: randomUUID(), memory, replaced, found: readTerms(repo, memory) }]
  })
  const ended = await endReplaced(tx, successors)
  await insertMemories(tx, repo, successors)
  await countTerms(
    tx,
    successors.map(({ found }) => found),
    ended,
  )
}

/** The current memories of the same subjects, and the words that people dismissed there. */
async function readKnown(tx: Db, repo: string, memories: readonly NewMemory[]) {
  // By arrays, each of which an index is looked up by; rows of one's type with another's subject are no harm.
  const types = [...new Set(memories.map(({ type }) => type))]
  const subjects = memories.map(({ subject }) => subject)
  const isAsked = sql`repo = ${repo} and memory_type = any(${types}::text[]) and subject = any(${subjects}::text[])`
  const { rows: current } = await sql<Current>`
    select id, memory_type, subject, text, path, component_type, trust, provenance, created_at
    from memories where ${isAsked} and ended_at is null`.execute(tx)
  const { rows: dismissed } = await sql<{ type: MemoryType; subject: string; text: string }>`
    select memory_type as type, subject, text
    from memories where ${isAsked} and ended_at is not null and ended_by is not null`.execute(tx)
  return {
    current: new Map(current.map((row) => [keyOf(row.memory_type, row.subject), row])),
    dismissed: new Set(dismissed.map(wordsOf)),
  }
}

function wordsOf({ type, subject, text }: Pick<NewMemory, 'type' | 'subject' | 'text'>): string {
  return `${keyOf(type, subject)}\0${text}`
}

function mayFollow(current: Current, memory: NewMemory): boolean {
  if (memory.trust === 'person') return current.trust !== 'person' || current.text !== memory.text
  if (current.trust === 'person') return false
  if (current.trust === 'model' && memory.trust !== 'model' && restsOnSame(current.provenance, memory.provenance))
    return false
  const isSame =
    current.text === memory.text && current.path === memory.path && current.component_type === memory.componentType
  return !isSame
}

function restsOnSame(one: Provenance, other: Provenance): boolean {
  return one.basis !== undefined && one.basis === other.basis
}

/** Before the new ones come: one of a subject counts at a time. */
async function endReplaced(tx: Db, successors: readonly Successor[]): Promise<{ terms: number[] }[]> {
  const pairs = successors.flatMap(({ id, replaced }) => (replaced ? [{ old: replaced.id, next: id }] : []))
  if (pairs.length === 0) return []
  const { rows } = await sql<{ terms: number[] }>`
    update memories set ended_at = now(), superseded_by = pair.next
    from unnest(${pairs.map(({ old }) => old)}::uuid[], ${pairs.map(({ next }) => next)}::uuid[]) as pair (old, next)
    where memories.id = pair.old
    returning terms`.execute(tx)
  return rows
}

async function insertMemories(tx: Db, repo: string, successors: readonly Successor[]): Promise<void> {
  if (successors.length === 0) return
  const rows = successors.map(({ id, memory, replaced, found }) => ({
    id,
    memory_type: memory.type,
    subject: memory.subject,
    text: memory.text,
    path: memory.path,
    component_type: memory.componentType,
    trust: memory.trust,
    provenance: memory.provenance,
    terms: found.terms,
    weights: found.weights,
    // The subject is remembered since then.
    created_at: replaced?.created_at ?? null,
  }))
  await sql`
    insert into memories (id, repo, memory_type, subject, text, path, component_type, trust, provenance, terms, weights,
      created_at)
    select id, ${repo}, memory_type, subject, text, path, component_type, trust, provenance, terms, weights,
      coalesce(created_at, now())
    from json_to_recordset(${JSON.stringify(rows)}::json) as made (
      id uuid, memory_type text, subject text, text text, path text, component_type text, trust text, provenance jsonb,
      terms bigint[], weights real[], created_at timestamptz)`.execute(tx)
}

/**
 * Ends what is no longer true, unless a person wrote it.
 *
 * @param tx a transaction
 */
export async function endMemories(
  tx: Db,
  repo: string,
  gone: readonly Pick<NewMemory, 'type' | 'subject'>[],
): Promise<void> {
  await lockMemories(tx, repo)
  const subjects = gone.map(({ subject }) => makeSubject(subject))
  const { rows } = await sql<{ terms: number[] }>`
    update memories set ended_at = now()
    from unnest(${gone.map(({ type }) => type)}::text[], ${subjects}::text[]) as gone (type, subject)
    where repo = ${repo} and memory_type = gone.type and memories.subject = gone.subject
      and ended_at is null and trust <> 'person'
    returning terms`.execute(tx)
  await countTerms(tx, [], rows)
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
  kept: readonly Pick<NewMemory, 'type' | 'subject'>[],
  { types, source }: EndOthers,
): Promise<void> {
  await lockMemories(tx, repo)
  const isOld = sql`repo = ${repo} and ended_at is null and memory_type = any(${types}::text[])`
  const { rows: old } = await sql<{ id: string; type: MemoryType; subject: string }>`
    select id, memory_type as type, subject from memories
    where ${isOld} and provenance ->> 'source' = ${source}`.execute(tx)
  const stays = new Set(kept.map(({ type, subject }) => keyOf(type, makeSubject(subject))))
  const gone = old.filter(({ type, subject }) => !stays.has(keyOf(type, subject))).map(({ id }) => id)
  if (gone.length === 0) return
  const { rows } = await sql<{ terms: number[] }>`
    update memories set ended_at = now() where id = any(${gone}::uuid[]) returning terms`.execute(tx)
  await countTerms(tx, [], rows)
}
