// Deletes the memories about a person, with their history.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { PersonName } from '../../domain/deleted-person.ts'
import { updateTermCounts } from './count-terms.ts'
import { lockMemories } from './save-memories.ts'

/** The subject of a memory about a person begins with the username. */
export function isAboutPerson({ login, suffix }: PersonName): RawBuilder<boolean> {
  return sql<boolean>`(
    memory_type in ('contributor_profile', 'developer_pattern', 'developer_strength')
    and split_part(subject, '/', 1) = ${login} and host_of(repo) = ${suffix})`
}

export async function deletePersonMemories(tx: Db, person: PersonName): Promise<void> {
  const { rows: repos } = await sql<{ repo: string }>`
    select distinct repo from memories where ${isAboutPerson(person)} order by repo`.execute(tx)
  for (const { repo } of repos) await lockMemories(tx, repo)
  const { rows } = await sql<{ terms: number[]; endedAt: Date | null }>`
    delete from memories where ${isAboutPerson(person)} returning terms, ended_at`.execute(tx)
  // The terms of ended memories were subtracted when they ended.
  const current = rows.filter(({ endedAt }) => endedAt === null)
  await updateTermCounts(tx, [], current)
}
