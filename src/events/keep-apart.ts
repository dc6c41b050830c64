// Keeps apart the reviews of several repositories that had one name, one after the other: they are stored by name.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import { refreshListing } from './listing.ts'

/**
 * Gives the former repository's reviews, deliveries and runs a name that no repository can have, under which only
 * administrators find them, and ends what is unfinished of them. Those that the new one left behind when it lost the name
 * before come back. In the caller's transaction.
 *
 * @param input `formerId` and `platformRepoId`: who had the name, and who has it now, by the platform's ids
 */
export async function keepReviewsApart(
  tx: Db,
  { repo, formerId, platformRepoId }: { repo: RepositoryName; formerId: string; platformRepoId: string },
): Promise<void> {
  for (const name of await listSpellings(tx, repo)) {
    const aside = asideName(name, formerId)
    await rename(tx, name, aside)
    await endUnfinished(tx, aside)
  }
  await rename(tx, asideName(repo, platformRepoId), repo)
}

const asideName = (repo: RepositoryName, platformRepoId: string) => `${repo}@${platformRepoId}`

/** As the name was spelled by those who connected it. */
async function listSpellings(tx: Db, repo: RepositoryName): Promise<string[]> {
  const rows = await tx
    .selectFrom('installations')
    .select('repo_full_name')
    .distinct()
    .where(sql<boolean>`lower(repo_full_name) = ${repo.toLowerCase()}`)
    .execute()
  return [...new Set([repo, ...rows.map((row) => row.repo_full_name)])]
}

/** Runs follow their pull requests by themselves. */
async function rename(tx: Db, from: string, to: string): Promise<void> {
  for (const table of ['pull_requests', 'pull_request_search', 'events', 'findings']) {
    await sql`update ${sql.table(table)} set repo = ${to} where repo = ${from}`.execute(tx)
  }
}

/** Whoever is at work on it has lost it. */
async function endUnfinished(tx: Db, repo: string): Promise<void> {
  const why = 'Another repository has the name now.'
  await sql`
    update workflow_runs set status = 'failed', fence = fence + 1, worker = null, lease_until = null, retry_at = null,
      finished_at = now(), error = ${why}, error_code = 'disconnected'
    where repo = ${repo} and status in ('pending', 'processing')`.execute(tx)
  const { rows } = await sql<{ number: number }>`
    update events set status = 'failed', processed_at = now()
    where repo = ${repo} and wants_review and status in ('pending', 'processing')
    returning pr_number as number`.execute(tx)
  for (const number of new Set(rows.map((row) => row.number))) await refreshListing(tx, { repo, number })
}
