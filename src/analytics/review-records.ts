// The records of reviews of one repository, newest first, for programs that ask for verdicts.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { RunStatus } from '../db/schema.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import type { Verdict } from '../domain/review.ts'

/** One run of a review. */
export interface ReviewRecord {
  /** Of the run. */
  readonly id: number
  /** As the platform spells it. */
  readonly repo: string
  readonly number: number
  readonly status: RunStatus
  /** Null where it came to none. */
  readonly verdict: Verdict | null
  /** Null until it is completed. */
  readonly summary: string | null
  /** Why it failed or what it waits for; null when it is completed. */
  readonly error: string | null
  readonly createdAt: Date
}

/**
 * The newest records, by when they were created.
 *
 * @param repo in any letter case; of one that isn't known there are none
 */
export async function listReviewRecords(
  db: Db,
  repo: string,
  limit: number,
): Promise<ReviewRecord[]> {
  return selectRecords(db, repo).limit(limit).execute()
}

/**
 * The newest record of a pull request that came to a verdict, else its newest one; undefined where it has none among the
 * newest records of its repository.
 *
 * @param among how many records of the repository are looked at
 */
export async function findReviewRecord(
  db: Db,
  { repo, number }: { repo: string; number: number },
  among: number,
): Promise<ReviewRecord | undefined> {
  return (
    db
      .selectFrom(selectRecords(db, repo).limit(among).as('recent'))
      .selectAll()
      // Whatever was asked for, and not only what a number of theirs can be.
      .where(sql<boolean>`number = ${number}::bigint`)
      .orderBy(sql`verdict is not null`, 'desc')
      .orderBy('createdAt', 'desc')
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst()
  )
}

function selectRecords(db: Db, repo: string) {
  return (
    db
      .selectFrom('workflow_runs')
      .select([
        'id',
        'repo',
        'pr_number as number',
        'status',
        'verdict',
        'summary',
        'error',
        'created_at as createdAt',
      ])
      // Written into the statement: the index is one of reviews only, and the plan is made before the values are known.
      .where('workflow_type', '=', sql.lit('pr_review'))
      .where(sql<string>`lower(repo)`, '=', repo.toLowerCase())
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
  )
}

/** How far the reviews of a repository reach. */
export interface ReviewCounts {
  /** Runs that came to a verdict. */
  readonly completed: number
  /** Pull requests that were seen, and those of them that were reviewed. */
  readonly seen: number
  readonly reviewed: number
}

/** Counts; all 0 for a repository that isn't known. */
export async function readReviewCounts(db: Db, repo: RepositoryName): Promise<ReviewCounts> {
  const { rows } = await sql<ReviewCounts>`
    select
      (select count(*) from workflow_runs
        where workflow_type = 'pr_review' and lower(repo) = ${repo.toLowerCase()} and verdict is not null) as completed,
      count(*) as seen, count(reviewed_run_id) as reviewed
    from pull_requests where repo = ${repo} and listed_event_id is not null`.execute(db)
  return rows[0] as ReviewCounts
}

/** A repository's name as the platform spelled it last; as it was given where no review of it is known. */
export async function findCanonicalName(db: Db, repo: string): Promise<RepositoryName> {
  const record = await selectRecords(db, repo).limit(1).executeTakeFirst()
  return record?.repo ?? repo
}

/** Names of repositories that are connected to the caller, in their order; to anybody for a caller of null. */
export async function listConnectedRepositoryNames(
  db: Db,
  caller: { readonly userId: number } | null,
  limit: number,
): Promise<RepositoryName[]> {
  const connected = db
    .selectFrom('installations')
    .select('repo_full_name')
    .distinct()
    .where('is_active', '=', true)
    .where('access_lost_at', 'is', null)
    .orderBy('repo_full_name')
    .limit(limit)
  const rows = await (caller === null
    ? connected
    : connected.where('user_id', '=', caller.userId)
  ).execute()
  return rows.map((row) => row.repo_full_name)
}
