// Splits the stored reviews of repositories that successively had the same name.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import { refreshListing } from './listing.ts'

/**
 * Renames the reviews, deliveries and runs of the former repository to a name that no repository
 * can have, so that only administrators see them, and fails the unfinished ones: their workers lose
 * their leases. Restores those of the new repository, if it had the name before. Runs in the
 * caller's transaction.
 *
 * @param input `formerId` is the platform's id of the former repository with the name,
 *   `platformRepoId` that of the new one
 */
export async function splitReviews(
  tx: Db,
  {
    repo,
    formerId,
    platformRepoId,
  }: { repo: RepositoryName; formerId: string; platformRepoId: string },
): Promise<void> {
  for (const name of await listSpellings(tx, repo)) {
    const formerName = formerRepositoryName(name, formerId)
    await rename(tx, name, formerName)
    await tx.deleteFrom('workItems').where('kind', '=', 'review').where('repo', '=', name).execute()
    await failUnfinished(tx, formerName)
  }
  const suffix = formerRepositoryName('', platformRepoId)
  for (const name of await listSpellings(tx, `${repo}${suffix}`)) {
    await rename(tx, name, name.slice(0, -suffix.length))
  }
}

const formerRepositoryName = (repo: string, platformRepoId: string) => `${repo}@${platformRepoId}`

/** Lists all spellings of a name in deliveries, because requests ignore case. */
async function listSpellings(tx: Db, name: string): Promise<string[]> {
  const isNamed = sql`lower(repo) = ${name.toLowerCase()}`
  const { rows } = await sql<{ repo: string }>`
    select repo from pull_requests where ${isNamed}
    union select repo from events where ${isNamed}
    order by repo`.execute(tx)
  return rows.map(({ repo }) => repo)
}

/** Runs are renamed by a foreign key with `on update cascade`. */
async function rename(tx: Db, from: string, to: string): Promise<void> {
  for (const table of ['pull_requests', 'pull_request_search', 'events', 'findings']) {
    await sql`update ${sql.table(table)} set repo = ${to} where repo = ${from}`.execute(tx)
  }
}

async function failUnfinished(tx: Db, repo: string): Promise<void> {
  const reason = 'Another repository has the name now.'
  await sql`
    update workflow_runs set status = 'failed', finished_at = now(), error = ${reason},
      error_code = 'disconnected'
    where repo = ${repo} and status in ('pending', 'processing')`.execute(tx)
  const { rows } = await sql<{ number: number }>`
    update events set status = 'failed', processed_at = now()
    where repo = ${repo} and wants_review and status in ('pending', 'processing')
    returning pr_number as number`.execute(tx)
  for (const number of new Set(rows.map((row) => row.number)))
    await refreshListing(tx, { repo, number })
}
