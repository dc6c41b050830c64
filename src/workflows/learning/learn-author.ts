// Updates the memories about the author of a reviewed pull request.
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { MemoryType } from '../../domain/memory.ts'
import type { PullRequestRef } from '../../domain/pull-request.ts'
import { endMemories } from '../../knowledge/memory/end-memories.ts'
import { saveMemories } from '../../knowledge/memory/save-memories.ts'
import { describeAuthor } from './describe-author.ts'
import { isPerson } from './format-names.ts'
import { readAuthorRecord } from './read-author.ts'

/**
 * Recomputes profile, patterns and strengths from the stored reviews, and ends outdated memories.
 * Bots have none.
 */
export async function learnAuthor(tx: Db, { repo, number }: PullRequestRef): Promise<void> {
  const row = await tx
    .selectFrom('pull_requests')
    .select('author')
    .where('repo', '=', repo)
    .where('number', '=', number)
    .executeTakeFirst()
  if (row === undefined || !isPerson(row.author)) return
  const memories = describeAuthor(await readAuthorRecord(tx, repo, row.author))
  await saveMemories(tx, repo, memories)
  const currentKeys = new Set(memories.map(({ type, subject }) => `${type} ${subject}`))
  const { rows } = await sql<{ type: MemoryType; subject: string }>`
    select memory_type as type, subject from memories
    where repo = ${repo} and memory_type in ('developer_pattern', 'developer_strength')
      and ended_at is null and starts_with(subject, ${`${row.author}/`})`.execute(tx)
  const outdated = rows.filter(({ type, subject }) => !currentKeys.has(`${type} ${subject}`))
  await endMemories(tx, repo, outdated)
}
