// Reads lists, counts and the history of memories.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { Row } from '../../db/schema.ts'
import type { Memory, MemoryTrust, MemoryType, Provenance } from '../../domain/memory.ts'
import type { MemoryOrigin } from './memory-query.ts'
import { toStoredSubject } from './save-memories.ts'

/** These are the fields of a `Memory` from a row `m`. */
export const memoryFields = sql`
  m.id, m.memory_type as type, m.subject, m.text, m.path, m.component_type,
  m.trust, m.provenance, m.created_at, m.updated_at`

const trustOf: Readonly<Record<MemoryOrigin, readonly MemoryTrust[]>> = {
  written: ['person', 'repository'],
  computed: ['derived', 'model'],
}

/** An omitted field doesn't restrict the list. */
export interface MemoryFilter {
  readonly types?: readonly MemoryType[] | undefined
  /** A directory matches with its contents. */
  readonly path?: string | undefined
  readonly origin?: MemoryOrigin | undefined
}

/**
 * Memories of one scan have the same time, so they are ordered by type, with people's decisions
 * first and the map last, then by the location in the file that they come from, then by subject.
 */
const typeOrder: readonly MemoryType[] = [
  'decision',
  'project_pattern',
  'risk_module',
  'contributor_profile',
  'developer_pattern',
  'developer_strength',
  'project_map',
]
const sortKey = (memory: 'm' | 'last') => sql`(
  array_position(${typeOrder}::text[], ${sql.ref(`${memory}.memory_type`)}),
  coalesce(${sql.ref(`${memory}.provenance`)} ->> 'file', '') collate "C",
  coalesce((${sql.ref(`${memory}.provenance`)} ->> 'line')::integer, 0),
  ${sql.ref(`${memory}.subject`)} collate "C"
)`

/** Lists current memories, newest first, that follow the one with the id `before`. */
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
            and (
              m.updated_at < last.updated_at
              or (m.updated_at = last.updated_at and ${sortKey('m')} > ${sortKey('last')})
            )
        )`
  const { rows } = await sql<Memory>`
    select ${memoryFields} from memories m
    where m.repo = ${repo} and m.ended_at is null ${matchesFilter(filter)} ${after}
    order by m.updated_at desc, ${sortKey('m')} limit ${filter.limit}`.execute(db)
  return rows
}

/** The conditions apply to a memory `m`, and each has `and` in front. */
export function matchesFilter({ types, path, origin }: MemoryFilter): RawBuilder<unknown> {
  const ofType = types === undefined ? sql`` : sql`and m.memory_type = any(${types}::text[])`
  const trusts = origin && trustOf[origin]
  const ofOrigin = trusts === undefined ? sql`` : sql`and m.trust = any(${trusts}::text[])`
  if (path === undefined || path === '.') return sql`${ofType} ${ofOrigin}`
  return sql`${ofType} ${ofOrigin} and (m.path = ${path} or starts_with(m.path, ${`${path}/`}))`
}

/**
 * Lists what the current memories of these types are about, the least recently updated first.
 *
 * @param filter `prefix` begins their subjects, and `source` wrote them; all by default
 */
export async function listSubjects(
  db: Db,
  repo: string,
  filter: {
    types: readonly MemoryType[]
    source?: Provenance['source']
    prefix?: string
    limit?: number
  },
): Promise<{ type: MemoryType; subject: string }[]> {
  const { types, source = null, prefix = '', limit = null } = filter
  const { rows } = await sql<{ type: MemoryType; subject: string }>`
    select memory_type as type, subject from memories
    where repo = ${repo} and memory_type = any(${types}::text[]) and ended_at is null
      and starts_with(subject, ${prefix})
      and (${source}::text is null or provenance ->> 'source' = ${source})
    order by updated_at limit ${limit}::bigint`.execute(db)
  return rows
}

/** Reads all current memories of some types, ordered by path and subject. */
export async function readMemoriesOfType(
  db: Db,
  repo: string,
  types: readonly MemoryType[],
): Promise<Memory[]> {
  const { rows } = await sql<Memory>`
    select ${memoryFields} from memories m
    where m.repo = ${repo} and m.ended_at is null ${matchesFilter({ types })}
    order by m.path collate "C", m.subject collate "C"`.execute(db)
  return rows
}

/** Finds a current memory; undefined if the repository has none with this id. */
export async function findMemory(db: Db, repo: string, id: string): Promise<Memory | undefined> {
  const { rows } = await sql<Memory>`
    select ${memoryFields} from memories m
    where m.id = ${id} and m.repo = ${repo} and m.ended_at is null`.execute(db)
  return rows[0]
}

/** Finds the current memory of a subject. */
export async function findCurrentMemory(
  db: Db,
  repo: string,
  { type, subject }: Pick<Memory, 'type' | 'subject'>,
): Promise<Memory | undefined> {
  const { rows } = await sql<Memory>`
    select ${memoryFields} from memories m
    where m.repo = ${repo} and m.memory_type = ${type}
      and m.subject = ${toStoredSubject(subject)} and m.ended_at is null`.execute(db)
  return rows[0]
}

export async function countMemories(
  db: Db,
  repo: string,
): Promise<{ total: number; byType: ReadonlyMap<MemoryType, number> }> {
  const { rows } = await sql<{ type: MemoryType; count: number }>`
    select memory_type as type, count(*)::integer as count from memories
    where repo = ${repo} and ended_at is null group by memory_type`.execute(db)
  const byType = new Map(rows.map(({ type, count }) => [type, count]))
  return { total: rows.reduce((sum, { count }) => sum + count, 0), byType }
}

/** Counts the current memories that people wrote. */
export async function countPersonMemories(db: Db, repo: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from memories
    where repo = ${repo} and ended_at is null and trust = 'person'`.execute(db)
  return rows[0]?.count ?? 0
}

/** This can be a current or an earlier memory of a subject. */
type MemoryVersion = Memory & Pick<Row<'memories'>, 'endedAt' | 'endedBy'>

const maxVersionsShown = 100

/** Reads all memories with the same subject as the given one, newest first. */
export async function readMemoryHistory(
  db: Db,
  repo: string,
  id: string,
): Promise<MemoryVersion[]> {
  const { rows } = await sql<MemoryVersion>`
    select ${memoryFields}, m.ended_at, m.ended_by
    from memories given join memories m using (repo, memory_type, subject)
    where given.id = ${id} and given.repo = ${repo}
    order by m.updated_at desc, m.ended_at desc nulls first limit ${maxVersionsShown}`.execute(db)
  return rows
}
