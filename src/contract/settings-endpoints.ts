// Defines the schemas of the endpoints for the settings of the service and their checks.
import { z } from 'zod'
import { addresses } from './addresses.ts'
import { repoParameter, textInput, timestamp } from './common-schemas.ts'
import { endpoint } from './endpoint.ts'
import { contextSourceKinds } from './enums.ts'

const model = z
  .object({
    name: z.string().describe('Name in the form `<provider>:<id>`'),
    priced: z
      .boolean()
      .describe('Whether the price is known. Budgets limit only models with a known price.'),
  })
  .meta({ id: 'SetModel' })

const source = z.object({
  name: z.string(),
  kind: z
    .enum(contextSourceKinds)
    .describe('Kind of context source: issue tracker, error tracker, chat or other'),
})

const platform = z
  .object({
    id: z.string(),
    name: z.string().describe('Name for people'),
    url: z.string(),
    oauth: z.boolean().describe('Whether sign-in with OAuth is configured'),
    token: z
      .boolean()
      .describe(
        'Whether a deployment-wide platform token is configured, with which repositories ' +
          'that no one connected are reviewed',
      ),
  })
  .meta({ id: 'SetPlatform' })

const dollars = z.number().nullable().describe('Limit in US dollars, or null for no limit')

export const showSettings = endpoint(addresses.showSettings, {
  summary: 'Get the settings',
  description:
    'Returns the configuration of the service, without keys, tokens and the URLs of models and ' +
    'context sources.',
  tags: ['Settings'],
  credential: 'either',
  response: z
    .object({
      service_name: z.string(),
      version: z.string(),
      public_url: z.string(),
      platform: platform.describe('The first code host'),
      further_platforms: z.array(platform).describe('The other code hosts of this service'),
      sign_in_limited: z.boolean().describe('Whether sign-in is restricted to some accounts'),
      models: z.object({
        main: model
          .nullable()
          .describe('Model for reviews, or null if only the built-in rules review'),
        fast: model
          .nullable()
          .describe('Cheaper model for simple tasks and as a fallback, if configured'),
        embedder: model
          .nullable()
          .describe('Model for memory search, or null if memories are searched by keyword'),
        budget: z.object({
          per_review_usd: dollars,
          per_day_usd: dollars,
          per_owner_day_usd: dollars,
        }),
      }),
      review: z.object({
        mode: z
          .enum(['agentic', 'parallel', 'static'])
          .describe('Default review mode. Repositories can override it.'),
        max_inline_comments: z.int().describe('Maximum number of inline comments per review'),
        context_tokens: z.int().describe('Maximum context of one review round in tokens'),
        concurrency: z.int().describe('Maximum number of concurrent reviews per process'),
      }),
      memory: z.boolean().describe('Whether the memory layer is on'),
      graph: z.boolean().describe('Whether the graph layer is on'),
      mcp: z.object({
        access: z
          .enum(['open', 'token', 'off'])
          .describe('Who can use the MCP server: anyone, callers with a token, or no one'),
        agent_tools: z
          .boolean()
          .describe('Whether callers with a token get the additional agent tools'),
      }),
      sources: z.array(source),
    })
    .meta({ id: 'Settings' }),
})

const settingsFile = z
  .object({
    repo: z
      .string()
      .nullable()
      .describe('Repository that has the file, or null for the one whose settings are shown'),
    path: z.string(),
    directory: z
      .string()
      .describe('Directory whose files the settings are about, or empty for the whole repository'),
    visible: z
      .boolean()
      .describe('Whether you can read the repository. If not, values and problems are left out.'),
    problems: z.array(z.string()).describe('What is wrong in the file'),
    problem_count: z.int().describe('Number of problems, including those that are left out'),
    withheld: z
      .array(z.string())
      .describe('Keys of a private repository that do not apply to a public one'),
  })
  .meta({ id: 'SettingsFile' })

const shownSettings = {
  files: z.array(settingsFile).describe('Settings files. Nearer ones come later.'),
  settings: z
    .array(
      z
        .object({
          directory: z.string().describe('Empty for the whole repository'),
          key: z.string().describe('For example `policy.moderate`'),
          value: z
            .unknown()
            .describe(
              'Value in the form of the file, with all lists as arrays. Null for the default ' +
                'of the service and for a value that is left out.',
            ),
          file: settingsFile.nullable().describe('File that sets it, or null for a default'),
          text: z.string().describe('Value on one line, for people'),
        })
        .meta({ id: 'RepositorySetting' }),
    )
    .describe('Settings of the whole repository, then those of directories'),
  notes: z.array(z.string()).describe('Limits of what was read'),
}

export const showRepositorySettings = endpoint(addresses.showRepositorySettings, {
  summary: 'Get the settings of a repository',
  description:
    'Returns the settings of the default branch, merged with those of the organization, and the ' +
    'settings of directories. Settings of the organization may be a minute old.',
  tags: ['Settings'],
  credential: 'either',
  query: z.object({ repo: repoParameter }),
  response: z
    .object({
      repo: z.string(),
      branch: z.string().describe('Default branch, at which the settings were read'),
      ...shownSettings,
    })
    .meta({ id: 'RepositorySettings' }),
  errors: [400, 403, 422, 502],
})

const maxFileCharacters = 64 * 1024

export const checkSettingsFile = endpoint(addresses.checkSettingsFile, {
  summary: 'Check a settings file',
  description:
    'Returns what is wrong in a `.umpire.yml`, and the settings that would be in force. ' +
    'With `repo`, they are merged with those that this repository inherits and those of its ' +
    'directories. Stores nothing.',
  tags: ['Settings'],
  credential: 'either',
  body: z.strictObject(
    {
      text: textInput('text', maxFileCharacters)
        .optional()
        .describe('The file. Without it, the file of the default branch is checked.'),
      repo: repoParameter.optional(),
      directory: textInput('directory', 1000)
        .default('')
        .describe('Directory that has the file. Empty for the whole repository.'),
    },
    { error: 'the body must be an object with text, repo and directory only' },
  ),
  response: z
    .object({
      repo: z.string().nullable(),
      path: z.string(),
      text: z.string().describe('The file that was checked. Empty if there is none.'),
      problems: z
        .array(
          z.object({
            message: z.string(),
            line: z.int().nullable().describe('From 1, or null for the whole file'),
            column: z.int().nullable(),
          }),
        )
        .describe('In the order of the file, at most 100'),
      ...shownSettings,
    })
    .meta({ id: 'CheckedSettings' }),
  errors: [400, 403, 413, 422, 502],
})

export const checkSources = endpoint(addresses.checkSources, {
  summary: 'Check the context sources',
  description:
    'Connects to each issue tracker, error tracker and chat and lists its tools. Results are ' +
    'cached for 30 seconds.',
  tags: ['Settings'],
  credential: 'either',
  response: z
    .object({
      sources: z.array(
        source.extend({
          fault: z.string().nullable().describe('What is wrong, or null if the source answers'),
        }),
      ),
    })
    .meta({ id: 'SourcesHealth' }),
})

export const runChecks = endpoint(addresses.runChecks, {
  summary: 'Run the setup checks',
  description:
    'Runs the checks of `umpire doctor`. Only for administrators. Each check takes at most 40 ' +
    'seconds, and results are cached for one minute. Each run sends a short request to the ' +
    'configured models.',
  tags: ['Settings'],
  credential: 'either',
  response: z
    .object({
      checks: z.array(
        z
          .object({
            name: z.string().describe('What was checked. A name can have several results.'),
            state: z.enum(['ok', 'warning', 'problem', 'skipped']),
            message: z.string(),
            remedy: z.string().nullable().describe('How to fix the problem'),
          })
          .meta({ id: 'SetUpCheck' }),
      ),
      checked_at: timestamp,
    })
    .meta({ id: 'SetUpChecks' }),
  errors: [403],
})
