// Creates the MCP tools for all clients: recent reviews, verdicts, contributors and health.
import { z } from 'zod'
import {
  findCanonicalName,
  findReviewRecord,
  listReviewRecords,
  type ReviewRecord,
  readReviewCounts,
} from '../analytics/review-records.ts'
import type { ServiceContext } from '../context.ts'
import { compileSerializer } from '../contract/records.ts'
import { withTimeout } from '../db/with-timeout.ts'
import { UmpireError } from '../domain/errors.ts'
import type { Verdict } from '../domain/review.ts'
import { countPullRequestsByAuthor } from '../knowledge/file-activity/count-pull-requests.ts'
import { readInOneSnapshot } from '../knowledge/graph/read-graph.ts'
import { defineListTool, defineObjectTool, type McpTool, type ToolRecord } from './mcp-tool.ts'

const maxListedReviews = 50
/** A verdict is searched among this many of the newest reviews of a repository. */
const maxRecordsSearched = 100
/** A repository with this many completed reviews has the health score 100. */
const fullHealthReviews = 20

const healthNote =
  'Merge times are not tracked, so avg_merge_time_hours is null. ' +
  `health_score counts completed reviews: ${fullHealthReviews} or more are 100.`

export const repositoryNameInput = z
  .string()
  .max(500)
  // PostgreSQL can't store NUL in a text.
  .refine((name) => !name.includes('\0'), 'There is no such name')
  .describe("Repository in the form 'owner/repo'")
export const verdictSchema = z.enum(['APPROVED', 'CHANGES_REQUESTED', 'COMMENT', 'UNKNOWN'])
export const statusSchema = z.enum(['completed', 'failed', 'processing', 'pending'])

const verdictNames: Readonly<Record<Verdict, z.output<typeof verdictSchema>>> = {
  APPROVE: 'APPROVED',
  REQUEST_CHANGES: 'CHANGES_REQUESTED',
  NEEDS_DISCUSSION: 'COMMENT',
}

/** Creates the four tools that need no token. */
export function createReviewTools(ctx: Pick<ServiceContext, 'db' | 'config'>): readonly McpTool[] {
  return [
    createRecentReviewsTool(ctx),
    createContributorStatsTool(ctx),
    createVerdictTool(ctx),
    createRepositoryHealthTool(ctx),
  ]
}

const listedReview = z.object({
  id: z.int(),
  repo: z.string(),
  pr_number: z.int().optional(),
  verdict: verdictSchema,
  summary: z.string(),
  created_at: z.iso.datetime().optional(),
  status: statusSchema,
})
const serializeReview = compileSerializer(listedReview)

/** Describes reviews as `get_recent_reviews` returns them. */
export function describeReviews(records: readonly ReviewRecord[]): readonly ToolRecord[] {
  return records.map((record) => serializeReview(describeReview(record)))
}

function describeReview(record: ReviewRecord) {
  const { id, repo, number, createdAt, status, verdict, summary, error } = record
  return {
    id,
    repo,
    prNumber: number,
    verdict: nameVerdict(verdict),
    summary: summary ?? error ?? '',
    createdAt: createdAt.toISOString(),
    status,
  }
}

/** Maps a verdict to its name in MCP, which differs from the one in the REST API. */
export function nameVerdict(verdict: Verdict | null): z.output<typeof verdictSchema> {
  return verdict === null ? 'UNKNOWN' : verdictNames[verdict]
}

function createRecentReviewsTool({ db }: Pick<ServiceContext, 'db'>): McpTool {
  return defineListTool({
    kind: 'list',
    name: 'get_recent_reviews',
    title: 'Recent reviews',
    description:
      'Returns the newest pull request reviews of a repository, newest first, with verdict and ' +
      'summary.',
    input: z.object({
      repo: repositoryNameInput,
      limit: z.int().default(10).describe(`Maximum number of reviews, at most ${maxListedReviews}`),
    }),
    output: listedReview,
    run: async ({ repo, limit }) => {
      const cappedLimit = Math.max(0, Math.min(limit, maxListedReviews))
      const records = await listReviewRecords(db, repo, cappedLimit)
      return records.map(describeReview)
    },
  })
}

function createContributorStatsTool({
  db,
  config,
}: Pick<ServiceContext, 'db' | 'config'>): McpTool {
  const { enabled, queryTimeoutMs } = config.graph
  return defineListTool({
    kind: 'list',
    name: 'get_contributor_stats',
    title: 'Contributors',
    description:
      'Returns how many pull requests each person opened in a repository, highest count first.',
    input: z.object({ repo: repositoryNameInput }),
    output: z.object({ login: z.string(), pr_count: z.int() }),
    run: async ({ repo }) => {
      if (!enabled) return []
      const count = readInOneSnapshot(db, queryTimeoutMs, async (tx) =>
        countPullRequestsByAuthor(tx, await findCanonicalName(tx, repo)),
      )
      const authors = await withTimeout(queryTimeoutMs, count)
      return (authors ?? []).map(({ login, pullRequests }) => ({ login, prCount: pullRequests }))
    },
  })
}

function createVerdictTool({ db }: Pick<ServiceContext, 'db'>): McpTool {
  return defineObjectTool({
    kind: 'object',
    name: 'get_pr_verdict',
    title: 'Verdict on a pull request',
    description:
      'Returns the verdict and summary of the latest finished review of a pull request. ' +
      `Searches the last ${maxRecordsSearched} reviews of the repository. ` +
      'UNKNOWN means that no review has finished yet.',
    input: z.object({
      repo: repositoryNameInput,
      pr_number: z.int().describe('Number of the pull request'),
    }),
    output: z.object({
      repo: z.string().optional(),
      pr_number: z.int().optional(),
      verdict: verdictSchema.optional(),
      summary: z.string().optional(),
      created_at: z.iso.datetime().optional(),
      error: z.string().optional(),
    }),
    run: async ({ repo, pr_number: number }) => {
      const record = await findReviewRecord(db, { repo, number }, maxRecordsSearched)
      if (record === undefined) {
        throw new UmpireError('not_found', `No review found for ${repo}#${number}`)
      }
      return describeReview(record)
    },
    describeFailure: (_, error) => ({ error }),
  })
}

function createRepositoryHealthTool({ db }: Pick<ServiceContext, 'db'>): McpTool {
  return defineObjectTool({
    kind: 'object',
    name: 'get_repo_health',
    title: 'Health of a repository',
    description:
      'Returns the percentage of pull requests of a repository that were reviewed, and a score ' +
      'based on the number of completed reviews.',
    input: z.object({ repo: repositoryNameInput }),
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
      const name = await findCanonicalName(db, repo)
      return describeHealth(name, await readReviewCounts(db, name))
    },
    describeFailure({ repo }, error) {
      const name = typeof repo === 'string' ? repo : ''
      return { ...describeHealth(name, { completed: 0, seen: 0, reviewed: 0 }), error }
    },
  })
}

function describeHealth(
  repo: string,
  { completed, seen, reviewed }: Awaited<ReturnType<typeof readReviewCounts>>,
) {
  return {
    repo,
    reviewCoveragePct: seen === 0 ? 0 : Math.floor((reviewed / seen) * 100),
    avgMergeTimeHours: null,
    openPrsIndexed: completed,
    healthScore: Math.min(100, Math.trunc((completed / fullHealthReviews) * 100)),
    note: healthNote,
  }
}
