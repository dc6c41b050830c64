// Keeps memories: one that counts for each subject. A newer one of other words takes its place, and the old one is history;
// of what was computed, figures are brought up to date where they stand.
import { createHash, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { toStorableText } from '../../contract/storable-text.ts'
import type { Db } from '../../db/database.ts'
import type { MemoryTrust, MemoryType, NewMemory, Provenance } from '../../domain/memory.ts'
import { updateTermCounts } from './count-terms.ts'
import { endRows } from './end-rows.ts'
import { withoutNumbers } from './ignore-numbers.ts'
import { computeTerms, type MemoryTerms } from './terms.ts'

/** In characters. */
const maxMemoryLength = 4000

/** Rows of one statement. */
const batchSize = 500

/** An index can't hold longer ones; paths may be. */
const maxSubjectLength = 400

/** The memory that counts for a subject. */
interface CurrentMemory {
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
  readonly replaced: CurrentMemory | undefined
  readonly found: MemoryTerms
}

/**
 * Keeps memories of a repository. One of the same subject and words stays as it is, one of other words ends and is
 * followed. Of computed ones figures aren't words: they change in place. What a person wrote is followed by a person's
 * only, and what a person dismissed doesn't come back in the same words. A model's words stay while what they stand for
 * says the same.
 *
 * @param tx a transaction: others that save memories of the repository wait for its end
 * @param at as of when they are known, for those that are kept in several transactions; else now
 */
export async function saveMemories(
  tx: Db,
  repo: string,
  memories: readonly NewMemory[],
  at: Date | null = null,
): Promise<void> {
  await lockMemories(tx, repo)
  const wanted = new Map(
    memories
      .map(toStorableMemory)
      .map((memory) => [memoryKey(memory.type, memory.subject), memory]),
  )
  const all = [...wanted.values()]
  for (let start = 0; start < all.length; start += batchSize) {
    await saveBatch(tx, repo, all.slice(start, start + batchSize), at)
  }
}

/** Keeps everybody else from changing the memories of a repository until the transaction ends. */
export async function lockMemories(tx: Db, repo: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('umpire memories'), hashtext(${repo}))`.execute(
    tx,
  )
}

/** Short and without accidents: what is the same has the same. */
export function hashText(text: string): string {
  return createHash('sha256')
    .update(toStorableText(text).slice(0, maxMemoryLength))
    .digest('base64url')
    .slice(0, 22)
}

function toStorableMemory(memory: NewMemory): NewMemory {
  return {
    ...memory,
    subject: toStoredSubject(memory.subject),
    text: toStorableText(memory.text).slice(0, maxMemoryLength).toWellFormed(),
    path: memory.path === null ? null : toStorableText(memory.path),
    componentType: memory.componentType === null ? null : toStorableText(memory.componentType),
  }
}

/** As it is stored. */
export function toStoredSubject(subject: string): string {
  const storable = toStorableText(subject)
  return storable.length <= maxSubjectLength
    ? storable
    : `${storable.slice(0, maxSubjectLength)}…${hashText(storable)}`
}

/** What it is about, once in a repository. */
export function memoryKey(type: MemoryType, subject: string): string {
  return `${type}\0${subject}`
}

async function saveBatch(
  tx: Db,
  repo: string,
  memories: readonly NewMemory[],
  at: Date | null,
): Promise<void> {
  const known = await readExisting(tx, repo, memories)
  const changes = memories.flatMap((memory): (Successor & { isRefresh: boolean })[] => {
    const current = known.current.get(memoryKey(memory.type, memory.subject))
    const isDismissed = memory.trust !== 'person' && known.dismissed.has(comparisonKey(memory))
    const fate = isDismissed ? 'nothing' : decideUpdate(current, memory)
    if (fate === 'nothing') return []
    const isRefresh = fate === 'refresh'
    const id = isRefresh && current ? current.id : randomUUID()
    return [{ id, memory, replaced: current, found: computeTerms(repo, memory), isRefresh }]
  })
  const successors = changes.filter(({ isRefresh }) => !isRefresh)
  const ended = [
    ...(await endReplaced(tx, successors)),
    ...(await refreshMemories(
      tx,
      changes.filter(({ isRefresh }) => isRefresh),
      at,
    )),
  ]
  await insertMemories(tx, repo, successors, at)
  await updateTermCounts(
    tx,
    changes.map(({ found }) => found),
    ended,
  )
}

/** The current memories of the same subjects, and the words that people dismissed there. */
async function readExisting(tx: Db, repo: string, memories: readonly NewMemory[]) {
  // By arrays, each of which an index is looked up by; rows of one's type with another's subject are no harm.
  const types = [...new Set(memories.map(({ type }) => type))]
  const subjects = memories.map(({ subject }) => subject)
  const isAsked = sql`repo = ${repo} and memory_type = any(${types}::text[]) and subject = any(${subjects}::text[])`
  const { rows: current } = await sql<CurrentMemory>`
    select id, memory_type, subject, text, path, component_type, trust, provenance, created_at
    from memories where ${isAsked} and ended_at is null`.execute(tx)
  const { rows: dismissed } = await sql<Pick<NewMemory, 'type' | 'subject' | 'text' | 'trust'>>`
    select memory_type as type, subject, text, trust
    from memories where ${isAsked} and ended_at is not null and ended_by is not null`.execute(tx)
  return {
    current: new Map(current.map((row) => [memoryKey(row.memory_type, row.subject), row])),
    dismissed: new Set(
      dismissed.flatMap((row) => [comparisonKey(row), comparisonKey({ ...row, trust: 'derived' })]),
    ),
  }
}

/** What stays the same while a memory says the same. */
function comparisonKey({
  type,
  subject,
  text,
  trust,
}: Pick<NewMemory, 'type' | 'subject' | 'text' | 'trust'>): string {
  return `${memoryKey(type, subject)}\0${trust === 'derived' ? withoutNumbers(text) : text}`
}

/** What a memory makes of the one that counts for its subject. */
function decideUpdate(
  current: CurrentMemory | undefined,
  memory: NewMemory,
): 'follow' | 'refresh' | 'nothing' {
  if (current === undefined) return 'follow'
  if (memory.trust === 'person') {
    return current.trust !== 'person' || current.text !== memory.text ? 'follow' : 'nothing'
  }
  if (current.trust === 'person') return 'nothing'
  if (
    current.trust === 'model' &&
    memory.trust !== 'model' &&
    hasSameBasis(current.provenance, memory.provenance)
  ) {
    return 'nothing'
  }
  if (current.path !== memory.path || current.component_type !== memory.componentType)
    return 'follow'
  if (current.text === memory.text)
    return isMoved(current.provenance, memory.provenance) ? 'refresh' : 'nothing'
  const isComputed = current.trust === 'derived' && memory.trust === 'derived'
  return isComputed && withoutNumbers(current.text) === withoutNumbers(memory.text)
    ? 'refresh'
    : 'follow'
}

/** Whether it stands at another place of a file. */
function isMoved(one: Provenance, other: Provenance): boolean {
  return one.file !== other.file || one.line !== other.line
}

function hasSameBasis(one: Provenance, other: Provenance): boolean {
  return one.basis !== undefined && one.basis === other.basis
}

/** Before the new ones come: one of a subject counts at a time. */
function endReplaced(tx: Db, successors: readonly Successor[]): Promise<{ terms: number[] }[]> {
  const pairs = successors.flatMap(({ id, replaced }) =>
    replaced ? [{ old: replaced.id, next: id }] : [],
  )
  return endRows(
    tx,
    pairs.map(({ old }) => old),
    { successors: pairs.map(({ next }) => next) },
  )
}

/** Returns the terms that they had. */
async function refreshMemories(
  tx: Db,
  changes: readonly Successor[],
  at: Date | null,
): Promise<{ terms: number[] }[]> {
  if (changes.length === 0) return []
  const made = changes.map(({ id, memory: { text, provenance }, found }) => ({
    id,
    text,
    provenance,
    ...found,
  }))
  const { rows } = await sql<{ terms: number[] }>`
    update memories set text = made.text, provenance = made.provenance, terms = made.terms, weights = made.weights,
      updated_at = case when made.text = made.old_text then updated_at else coalesce(${at}::timestamptz, now()) end
    from (
      select fresh.*, old.text as old_text, old.terms as old_terms
      from json_to_recordset(${JSON.stringify(made)}::json) as fresh (
        id uuid, text text, provenance jsonb, terms bigint[], weights real[])
      join memories old using (id)
    ) as made
    where memories.id = made.id
    returning made.old_terms as terms`.execute(tx)
  return rows
}

async function insertMemories(
  tx: Db,
  repo: string,
  successors: readonly Successor[],
  at: Date | null,
): Promise<void> {
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
      created_at, updated_at)
    select id, ${repo}, memory_type, subject, text, path, component_type, trust, provenance, terms, weights,
      coalesce(created_at, ${at}::timestamptz, now()), coalesce(${at}::timestamptz, now())
    from json_to_recordset(${JSON.stringify(rows)}::json) as made (
      id uuid, memory_type text, subject text, text text, path text, component_type text, trust text, provenance jsonb,
      terms bigint[], weights real[], created_at timestamptz)`.execute(tx)
}
