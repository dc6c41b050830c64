// Reads the review records of a repository, for programs that need verdicts.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { Row } from '../db/schema.ts'
import type { RepositoryName } from '../domain/pull-request.ts'

/** A run, with the number of its pull request. */
export interface ReviewRecord
  extends Pick<
    Row<'workflowRuns'>,
    'id' | 'repo' | 'status' | 'verdict' | 'summary' | 'error' | 'createdAt'
  > {
  readonly number: number
}

/**
 * Lists the newest records by creation time.
 *
 * @param repo in any letter case; there are no records of an unknown repository
 */
export async function listReviewRecords(
  db: Db,
  repo: string,
  limit: number,
): Promise<ReviewRecord[]> {
  return selectRecords(db, repo).limit(limit).execute()
}

/**
 * Finds the newest record of a pull request with a verdict, else its newest record. Undefined when
 * it has none among the newest records of its repository.
 *
 * @param among how many records of the repository are searched
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
      // The number comes from the caller and may exceed the range of the column's type.
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
      .selectFrom('workflowRuns')
      .select([
        'id',
        'repo',
        'prNumber as number',
        'status',
        'verdict',
        'summary',
        'error',
        'createdAt',
      ])
      // A literal lets the planner use the partial index: it plans before it has the parameters.
      .where('workflowType', '=', sql.lit('pr_review'))
      .where(sql<string>`lower(repo)`, '=', repo.toLowerCase())
      .orderBy('createdAt', 'desc')
      .orderBy('id', 'desc')
  )
}

interface ReviewCounts {
  /** Counts runs with a verdict. */
  readonly completed: number
  /** Counts the known pull requests; `reviewed` counts those of them with a review. */
  readonly seen: number
  readonly reviewed: number
}

/** All counts are 0 for an unknown repository. */
export async function readReviewCounts(db: Db, repo: RepositoryName): Promise<ReviewCounts> {
  const { rows } = await sql<ReviewCounts>`
    select
      (select count(*) from workflow_runs
        where workflow_type = 'pr_review' and lower(repo) = ${repo.toLowerCase()}
          and verdict is not null) as completed,
      count(*) as seen, count(reviewed_run_id) as reviewed
    from pull_requests where repo = ${repo} and listed_event_id is not null`.execute(db)
  return rows[0] as ReviewCounts
}

/** Returns a repository's name in the platform's latest spelling; `repo` if it has no reviews. */
export async function findCanonicalName(db: Db, repo: string): Promise<RepositoryName> {
  const record = await selectRecords(db, repo).limit(1).executeTakeFirst()
  return record?.repo ?? repo
}

/** Lists repositories connected to the caller, by name; for null those connected to anyone. */
export async function listConnectedRepositoryNames(
  db: Db,
  caller: { readonly userId: number } | null,
  limit: number,
): Promise<RepositoryName[]> {
  const connected = db
    .selectFrom('installations')
    .select('repoFullName')
    .distinct()
    .where('isActive', '=', true)
    .where('accessLostAt', 'is', null)
    .orderBy('repoFullName')
    .limit(limit)
  const rows = await (caller === null
    ? connected
    : connected.where('userId', '=', caller.userId)
  ).execute()
  return rows.map((row) => row.repoFullName)
}
