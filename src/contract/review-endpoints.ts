// Defines the review and delivery endpoints.
import { z } from 'zod'
import { addresses } from './addresses.ts'
import {
  choiceParameter,
  cursorParameter,
  integerParameter,
  nextCursor,
  repoFilter,
  searchParameter,
  textInput,
  timestamp,
} from './common-schemas.ts'
import { endpoint } from './endpoint.ts'
import {
  contextSourceKinds,
  diffSides,
  dismissalKinds,
  dismissalWays,
  eventStatuses,
  findingCategories,
  findingPlacements,
  findingStates,
  pullRequestStates,
  reviewEnds,
  reviewVerdicts,
  severities,
} from './enums.ts'

export const review = z
  .object({
    id: z.int().describe('ID of the event that triggered the review'),
    event_type: z.string().describe('Type of the event, such as `pull_request.opened`'),
    source: z.string().describe('ID of the code host'),
    status: z.enum(eventStatuses),
    pr_status: z.enum(pullRequestStates).describe('Current state of the pull request'),
    created_at: timestamp.describe('When the event arrived'),
    processed_at: timestamp.nullable().describe('When the review ended, or null while pending'),
    pr_title: z.string(),
    pr_number: z.int(),
    repo_name: z.string().describe('Repository in the form `owner/repo`'),
    branch: z.string().describe('Source branch'),
    author: z.string().describe('Username of the author of the pull request'),
    pr_url: z.string().describe('URL of the pull request on the code-hosting platform'),
    ai_summary: z
      .string()
      .nullable()
      .describe(
        'Markdown that starts with a verdict line and the line `Confidence: <n>/5`. ' +
          'Null until the review is completed.',
      ),
    files_analyzed: z.int().describe('Number of reviewed files, or 0 until completed'),
  })
  .meta({ id: 'Review' })

const statusFilters = [...eventStatuses, ...pullRequestStates] as const

export const listReviews = endpoint(addresses.listReviews, {
  summary: 'List reviews',
  description:
    'Returns one entry per pull request, newest first. Each entry shows the event with the ' +
    'highest status in the order `completed`, `failed`, `processing`, `pending`, and the newest ' +
    'of these. Includes repositories that are connected to your account, and repositories that ' +
    'were, unless someone else has been connected to them since. `pr_status` is at most 30 ' +
    'seconds old. If the code-hosting platform does not answer in time, it is the last known ' +
    'state.',
  tags: ['Reviews'],
  credential: 'bearer',
  query: z.object({
    limit: integerParameter('limit', 1, 100).default(20).describe('Maximum number of reviews'),
    status: choiceParameter('status', statusFilters)
      .optional()
      .describe('Returns only reviews with this event status or pull request state'),
    search: searchParameter.describe(
      'Part of the pull request title, repository name or number, at most 10,240 bytes. ' +
        'Case is ignored.',
    ),
    repo: repoFilter,
    before: cursorParameter.describe(
      'Cursor: returns only reviews with a smaller ID. Pass the last ID of a page.',
    ),
  }),
  response: z.array(review),
  errors: [422],
})

const dismissalKind = z
  .enum(dismissalKinds)
  .nullable()
  .describe('Whether the finding was wrong; null if the dismissal does not say it')

export const finding = z
  .object({
    fingerprint: z
      .string()
      .describe('Identifies the finding across pushes, and in requests to dismiss it'),
    severity: z.enum(severities),
    category: z.enum(findingCategories),
    title: z.string(),
    body: z.string().describe('Explanation in Markdown'),
    path: z.string(),
    side: z
      .enum(diffSides)
      .describe('Version that the line numbers refer to: `LEFT` is the base, `RIGHT` the head'),
    start_line: z.int(),
    end_line: z.int(),
    suggestion: z.string().nullable().describe('Suggested replacement for the lines'),
    evidence: z
      .array(z.object({ path: z.string(), line: z.int(), note: z.string() }))
      .describe('Other lines that support the finding'),
    confidence: z.number().describe('From 0 to 1'),
    verified: z
      .boolean()
      .describe('Whether a second check confirmed the finding. Findings of rules are verified.'),
    reviewer: z.string().describe('Model or rule set that reported the finding'),
    rule: z.string().nullable().describe('ID of the rule, or null for a finding of a model'),
    state: z.enum(findingStates),
    removed: z
      .boolean()
      .describe(
        'Whether the finding stays open although its code was removed, such as a leaked secret ' +
          'that must be revoked',
      ),
    dismissal: z
      .object({
        login: z.string().describe('Username of the person who dismissed the finding'),
        via: z.enum(dismissalWays),
        reason: z.string(),
        kind: dismissalKind,
      })
      .nullable()
      .describe('How the finding was dismissed, or null if it was not'),
    proposed_dismissal: z
      .boolean()
      .describe(
        'Whether an answer in the thread of the finding conceded that the finding is wrong. It ' +
          'counts until a person dismisses it.',
      ),
    placement: z
      .enum(findingPlacements)
      .describe('Where the finding was posted. `held_back` findings were not posted.'),
    comment_url: z.string().nullable().describe('URL of the comment, if there is one'),
  })
  .meta({ id: 'Finding' })

/** A finding with the addresses of what supports it. */
const reviewFinding = finding
  .extend({
    url: z
      .string()
      .nullable()
      .describe('URL of its line at the reviewed commit, on the code-hosting platform'),
    evidence: z
      .array(
        z.object({
          path: z.string(),
          line: z.int(),
          note: z.string(),
          url: z.string().nullable().describe('URL of the line on the code-hosting platform'),
        }),
      )
      .describe('Other lines that support the finding'),
    first_review_id: z
      .int()
      .nullable()
      .describe('ID of the review that reported it first, whose diff has the code of the finding'),
    citation: z
      .object({
        source: z
          .string()
          .nullable()
          .describe('Name of the context source, or null for a memory of the repository'),
        key: z.string().nullable().describe('Identifier in the source, such as an issue key'),
        title: z.string().describe('Title of the record, or text of the memory'),
        url: z.string().nullable(),
      })
      .nullable()
      .describe('Record or memory that the finding depends on, or null'),
  })
  .meta({ id: 'ReviewFinding' })

const findingCount = (text: string) =>
  z.int().nullable().describe(`${text}. Null without a verdict, and in older reviews.`)

const historyEntry = z
  .object({
    event_id: z.int().describe('ID of the review'),
    event_type: z.string().describe('What triggered it, such as `pull_request.synchronize`'),
    status: z.enum(eventStatuses),
    head_sha: z.string().nullable().describe('Reviewed commit'),
    verdict: z.enum(reviewVerdicts).nullable(),
    ends: z.array(z.enum(reviewEnds)).describe('How the review ended, the main end first'),
    at: timestamp.describe('When the review ended, or else when it was requested'),
    new_findings: findingCount('Findings that it reported first'),
    fixed_findings: findingCount('How many more findings were fixed than after the review before'),
    dismissed_findings: findingCount(
      'How many more findings were dismissed than after the review before',
    ),
    open_findings: findingCount('Findings that were open when it ended'),
  })
  .meta({ id: 'ReviewHistoryEntry' })

const coverage = z.object({
  files_total: z.int(),
  files_reviewed: z.int(),
  lines: z
    .object({
      changed: z.int().describe('Number of changed lines'),
      read_by_model: z.int().describe('Lines read by a model'),
      read_by_rules: z.int().describe('Lines read by the rules of their language'),
      searched_as_text: z
        .int()
        .describe('Lines searched as text, which is sufficient for data and prose'),
      not_read: z.int().describe('Lines not read in the way that their kind of file requires'),
    })
    .nullable()
    .describe('Changed lines by how they were read. Null in older reviews.'),
  skipped: z
    .array(
      z.object({
        path: z.string(),
        reason: z.string(),
        matters: z.boolean().describe('Whether the file makes the review incomplete'),
        lines: z
          .int()
          .nullable()
          .describe('Number of changed lines that were not read, or null if unknown'),
      }),
    )
    .describe('Files that were not reviewed'),
  notes: z.array(z.string()).describe('Other limits of the review'),
  set_aside: z
    .array(z.string())
    .describe('Rejected findings: proposed by a reviewer, but not reported, with the reason'),
  complete: z.boolean().describe('Whether everything that matters was reviewed'),
})

const usage = z.object({
  calls: z.int().describe('Number of requests to models'),
  input_tokens: z.int(),
  output_tokens: z.int(),
  cached_input_tokens: z.int(),
  cost_usd: z.number().nullable().describe('Cost in US dollars, or null if a price is unknown'),
})

const sources = z.object({
  records: z
    .array(
      z.object({
        source: z.string().describe('Name of the context source'),
        kind: z.enum(contextSourceKinds),
        key: z.string().nullable().describe('Identifier in the source, such as an issue key'),
        title: z.string(),
        url: z.string().nullable(),
      }),
    )
    .describe('Issues, errors and discussions that the review used'),
  missing: z
    .array(z.object({ source: z.string(), reason: z.string() }))
    .describe('Context sources that did not answer, with the reason'),
})

/** A list that is cut off: the first items and the total number. */
function cappedList<Item extends z.ZodType>(item: Item) {
  return z.object({
    total: z.int().describe('Number of all items'),
    shown: z.array(item).describe('The first items'),
  })
}

const relatedPullRequest = z.object({ number: z.int(), title: z.string(), author: z.string() })

const impactUrl = z
  .string()
  .nullable()
  .describe('URL of the line on the code-hosting platform, or null if it is not at the head')

const impact = z
  .object({
    title: z.string().describe('Short summary of the impact'),
    symbols: cappedList(
      z.object({
        name: z.string(),
        path: z.string(),
        line: z.int().describe('Line at the head commit, or at the base if removed'),
        url: impactUrl,
        change: z.enum(['removed', 'signature', 'body', 'added']).describe('What changed'),
        called: z.boolean().describe('Whether all uses are calls'),
        uses: cappedList(
          z.object({
            path: z.string(),
            line: z.int(),
            url: impactUrl,
            within: z
              .string()
              .nullable()
              .describe('Name of the enclosing definition, or null at the top level'),
            sure: z
              .boolean()
              .describe('False if the use may refer to another definition of the same name'),
          }),
        ),
      }),
    ).describe('Changed definitions that are used outside the diff'),
    tests: cappedList(z.string()).describe('Test files that use the changed code'),
    untested: cappedList(z.string()).describe('Changed files that no test seems to use'),
    open: z
      .array(
        relatedPullRequest.extend({
          symbols: cappedList(
            z.object({
              name: z.string(),
              removed: z.boolean().describe('Whether this pull request removes the definition'),
            }),
          ),
        }),
      )
      .describe('Open pull requests that change the same definitions'),
    earlier: z
      .array(relatedPullRequest.extend({ finding: z.string().describe('Title of the finding') }))
      .describe('Earlier pull requests with findings in the same files'),
    owners: z
      .array(
        z.object({
          login: z.string(),
          files: cappedList(z.object({ path: z.string(), percent: z.number() })),
        }),
      )
      .describe('Other people who changed the files most, with their share of the changes'),
    notes: z.array(z.string()).describe('What could not be determined'),
  })
  .meta({ id: 'Reach' })

/** `unused` deliveries led to no event. */
const deliveryStatuses = [...eventStatuses, 'unused'] as const

const eventOutcomes = ['waiting', 'reviewing', 'reviewed', 'skipped', 'failed', 'recorded'] as const

const delivery = z
  .object({
    id: z.int().describe('ID of the event, or of the unused delivery'),
    delivery_id: z.string().nullable().describe('ID that the code-hosting platform sent'),
    event_type: z.string().describe('Type of the event, such as `pull_request.opened`'),
    source: z.string().describe('ID of the code host'),
    repo_name: z.string().nullable(),
    pr_number: z.int().nullable(),
    status: z
      .enum(deliveryStatuses)
      .describe('That of its event; `unused` deliveries led to no event'),
    outcome: z
      .enum([...eventOutcomes, 'duplicate', 'ignored', 'refused'])
      .describe(
        'Result of the delivery. `recorded` events trigger no review. `duplicate`, `ignored` and ' +
          '`refused` deliveries are `unused`.',
      ),
    duplicates: z
      .int()
      .describe(
        'Number of later deliveries that were skipped as duplicates of this one; of unused ' +
          'deliveries that nobody could verify, those of the same day with the same reason',
      ),
    created_at: timestamp,
    processed_at: timestamp.nullable(),
    error: z.string().nullable().describe('Why the review failed, or the delivery is unused'),
  })
  .meta({ id: 'Delivery' })

/** The ID can be any text: a malformed one answers 404, like the ID of no review. */
export const reviewParams = z.object({ id: z.string().describe('ID of the review') })

export const readReview = endpoint(addresses.readReview, {
  summary: 'Get a review',
  description:
    'Returns the result of a review, the current state of its findings, and the newest 100 ' +
    'deliveries of its pull request.',
  tags: ['Reviews'],
  credential: 'either',
  params: reviewParams,
  response: review
    .extend({
      draft: z.boolean().describe('Whether the pull request is a draft'),
      outcome: z
        .enum(eventOutcomes)
        .describe('Result of the event. `recorded` events trigger no review.'),
      error: z.string().nullable().describe('Why the review failed, or what it waits for'),
      error_code: z.string().nullable().describe('Stable code of the error'),
      attempts: z.int().describe('Number of attempts so far'),
      retry_at: timestamp.nullable().describe('When the next attempt starts'),
      verdict: z.enum(reviewVerdicts).nullable(),
      confidence: z.int().nullable().describe('From 1 (low) to 5 (high)'),
      confidence_reason: z
        .string()
        .nullable()
        .describe('Why the confidence is not higher or lower. Null in older reviews.'),
      ends: z
        .array(z.enum(reviewEnds))
        .describe(
          'How the review ended. Several ends can apply; the first one is the main end. ' +
            'Empty until the review ends, and in older reviews.',
        ),
      head_sha: z.string().nullable().describe('Reviewed commit'),
      published_url: z
        .string()
        .nullable()
        .describe('URL of the posted review on the code-hosting platform'),
      coverage: coverage.nullable().describe('What was reviewed'),
      warnings: z
        .array(z.object({ code: z.string(), message: z.string() }))
        .describe(
          'Problems for the operator of the service that the change did not cause, such as a ' +
            'model that could not be used',
        ),
      usage: usage.nullable().describe('Use of models'),
      sources: sources
        .nullable()
        .describe('Context from issue trackers, error trackers and chats, or null if none'),
      reach: impact
        .nullable()
        .describe(
          'Impact of the change on other code, according to the code graph. Null if unknown, ' +
            'and in older reviews.',
        ),
      decision: z
        .record(z.string(), z.unknown())
        .nullable()
        .describe('All inputs from which the verdict was computed'),
      timings: z
        .record(z.string(), z.number())
        .nullable()
        .describe('Duration of each step in milliseconds'),
      examination: z
        .object({
          review_id: z.int().nullable(),
          timings: z.record(z.string(), z.number()).nullable(),
          usage: usage.nullable(),
        })
        .nullable()
        .describe(
          'The earlier review that examined this commit, if this one only computed the verdict ' +
            'again, as after a dismissal. Null if this one examined it.',
        ),
      findings: z.array(reviewFinding),
      history: z
        .array(historyEntry)
        .describe('The newest 30 reviews of the pull request, newest first'),
      deliveries: z.array(delivery).describe('Deliveries of the pull request, newest first'),
    })
    .meta({ id: 'ReviewDetail' }),
  errors: [404],
})

export const retryReview = endpoint(addresses.retryReview, {
  summary: 'Retry a review',
  description:
    'Starts another review of the pull request. The repository must be connected to your ' +
    'account; administrators can also retry in repositories that no one connected.',
  tags: ['Reviews'],
  credential: 'either',
  params: reviewParams,
  status: 202,
  response: z.object({
    status: z.literal('retry_started'),
    event_id: z.int().describe('ID of the new review'),
  }),
  errors: [403, 404, 409],
})

const maxReasonLength = 1000

const findingParams = reviewParams.extend({
  fingerprint: z.string().describe('Fingerprint of the finding'),
})

export const dismissFinding = endpoint(addresses.dismissFinding, {
  summary: 'Dismiss a finding',
  description:
    'Excludes a finding from the verdict of its pull request for as long as its code stays the ' +
    'same. Requires write permission on the repository, which is checked with the platform token ' +
    'of your sign-in. The verdict is computed again, without a model, as the event `event_id`. ' +
    'Dismissing a dismissed finding has no effect, unless its thread was resolved: then the ' +
    'caller adds reason and kind.',
  tags: ['Reviews'],
  credential: 'either',
  params: findingParams,
  body: z.object({
    reason: textInput('reason', maxReasonLength)
      .trim()
      .min(1, { error: 'reason must say why the finding does not count' })
      .describe('Why the finding is dismissed. Everyone who can see the review can read it.'),
    kind: choiceParameter('kind', dismissalKinds)
      .optional()
      .describe(
        '`false_positive`: the finding is wrong. `accepted`: it is right, and stays as it is. ' +
          '`handled`: it is right, and was dealt with elsewhere, such as a key that was revoked. ' +
          'A finding that is dismissed without a kind counts as wrong in the statistics of rules.',
      ),
  }),
  response: z.object({
    status: z.literal('dismissed'),
    dismissed_by: z.string().describe('Username of the person who dismissed the finding'),
    reason: z.string(),
    kind: dismissalKind,
    event_id: z
      .int()
      .nullable()
      .describe('ID of the event that updates the verdict, or null if it was dismissed before'),
  }),
  errors: [400, 403, 404, 409, 422, 502],
})

export const reopenFinding = endpoint(addresses.reopenFinding, {
  summary: 'Reopen a dismissed finding',
  description:
    'Reopens a finding that was dismissed through this API. Requires the same permission as ' +
    'dismissing it.',
  tags: ['Reviews'],
  credential: 'either',
  params: findingParams,
  response: z.object({
    status: z.literal('reopened'),
    event_id: z
      .int()
      .nullable()
      .describe('ID of the event that updates the verdict, or null if there is none'),
  }),
  errors: [403, 404, 409, 502],
})

export const listDeliveries = endpoint(addresses.listDeliveries, {
  summary: 'List deliveries',
  description:
    'Returns webhook deliveries and their results, newest first. Those that led to no event are ' +
    'returned with the status `unused` only. Only administrators see deliveries without a ' +
    'repository.',
  tags: ['Reviews'],
  credential: 'either',
  query: z.object({
    repo: repoFilter,
    status: choiceParameter('status', deliveryStatuses)
      .optional()
      .describe('Returns only deliveries with this status'),
    limit: integerParameter('limit', 1, 100).default(20).describe('Maximum number of deliveries'),
    before: cursorParameter,
  }),
  response: z.object({
    deliveries: z.array(delivery),
    next: nextCursor,
  }),
  errors: [403, 422],
})
