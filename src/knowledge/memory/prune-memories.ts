// Deletes old history of memories, so that it doesn't grow without bound.
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { RepositoryName } from '../../domain/pull-request.ts'

/** At most this many ended versions of a subject are kept. */
const maxVersions = 20

/** Small batches don't block other statements on the table for long. */
const batchSize = 500
/** The next scan continues with the rest. */
const maxDeletions = 20_000

/**
 * Deletes ended memories beyond the newest 20 of their subject, and those that ended more than a
 * year ago. Dismissed ones are counted separately and have no time limit, because they prevent the
 * same text from being saved again.
 *
 * @param signal checked between batches
 */
export async function pruneMemories(
  db: Db,
  repo: RepositoryName,
  signal: AbortSignal,
): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select id from (
      select id, ended_at, ended_by, row_number() over (
        partition by memory_type, subject, ended_by is null
        order by ended_at desc, updated_at desc, id
      ) as version
      from memories where repo = ${repo} and ended_at is not null
    ) as history
    where version > ${maxVersions} or (ended_by is null and ended_at < now() - interval '1 year')
    order by ended_at limit ${sql.lit(maxDeletions)}`.execute(db)
  for (let start = 0; start < rows.length; start += batchSize) {
    signal.throwIfAborted()
    const ids = rows.slice(start, start + batchSize).map(({ id }) => id)
    await sql`delete from memories where id = any(${ids}::uuid[]) and ended_at is not null`.execute(
      db,
    )
  }
}
