// Defines the schemas of the endpoint for review coverage, time and cost.
import { z } from 'zod'
import { addresses } from './addresses.ts'
import { count, period, periodParameter, repoFilter, verdictCounts } from './common-schemas.ts'
import { endpoint } from './endpoint.ts'

const dollars = z.number().min(0)
const nullableMetric = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullable().describe('Null if there are none')

const coverage = z
  .object({
    pull_requests: count.describe(
      'Number of pull requests with an event in the period. The other counts are parts of it.',
    ),
    reviewed: count.describe('Pull requests with a verdict, from the period or earlier'),
    skipped: count.describe(
      'Pull requests that were closed or merged before their review, or that the settings skip',
    ),
    failed: count.describe('Pull requests whose review failed'),
    under_way: count.describe('Pull requests whose review is waiting or running'),
    not_asked: count.describe('Pull requests without an event that triggers a review'),
  })
  .describe(
    'Pull requests by review status, as in the reviews list. A reviewed pull request that waits ' +
      'for its next review counts as reviewed.',
  )

const model = z.object({
  model: z.string(),
  runs: count.describe('Number of review runs that used the model'),
  calls: count.describe('Number of requests to the model'),
  input_tokens: count,
  output_tokens: count,
  cached_input_tokens: count,
  cost_usd: dollars.nullable().describe('Cost of calls with a known price, or null if none has'),
})

const cost = z
  .object({
    total_usd: dollars.describe('Cost of all calls with a known price'),
    without_review_usd: dollars.describe(
      'Part of the total that was spent on runs that failed or were skipped',
    ),
    per_review: z
      .object({ median_usd: nullableMetric(dollars), p90_usd: nullableMetric(dollars), count })
      .describe('Cost per posted review, for reviews with models whose prices are known'),
    unknown_price: count.describe('Number of posted reviews by a model without a known price'),
    without_model: count.describe('Number of posted reviews without a model'),
    outside_usd: dollars
      .nullable()
      .describe(
        'Cost of scans and memory searches of the whole service. Null if the caller cannot see ' +
          'all repositories, and if `repo` is set.',
      ),
    models: z.array(model).describe('Cost by model, highest first'),
  })
  .describe('Cost of the runs that ended in the period, including all of their attempts')

const day = z.object({
  date: z.iso.date(),
  verdicts: verdictCounts.describe('Number of posted reviews by verdict'),
  failed: count.describe('Number of reviews that failed'),
  cost_usd: dollars,
})

export const reviewMetrics = endpoint(addresses.reviewMetrics, {
  summary: 'Get review metrics',
  description:
    'Returns review coverage, time and cost for the repositories that the caller can see. A pull ' +
    'request can be reviewed several times: coverage and time count pull requests, all other ' +
    'values count reviews.',
  tags: ['Analytics'],
  credential: 'cookie',
  query: z.object({
    days: periodParameter,
    repo: repoFilter,
  }),
  response: z
    .object({
      period,
      coverage,
      time_to_review: z
        .object({
          median_seconds: nullableMetric(z.number()),
          p90_seconds: nullableMetric(z.number()),
          count,
        })
        .describe(
          'Time from the arrival of the newest event that a review covers to the end of the ' +
            'review. Includes the latest review of each pull request, if posted in the period.',
        ),
      reviews: z
        .object({ posted: count, skipped: count, failed: count })
        .describe('Number of reviews that ended in the period'),
      cost,
      days: z
        .array(day)
        .describe('Values by day in UTC, including the partial days at both ends of the period'),
    })
    .meta({ id: 'Reviewing' }),
  errors: [422],
})
