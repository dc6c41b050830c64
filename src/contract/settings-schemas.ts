// Schemas of what the operator has set up, without secrets.
import { z } from 'zod'
import { errorResponses, security, timestamp } from './common-schemas.ts'

const model = z
  .object({
    name: z.string().describe('As `<provider>:<id>`'),
    priced: z
      .boolean()
      .describe('Whether its price is known: budgets in money hold only those back'),
  })
  .meta({ id: 'SetModel' })

const source = z.object({
  name: z.string(),
  kind: z.enum(['tickets', 'errors', 'discussion', 'other']),
})

const dollars = z.number().nullable().describe('US dollars; null where there is no limit')

export const showSettingsSchema = {
  summary: 'Show what is set up',
  description: 'As the operator configured it. No keys, tokens or addresses of models and sources.',
  tags: ['Settings'],
  security: security.either,
  response: {
    200: z
      .object({
        service_name: z.string(),
        version: z.string(),
        public_url: z.string(),
        platform: z.object({
          id: z.string(),
          url: z.string(),
          oauth: z.boolean().describe('Whether people can sign in at the platform'),
          token: z.boolean().describe('Whether repositories that nobody connected are reviewed'),
        }),
        sign_in_limited: z.boolean().describe('Whether only some people may sign in'),
        models: z.object({
          main: model.nullable().describe('Null: the built-in rules review alone'),
          fast: model.nullable(),
          embedder: model.nullable().describe('Null: memories are found by their words'),
          budget: z.object({
            per_review_usd: dollars,
            per_day_usd: dollars,
            per_owner_day_usd: dollars,
          }),
        }),
        review: z.object({
          mode: z
            .enum(['agentic', 'parallel', 'static'])
            .describe('Where a repository says nothing else'),
          max_inline_comments: z.int(),
          context_tokens: z.int(),
          concurrency: z.int().describe('Reviews at the same time in one process'),
        }),
        memory: z.boolean(),
        graph: z.boolean(),
        mcp: z.object({
          access: z.enum(['open', 'token', 'off']),
          agent_tools: z.boolean().describe('Whether callers with a token get further tools'),
        }),
        sources: z.array(source),
      })
      .meta({ id: 'Settings' }),
    ...errorResponses(401),
  },
}

export const checkSourcesSchema = {
  summary: 'Ask trackers and chats whether they answer',
  description: 'Each is asked what it offers, every 30 seconds at most.',
  tags: ['Settings'],
  security: security.either,
  response: {
    200: z
      .object({
        sources: z.array(
          source.extend({
            fault: z.string().nullable().describe('What is wrong; null where it answers'),
          }),
        ),
      })
      .meta({ id: 'SourcesHealth' }),
    ...errorResponses(401),
  },
}

export const runChecksSchema = {
  summary: 'Check the set-up',
  description:
    'What `umpire doctor` finds, for administrators. Each part is checked within 40 seconds, once a minute at most; configured models are asked a short question each time.',
  tags: ['Settings'],
  security: security.either,
  response: {
    200: z
      .object({
        checks: z.array(
          z
            .object({
              name: z.string().describe('What was checked; one name may have several findings'),
              state: z.enum(['ok', 'warning', 'problem', 'skipped']),
              message: z.string(),
              remedy: z.string().nullable().describe('What to do about it'),
            })
            .meta({ id: 'SetUpCheck' }),
        ),
        checked_at: timestamp,
      })
      .meta({ id: 'SetUpChecks' }),
    ...errorResponses(401, 403),
  },
}
