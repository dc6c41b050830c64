// Schemas of the reviews and of the deliveries that led to them.
import { z } from 'zod'
import {
  errorResponses,
  integerParameter,
  repoFilter,
  searchParameter,
  security,
  textInput,
  timestamp,
} from './common-schemas.ts'
import { findingCategories, reviewEnds, severities } from './enums.ts'

const eventStatuses = ['pending', 'processing', 'completed', 'failed'] as const
const pullRequestStates = ['open', 'merged', 'closed'] as const

const review = z
  .object({
    id: z.int(),
    event_type: z.string(),
    source: z.string(),
    status: z.enum(eventStatuses),
    pr_status: z.enum(pullRequestStates),
    created_at: timestamp,
    processed_at: timestamp.nullable(),
    pr_title: z.string(),
    pr_number: z.int(),
    repo_name: z.string(),
    branch: z.string(),
    author: z.string(),
    pr_url: z.string(),
    ai_summary: z.string().nullable(),
    files_analyzed: z.int(),
  })
  .meta({ id: 'Review' })

const filters = [...eventStatuses, ...pullRequestStates] as const

export const listReviewsSchema = {
  summary: 'List the reviews',
  description:
    'One entry for each pull request of the repositories that are connected to your account, or were, with nobody ' +
    'else connected for longer: the event of the highest status (completed, failed, processing, pending), then the ' +
    'newest. The newest entry comes first. ' +
    '`pr_status` is what the platform says now, as far as it says so in time; it is asked every 30 seconds at most.',
  tags: ['Reviews'],
  security: security.bearer,
  querystring: z.object({
    limit: integerParameter('limit', 1, 100).default(20),
    status: z
      .enum(filters, { error: `status must be one of ${filters.join(', ')}` })
      .optional()
      .describe('Of the event, or of the pull request'),
    search: searchParameter.describe(
      'A part of the title, the repository or the number, in any case; 10,240 bytes at most',
    ),
    repo: repoFilter,
    before: integerParameter('before', 1, 999_999_999_999_999)
      .optional()
      .describe('Only entries with a smaller id: that of the last entry gives the next page'),
  }),
  response: { 200: z.array(review), ...errorResponses(401, 422) },
}

const finding = z
  .object({
    fingerprint: z.string().describe('Its identity over pushes; names it where it is dismissed'),
    severity: z.enum(severities),
    category: z.enum(findingCategories),
    title: z.string(),
    body: z.string().describe('Markdown'),
    path: z.string(),
    side: z.enum(['LEFT', 'RIGHT']),
    start_line: z.int(),
    end_line: z.int(),
    suggestion: z.string().nullable().describe('To stand in place of the lines'),
    evidence: z.array(z.object({ path: z.string(), line: z.int(), note: z.string() })),
    confidence: z.number(),
    verified: z.boolean(),
    reviewer: z.string(),
    rule: z.string().nullable(),
    state: z.enum(['open', 'resolved', 'dismissed']),
    removed: z
      .boolean()
      .describe('Its code is gone, and it counts all the same: a secret to revoke'),
    dismissal: z
      .object({ login: z.string(), via: z.enum(['thread', 'api']), reason: z.string() })
      .nullable()
      .describe('Who dismissed it; null where nobody did'),
    placement: z.enum(['inline', 'summary', 'held_back']),
    comment_url: z.string().nullable(),
  })
  .meta({ id: 'Finding' })

const coverage = z.object({
  files_total: z.int(),
  files_reviewed: z.int(),
  lines: z
    .object({
      changed: z.int(),
      read_by_model: z.int(),
      read_by_rules: z.int().describe('By the rules of their language'),
      searched_as_text: z.int().describe('Which is enough for data and prose'),
      not_read: z.int().describe('Not in the way that their kind needs'),
    })
    .nullable()
    .describe('Changed lines by who read them; null in older reviews'),
  skipped: z.array(
    z.object({
      path: z.string(),
      reason: z.string(),
      matters: z.boolean(),
      lines: z.int().nullable().describe('Changed lines that were not read, where that is known'),
    }),
  ),
  notes: z.array(z.string()).describe('Other limits of this review'),
  set_aside: z.array(z.string()).describe('What was proposed and not raised, and why'),
  complete: z.boolean(),
})

const usage = z.object({
  calls: z.int(),
  input_tokens: z.int(),
  output_tokens: z.int(),
  cached_input_tokens: z.int(),
  cost_usd: z.number().nullable(),
})

const sources = z.object({
  records: z.array(
    z.object({
      source: z.string(),
      kind: z.enum(['tickets', 'errors', 'discussion', 'other']),
      key: z.string().nullable(),
      title: z.string(),
      url: z.string().nullable(),
    }),
  ),
  missing: z
    .array(z.object({ source: z.string(), reason: z.string() }))
    .describe('Those that had no answer, and why'),
})

/** The first of many, and how many there are. */
function cappedList<Item extends z.ZodType>(item: Item) {
  return z.object({ total: z.int(), shown: z.array(item) })
}

const relatedPullRequest = z.object({ number: z.int(), title: z.string(), author: z.string() })

const impact = z
  .object({
    title: z.string().describe('How far it goes, in a few words'),
    symbols: cappedList(
      z.object({
        name: z.string(),
        path: z.string(),
        line: z.int().describe('At the head; at the base where it is gone'),
        change: z.enum(['removed', 'signature', 'body', 'added']),
        called: z.boolean().describe('All its uses are calls'),
        uses: cappedList(
          z.object({
            path: z.string(),
            line: z.int(),
            within: z
              .string()
              .nullable()
              .describe('The definition that it stands in; null at the top of a file'),
            sure: z.boolean().describe('False where something else of that name may be meant'),
          }),
        ),
      }),
    ).describe('Definitions of the change that are used outside of the diff'),
    tests: cappedList(z.string()).describe('Test files that reach it'),
    untested: cappedList(z.string()).describe('Files of the change that no test seems to reach'),
    open: z
      .array(
        relatedPullRequest.extend({
          symbols: cappedList(
            z.object({
              name: z.string(),
              removed: z.boolean().describe('This pull request takes it away'),
            }),
          ),
        }),
      )
      .describe('Open pull requests that touch the same definitions'),
    earlier: z
      .array(relatedPullRequest.extend({ finding: z.string() }))
      .describe('Those in which something was found in these files'),
    owners: z
      .array(
        z.object({
          login: z.string(),
          files: cappedList(z.object({ path: z.string(), percent: z.number() })),
        }),
      )
      .describe('Who else knows the files best'),
    notes: z.array(z.string()).describe('What could not be told'),
  })
  .meta({ id: 'Reach' })

const delivery = z
  .object({
    id: z.int().describe('Of the event'),
    delivery_id: z.string().nullable(),
    event_type: z.string(),
    source: z.string(),
    repo_name: z.string().nullable(),
    pr_number: z.int().nullable(),
    status: z.enum(eventStatuses),
    outcome: z.enum(['waiting', 'reviewing', 'reviewed', 'skipped', 'failed', 'recorded']),
    duplicates: z
      .int()
      .describe('Later ones that were skipped because this one was still to be settled'),
    created_at: timestamp,
    processed_at: timestamp.nullable(),
    error: z.string().nullable(),
  })
  .meta({ id: 'Delivery' })

/** Of any form: one that names no review is one that there isn't. */
const reviewParams = z.object({ id: z.string() })

export const readReviewSchema = {
  summary: 'Read a review',
  description:
    'What it came to, its findings as they stand now, and the newest 100 deliveries of its pull request.',
  tags: ['Reviews'],
  security: security.either,
  params: reviewParams,
  response: {
    200: review
      .extend({
        error: z.string().nullable().describe('Why it failed, or what it waits for'),
        error_code: z.string().nullable(),
        attempts: z.int(),
        retry_at: timestamp.nullable(),
        verdict: z.enum(['APPROVE', 'REQUEST_CHANGES', 'NEEDS_DISCUSSION']).nullable(),
        confidence: z.int().nullable(),
        confidence_reason: z
          .string()
          .nullable()
          .describe('Why it is not higher or lower; null in older reviews'),
        ends: z
          .array(z.enum(reviewEnds))
          .describe(
            'How it ended: all that hold, the first names it; empty until then and in older reviews',
          ),
        head_sha: z.string().nullable(),
        published_url: z.string().nullable(),
        coverage: coverage.nullable(),
        warnings: z
          .array(z.object({ code: z.string(), message: z.string() }))
          .describe(
            'What went wrong beside the change, for whoever runs the service: a model that took no part',
          ),
        usage: usage.nullable(),
        sources: sources
          .nullable()
          .describe('What trackers and chats were asked for; null where none were'),
        reach: impact
          .nullable()
          .describe(
            'Whom the change reaches, as the code graph knows it; null where nothing is known, and in older reviews',
          ),
        decision: z
          .record(z.string(), z.unknown())
          .nullable()
          .describe('All that the verdict was computed from'),
        timings: z.record(z.string(), z.number()).nullable().describe('Milliseconds by step'),
        findings: z.array(finding),
        deliveries: z.array(delivery),
      })
      .meta({ id: 'ReviewDetail' }),
    ...errorResponses(401, 404),
  },
}

export const retryReviewSchema = {
  summary: 'Review a pull request once more',
  description:
    'Its repository must be connected to your account; administrators may also where nobody connected it.',
  tags: ['Reviews'],
  security: security.either,
  params: reviewParams,
  response: {
    202: z.object({ status: z.literal('retry_started'), event_id: z.int() }),
    ...errorResponses(401, 403, 404, 409),
  },
}

const maxReasonLength = 1000

export const dismissFindingSchema = {
  summary: 'Dismiss a finding',
  description:
    'It no longer counts on this pull request while its code stays. Your own token of the platform must show that you ' +
    'can write to the repository. The verdict is decided again, without a model, under the event that is answered. ' +
    'Dismissing what is dismissed changes nothing.',
  tags: ['Reviews'],
  security: security.either,
  params: reviewParams.extend({ fingerprint: z.string() }),
  body: z.object({
    reason: textInput('reason', maxReasonLength)
      .trim()
      .min(1, { error: 'reason must say why the finding does not count' })
      .describe('Why it does not count. People who see the review read it'),
  }),
  response: {
    200: z.object({
      status: z.literal('dismissed'),
      dismissed_by: z.string(),
      reason: z.string(),
      event_id: z.int().nullable().describe('Null where it had been dismissed before'),
    }),
    ...errorResponses(400, 401, 403, 404, 409, 422, 502),
  },
}

export const reopenFindingSchema = {
  summary: 'Take back that a finding was dismissed',
  description: 'Where that was done through this API. It asks for the same right.',
  tags: ['Reviews'],
  security: security.either,
  params: reviewParams.extend({ fingerprint: z.string() }),
  response: {
    200: z.object({ status: z.literal('reopened'), event_id: z.int().nullable() }),
    ...errorResponses(401, 403, 404, 409, 502),
  },
}

export const listDeliveriesSchema = {
  summary: 'List the deliveries and what became of each',
  description: 'The newest first. Those without a repository are shown to administrators only.',
  tags: ['Reviews'],
  security: security.either,
  querystring: z.object({
    repo: textInput('repo', 300).optional().describe('As `owner/repo`'),
    status: z
      .enum(eventStatuses, { error: `status must be one of ${eventStatuses.join(', ')}` })
      .optional(),
    limit: integerParameter('limit', 1, 100).default(20),
    before: integerParameter('before', 1, 999_999_999_999_999)
      .optional()
      .describe('Only those with a smaller id'),
  }),
  response: {
    200: z.object({
      deliveries: z.array(delivery),
      next: z.int().nullable().describe('`before` of the next page; null on the last one'),
    }),
    ...errorResponses(401, 403, 422),
  },
}
