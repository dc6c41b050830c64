// Counts the reviewed pull requests of each author in a repository.
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { limitRows } from '../../db/limit-rows.ts'
import type { RepositoryName } from '../../domain/pull-request.ts'

interface AuthorCount {
  readonly login: string
  readonly pullRequests: number
}

/** Returns at most 500 authors, those with most pull requests first, then by name. */
export async function countPullRequestsByAuthor(
  db: Db,
  repo: RepositoryName,
): Promise<AuthorCount[]> {
  const { rows } = await sql<AuthorCount>`
    select author as login, count(*) as pull_requests
    from (
      select author, pr_number from pull_request_files
      where repo = ${repo} and latest and author <> '' group by author, pr_number
    ) as touching
    group by author
    order by 2 desc, 1
    ${limitRows(500)}`.execute(db)
  return rows
}
