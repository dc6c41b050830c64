// Deletes what was learned about a person, and replaces the name in what the person wrote.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { deletedLogin, type PersonName } from '../domain/deleted-person.ts'
import { deletePersonMemories, isAboutPerson } from './memory/delete-person-memories.ts'

/** Counts what is known about a person. */
export interface PersonKnowledge {
  /** Profile, patterns and strengths, with their history. */
  readonly memories: number
  /** Guidelines and other memories that the person wrote. */
  readonly written: number
  /** Files that the person's pull requests changed. */
  readonly files: number
}

export async function countPersonKnowledge(db: Db, person: PersonName): Promise<PersonKnowledge> {
  const { login, suffix } = person
  const { rows } = await sql<PersonKnowledge>`
    select
      (select count(*)::integer from memories where ${isAboutPerson(person)}) as memories,
      (select count(*)::integer from memories
        where provenance ->> 'user' = ${login} and host_of(repo) = ${suffix}) as written,
      (select count(*)::integer from pull_request_files
        where author = ${login} and host_of(repo) = ${suffix}) as files`.execute(db)
  return rows[0]!
}

/**
 * Deletes memories about the person, and the authorship of file activity. Memories that the person
 * wrote stay: they are about the repository.
 */
export async function deletePersonKnowledge(tx: Db, person: PersonName): Promise<void> {
  const { login, suffix } = person
  await deletePersonMemories(tx, person)
  await sql`
    update memories
    set provenance = jsonb_set(provenance, '{user}', to_jsonb(${deletedLogin}::text))
    where provenance ->> 'user' = ${login} and host_of(repo) = ${suffix}`.execute(tx)
  await sql`
    update memories set ended_by = ${deletedLogin}
    where ended_by = ${login} and host_of(repo) = ${suffix}`.execute(tx)
  // Statistics about authors leave out files without one.
  await sql`
    update pull_request_files set author = ''
    where author = ${login} and host_of(repo) = ${suffix}`.execute(tx)
}
