// Reads the URLs of the comments that reviews of a pull request posted, with whichever account.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'

export interface PostedUrls {
  /** The latest summary; null where none was posted. */
  readonly summary: string | null
  /** The latest summary and all comments on findings. */
  readonly all: readonly string[]
  /** The comments on findings, by fingerprint. */
  readonly byFingerprint: ReadonlyMap<string, string>
}

export async function readPostedUrls(
  db: Db,
  { repo, number }: PullRequestRef,
): Promise<PostedUrls> {
  const { rows } = await sql<{ url: string; fingerprint: string | null }>`
    (select published_url as url, null as fingerprint from workflow_runs
      where repo = ${repo} and pr_number = ${number} and published_url is not null
      order by id desc limit 1)
    union all
    select comment_url, fingerprint from findings
    where repo = ${repo} and pr_number = ${number} and comment_url is not null`.execute(db)
  return {
    summary: rows.find(({ fingerprint }) => fingerprint === null)?.url ?? null,
    all: rows.map(({ url }) => url),
    byFingerprint: new Map(
      rows.flatMap(({ url, fingerprint }) => (fingerprint === null ? [] : [[fingerprint, url]])),
    ),
  }
}
