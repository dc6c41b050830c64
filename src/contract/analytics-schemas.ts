// Schemas of insights, contributors and the graph.
import { z } from 'zod'
import {
  errorResponses,
  integerParameter,
  repoFilter,
  repoParameter,
  security,
  timestamp,
} from './common-schemas.ts'

const count = z.int().min(0)

export const insightsSchema = {
  summary: 'What came of the pull requests of the last days',
  description:
    'Pull requests of which an event came in the period, in the repositories that the caller sees. Reviews are the latest completed ones.',
  tags: ['Analytics'],
  security: security.cookie,
  querystring: z.object({
    days: integerParameter('days', 7, 90).default(30),
    repo: repoFilter,
  }),
  response: {
    200: z
      .object({
        period: z.object({ start: timestamp, end: timestamp, days: z.int() }),
        merge_metrics: z
          .object({ median_hours: z.number(), p90_hours: z.number(), count })
          .describe(
            'Of those merged in the period: hours from their creation to their merge; zeros where there are none',
          ),
        authors: z
          .array(
            z.object({
              author: z.string(),
              prs: count,
              merged: count.describe('In the period'),
              issues_flagged: count,
              avg_confidence: z.number().describe('From 1 to 5; 0 where nothing was reviewed'),
            }),
          )
          .describe('Most pull requests first'),
        verdicts: z.object({ APPROVE: count, REQUEST_CHANGES: count, NEEDS_DISCUSSION: count }),
        confidence_dist: z.object({ 1: count, 2: count, 3: count, 4: count, 5: count }),
        issue_categories: z.object({ critical: count, moderate: count, minor: count }),
        repos: z
          .array(z.object({ repo: z.string(), prs: count, merged: count, issues_flagged: count }))
          .describe('Most pull requests first'),
        pr_size: z.object({ median: count, p90: count }).describe('Changed lines'),
      })
      .meta({ id: 'Insights' }),
    ...errorResponses(401, 422),
  },
}

export const contributorsSchema = {
  summary: 'Profiles of the people who contribute to a repository',
  description: 'By username. Without the memory layer the answer has no paging fields, and a note.',
  tags: ['Analytics'],
  security: security.bearer,
  querystring: z.object({
    repo: repoParameter,
    page: integerParameter('page', 1, 1_000_000).default(1),
    per_page: integerParameter('per_page', 1, 100).default(20),
  }),
  response: {
    200: z
      .object({
        repo: z.string(),
        contributor_count: count,
        page: count.optional(),
        per_page: count.optional(),
        total_pages: count.optional(),
        contributors: z.array(
          z.object({
            username: z.string(),
            profile_summary: z.string(),
            patterns: z.array(z.string()),
            strengths: z.array(z.string()),
            pr_count: count.describe('Reviewed pull requests'),
            commit_count: count.describe('From the platform; 0 when it does not answer'),
            last_seen_pr: count.describe('0 where there is none'),
          }),
        ),
        note: z.string().optional(),
      })
      .meta({ id: 'Contributors' }),
    ...errorResponses(401, 403, 422),
  },
}

export const repositoryGraphSchema = {
  summary: "A repository's languages, contributors, hot spots, risks and owners",
  description:
    'Generated, vendored and binary files are left out, but for expertise; so are files that are no longer on the default branch. Without the graph layer, and where the figures take too long, there is only what the platform counts.',
  tags: ['Analytics'],
  security: security.cookie,
  querystring: z.object({ repo: repoParameter }),
  response: {
    200: z
      .object({
        repo: z.string(),
        languages: z
          .array(z.object({ name: z.string(), bytes: z.int(), pct: z.number() }))
          .describe('From the platform, most bytes first; empty when it does not answer'),
        hotspots: z
          .array(z.object({ path: z.string(), touch_count: count }))
          .describe('Reviewed pull requests that touched a file, most first, at most 50'),
        high_risk: z
          .array(z.object({ path: z.string(), risk_score: count }))
          .describe(
            'Reviews of changes to a file that asked for changes, one for each reviewed commit, most first, at most 50',
          ),
        dead_files: z
          .object({ count, sample: z.array(z.string()).max(10) })
          .describe(
            'Files of the default branch that no reviewed pull request touched; none before its first scan',
          ),
        ownership: z
          .array(z.object({ path: z.string(), owner: z.string(), touch_pct: z.number() }))
          .describe(
            'Of the hot spots: whose pull requests most of them are, and how many of a hundred',
          ),
        expertise: z
          .array(
            z.object({
              login: z.string(),
              top_dirs: z.array(z.string()).max(3),
              total_touches: count,
            }),
          )
          .describe('Most touched files first, at most 50; the root is `.`'),
        contributors: z
          .array(
            z.object({
              login: z.string(),
              commits: z.int(),
              additions: z.int(),
              deletions: z.int(),
            }),
          )
          .describe(
            'Default branch, all time, from the platform, most commits first; empty when it does not answer',
          ),
      })
      .meta({ id: 'Graph' }),
    ...errorResponses(400, 401, 403, 422),
  },
}
