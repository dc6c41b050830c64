// Forgets history that nobody needs any more, so that it doesn't grow with every change of a repository.
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { RepositoryName } from '../../domain/pull-request.ts'

/** Of a subject, the newest. */
const maxVersions = 20

/** Rows of one statement: others want the table meanwhile. */
const batchSize = 500
/** The next scan goes on with the rest. */
const maxDeletions = 20_000

/**
 * Deletes ended memories beyond the newest 20 of their subject, and those that ended more than a year ago. What people
 * dismissed is counted by itself and stays longer than that: it keeps the same words away.
 *
 * @param signal looked at between batches
 */
export async function pruneMemories(
  db: Db,
  repo: RepositoryName,
  signal: AbortSignal,
): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select id from (
      select id, ended_at, ended_by, row_number() over (
        partition by memory_type, subject, ended_by is null order by ended_at desc, updated_at desc, id
      ) as place
      from memories where repo = ${repo} and ended_at is not null
    ) as history
    where place > ${maxVersions} or (ended_by is null and ended_at < now() - interval '1 year')
    order by ended_at limit ${sql.lit(maxDeletions)}`.execute(db)
  for (let start = 0; start < rows.length; start += batchSize) {
    signal.throwIfAborted()
    const ids = rows.slice(start, start + batchSize).map(({ id }) => id)
    await sql`delete from memories where id = any(${ids}::uuid[]) and ended_at is not null`.execute(
      db,
    )
  }
}
