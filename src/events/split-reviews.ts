// Moves stored reviews: those of a renamed repository to its new name, and those of a former
// repository away from a name that another one has now.
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

/**
 * Moves all that is stored about the pull requests of a renamed repository to its new name. What
 * arrived under the new name before stays. Workers lose their leases, and others go on at the new
 * name. Runs in the caller's transaction.
 */
export async function renameReviews(
  tx: Db,
  { from, to }: { from: RepositoryName; to: RepositoryName },
): Promise<void> {
  for (const name of await listSpellings(tx, from)) {
    await rename(tx, name, to)
    await moveWork(tx, name, to)
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

/** What identifies the rows of a repository in each table. Those without columns may repeat. */
const tables: Readonly<Record<string, readonly string[]>> = {
  pull_requests: ['number'],
  pull_request_search: ['number'],
  events: [],
  findings: ['pr_number', 'fingerprint'],
  dismissals: ['pr_number', 'fingerprint', 'reopened'],
  posted_decisions: ['number'],
  answers: ['comment_id', 'is_inline'],
  model_answers: ['pr_number', 'key'],
}

/** Foreign keys rename runs and posted decisions with their pull requests. */
async function rename(tx: Db, from: string, to: string): Promise<void> {
  for (const [table, key] of Object.entries(tables)) await renameRows(tx, table, key, { from, to })
}

async function renameRows(
  tx: Db,
  table: string,
  key: readonly string[],
  { from, to }: { from: string; to: string },
): Promise<void> {
  const isSame = key.map((column) => sql`other.${sql.ref(column)} = moved.${sql.ref(column)}`)
  const isTaken =
    key.length === 0
      ? sql`false`
      : sql`exists (
          select from ${sql.table(table)} as other
          where other.repo = ${to} and ${sql.join(isSame, sql` and `)})`
  await sql`
    update ${sql.table(table)} as moved set repo = ${to}
    where repo = ${from} and not ${isTaken}`.execute(tx)
}

/** Scans end by themselves: connecting the new name requests one there. */
async function moveWork(tx: Db, from: string, to: string): Promise<void> {
  await sql`update platform_requests set repo = ${to} where repo = ${from}`.execute(tx)
  await sql`
    update work_items as moved set repo = ${to}, status = 'pending', worker = null, due_at = now(),
      scheduled_at = now()
    where repo = ${from} and kind <> 'scan' and not exists (
      select from work_items as other where other.repo = ${to}
        and other.kind = moved.kind and other.number = moved.number)`.execute(tx)
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
