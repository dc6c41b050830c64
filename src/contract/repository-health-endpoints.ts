// Defines the endpoint that says whether the reviews of a repository work.
import { z } from 'zod'
import { addresses } from './addresses.ts'
import { count, timestamp } from './common-schemas.ts'
import { endpoint } from './endpoint.ts'

const check = z
  .object({
    name: z.enum(['deliveries', 'token', 'reviews', 'scan']),
    state: z
      .enum(['ok', 'none', 'warning', 'problem'])
      .describe('`none` if nothing has happened yet that could work or fail'),
    message: z.string(),
    remedy: z.string().nullable().describe('What to do, or null if nothing has to be done'),
  })
  .meta({ id: 'RepositoryCheck' })

export const showRepositoryHealth = endpoint(addresses.showRepositoryHealth, {
  summary: 'Check a repository',
  description:
    'Returns whether deliveries arrive, as whom the repository is reviewed, whether that works ' +
    'now, how the last review and scan ended, and the files with most findings. Queries the code ' +
    'host.',
  tags: ['Repositories'],
  credential: 'either',
  params: z.object({ owner: z.string(), repo: z.string() }),
  response: z
    .object({
      repo: z.string(),
      checks: z.array(check),
      last_delivery_at: timestamp.nullable(),
      identity: z
        .object({
          kind: z.enum(['app', 'person', 'deployment']),
          login: z
            .string()
            .nullable()
            .describe('Name of the App or username, or null for the token of the deployment'),
          can_write: z.boolean().describe('Whether reviews can be posted'),
        })
        .nullable()
        .describe('Who reviews the repository, or null if no token works now'),
      risk: z
        .array(z.object({ path: z.string(), pull_requests: count, findings: count }))
        .describe(
          'Files with the most findings per pull request that changed them, at most 20. ' +
            'Dismissed findings do not count.',
        ),
    })
    .meta({ id: 'RepositoryHealth' }),
  errors: [400, 403],
})
