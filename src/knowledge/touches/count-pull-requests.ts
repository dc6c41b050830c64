// Who has how many reviewed pull requests that touched files of a repository.
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { limitRows } from '../../db/limit-rows.ts'
import type { RepositoryName } from '../../domain/pull-request.ts'

export interface AuthorCount {
  readonly login: string
  readonly pullRequests: number
}

/** The authors with most pull requests first, then by name; 500 at most. */
export async function countPullRequestsByAuthor(db: Db, repo: RepositoryName): Promise<AuthorCount[]> {
  const { rows } = await sql<AuthorCount>`
    select author as login, count(*) as "pullRequests" from pull_requests p
    where repo = ${repo} and author <> '' and reviewed_run_id is not null
      and exists (select from pull_request_files f where f.run_id = p.reviewed_run_id)
    group by author
    order by count(*) desc, author collate "C"
    ${limitRows(500)}`.execute(db)
  return rows
}
