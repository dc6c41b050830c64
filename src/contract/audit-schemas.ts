// Schemas of the audit log.
import { z } from 'zod'
import { errorResponses, integerParameter, security, timestamp } from './common-schemas.ts'

const auditEntry = z
  .object({
    id: z.int(),
    created_at: timestamp,
    login: z.string().describe('As it was then'),
    action: z.string(),
    subject: z
      .string()
      .describe('What it was done to: a repository, a pull request, the name of a token, a memory'),
  })
  .meta({ id: 'AuditEntry' })

export const listAuditSchema = {
  summary: 'List what was done, the newest first',
  description: 'The own entries; for an administrator those of everybody.',
  tags: ['Audit'],
  security: security.either,
  querystring: z.object({
    limit: integerParameter('limit', 1, 100).default(50),
    before: integerParameter('before', 1, 999_999_999_999_999)
      .optional()
      .describe('`next` of the page before'),
  }),
  response: {
    200: z.object({
      entries: z.array(auditEntry),
      next: z.int().nullable().describe('Null on the last page'),
    }),
    ...errorResponses(401, 422),
  },
}
