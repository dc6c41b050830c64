// Defines the schemas of the endpoints that list, connect and disconnect repositories.
import { z } from 'zod'
import { addresses } from './addresses.ts'
import { integerParameter, secretRotation, textInput } from './common-schemas.ts'
import { endpoint } from './endpoint.ts'
import { splitRepositoryName } from './repository-name.ts'

const connectable = z
  .object({
    repo: z.string().describe('Name in the form `owner/repo`'),
    connected: z.boolean().describe('Whether the repository is connected to your account'),
    installation_id: z.int().nullable().describe('ID of the connection, or null without one'),
    private: z.boolean().nullable(),
    description: z.string().nullable(),
    default_branch: z.string().nullable(),
    has_webhook: z
      .boolean()
      .nullable()
      .describe('Whether it has a webhook whose secret you can rotate; null if that is unknown'),
    health: z
      .object({
        state: z.enum(['ok', 'warning', 'problem']),
        messages: z.array(z.string()).describe('What is wrong, the worst first'),
      })
      .nullable()
      .describe('Whether reviews work, by what is stored. Null without `connected=true`.'),
  })
  .meta({ id: 'Repository' })

export const listRepositories = endpoint(addresses.listRepositories, {
  summary: 'List repositories',
  description:
    'Returns the repositories that you administer on the code-hosting platform, most recently ' +
    'pushed first. At most 1,000 repositories are searched. With `connected=true`, returns the ' +
    'repositories that are connected to your account, sorted by name. That list does not query ' +
    'the platform, so `private`, `description` and `default_branch` are null.',
  tags: ['Repositories'],
  credential: 'either',
  query: z.object({
    search: textInput('search', 200)
      .default('')
      .describe('Part of the repository name. Case is ignored.'),
    connected: z
      .enum(['true', 'false'], { error: 'connected must be true or false' })
      .default('false')
      .describe('Whether to return only repositories that are connected to your account'),
    page: integerParameter('page', 1, 1000).default(1).describe('Page number, from 1'),
    per_page: integerParameter('per_page', 1, 100).default(30).describe('Repositories per page'),
  }),
  response: z.object({
    repositories: z.array(connectable),
    page: z.int(),
    per_page: z.int(),
    has_more: z.boolean().describe('Whether there is another page'),
  }),
  errors: [422, 502],
})

const path = z.object({ owner: z.string(), repo: z.string() })

const isWellFormed = ({ owner, repo }: z.output<typeof path>) =>
  splitRepositoryName(`${owner}/${repo}`) !== undefined

export const connectRepository = endpoint(addresses.connectRepository, {
  summary: 'Connect a repository',
  description:
    'Creates a webhook on the repository, or shares the one that another user created. Then ' +
    'starts a scan. Requires admin permission on the repository.',
  tags: ['Repositories'],
  credential: 'bearer',
  params: path.refine(isWellFormed, {
    error: 'owner and repo must be the names of an account and of a repository',
  }),
  response: z.object({
    status: z.literal('connected'),
    installation_id: z.int(),
    repo: z.string(),
  }),
  errors: [400, 409, 422, 502],
})

export const disconnectRepository = endpoint(addresses.disconnectRepository, {
  summary: 'Disconnect a repository',
  description:
    'Removes the connection of your account. The webhook is removed with the last connection. ' +
    'Reviews and scan results are kept.',
  tags: ['Repositories'],
  credential: 'bearer',
  params: path,
  response: z.object({ status: z.literal('disconnected'), repo: z.string() }),
  errors: [404, 409],
})

export const rotateWebhookSecret = endpoint(addresses.rotateWebhookSecret, {
  summary: "Rotate a repository's webhook secret",
  description:
    'Creates a new secret for the webhook of a repository that you connected, and sets it at ' +
    'the code-hosting platform. If this fails half-way, repeat it: until then, the former and ' +
    'the new secret are accepted. Requires admin permission on the repository. The secret of the ' +
    'App is rotated with `POST /api/v1/app/webhook-secret`.',
  tags: ['Repositories'],
  credential: 'either',
  params: path,
  body: secretRotation,
  response: z
    .object({ status: z.literal('rotated'), repo: z.string() })
    .meta({ id: 'WebhookSecretRotated' }),
  errors: [404, 409, 422, 502],
})
