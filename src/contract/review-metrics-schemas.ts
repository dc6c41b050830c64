// Schemas of how the reviewing itself went: coverage, time, cost, and its course.
import { z } from 'zod'
import {
  errorResponses,
  integerParameter,
  repoFilter,
  security,
  timestamp,
} from './common-schemas.ts'

const count = z.int().min(0)
const dollars = z.number().min(0)
const nullableMetric = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullable().describe('Null where there are none')

const coverage = z
  .object({
    pull_requests: count.describe(
      'Of which an event came in the period; the others are parts of it',
    ),
    reviewed: count.describe('With a review that came to a verdict, whenever that was'),
    skipped: count.describe('Closed or merged before their review was posted'),
    failed: count,
    under_way: count.describe('Waiting for a review, or being reviewed'),
    not_asked: count.describe('No event asked for a review'),
  })
  .describe('As in the reviews list: one that has a review and waits for the next one is reviewed')

const model = z.object({
  model: z.string(),
  runs: count,
  calls: count,
  input_tokens: count,
  output_tokens: count,
  cached_input_tokens: count,
  cost_usd: dollars.nullable().describe('Of what has a known price; null where nothing has'),
})

const cost = z
  .object({
    total_usd: dollars.describe('Of what has a known price'),
    without_review_usd: dollars.describe(
      'Of the total, what went into runs that failed or were skipped',
    ),
    per_review: z
      .object({ median_usd: nullableMetric(dollars), p90_usd: nullableMetric(dollars), count })
      .describe('Of posted reviews with models whose prices are known'),
    unknown_price: count.describe('Posted reviews with a model whose price is not known'),
    without_model: count.describe('Posted reviews that no model took part in'),
    outside_usd: dollars
      .nullable()
      .describe(
        'Scans and searches of the whole service; null for who does not see all of it, and for one repository',
      ),
    models: z.array(model).describe('Dearest first'),
  })
  .describe('Of the runs that ended in the period, with all their tries')

const day = z.object({
  date: z.iso.date(),
  verdicts: z
    .object({ APPROVE: count, REQUEST_CHANGES: count, NEEDS_DISCUSSION: count })
    .describe('Posted reviews'),
  failed: count,
  cost_usd: dollars,
})

export const reviewMetricsSchema = {
  summary: 'How the reviewing went in the last days: coverage, time, cost',
  description:
    'Of the repositories that the caller sees. A pull request may be reviewed several times: coverage and time count pull requests, the rest counts reviews.',
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
        coverage,
        time_to_review: z
          .object({
            median_seconds: nullableMetric(z.number()),
            p90_seconds: nullableMetric(z.number()),
            count,
          })
          .describe(
            'Of latest reviews posted in the period: from the arrival of the newest event that it answers to its end',
          ),
        reviews: z
          .object({ posted: count, skipped: count, failed: count })
          .describe('That ended in the period'),
        cost,
        days: z
          .array(day)
          .describe('In UTC, with those at both ends that the period holds in part'),
      })
      .meta({ id: 'Reviewing' }),
    ...errorResponses(401, 422),
  },
}
