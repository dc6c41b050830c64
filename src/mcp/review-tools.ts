// The tools that everybody may call who reaches the server: recent reviews, verdicts, contributors, health.
import { z } from 'zod'
import {
  findReviewRecord,
  findSpelling,
  listReviewRecords,
  type ReviewRecord,
  readReviewReach,
} from '../analytics/review-records.ts'
import type { AppContext } from '../context.ts'
import { withinTime } from '../db/within-time.ts'
import { UmpireError } from '../domain/errors.ts'
import type { Verdict } from '../domain/review.ts'
import { readTogether } from '../knowledge/graph/read-graph.ts'
import { countPullRequestsByAuthor } from '../knowledge/touches/count-pull-requests.ts'
import { defineListTool, defineObjectTool, type McpTool, type ToolRecord } from './tool.ts'

const mostListed = 50
/** How many of a repository's newest records a verdict is looked for in. */
const lookedAt = 100
/** So many completed reviews are full health. */
const healthyReviews = 20

const healthNote =
  'Merge times are not tracked, so avg_merge_time_hours is null. health_score counts completed reviews: ' +
  `${healthyReviews} or more are 100.`

/** Of the repository that a tool is asked about. */
export const repositoryName = z
  .string()
  .max(300)
  // No text of a database can hold it.
  .refine((name) => !name.includes('\0'), 'There is no such name')
  .describe("The repository, as 'owner/repo'")
export const verdict = z.enum(['APPROVED', 'CHANGES_REQUESTED', 'COMMENT', 'UNKNOWN'])
export const status = z.enum(['completed', 'failed', 'processing', 'pending'])

const verdictNames: Readonly<Record<Verdict, z.output<typeof verdict>>> = {
  APPROVE: 'APPROVED',
  REQUEST_CHANGES: 'CHANGES_REQUESTED',
  NEEDS_DISCUSSION: 'COMMENT',
}

/** The four tools of the interface. */
export function createReviewTools(ctx: Pick<AppContext, 'db' | 'config'>): readonly McpTool[] {
  return [recentReviews(ctx), contributorStats(ctx), pullRequestVerdict(ctx), repositoryHealth(ctx)]
}

/** A review as clients see it. */
export function describeReview(record: ReviewRecord): ToolRecord {
  const { id, repo, number, createdAt, status } = record
  return {
    id,
    repo,
    pr_number: number,
    ...judge(record),
    created_at: createdAt.toISOString(),
    status,
  }
}

/** As clients know verdicts. */
export function nameVerdict(given: Verdict | null): z.output<typeof verdict> {
  return given === null ? 'UNKNOWN' : verdictNames[given]
}

function judge({ verdict, summary, error }: ReviewRecord) {
  return { verdict: nameVerdict(verdict), summary: summary ?? error ?? '' }
}

function recentReviews({ db }: Pick<AppContext, 'db'>): McpTool {
  return defineListTool({
    kind: 'list',
    name: 'get_recent_reviews',
    title: 'Recent reviews',
    description:
      'The newest reviews of pull requests of a repository, newest first, with verdict and summary.',
    input: z.object({
      repo: repositoryName,
      limit: z.int().default(10).describe(`How many at most; never more than ${mostListed}`),
    }),
    output: z.object({
      id: z.int(),
      repo: z.string(),
      pr_number: z.int().optional(),
      verdict,
      summary: z.string(),
      created_at: z.iso.datetime().optional(),
      status,
    }),
    run: async ({ repo, limit }) => {
      const records = await listReviewRecords(db, repo, Math.max(0, Math.min(limit, mostListed)))
      return records.map(describeReview)
    },
  })
}

function contributorStats({ db, config }: Pick<AppContext, 'db' | 'config'>): McpTool {
  const { enabled, queryTimeoutMs } = config.graph
  return defineListTool({
    kind: 'list',
    name: 'get_contributor_stats',
    title: 'Contributors',
    description:
      'Who opened how many pull requests that touched files of a repository, most first.',
    input: z.object({ repo: repositoryName }),
    output: z.object({ login: z.string(), pr_count: z.int() }),
    run: async ({ repo }) => {
      if (!enabled) return []
      const count = readTogether(db, queryTimeoutMs, async (tx) =>
        countPullRequestsByAuthor(tx, await findSpelling(tx, repo)),
      )
      const authors = await withinTime(queryTimeoutMs, count)
      return (authors ?? []).map(({ login, pullRequests }) => ({ login, pr_count: pullRequests }))
    },
  })
}

function pullRequestVerdict({ db }: Pick<AppContext, 'db'>): McpTool {
  return defineObjectTool({
    kind: 'object',
    name: 'get_pr_verdict',
    title: 'Verdict on a pull request',
    description:
      `What the latest finished review of a pull request came to, among the last ${lookedAt} reviews of its repository. ` +
      'UNKNOWN means that none has finished yet.',
    input: z.object({
      repo: repositoryName,
      pr_number: z.int().describe('The number of the pull request'),
    }),
    output: z.object({
      repo: z.string().optional(),
      pr_number: z.int().optional(),
      verdict: verdict.optional(),
      summary: z.string().optional(),
      created_at: z.iso.datetime().optional(),
      error: z.string().optional(),
    }),
    run: async ({ repo, pr_number: number }) => {
      const record = await findReviewRecord(db, { repo, number }, lookedAt)
      if (record === undefined)
        throw new UmpireError('not_found', `No review found for ${repo}#${number}`)
      return {
        repo: record.repo,
        pr_number: number,
        ...judge(record),
        created_at: record.createdAt.toISOString(),
      }
    },
    describeFault: (_, error) => ({ error }),
  })
}

function repositoryHealth({ db }: Pick<AppContext, 'db'>): McpTool {
  const shape = (
    repo: string,
    { completed, seen, reviewed }: Awaited<ReturnType<typeof readReviewReach>>,
  ) => ({
    repo,
    review_coverage_pct: seen === 0 ? 0 : Math.floor((reviewed / seen) * 100),
    avg_merge_time_hours: null,
    open_prs_indexed: completed,
    health_score: Math.min(100, Math.trunc((completed / healthyReviews) * 100)),
    note: healthNote,
  })
  return defineObjectTool({
    kind: 'object',
    name: 'get_repo_health',
    title: 'Health of a repository',
    description:
      'How many of the pull requests of a repository were reviewed, and a score of how much it is reviewed.',
    input: z.object({ repo: repositoryName }),
    output: z.object({
      repo: z.string(),
      review_coverage_pct: z.int().min(0).max(100),
      avg_merge_time_hours: z.number().nullable(),
      open_prs_indexed: z.int(),
      health_score: z.int().min(0).max(100),
      note: z.string(),
      error: z.string().optional(),
    }),
    run: async ({ repo }) => {
      const name = await findSpelling(db, repo)
      return shape(name, await readReviewReach(db, name))
    },
    describeFault: ({ repo }, error) => ({
      ...shape(typeof repo === 'string' ? repo : '', { completed: 0, seen: 0, reviewed: 0 }),
      error,
    }),
  })
}
