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
export async function splitReviews(
  tx: Db,
  {
    repo,
    formerId,
    platformRepoId,
  }: { repo: RepositoryName; formerId: string; platformRepoId: string },
): Promise<void> {
  for (const name of await listSpellings(tx, repo)) {
    const aside = formerRepositoryName(name, formerId)
    await rename(tx, name, aside)
    await failUnfinished(tx, aside)
  }
  const back = formerRepositoryName('', platformRepoId)
  for (const name of await listSpellings(tx, `${repo}${back}`))
    await rename(tx, name, name.slice(0, -back.length))
}

const formerRepositoryName = (repo: string, platformRepoId: string) => `${repo}@${platformRepoId}`

/** Of a name, as deliveries had it: who asks in any spelling is shown all of them. */
async function listSpellings(tx: Db, name: string): Promise<string[]> {
  const isNamed = sql`lower(repo) = ${name.toLowerCase()}`
  const { rows } = await sql<{ repo: string }>`
    select repo from pull_requests where ${isNamed} union select repo from events where ${isNamed} order by repo`.execute(
    tx,
  )
  return rows.map(({ repo }) => repo)
}

/** Runs follow their pull requests by themselves. */
async function rename(tx: Db, from: string, to: string): Promise<void> {
  for (const table of ['pull_requests', 'pull_request_search', 'events', 'findings']) {
    await sql`update ${sql.table(table)} set repo = ${to} where repo = ${from}`.execute(tx)
  }
}

/** Whoever is at work on it has lost it. */
async function failUnfinished(tx: Db, repo: string): Promise<void> {
  const why = 'Another repository has the name now.'
  await sql`
    update workflow_runs set status = 'failed', fence = fence + 1, worker = null, lease_until = null, retry_at = null,
      finished_at = now(), error = ${why}, error_code = 'disconnected'
    where repo = ${repo} and status in ('pending', 'processing')`.execute(tx)
  const { rows } = await sql<{ number: number }>`
    update events set status = 'failed', processed_at = now()
    where repo = ${repo} and wants_review and status in ('pending', 'processing')
    returning pr_number as number`.execute(tx)
  for (const number of new Set(rows.map((row) => row.number)))
    await refreshListing(tx, { repo, number })
}
