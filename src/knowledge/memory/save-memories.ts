// Saves memories, one current memory per subject, with the earlier ones as history.
import { createHash, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { toStorableText } from '../../contract/storable-text.ts'
import type { Db } from '../../db/database.ts'
import type { Row } from '../../db/schema.ts'
import type { MemoryType, NewMemory, Provenance } from '../../domain/memory.ts'
import { updateTermCounts } from './count-terms.ts'
import { endRows } from './end-rows.ts'
import { withoutNumbers } from './ignore-numbers.ts'
import { computeTerms, type MemoryTerms } from './terms.ts'

const maxTextLength = 4000

const batchSize = 500

/** The index can't contain longer subjects, but paths may be longer. */
const maxSubjectLength = 400

type CurrentMemory = Pick<
  Row<'memories'>,
  | ('id' | 'memoryType' | 'subject' | 'text' | 'path')
  | ('componentType' | 'trust' | 'provenance' | 'createdAt')
>

/** A new version of a memory; `replaced` is undefined for the first of its subject. */
interface MemoryChange {
  readonly id: string
  readonly memory: NewMemory
  readonly replaced: CurrentMemory | undefined
  readonly terms: MemoryTerms
}

/**
 * Saves memories of a repository. A current memory with the same text stays unchanged; one with
 * another text ends and is replaced. Computed memories that differ only in numbers are updated in
 * place. Only a person's memory replaces a person's memory, and a dismissed text isn't saved again.
 * A model's text stays as long as the basis that it was written from is the same.
 *
 * @param tx a transaction; others that save memories of the repository wait until it ends
 * @param at the time of the memories, if they are saved in several transactions; default: now
 */
export async function saveMemories(
  tx: Db,
  repo: string,
  memories: readonly NewMemory[],
  at: Date | null = null,
): Promise<void> {
  await lockMemories(tx, repo)
  const bySubject = new Map(
    memories
      .map(toStorableMemory)
      .map((memory) => [memoryKey(memory.type, memory.subject), memory]),
  )
  const all = [...bySubject.values()]
  for (let start = 0; start < all.length; start += batchSize) {
    await saveBatch(tx, repo, all.slice(start, start + batchSize), at)
  }
}

/** No other writer can change the repository's memories until the transaction ends. */
export async function lockMemories(tx: Db, repo: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('umpire memories'), hashtext(${repo}))`.execute(
    tx,
  )
}

/** Returns a collision-resistant key of a text: equal texts have equal keys. */
export function hashText(text: string): string {
  return createHash('sha256')
    .update(toStorableText(text).slice(0, maxTextLength))
    .digest('base64url')
    .slice(0, 22)
}

function toStorableMemory(memory: NewMemory): NewMemory {
  return {
    ...memory,
    subject: toStoredSubject(memory.subject),
    text: toStorableText(memory.text).slice(0, maxTextLength).toWellFormed(),
    path: memory.path === null ? null : toStorableText(memory.path),
    componentType: memory.componentType === null ? null : toStorableText(memory.componentType),
  }
}

/** Shortens a long subject, with a hash that makes it unique. */
export function toStoredSubject(subject: string): string {
  const storable = toStorableText(subject)
  return storable.length <= maxSubjectLength
    ? storable
    : `${storable.slice(0, maxSubjectLength)}…${hashText(storable)}`
}

/** Returns the key of a subject, which has one current memory in a repository. */
export function memoryKey(type: MemoryType, subject: string): string {
  return `${type}\0${subject}`
}

async function saveBatch(
  tx: Db,
  repo: string,
  memories: readonly NewMemory[],
  at: Date | null,
): Promise<void> {
  const existing = await readExisting(tx, repo, memories)
  const replacements: MemoryChange[] = []
  const refreshes: MemoryChange[] = []
  for (const memory of memories) {
    const current = existing.current.get(memoryKey(memory.type, memory.subject))
    const isDismissed = memory.trust !== 'person' && existing.dismissed.has(comparisonKey(memory))
    const update = isDismissed ? 'nothing' : decideUpdate(current, memory)
    if (update === 'nothing') continue
    const change = { memory, replaced: current, terms: computeTerms(repo, memory) }
    if (update === 'refresh' && current) refreshes.push({ ...change, id: current.id })
    else replacements.push({ ...change, id: randomUUID() })
  }
  const ended = [
    ...(await endReplaced(tx, replacements)),
    ...(await refreshMemories(tx, refreshes, at)),
  ]
  await insertMemories(tx, repo, replacements, at)
  const added = [...replacements, ...refreshes].map(({ terms }) => terms)
  await updateTermCounts(tx, added, ended)
}

/** Reads the current memories of the same subjects, and the texts that people dismissed. */
async function readExisting(tx: Db, repo: string, memories: readonly NewMemory[]) {
  // Separate arrays let PostgreSQL use the index; rows with mixed pairs are never looked up.
  const types = [...new Set(memories.map(({ type }) => type))]
  const subjects = memories.map(({ subject }) => subject)
  const hasSubject = sql`repo = ${repo} and memory_type = any(${types}::text[])
    and subject = any(${subjects}::text[])`
  const { rows: current } = await sql<CurrentMemory>`
    select id, memory_type, subject, text, path, component_type, trust, provenance, created_at
    from memories where ${hasSubject} and ended_at is null`.execute(tx)
  const { rows: dismissed } = await sql<Pick<NewMemory, 'type' | 'subject' | 'text' | 'trust'>>`
    select memory_type as type, subject, text, trust
    from memories where ${hasSubject} and ended_at is not null and ended_by is not null`.execute(tx)
  return {
    current: new Map(current.map((row) => [memoryKey(row.memoryType, row.subject), row])),
    dismissed: new Set(
      dismissed.flatMap((row) => [comparisonKey(row), comparisonKey({ ...row, trust: 'derived' })]),
    ),
  }
}

/** Returns a key that is equal for memories of the same subject with the same text. */
function comparisonKey({
  type,
  subject,
  text,
  trust,
}: Pick<NewMemory, 'type' | 'subject' | 'text' | 'trust'>): string {
  return `${memoryKey(type, subject)}\0${trust === 'derived' ? withoutNumbers(text) : text}`
}

type MemoryUpdate = 'replace' | 'refresh' | 'nothing'

/** Decides what a new memory changes about the current one of its subject. */
function decideUpdate(current: CurrentMemory | undefined, memory: NewMemory): MemoryUpdate {
  if (current === undefined) return 'replace'
  if (memory.trust === 'person') {
    const isSame = current.trust === 'person' && current.text === memory.text
    return isSame ? 'nothing' : 'replace'
  }
  if (current.trust === 'person' || isModelTextValid(current, memory)) return 'nothing'
  const isAboutSame = current.path === memory.path && current.componentType === memory.componentType
  if (!isAboutSame) return 'replace'
  if (current.text === memory.text)
    return isMoved(current.provenance, memory.provenance) ? 'refresh' : 'nothing'
  return differsOnlyInNumbers(current, memory) ? 'refresh' : 'replace'
}

function isModelTextValid(current: CurrentMemory, memory: NewMemory): boolean {
  if (current.trust !== 'model' || memory.trust === 'model') return false
  return hasSameBasis(current.provenance, memory.provenance)
}

function differsOnlyInNumbers(current: CurrentMemory, memory: NewMemory): boolean {
  const areComputed = current.trust === 'derived' && memory.trust === 'derived'
  return areComputed && withoutNumbers(current.text) === withoutNumbers(memory.text)
}

function isMoved(one: Provenance, other: Provenance): boolean {
  return one.file !== other.file || one.line !== other.line
}

function hasSameBasis(one: Provenance, other: Provenance): boolean {
  return one.basis !== undefined && one.basis === other.basis
}

/** Must run before the insertion, because a subject can have only one current memory. */
function endReplaced(tx: Db, changes: readonly MemoryChange[]): Promise<{ terms: number[] }[]> {
  const pairs = changes.flatMap(({ id, replaced }) =>
    replaced ? [{ old: replaced.id, next: id }] : [],
  )
  return endRows(
    tx,
    pairs.map(({ old }) => old),
    { successors: pairs.map(({ next }) => next) },
  )
}

/** Returns the terms that the memories had before. */
async function refreshMemories(
  tx: Db,
  changes: readonly MemoryChange[],
  at: Date | null,
): Promise<{ terms: number[] }[]> {
  if (changes.length === 0) return []
  const updates = changes.map(({ id, memory: { text, provenance }, terms }) => ({
    id,
    text,
    provenance,
    ...terms,
  }))
  const { rows } = await sql<{ terms: number[] }>`
    update memories set
      text = change.text, provenance = change.provenance,
      terms = change.terms, weights = change.weights,
      updated_at = case
        when change.text = change.old_text then updated_at
        else coalesce(${at}::timestamptz, now())
      end
    from (
      select new.*, old.text as old_text, old.terms as old_terms
      from json_to_recordset(${JSON.stringify(updates)}::json) as new (
        id uuid, text text, provenance jsonb, terms bigint[], weights real[])
      join memories old using (id)
    ) as change
    where memories.id = change.id
    returning change.old_terms as terms`.execute(tx)
  return rows
}

async function insertMemories(
  tx: Db,
  repo: string,
  changes: readonly MemoryChange[],
  at: Date | null,
): Promise<void> {
  if (changes.length === 0) return
  const rows = changes.map(({ id, memory, replaced, terms }) => ({
    id,
    memory_type: memory.type,
    subject: memory.subject,
    text: memory.text,
    path: memory.path,
    component_type: memory.componentType,
    trust: memory.trust,
    provenance: memory.provenance,
    terms: terms.terms,
    weights: terms.weights,
    // All versions of a subject have the time of the first one.
    created_at: replaced?.createdAt ?? null,
  }))
  await sql`
    insert into memories (
      id, repo, memory_type, subject, text, path, component_type, trust, provenance,
      terms, weights, created_at, updated_at
    )
    select id, ${repo}, memory_type, subject, text, path, component_type, trust, provenance,
      terms, weights, coalesce(created_at, ${at}::timestamptz, now()),
      coalesce(${at}::timestamptz, now())
    from json_to_recordset(${JSON.stringify(rows)}::json) as new (
      id uuid, memory_type text, subject text, text text, path text, component_type text,
      trust text, provenance jsonb, terms bigint[], weights real[], created_at timestamptz
    )`.execute(tx)
}
