// Moves memories of files that were renamed on the default branch.
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { Row } from '../../db/schema.ts'
import type { RepositoryName } from '../../domain/pull-request.ts'
import type { FileRename } from '../file-activity/move-file-activity.ts'
import { updateTermCounts } from './count-terms.ts'
import { lockMemories, toStoredSubject } from './save-memories.ts'
import { computeTerms } from './terms.ts'

type MovingMemory = Pick<
  Row<'memories'>,
  'id' | 'memoryType' | 'subject' | 'text' | 'path' | 'terms'
>

/**
 * Moves the current memories of files to their new names, all at once, because files may have
 * swapped names. The project map isn't moved, because the next scan describes it again.
 *
 * @param renames no two from or to the same path
 */
export async function moveMemories(
  tx: Db,
  repo: RepositoryName,
  renames: readonly FileRename[],
): Promise<void> {
  const targets = new Map(
    renames.filter(({ from, to }) => from !== to).map(({ from, to }) => [from, to]),
  )
  if (targets.size === 0) return
  await lockMemories(tx, repo)
  const moving = await suspendMemories(tx, repo, [...targets.keys()])
  const subjects = new Map(
    [...targets].map(([from, to]) => [toStoredSubject(from), toStoredSubject(to)]),
  )
  const taken = await readTakenSubjects(tx, repo, [...subjects.values()])
  const moved = moving.map(({ id, memoryType: type, subject: oldSubject, text, path: oldPath }) => {
    const path = oldPath === null ? null : (targets.get(oldPath) ?? oldPath)
    const newSubject = subjects.get(oldSubject) ?? oldSubject
    // A memory of an earlier file with the new name stays; the id makes the subjects different.
    const isTaken = taken.has(`${type}\0${newSubject}`)
    const subject = isTaken ? `${newSubject}/${id}` : newSubject
    taken.add(`${type}\0${subject}`)
    return { id, path, subject, ...computeTerms(repo, { text, path }) }
  })
  await sql`
    update memories set
      path = moved.path, subject = moved.subject,
      terms = moved.terms, weights = moved.weights, ended_at = null
    from json_to_recordset(${JSON.stringify(moved)}::json)
      as moved (id uuid, path text, subject text, terms bigint[], weights real[])
    where memories.id = moved.id`.execute(tx)
  await updateTermCounts(tx, moved, moving)
}

/** Ends the memories temporarily, so that no two current ones have the same subject meanwhile. */
async function suspendMemories(
  tx: Db,
  repo: RepositoryName,
  paths: readonly string[],
): Promise<MovingMemory[]> {
  const { rows } = await sql<MovingMemory>`
    update memories set ended_at = now()
    where repo = ${repo} and ended_at is null and memory_type <> 'project_map'
      and (path = any(${paths}::text[]) or subject = any(${paths.map(toStoredSubject)}::text[]))
    returning id, memory_type, subject, text, path, terms`.execute(tx)
  return rows
}

async function readTakenSubjects(
  tx: Db,
  repo: RepositoryName,
  subjects: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ key: string }>`
    select memory_type || chr(31) || subject as key from memories
    where repo = ${repo} and ended_at is null and subject = any(${subjects}::text[])`.execute(tx)
  return new Set(rows.map(({ key }) => key.replace('\u001f', '\0')))
}
