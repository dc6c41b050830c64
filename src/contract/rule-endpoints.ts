// Defines the endpoints for the rules and how often each was right.
import { z } from 'zod'
import { addresses } from './addresses.ts'
import { count, repoFilter } from './common-schemas.ts'
import { endpoint } from './endpoint.ts'
import { findingCategories, severities } from './enums.ts'

const rule = z
  .object({
    id: z.string().describe('ID by which settings disable the rule'),
    summary: z.string().describe('What the rule reports, in Markdown'),
    see_also: z
      .array(z.string())
      .describe('CWE number, and rules of linters that report the same, in Markdown'),
    severity: z.enum(severities).describe('Usual severity'),
    category: z.enum(findingCategories),
    confidence: z.number().describe('Expected share of findings that are bugs'),
    languages: z.array(z.string()).describe('Languages, formats or kinds of files'),
    reported: count.describe('Findings that the rule reported, each once for a pull request'),
    fixed: count.describe('Fixed findings, as `docs/insights.md` defines them'),
    dismissed: count,
    wrong: count.describe('Findings that were dismissed as false positives or without a kind'),
    open: count.describe('Findings in open pull requests'),
    left: count.describe('Findings with which the pull request was merged or closed'),
    reasons: z
      .array(z.object({ reason: z.string(), count }))
      .describe('Most frequent reasons of dismissals, at most 5'),
  })
  .meta({ id: 'Rule' })

export const listRules = endpoint(addresses.listRules, {
  summary: 'List rules',
  description:
    'Returns all rules, with what became of the findings that they reported in the repositories ' +
    'that you can see. Counts are at most a minute old.',
  tags: ['Rules'],
  credential: 'either',
  query: z.object({ repo: repoFilter }),
  response: z.object({ rules: z.array(rule).describe('Most severe categories first') }),
  errors: [422],
})

export const readRuleSamples = endpoint(addresses.readRuleSamples, {
  summary: 'Get the samples of a rule',
  description: 'Returns code that the rule reports and similar code that it does not report.',
  tags: ['Rules'],
  credential: 'either',
  params: z.object({ id: z.string() }),
  response: z.object({
    id: z.string(),
    samples: z
      .string()
      .describe(
        'Markdown. Reported lines end in `◀`. Empty for rules on the code graph, which need a ' +
          'whole repository.',
      ),
  }),
  errors: [404],
})
