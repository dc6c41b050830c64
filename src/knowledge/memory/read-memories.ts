// Reads memories: lists, counts, history.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { Memory, MemoryTrust, MemoryType, Provenance } from '../../domain/memory.ts'
import { toStoredSubject } from './save-memories.ts'

/** The columns of a memory `m`. */
export const memoryColumns = sql`
  m.id, m.memory_type, m.subject, m.text, m.path, m.component_type, m.trust, m.provenance, m.created_at, m.updated_at`

export interface MemoryRow {
  readonly id: string
  readonly memory_type: MemoryType
  readonly subject: string
  readonly text: string
  readonly path: string | null
  readonly component_type: string | null
  readonly trust: MemoryTrust
  readonly provenance: Provenance
  readonly created_at: Date
  readonly updated_at: Date
}

export function toMemory(row: MemoryRow): Memory {
  return {
    id: row.id,
    type: row.memory_type,
    subject: row.subject,
    text: row.text,
    path: row.path,
    componentType: row.component_type,
    trust: row.trust,
    provenance: row.provenance,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}

/** What a list shows; all of it where nothing is said. */
export interface MemoryFilter {
  readonly types?: readonly MemoryType[] | undefined
  /** A file or directory, with what lies below it. */
  readonly path?: string | undefined
}

/**
 * Of those that came at once, as all of a scan do: what people decided and agreed on before what was counted, and the map
 * last; each in the order of the files that say it, then by subject.
 */
const typeOrder: readonly MemoryType[] = [
  ...(['decision', 'project_pattern', 'risk_module'] as const),
  ...(['contributor_profile', 'developer_pattern', 'developer_strength', 'project_map'] as const),
]
const sortKey = (memory: 'm' | 'last') => sql`(
  array_position(${typeOrder}::text[], ${sql.ref(`${memory}.memory_type`)}),
  coalesce(${sql.ref(`${memory}.provenance`)} ->> 'file', '') collate "C",
  coalesce((${sql.ref(`${memory}.provenance`)} ->> 'line')::integer, 0),
  ${sql.ref(`${memory}.subject`)} collate "C"
)`

/** Current memories, the newest first, after the one with the id `before`. */
export async function listMemories(
  db: Db,
  repo: string,
  filter: MemoryFilter & { before?: string | undefined; limit: number },
): Promise<Memory[]> {
  const after =
    filter.before === undefined
      ? sql``
      : sql`and exists (
          select from memories last where last.id = ${filter.before} and last.repo = ${repo}
            and (m.updated_at < last.updated_at or (m.updated_at = last.updated_at and ${sortKey('m')} > ${sortKey('last')}))
        )`
  const { rows } = await sql<MemoryRow>`
    select ${memoryColumns} from memories m
    where m.repo = ${repo} and m.ended_at is null ${matchesFilter(filter)} ${after}
    order by m.updated_at desc, ${sortKey('m')} limit ${filter.limit}`.execute(db)
  return rows.map(toMemory)
}

/** Condition on a memory `m`. */
export function matchesFilter({ types, path }: MemoryFilter): RawBuilder<unknown> {
  const ofType = types === undefined ? sql`` : sql`and m.memory_type = any(${types}::text[])`
  if (path === undefined || path === '.') return ofType
  return sql`${ofType} and (m.path = ${path} or starts_with(m.path, ${`${path}/`}))`
}

/** All current memories of some types, by path and subject. */
export async function readMemoriesOfType(
  db: Db,
  repo: string,
  types: readonly MemoryType[],
): Promise<Memory[]> {
  const { rows } = await sql<MemoryRow>`
    select ${memoryColumns} from memories m
    where m.repo = ${repo} and m.ended_at is null ${matchesFilter({ types })}
    order by m.path collate "C", m.subject collate "C"`.execute(db)
  return rows.map(toMemory)
}

/** A current memory; undefined where the repository has none of this id. */
export async function findMemory(db: Db, repo: string, id: string): Promise<Memory | undefined> {
  const { rows } = await sql<MemoryRow>`
    select ${memoryColumns} from memories m where m.id = ${id} and m.repo = ${repo} and m.ended_at is null`.execute(
    db,
  )
  return rows[0] && toMemory(rows[0])
}

/** The memory that counts for a subject. */
export async function findCurrentMemory(
  db: Db,
  repo: string,
  { type, subject }: Pick<Memory, 'type' | 'subject'>,
): Promise<Memory | undefined> {
  const { rows } = await sql<MemoryRow>`
    select ${memoryColumns} from memories m
    where m.repo = ${repo} and m.memory_type = ${type} and m.subject = ${toStoredSubject(subject)} and m.ended_at is null`.execute(
    db,
  )
  return rows[0] && toMemory(rows[0])
}

/** How many current memories there are of each type. */
export async function countMemories(
  db: Db,
  repo: string,
): Promise<{ total: number; byType: ReadonlyMap<MemoryType, number> }> {
  const { rows } = await sql<{ memory_type: MemoryType; count: number }>`
    select memory_type, count(*)::integer as count from memories
    where repo = ${repo} and ended_at is null group by memory_type`.execute(db)
  const byType = new Map(rows.map(({ memory_type: type, count }) => [type, count]))
  return { total: rows.reduce((sum, { count }) => sum + count, 0), byType }
}

/** How many current memories people wrote. */
export async function countPersonMemories(db: Db, repo: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from memories
    where repo = ${repo} and ended_at is null and trust = 'person'`.execute(db)
  return rows[0]?.count ?? 0
}

/** One that counts, or counted. */
export interface MemoryVersion extends Memory {
  /** ISO 8601; null for the one that counts. */
  readonly endedAt: string | null
  /** Username of who dismissed it; null where nobody did. */
  readonly endedBy: string | null
}

const maxVersionsShown = 100

/** All memories of the subject of one of them, the newest first; none where the repository has no such memory. */
export async function readMemoryHistory(
  db: Db,
  repo: string,
  id: string,
): Promise<MemoryVersion[]> {
  const { rows } = await sql<MemoryRow & { ended_at: Date | null; ended_by: string | null }>`
    select ${memoryColumns}, m.ended_at, m.ended_by
    from memories asked join memories m using (repo, memory_type, subject)
    where asked.id = ${id} and asked.repo = ${repo}
    order by m.updated_at desc, m.ended_at desc nulls first limit ${maxVersionsShown}`.execute(db)
  return rows.map((row) => ({
    ...toMemory(row),
    endedAt: row.ended_at?.toISOString() ?? null,
    endedBy: row.ended_by,
  }))
}
