// Defines the insights, contributors and graph endpoints.
import { z } from 'zod'
import { addresses } from './addresses.ts'
import {
  count,
  integerParameter,
  period,
  periodParameter,
  repoFilter,
  repoParameter,
  verdictCounts,
} from './common-schemas.ts'
import { endpoint } from './endpoint.ts'

export const insights = endpoint(addresses.insights, {
  summary: 'Get insights',
  description:
    'Returns statistics about the pull requests in the repositories that the caller can see. ' +
    'A pull request is included if one of its events arrived in the period. Verdicts, confidence ' +
    'and issues come from the latest completed review of each pull request.',
  tags: ['Analytics'],
  credential: 'cookie',
  query: z.object({
    days: periodParameter,
    repo: repoFilter,
  }),
  response: z
    .object({
      period,
      merge_metrics: z
        .object({
          median_hours: z.number(),
          p90_hours: z.number(),
          count: count.describe('Number of merged pull requests'),
        })
        .describe(
          'Hours from creation to merge, for pull requests merged in the period. ' +
            'All values are 0 if there are none.',
        ),
      authors: z
        .array(
          z.object({
            author: z
              .string()
              .describe(
                'Username on the code-hosting platform, with `@` and the id of a further host',
              ),
            prs: count.describe('Number of pull requests'),
            merged: count.describe('Number of pull requests merged in the period'),
            issues_flagged: count.describe('Number of findings'),
            avg_confidence: z
              .number()
              .describe('Average review confidence from 1 to 5, or 0 if there are no reviews'),
          }),
        )
        .describe('Statistics by author, sorted by number of pull requests, highest first'),
      verdicts: verdictCounts.describe('Number of pull requests by verdict'),
      confidence_dist: z
        .object({ 1: count, 2: count, 3: count, 4: count, 5: count })
        .describe('Number of pull requests by confidence, from 1 (low) to 5 (high)'),
      issue_categories: z
        .object({ critical: count, moderate: count, minor: count })
        .describe('Number of findings by severity'),
      repos: z
        .array(z.object({ repo: z.string(), prs: count, merged: count, issues_flagged: count }))
        .describe('Statistics by repository, sorted by number of pull requests, highest first'),
      pr_size: z
        .object({ median: count, p90: count })
        .describe('Number of changed lines per pull request'),
    })
    .meta({ id: 'Insights' }),
  errors: [422],
})

export const contributors = endpoint(addresses.contributors, {
  summary: 'List contributors',
  description:
    'Returns the profiles of the people who contribute to a repository, sorted by username. If ' +
    'the memory layer is off, the response has a `note` and no paging fields.',
  tags: ['Analytics'],
  credential: 'bearer',
  query: z.object({
    repo: repoParameter,
    page: integerParameter('page', 1, 1_000_000).default(1).describe('Page number, from 1'),
    per_page: integerParameter('per_page', 1, 100).default(20).describe('Contributors per page'),
  }),
  response: z
    .object({
      repo: z.string(),
      contributor_count: count.describe('Total number of contributors with a profile'),
      page: count.optional(),
      per_page: count.optional(),
      total_pages: count.optional(),
      contributors: z.array(
        z.object({
          username: z.string(),
          profile_summary: z.string().describe('Generated summary of the contributor'),
          patterns: z.array(z.string()).describe('Coding patterns seen in reviews'),
          strengths: z.array(z.string()).describe('Areas of expertise'),
          pr_count: count.describe('Number of reviewed pull requests'),
          commit_count: count.describe(
            'Number of commits, from the code-hosting platform, or 0 if it does not answer',
          ),
          last_seen_pr: count.describe('Number of the latest pull request, or 0 if none'),
        }),
      ),
      note: z.string().optional().describe('Why the list is empty'),
    })
    .meta({ id: 'Contributors' }),
  errors: [403, 422],
})

export const repositoryGraph = endpoint(addresses.repositoryGraph, {
  summary: 'Get the graph of a repository',
  description:
    'Returns the languages, contributors, hotspots, risks and owners of a repository. Generated, ' +
    'vendored and binary files are excluded, except from `expertise`, and so are files that no ' +
    'longer exist on the default branch. If the graph layer is off or the query takes too long, ' +
    'only `languages` and `contributors` are filled.',
  tags: ['Analytics'],
  credential: 'cookie',
  query: z.object({ repo: repoParameter }),
  response: z
    .object({
      repo: z.string(),
      languages: z
        .array(
          z.object({
            name: z.string(),
            bytes: z.int(),
            pct: z.number().describe('Percentage of all bytes'),
          }),
        )
        .describe(
          'Languages according to the code-hosting platform, most bytes first. ' +
            'Empty if it does not answer.',
        ),
      hotspots: z
        .array(
          z.object({
            path: z.string(),
            touch_count: count.describe('Number of reviewed pull requests that changed the file'),
          }),
        )
        .describe('Up to 50 files that reviewed pull requests changed most, highest count first'),
      high_risk: z
        .array(
          z.object({
            path: z.string(),
            risk_score: count.describe('Number of reviews that requested changes'),
          }),
        )
        .describe(
          'Up to 50 files whose changes most often received the verdict REQUEST_CHANGES, ' +
            'counted once per reviewed commit, highest score first',
        ),
      dead_files: z
        .object({ count, sample: z.array(z.string()).max(10) })
        .describe(
          'Files on the default branch that no reviewed pull request changed. ' +
            'Empty before the first scan.',
        ),
      ownership: z
        .array(
          z.object({
            path: z.string(),
            owner: z.string().describe('Author of the most pull requests that changed the file'),
            touch_pct: z.number().describe('Percentage of those pull requests by the owner'),
          }),
        )
        .describe('Owners of the hotspots'),
      expertise: z
        .array(
          z.object({
            login: z.string(),
            top_dirs: z
              .array(z.string())
              .max(3)
              .describe('Directories that the person changed most. `.` is the root.'),
            total_touches: count.describe('Number of file changes in reviewed pull requests'),
          }),
        )
        .describe('Up to 50 people, most file changes first'),
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
          'Contributors to the default branch of all time, according to the code-hosting ' +
            'platform, most commits first. Empty if it does not answer.',
        ),
    })
    .meta({ id: 'Graph' }),
  errors: [400, 403, 422],
})
