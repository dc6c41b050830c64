// Defines the endpoint for what became of findings and pull requests.
import { z } from 'zod'
import { addresses } from './addresses.ts'
import { count, period, periodParameter, repoFilter, timestamp } from './common-schemas.ts'
import { endpoint } from './endpoint.ts'
import { findingCategories } from './enums.ts'

/** The same numbers of the period and of the equally long one before it. */
const compared = <Schema extends z.ZodType>(schema: Schema) =>
  z.object({ current: schema, previous: schema })

const rule = {
  rule: z.string().nullable().describe('ID of the rule, or null for findings of models'),
  category: z
    .enum(findingCategories)
    .nullable()
    .describe('Category of the findings of models; null for those of rules'),
}

const merged = z
  .object({
    pull_requests: count.describe('Pull requests that were merged in the period'),
    reviewed: count.describe('How many of them had a completed review'),
    findings: count.describe('Findings of these reviews. The next three counts are parts of it.'),
    fixed: count.describe('Findings whose code was gone, or whose rule ran without reporting them'),
    dismissed: count.describe('Findings that a person with write access dismissed'),
    open: count.describe('Findings that were neither fixed nor dismissed'),
    with_open_critical: count.describe('Pull requests with an open critical finding'),
  })
  .describe(
    'As of the last review before the merge. A finding whose code was changed so that the next ' +
      'review reported another one of the same kind in the same file is left out, and so is one ' +
      'that the service withdrew.',
  )

const firstReview = z
  .object({
    median_seconds: z.number().nullable(),
    p90_seconds: z.number().nullable(),
    count: count.describe('Number of pull requests'),
  })
  .describe(
    'Time from the first delivery that requested a review to the end of the first review with a ' +
      'verdict, for pull requests whose first review ended in the period. Null if there are none.',
  )

const part = z.object({
  start: timestamp,
  end: timestamp,
  findings: count,
  fixed: count,
  dismissals: count,
  with_open_critical: count,
  first_review_median_seconds: z.number().nullable(),
})

const mergedPullRequest = z.object({
  review_id: z.int().nullable().describe('ID of the review, for `GET /api/v1/reviews/{id}`'),
  repo_name: z.string(),
  pr_number: z.int(),
  pr_title: z.string(),
  pr_url: z.string(),
  author: z.string(),
  merged_at: timestamp,
  critical: count.describe('Number of open critical findings'),
  last_commit_reviewed: z
    .boolean()
    .describe('False if commits were pushed after the last review, which may contain fixes'),
})

export const outcomes = endpoint(addresses.outcomes, {
  summary: 'Get outcomes',
  description:
    'Returns what became of findings, and how long pull requests waited for their first review, ' +
    'for the repositories that the caller can see. Compares the period with the equally long one ' +
    'before it. The definitions are in `docs/insights.md`.',
  tags: ['Analytics'],
  credential: 'either',
  query: z.object({ days: periodParameter, repo: repoFilter }),
  response: z
    .object({
      period,
      previous_start: timestamp.describe('Start of the period before, which ends at `start`'),
      merged: compared(merged),
      dismissals: compared(
        count.describe('Dismissals made in the period that still count, also in open ones'),
      ).extend({
        by_rule: z.array(z.object({ ...rule, count })).describe('Up to 20, highest first'),
        by_reason: z
          .array(z.object({ reason: z.string().describe('Empty if none was given'), count }))
          .describe('Up to 20, highest first. The first 200 characters without regard to case.'),
      }),
      first_review: compared(firstReview),
      rules: z
        .array(
          z.object({
            ...rule,
            findings: count,
            fixed: count,
            dismissed: count,
            wrong: count.describe('Dismissed as false positives or without a kind'),
            open: count,
          }),
        )
        .describe(
          'Findings of merged pull requests, and those dismissed in the period in others, by ' +
            'rule: up to 50, most findings first',
        ),
      parts: z.array(part).describe('The period in equal parts of whole days, the oldest first'),
      open_critical: z
        .array(mergedPullRequest)
        .describe('Pull requests merged with an open critical finding: the newest 50'),
    })
    .meta({ id: 'Outcomes' }),
  errors: [422],
})
