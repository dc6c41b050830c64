// Finds the reviews that applied memories.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { RepositoryName } from '../domain/pull-request.ts'

/** The maximum number of pull requests whose latest review is searched. */
const maxSearched = 300
const maxListed = 5

/**
 * Lists the latest pull requests whose last review applied each of these memories, newest first.
 * Memories that none applied are missing.
 */
export async function listMemoryUses(
  db: Db,
  repo: RepositoryName,
  ids: readonly string[],
): Promise<Map<string, number[]>> {
  const { rows } = await sql<{ id: string; numbers: number[] }>`
    with latest as (
      select distinct on (pr_number) pr_number, basis -> 'memories' as memories
      from workflow_runs where repo = ${repo} and basis is not null
      order by pr_number desc, id desc limit ${sql.lit(maxSearched)}
    )
    select memory ->> 'id' as id,
      (array_agg(pr_number order by pr_number desc))[1:${sql.lit(maxListed)}] as numbers
    from latest, jsonb_array_elements(memories) as memory
    where memory ->> 'id' = any(${ids}::text[])
    group by 1`.execute(db)
  return new Map(rows.map(({ id, numbers }) => [id, numbers]))
}
