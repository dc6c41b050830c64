// Lists the URLs of the comments that reviews of a pull request posted, with whichever account.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'

/** Returns the URLs of the latest summary and of all comments on findings. */
export async function listPostedUrls(
  db: Db,
  { repo, number }: PullRequestRef,
): Promise<readonly string[]> {
  const { rows } = await sql<{ url: string }>`
    (select published_url as url from workflow_runs
      where repo = ${repo} and pr_number = ${number} and published_url is not null
      order by id desc limit 1)
    union all
    select comment_url from findings
    where repo = ${repo} and pr_number = ${number} and comment_url is not null`.execute(db)
  return rows.map(({ url }) => url)
}
