// Reads what the reviews of pull requests found in the directories of a repository.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { FindingCategory } from '../domain/finding.ts'
import type { PullRequestRef, RepositoryName } from '../domain/pull-request.ts'

/** The review of one pull request, as far as it concerns a directory. */
export interface DirectoryReview {
  readonly directory: string
  readonly number: number
  /**
   * The number of commits whose review requested changes while serious findings were open there.
   */
  readonly requests: number
  /** Categories of the critical and moderate findings that weren't dismissed. */
  readonly categories: readonly FindingCategory[]
}

/** Lists the directories of the files in the latest review of a pull request, by name. */
export async function listReviewedDirectories(
  db: Db,
  { repo, number }: PullRequestRef,
  { maxLength, limit }: { maxLength: number; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ directory: string }>`
    select distinct directory from pull_request_files
    where run_id = (
      select reviewed_run_id from pull_requests where repo = ${repo} and number = ${number})
      and length(directory) <= ${maxLength}
    order by directory limit ${limit}`.execute(db)
  return rows.map(({ directory }) => directory)
}

/**
 * Reads the reviews of the latest pull requests that changed these directories. Those that are
 * missing in the code graph are left out.
 *
 * @param maxPullRequests for each directory
 */
export async function readDirectoryReviews(
  db: Db,
  repo: RepositoryName,
  directories: readonly string[],
  maxPullRequests: number,
): Promise<DirectoryReview[]> {
  const { rows } = await sql<DirectoryReview>`
    with graph as materialized (
      select id from code_graphs where repo = ${repo} and commit_sha is not null
    ), asked as (
      select directory from unnest(${directories}::text[]) as asked (directory)
      where directory = '.' or not exists (select from graph) or exists (
        select from code_files
        where graph_id = (select id from graph)
          and path > directory || '/' and path < directory || '0'
      )
    )
    select asked.directory, number, requests, categories from asked
    cross join lateral (
      select pr_number as number from pull_request_files
      where repo = ${repo} and pull_request_files.directory = asked.directory and latest
      group by pr_number order by pr_number desc limit ${maxPullRequests}
    ) as recent
    cross join lateral (
      select coalesce(json_agg(category), '[]') as categories from findings
      where repo = ${repo} and pr_number = number and ${isSerious}
        and ${findingDirectory} = asked.directory
    ) as found
    cross join lateral (
      select count(distinct coalesce(head_sha, id::text)) as requests from workflow_runs run
      where run.repo = ${repo} and run.pr_number = number
        and status = 'completed' and verdict = 'REQUEST_CHANGES'
        and exists (
          select from findings
          where findings.repo = ${repo} and findings.pr_number = number and ${isSerious}
            and ${findingDirectory} = asked.directory
            and run.id between first_run_id and last_run_id
        )
    ) as asking`.execute(db)
  return rows
}

const isSerious = sql`severity <> 'minor' and state <> 'dismissed'`
const findingDirectory = sql`
  case when strpos(findings.path, '/') = 0 then '.'
    else regexp_replace(findings.path, '/[^/]*$', '') end`
