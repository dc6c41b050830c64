// Reads what reviewed pull requests came to in the files of a change, and which others touch the same.
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
  /** Reviews that asked for changes. */
  readonly refused: number
}

/**
 * The reviewed pull requests that touched the files of one before, but for itself.
 *
 * @param files those that are new have no history
 */
export async function readFileHistory(
  db: Db,
  { repo, number }: PullRequestRef,
  files: readonly Pick<FileDiff, 'path' | 'oldPath' | 'status'>[],
): Promise<FileHistory[]> {
  const old = files.filter(({ status }) => status !== 'added' && status !== 'copied')
  const names = new Map(old.map(({ path, oldPath }) => [oldPath, path]))
  const paths = [...names.keys()]
  const { rows } = await sql<AuthorRow>`
    select path, author, count(*) filter (where latest)::int as touches,
      count(*) filter (where requested_changes)::int as refused
    from pull_request_files
    where repo = ${repo} and pr_number <> ${number} and path = any(${paths}::text[])
    group by path, author
    order by path, touches desc, max(pr_number) desc`.execute(db)
  return [...Map.groupBy(rows, ({ path }) => path)].map(([path, authors]) =>
    describeHistory(names.get(path) ?? path, authors),
  )
}

function describeHistory(path: string, authors: readonly AuthorRow[]): FileHistory {
  const [first] = authors
  const touches = authors.reduce((sum, author) => sum + author.touches, 0)
  return {
    path,
    pullRequests: touches,
    riskScore: authors.reduce((sum, { refused }) => sum + refused, 0),
    owner: first === undefined || first.touches === 0 || first.author === '' ? null : first.author,
    ownerPercent: Math.round((100 * (first?.touches ?? 0)) / Math.max(1, touches)),
  }
}

interface RelatedRow extends Omit<RelatedPullRequest, 'findings'> {}

/**
 * Other pull requests that touch the same files as their latest review saw them: open ones that change the same
 * definitions first, then the most recent.
 */
export async function readRelatedPullRequests(
  db: Db,
  { repo, number }: PullRequestRef,
  paths: readonly string[],
  symbols: readonly Pick<ChangedSymbol, 'path' | 'name'>[],
): Promise<RelatedPullRequest[]> {
  const changed = symbols.map(({ path, name }) => `${path} ${name}`)
  const { rows } = await sql<RelatedRow>`
    with touching as (
      select p.number, p.title, p.author, p.state, p.verdict, p.updated_at, f.path,
        case when p.state = 'open' then array(
          select name from unnest(f.symbols) as name where f.path || ' ' || name = any(${changed}::text[])
        ) else '{}' end as shared
      from pull_request_files f
      join pull_requests p on p.repo = f.repo and p.number = f.pr_number
      where f.repo = ${repo} and f.latest and f.pr_number <> ${number} and f.path = any(${paths}::text[])
    )
    select number, min(title) as title, min(author) as author, min(state) as state, min(verdict) as verdict,
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

/** What was found in some files, by pull request, most severe first. */
async function readFindings(
  db: Db,
  repo: string,
  related: readonly { readonly number: number }[],
  paths: readonly string[],
): Promise<Map<number, string[]>> {
  if (related.length === 0) return new Map()
  const { rows } = await sql<{ number: number; title: string }>`
    select number, title from (
      select pr_number as number, title, row_number() over (
        partition by pr_number
        order by array_position('{critical,moderate,minor}'::text[], severity), confidence desc, id
      ) as place
      from findings
      where repo = ${repo} and pr_number = any(${related.map(({ number }) => number)}::int[])
        and path = any(${paths}::text[]) and state <> 'dismissed'
    ) as found
    where place <= ${maxFindings}
    order by number, place`.execute(db)
  const byNumber = Map.groupBy(rows, ({ number }) => number)
  return new Map([...byNumber].map(([number, found]) => [number, found.map(({ title }) => title)]))
}
