// Updates the memories about the author of a reviewed pull request.

import { readAuthor, readAuthorRecord } from '../../analytics/author-record.ts'
import type { Db } from '../../db/database.ts'
import type { PullRequestRef } from '../../domain/pull-request.ts'
import { endMemories } from '../../knowledge/memory/end-memories.ts'
import { listSubjects } from '../../knowledge/memory/read-memories.ts'
import { saveMemories } from '../../knowledge/memory/save-memories.ts'
import { describeAuthor } from './describe-author.ts'
import { isPerson } from './format-names.ts'

/**
 * Recomputes profile, patterns and strengths from the stored reviews, and ends outdated memories.
 * Bots have none.
 */
export async function learnAuthor(tx: Db, ref: PullRequestRef): Promise<void> {
  const { repo } = ref
  const author = await readAuthor(tx, ref)
  if (author === undefined || !isPerson(author)) return
  const memories = describeAuthor(await readAuthorRecord(tx, repo, author))
  await saveMemories(tx, repo, memories)
  const currentKeys = new Set(memories.map(({ type, subject }) => `${type} ${subject}`))
  const known = await listSubjects(tx, repo, {
    types: ['developer_pattern', 'developer_strength'],
    prefix: `${author}/`,
  })
  const outdated = known.filter(({ type, subject }) => !currentKeys.has(`${type} ${subject}`))
  await endMemories(tx, repo, outdated)
}
