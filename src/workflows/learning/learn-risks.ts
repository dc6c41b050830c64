// Updates memories of directories whose reviews repeatedly requested changes.
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { FindingCategory } from '../../domain/finding.ts'
import type { NewMemory } from '../../domain/memory.ts'
import type { PullRequestRef, RepositoryName } from '../../domain/pull-request.ts'
import { endMemories } from '../../knowledge/memory/end-memories.ts'
import { saveMemories } from '../../knowledge/memory/save-memories.ts'
import { countOccurrences, formatCount, formatName, maxSubjectLength } from './format-names.ts'

/** The limit applies to the directories of a review and to the remembered ones separately. */
const maxDirectories = 200
/**
 * Only the latest pull requests of a directory count: faults that were fixed long ago are no risk.
 */
const maxPullRequests = 30
const minPullRequests = 2
const minFindings = 3

interface DirectoryReview {
  readonly directory: string
  readonly number: number
  /**
   * The number of commits whose review requested changes while serious findings were open there.
   */
  readonly requests: number
  /** Categories of the critical and moderate findings that weren't dismissed. */
  readonly categories: readonly FindingCategory[]
}

/** Updates the memories of the directories that a pull request changed, and of all known risks. */
export async function learnRisks(tx: Db, ref: PullRequestRef): Promise<void> {
  const remembered = await listRemembered(tx, ref.repo)
  const directories = [...new Set([...(await listTouched(tx, ref)), ...remembered])]
  const reviews = await readDirectoryReviews(tx, ref.repo, directories)
  const risks = [...Map.groupBy(reviews, ({ directory }) => directory).values()].flatMap(
    describeRisk,
  )
  await saveMemories(tx, ref.repo, risks)
  const currentSubjects = new Set(risks.map(({ subject }) => subject))
  const outdated = remembered.filter((directory) => !currentSubjects.has(directory))
  await endMemories(
    tx,
    ref.repo,
    outdated.map((subject) => ({ type: 'risk_module', subject })),
  )
}

function describeRisk(reviews: readonly DirectoryReview[]): NewMemory[] {
  const found = reviews.filter(({ categories }) => categories.length > 0)
  const requested = found.filter(({ requests }) => requests > 0)
  const categories = found.flatMap((one) => one.categories)
  const isRisk = requested.length >= minPullRequests || categories.length >= minFindings
  const [latest] = found.toSorted((one, other) => other.number - one.number)
  if (latest === undefined || found.length < minPullRequests || !isRisk) return []
  const { directory, number } = latest
  const location = directory === '.' ? 'the root directory' : formatName(directory)
  const isCut = reviews.length === maxPullRequests
  const all = `${isCut ? 'the latest ' : ''}${formatCount(reviews.length, 'reviewed pull request')}`
  const kinds = countOccurrences(categories).map(([category, count]) => `${category} ${count}`)
  const findings = formatCount(categories.length, 'critical or moderate finding')
  const text = [
    `In ${found.length} of ${all} that touched ${location}, reviews raised`,
    `${findings} there (${kinds.join(', ')});`,
    `in ${requested.length} they asked for changes.`,
  ].join(' ')
  const provenance = { source: 'review', pullRequest: number } as const
  const about = { subject: directory, path: directory, componentType: null }
  return [{ type: 'risk_module', ...about, text, trust: 'derived', provenance }]
}

async function listRemembered(tx: Db, repo: RepositoryName): Promise<string[]> {
  const rows = await tx
    .selectFrom('memories')
    .select('subject')
    .where('repo', '=', repo)
    .where('memory_type', '=', 'risk_module')
    .where(sql`provenance ->> 'source'`, '=', 'review')
    .where('ended_at', 'is', null)
    .orderBy('updated_at')
    .limit(maxDirectories)
    .execute()
  return rows.map(({ subject }) => subject)
}

async function listTouched(tx: Db, { repo, number }: PullRequestRef): Promise<string[]> {
  const { rows } = await sql<{ directory: string }>`
    select distinct directory from pull_request_files
    where run_id = (
      select reviewed_run_id from pull_requests where repo = ${repo} and number = ${number})
      and length(directory) <= ${maxSubjectLength}
    order by directory limit ${maxDirectories}`.execute(tx)
  return rows.map(({ directory }) => directory)
}

/** Directories that are missing in the code graph are left out. */
async function readDirectoryReviews(
  tx: Db,
  repo: RepositoryName,
  directories: readonly string[],
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
    ) as asking`.execute(tx)
  return rows
}

const isSerious = sql`severity <> 'minor' and state <> 'dismissed'`
const findingDirectory = sql`
  case when strpos(findings.path, '/') = 0 then '.'
    else regexp_replace(findings.path, '/[^/]*$', '') end`
