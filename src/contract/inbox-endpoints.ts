// Defines the endpoints of the inbox: pull requests by what people have to do about them.
import { z } from 'zod'
import { addresses } from './addresses.ts'
import {
  choiceParameter,
  count,
  cursorParameter,
  integerParameter,
  nextCursor,
  searchParameter,
  textInput,
  valueCounts,
} from './common-schemas.ts'
import { endpoint } from './endpoint.ts'
import { eventStatuses, inboxTabs, reviewEnds, reviewVerdicts, severities } from './enums.ts'
import { review } from './review-endpoints.ts'

const filters = {
  tab: choiceParameter('tab', inboxTabs)
    .default('all')
    .describe(
      '`in_progress`: open, and its review waits or runs. `attention`: open, and its review ' +
        'failed, requested changes or needs a person. `passed`: open, and its review passed. ' +
        '`merged`: merged.',
    ),
  search: searchParameter.describe(
    'Part of the pull request title, repository name or number, at most 10,240 bytes. ' +
      'Case is ignored.',
  ),
  repo: textInput('repo', 300).optional().describe('Repository in the form `owner/repo`'),
  author: textInput('author', 300).optional().describe('Username of the author'),
  verdict: choiceParameter('verdict', [...reviewVerdicts, 'UNKNOWN'])
    .optional()
    .describe('Verdict of the last review, or `UNKNOWN` if no review has one'),
  severity: choiceParameter('severity', severities)
    .optional()
    .describe('Severity of an open finding'),
}

const inboxEntry = review
  .extend({
    draft: z.boolean(),
    verdict: z.enum(reviewVerdicts).nullable().describe('Verdict of the last review that has one'),
    ends: z.array(z.enum(reviewEnds)).describe('How the review ended, the main end first'),
    critical_count: count.describe('Open findings of this severity'),
    moderate_count: count.describe('Open findings of this severity'),
    minor_count: count.describe('Open findings of this severity'),
    additions: count,
    deletions: count,
    progress: z
      .enum(eventStatuses)
      .nullable()
      .describe('`pending` while a review waits, `processing` while it runs, otherwise null'),
  })
  .meta({ id: 'InboxEntry' })

export const listInbox = endpoint(addresses.listInbox, {
  summary: 'List pull requests by what has to be done',
  description:
    'Returns the entries of the reviews list that a tab and filters select, newest first, with ' +
    'the counts of their open findings. The page uses it; programs should use ' +
    '`GET /api/v1/reviews`.',
  tags: ['Reviews'],
  credential: 'either',
  query: z.object({
    ...filters,
    limit: integerParameter('limit', 1, 100).default(50).describe('Maximum number of entries'),
    before: cursorParameter,
  }),
  response: z.object({ entries: z.array(inboxEntry), next: nextCursor }),
  errors: [422],
})

export const countInbox = endpoint(addresses.countInbox, {
  summary: 'Count pull requests by what has to be done',
  description:
    'Counts the entries of each tab under the filters. For each filter, counts the entries of ' +
    'the tab by its values under the other filters, the most frequent 100 values first. Counts ' +
    'only what you may see. The page uses it.',
  tags: ['Reviews'],
  credential: 'either',
  query: z.object(filters),
  response: z
    .object({
      tabs: z.object({
        attention: count,
        in_progress: count,
        passed: count,
        merged: count,
        all: count,
      }),
      repo: valueCounts,
      author: valueCounts,
      verdict: valueCounts,
      severity: valueCounts,
    })
    .meta({ id: 'InboxCounts' }),
  errors: [422],
})
