// Schemas of the repositories: which there are, connecting them, disconnecting them.
import { z } from 'zod'
import { errorResponses, integerParameter, security, textInput } from './common-schemas.ts'
import { splitRepositoryName } from './repository-name.ts'

const connectable = z
  .object({
    repo: z.string(),
    connected: z.boolean(),
    installation_id: z.int().nullable(),
    private: z.boolean().nullable(),
    description: z.string().nullable(),
    default_branch: z.string().nullable(),
  })
  .meta({ id: 'Repository' })

export const listRepositoriesSchema = {
  summary: 'List the repositories that you may connect, or have connected',
  description:
    'Those that you administer at the platform, the last pushed first; no more than 1,000 are looked through. With ' +
    '`connected=true` those that are connected to your account, by name, without asking the platform: what only the ' +
    'platform knows of them is null.',
  tags: ['Repositories'],
  security: security.either,
  querystring: z.object({
    search: textInput('search', 200).default('').describe('A part of the name, in any case'),
    connected: z
      .enum(['true', 'false'], { error: 'connected must be true or false' })
      .default('false'),
    page: integerParameter('page', 1, 1000).default(1),
    per_page: integerParameter('per_page', 1, 100).default(30),
  }),
  response: {
    200: z.object({
      repositories: z.array(connectable),
      page: z.int(),
      per_page: z.int(),
      has_more: z.boolean(),
    }),
    ...errorResponses(401, 422, 502),
  },
}

const path = z.object({ owner: z.string(), repo: z.string() })

const isWellFormed = ({ owner, repo }: z.output<typeof path>) =>
  splitRepositoryName(`${owner}/${repo}`) !== undefined

export const connectRepositorySchema = {
  summary: 'Connect a repository',
  description:
    'Makes a webhook there, or shares the one of others who connected it. Asks for admin permission.',
  tags: ['Repositories'],
  security: security.bearer,
  params: path.refine(isWellFormed, {
    error: 'owner and repo must be the names of an account and of a repository',
  }),
  response: {
    200: z.object({ status: z.literal('connected'), installation_id: z.int(), repo: z.string() }),
    ...errorResponses(400, 401, 409, 422, 502),
  },
}

export const disconnectRepositorySchema = {
  summary: 'Disconnect a repository',
  description: 'The webhook goes with the last account that connected it. Reviews stay.',
  tags: ['Repositories'],
  security: security.bearer,
  params: path,
  response: {
    200: z.object({ status: z.literal('disconnected'), repo: z.string() }),
    ...errorResponses(401, 404, 409),
  },
}
