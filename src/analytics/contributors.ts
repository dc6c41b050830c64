// Reads the contributors of a repository that memories describe, with those memories.
import { sql } from 'kysely'
import type { contributors } from '../contract/analytics-endpoints.ts'
import type { ResponseRecord } from '../contract/endpoint.ts'
import type { Db } from '../db/database.ts'
import type { RepositoryName } from '../domain/pull-request.ts'

type Contributor = ResponseRecord<typeof contributors>['contributors'][number]

interface ContributorPage {
  /** How many contributors all pages have together. */
  readonly total: number
  /** Sorted by username. Their commits are known to the platform only. */
  readonly contributors: readonly Omit<Contributor, 'commitCount'>[]
}

/**
 * A page after the last one is empty. The subject of a memory about a person begins with the login.
 */
export async function listContributors(
  db: Db,
  repo: RepositoryName,
  { page, perPage }: { page: number; perPage: number },
): Promise<ContributorPage> {
  const { rows } = await sql<ContributorPage>`
    with remembered as materialized (
      select split_part(subject, '/', 1) as login, memory_type, subject, text from memories
      where repo = ${repo} and ended_at is null
        and memory_type in ('contributor_profile', 'developer_pattern', 'developer_strength')
    ), people as materialized (
      select login,
        coalesce(max(text) filter (where memory_type = 'contributor_profile'), '') as profile,
        coalesce(
          array_agg(text order by subject) filter (where memory_type = 'developer_pattern'), '{}'
        ) as patterns,
        coalesce(
          array_agg(text order by subject) filter (where memory_type = 'developer_strength'), '{}'
        ) as strengths
      from remembered group by login
    ), listed as (
      select * from people order by lower(login) collate "C", login collate "C"
      limit ${perPage}::bigint offset ${(page - 1) * perPage}::bigint
    ), described as (
      select login as username, profile as "profileSummary", patterns, strengths, "prCount",
        "lastSeenPr"
      from listed cross join lateral (
        select count(*) filter (where reviewed_run_id is not null) as "prCount",
          coalesce(max(number), 0) as "lastSeenPr"
        from pull_requests where repo = ${repo} and author = listed.login
      ) as counted
    )
    select (select count(*) from people) as total,
      coalesce((
        select json_agg(described order by lower(username) collate "C", username collate "C")
        from described
      ), '[]') as contributors`.execute(db)
  return rows[0] as ContributorPage
}
