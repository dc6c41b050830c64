// Defines the endpoints that list and export the findings of all pull requests.
import { z } from 'zod'
import { addresses } from './addresses.ts'
import {
  choiceParameter,
  count,
  cursorParameter,
  integerParameter,
  nextCursor,
  repoFilter,
  textInput,
  timestamp,
  valueCounts,
} from './common-schemas.ts'
import { endpoint } from './endpoint.ts'
import {
  dismissalKinds,
  findingCategories,
  findingOutcomes,
  pullRequestStates,
  severities,
} from './enums.ts'

export const findingSorts = ['newest', 'oldest', 'severity'] as const

const outcomeError = `outcome must be a list of ${findingOutcomes.join(', ')}`
const isOutcome = (text: string) => findingOutcomes.some((outcome) => outcome === text)

/** The index of texts finds no shorter ones, so that all findings would be read. */
const minSearchLength = 3

const days = (name: string) => integerParameter(name, 1, 3650).optional()

const filter = {
  repo: repoFilter,
  severity: choiceParameter('severity', severities).optional(),
  rule: textInput('rule', 200).optional().describe('ID of a rule'),
  category: choiceParameter('category', findingCategories).optional(),
  by: choiceParameter('by', ['rule', 'model']).optional().describe('What reported the finding'),
  outcome: z
    .string({ error: outcomeError })
    .refine((text) => text.split(',').every(isOutcome), { error: outcomeError })
    .optional()
    .describe(`Outcomes with commas between them: ${findingOutcomes.join(', ')}`),
  author: textInput('author', 200)
    .optional()
    .describe('Username of the author of the pull request'),
  days: days('days').describe('Returns only findings that were first reported in the last days'),
  merged_days: days('merged_days').describe(
    'Returns only findings of pull requests that were merged in the last days',
  ),
  search: textInput('search', 300)
    .refine((text) => text === '' || text.length >= minSearchLength, {
      error: `search must have at least ${minSearchLength} characters`,
    })
    .default('')
    .describe('Part of the title, the path or the rule, at least 3 characters. Case is ignored.'),
}

const sort = choiceParameter('sort', findingSorts)
  .default('newest')
  .describe('Order by when they were first reported; `severity` begins with critical ones')

export const findingEntry = z
  .object({
    id: z.int(),
    review_id: z.int().nullable().describe('ID of the review, for `GET /api/v1/reviews/{id}`'),
    fingerprint: z.string().describe('Identifies the finding in its pull request'),
    repo_name: z.string().describe('Repository in the form `owner/repo`'),
    pr_number: z.int(),
    pr_title: z.string(),
    pr_status: z.enum(pullRequestStates),
    pr_url: z.string(),
    author: z.string().describe('Username of the author of the pull request'),
    severity: z.enum(severities),
    category: z.enum(findingCategories),
    rule: z.string().nullable().describe('ID of the rule, or null for a finding of a model'),
    reviewer: z.string().describe('Model or rule set that reported the finding'),
    title: z.string(),
    path: z.string(),
    start_line: z.int(),
    outcome: z
      .enum(findingOutcomes)
      .describe(
        '`suppressed`: open, and listed in the summary only. `fixed`: its code is gone, or its ' +
          'rule ran without reporting it. `replaced`: its code was changed, and another finding ' +
          'of its kind was reported. `withdrawn`: a model refuted it, or its rule was disabled. ' +
          '`dismissed`: by a person with write access.',
      ),
    dismissed_by: z.string().nullable(),
    dismissal_reason: z.string().nullable().describe('Empty if none was given'),
    dismissal_kind: z
      .enum(dismissalKinds)
      .nullable()
      .describe('Whether the finding was wrong; null if its dismissal does not say it'),
    created_at: timestamp.describe('When it was first reported'),
    resolved_at: timestamp.nullable().describe('When a review no longer found it'),
    comment_url: z.string().nullable().describe('URL of its comment, if there is one'),
  })
  .meta({ id: 'FindingEntry' })

export const listFindings = endpoint(addresses.listFindings, {
  summary: 'List findings',
  description:
    'Returns the findings of completed reviews in the repositories that the caller can see, with ' +
    'what became of them.',
  tags: ['Findings'],
  credential: 'either',
  query: z.object({
    ...filter,
    sort,
    limit: integerParameter('limit', 1, 100).default(50).describe('Maximum number of findings'),
    before: cursorParameter,
  }),
  response: z.object({ findings: z.array(findingEntry), next: nextCursor }),
  errors: [422],
})

export const countFindings = endpoint(addresses.countFindings, {
  summary: 'Count findings',
  description:
    'For each filter, counts the findings by its values under the other filters, the most ' +
    'frequent 100 values first. `rule` is counted under all filters but `rule`, `category` and ' +
    '`by`. The page uses it.',
  tags: ['Findings'],
  credential: 'either',
  query: z.object(filter),
  response: z
    .object({
      repo: valueCounts,
      author: valueCounts,
      severity: valueCounts,
      outcome: valueCounts,
      rule: z.array(
        z.object({
          rule: z.string().nullable().describe('ID of the rule, or null for findings of models'),
          category: z
            .enum(findingCategories)
            .nullable()
            .describe('Category of the findings of models; null for those of rules'),
          count,
        }),
      ),
    })
    .meta({ id: 'FindingCounts' }),
  errors: [422],
})

export const exportFindings = endpoint(addresses.exportFindings, {
  summary: 'Export findings',
  description:
    'Returns all findings that match, as a file. A cell of the CSV that a spreadsheet would take ' +
    'for a formula begins with an apostrophe.',
  tags: ['Findings'],
  credential: 'either',
  query: z.object({
    ...filter,
    sort,
    format: z
      .enum(['csv', 'json'], { error: 'format must be csv or json' })
      .default('csv')
      .describe('CSV as in RFC 4180 with a header, or a JSON array'),
  }),
  response: {
    description: 'The file, with the fields of the list',
    content: {
      'text/csv': { schema: z.string() },
      'application/json': { schema: z.array(findingEntry) },
    },
  },
  errors: [422],
})
