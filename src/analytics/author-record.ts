// Reads the stored record of an author's reviewed pull requests.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { Finding } from '../domain/finding.ts'
import type { PullRequestRef, RepositoryName } from '../domain/pull-request.ts'

/** Old work says little about a person, so only recent pull requests are read. */
const maxPullRequests = 50
const maxFiles = 500
const maxFindings = 200

export interface AuthoredPullRequest {
  readonly number: number
  /** The number of added and deleted lines. */
  readonly lines: number
  readonly paths: readonly string[]
  readonly findings: readonly Pick<Finding, 'path' | 'severity' | 'category' | 'state'>[]
}

export interface AuthorRecord {
  readonly login: string
  /** The number of all reviewed pull requests. */
  readonly total: number
  /** They are the latest ones, the newest first. */
  readonly pullRequests: readonly AuthoredPullRequest[]
}

/** Reads the login of a pull request's author; undefined if the pull request isn't known. */
export async function readAuthor(
  db: Db,
  { repo, number }: PullRequestRef,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('pullRequests')
    .select('author')
    .where('repo', '=', repo)
    .where('number', '=', number)
    .executeTakeFirst()
  return row?.author
}

/** Reads a bounded part of an author's record in a repository. */
export async function readAuthorRecord(
  tx: Db,
  repo: RepositoryName,
  login: string,
): Promise<AuthorRecord> {
  const { rows } = await sql<AuthoredPullRequest & { total: number }>`
    with reviewed as (
      select number, reviewed_run_id, additions::bigint + deletions as lines,
        count(*) over () as total
      from pull_requests
      where repo = ${repo} and author = ${login} and reviewed_run_id is not null
      order by number desc limit ${maxPullRequests}
    )
    select number, total, lines,
      array(
        select path from pull_request_files
        where run_id = reviewed_run_id order by path limit ${maxFiles}
      ) as paths,
      (
        select coalesce(json_agg(found), '[]') from (
          select path, severity, category, state from findings
          where repo = ${repo} and pr_number = reviewed.number order by id limit ${maxFindings}
        ) as found
      ) as findings
    from reviewed order by number desc`.execute(tx)
  return { login, total: rows[0]?.total ?? 0, pullRequests: rows }
}
