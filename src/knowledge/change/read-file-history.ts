// Reads earlier reviews of changed files, and other pull requests that change the same files.
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { ChangedSymbol, FileHistory, RelatedPullRequest } from '../../domain/change-graph.ts'
import type { FileDiff } from '../../domain/diff.ts'
import type { PullRequestRef } from '../../domain/pull-request.ts'

const maxRelated = 8
const maxPaths = 5
const maxFindings = 3

interface AuthorRow {
  readonly path: string
  readonly author: string
  readonly touches: number
  /** Counts the reviews that requested changes. */
  readonly refused: number
}

/** Summarizes the other reviewed pull requests that changed these files. New files have none. */
export async function readFileHistory(
  db: Db,
  { repo, number }: PullRequestRef,
  files: readonly Pick<FileDiff, 'path' | 'oldPath' | 'status'>[],
): Promise<FileHistory[]> {
  const existing = files.filter(({ status }) => status !== 'added' && status !== 'copied')
  const newPaths = new Map(existing.map(({ path, oldPath }) => [oldPath, path]))
  const oldPaths = [...newPaths.keys()]
  const { rows } = await sql<AuthorRow>`
    select path, author, count(*) filter (where latest)::int as touches,
      count(*) filter (where requested_changes)::int as refused
    from pull_request_files
    where repo = ${repo} and pr_number <> ${number} and path = any(${oldPaths}::text[])
    group by path, author
    order by path, touches desc, max(pr_number) desc`.execute(db)
  return [...Map.groupBy(rows, ({ path }) => path)].map(([oldPath, authors]) =>
    summarizeHistory(newPaths.get(oldPath) ?? oldPath, authors),
  )
}

/** @param authors are sorted by the number of pull requests */
function summarizeHistory(path: string, authors: readonly AuthorRow[]): FileHistory {
  const [mainAuthor] = authors
  const pullRequests = authors.reduce((sum, { touches }) => sum + touches, 0)
  const hasOwner = mainAuthor !== undefined && mainAuthor.touches > 0 && mainAuthor.author !== ''
  return {
    path,
    pullRequests,
    riskScore: authors.reduce((sum, { refused }) => sum + refused, 0),
    owner: hasOwner ? mainAuthor.author : null,
    ownerPercent: Math.round((100 * (mainAuthor?.touches ?? 0)) / Math.max(1, pullRequests)),
  }
}

interface RelatedRow extends Omit<RelatedPullRequest, 'findings'> {}

/**
 * Finds other pull requests that change the same files according to their latest review.
 * Open ones that change the same definitions come first, then the most recent ones.
 */
export async function readRelatedPullRequests(
  db: Db,
  { repo, number }: PullRequestRef,
  paths: readonly string[],
  symbols: readonly Pick<ChangedSymbol, 'path' | 'name'>[],
): Promise<RelatedPullRequest[]> {
  const symbolKeys = symbols.map(({ path, name }) => `${path} ${name}`)
  const { rows } = await sql<RelatedRow>`
    with touching as (
      select p.number, p.title, p.author, p.state, p.verdict, p.updated_at, f.path,
        case when p.state = 'open' then array(
          select name from unnest(f.symbols) as name
          where f.path || ' ' || name = any(${symbolKeys}::text[])
        ) else '{}' end as shared
      from pull_request_files f
      join pull_requests p on p.repo = f.repo and p.number = f.pr_number
      where f.repo = ${repo} and f.latest and f.pr_number <> ${number}
        and f.path = any(${paths}::text[])
    )
    select number, min(title) as title, min(author) as author, min(state) as state,
      min(verdict) as verdict,
      (array_agg(path order by path))[1:${sql.lit(maxPaths)}] as paths,
      array(
        select distinct name from touching as same, unnest(same.shared) as name
        where same.number = touching.number order by name limit 20
      ) as symbols
    from touching
    group by number
    order by max(cardinality(shared)) > 0 desc, max(updated_at) desc, number desc
    limit ${sql.lit(maxRelated)}`.execute(db)
  const findings = await readFindings(db, repo, rows, paths)
  return rows.map((row) => ({ ...row, findings: findings.get(row.number) ?? [] }))
}

/** Reads titles of findings in these files by pull request, the most severe ones first. */
async function readFindings(
  db: Db,
  repo: string,
  related: readonly { readonly number: number }[],
  paths: readonly string[],
): Promise<Map<number, string[]>> {
  if (related.length === 0) return new Map()
  const numbers = related.map(({ number }) => number)
  const { rows } = await sql<{ number: number; title: string }>`
    select number, title from (
      select pr_number as number, title, row_number() over (
        partition by pr_number
        order by array_position('{critical,moderate,minor}'::text[], severity), confidence desc, id
      ) as rank
      from findings
      where repo = ${repo} and pr_number = any(${numbers}::int[])
        and path = any(${paths}::text[]) and state <> 'dismissed'
    ) as found
    where rank <= ${maxFindings}
    order by number, rank`.execute(db)
  const byNumber = Map.groupBy(rows, ({ number }) => number)
  return new Map([...byNumber].map(([number, found]) => [number, found.map(({ title }) => title)]))
}
