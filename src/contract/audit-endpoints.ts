// Defines the audit log endpoints.
import { z } from 'zod'
import { addresses } from './addresses.ts'
import { cursorParameter, integerParameter, nextCursor, timestamp } from './common-schemas.ts'
import { endpoint } from './endpoint.ts'

const auditEntry = z
  .object({
    id: z.int(),
    created_at: timestamp,
    login: z.string().describe('Username of the person who acted, at the time of the action'),
    action: z.string().describe('What the person did, such as `review_retried`'),
    subject: z
      .string()
      .describe('Object of the action: a repository, a pull request, a token name or a memory'),
    review_id: z
      .int()
      .nullable()
      .describe('ID of the review of the pull request, for `GET /api/v1/reviews/{id}`'),
    title: z.string().nullable().describe('Title of the finding, or the text of the memory'),
    reason: z.string().nullable().describe('Why the finding is dismissed. Empty if none was given'),
  })
  .meta({ id: 'AuditEntry' })

export const listAudit = endpoint(addresses.listAudit, {
  summary: 'List audit log entries',
  description:
    "Returns the caller's own entries, newest first. Administrators see the entries of all users.",
  tags: ['Audit'],
  credential: 'either',
  query: z.object({
    limit: integerParameter('limit', 1, 100).default(50).describe('Maximum number of entries'),
    before: cursorParameter,
  }),
  response: z.object({
    entries: z.array(auditEntry),
    next: nextCursor,
  }),
  errors: [422],
})
