// Lists the deliveries of a webhook that failed, and asks GitLab to send one again.
// https://docs.gitlab.com/api/project_webhooks/#get-a-list-of-project-webhook-events
import { z } from 'zod'
import { PlatformError } from '../../domain/errors.ts'
import type { HostCall } from '../http/connection.ts'
import { readPages } from '../http/read-pages.ts'
import type { FailedDelivery } from '../platform-app.ts'
import { parseTime } from './parse-time.ts'
import { buildProjectCall, sendWrite } from './project-calls.ts'

/** GitLab's maximum for this list, whose items have whole payloads. */
const pageSize = 20
/** Limits what one look reads after a long outage. */
const maxAttempts = 1000

const attempt = z.object({
  id: z.int(),
  request_headers: z.record(z.string(), z.string().catch('')).catch({}),
  request_data: z
    .object({ object_attributes: z.object({ updated_at: z.string() }) })
    .nullable()
    .catch(null),
  /** A number in text, or `internal error` where nobody answered. */
  response_status: z.coerce.string(),
})

interface Attempt extends FailedDelivery {
  readonly hasTime: boolean
}

/**
 * GET /projects/{id}/hooks/{hook}/events, the newest attempt first. Only those that failed are
 * returned. An attempt of a delivery that an older one has tried is a redelivery.
 */
export const listFailedDeliveries: HostCall<'listFailedDeliveries'> = async (
  connection,
  access,
  { webhookId, since },
  signal,
) => {
  const attempts: Attempt[] = []
  const call = buildProjectCall(access, `/hooks/${webhookId}/events`, signal)
  for await (const fields of readPages(connection, call, attempt, pageSize)) {
    const one = toAttempt(fields, attempts.at(-1)?.attemptedAt)
    if (one.hasTime && one.attemptedAt < since) break
    attempts.push(one)
    if (attempts.length === maxAttempts) break
  }
  const firsts = new Map(attempts.map(({ deliveryId, attemptId }) => [deliveryId, attemptId]))
  return attempts.flatMap(({ hasTime: _, ...one }) =>
    one.status >= 200 && one.status < 400
      ? []
      : [{ ...one, isRedelivery: firsts.get(one.deliveryId) !== one.attemptId }],
  )
}

/** Attempts have no time: the signature has it, else the change that was delivered. */
function toAttempt(fields: z.output<typeof attempt>, newer = new Date()): Attempt {
  const headers = new Map(
    Object.entries(fields.request_headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
  const seconds = Number(headers.get('webhook-timestamp') ?? 'none')
  const changedAt = parseTime(fields.request_data?.object_attributes.updated_at)
  const time = Number.isSafeInteger(seconds) ? new Date(seconds * 1000) : changedAt
  return {
    attemptId: String(fields.id),
    deliveryId: headers.get('idempotency-key') ?? headers.get('x-gitlab-event-uuid') ?? '',
    attemptedAt: time ?? newer,
    hasTime: time !== null,
    isRedelivery: false,
    status: /^\d{3}$/.test(fields.response_status) ? Number(fields.response_status) : 0,
  }
}

/** POST …/events/{event}/resend. GitLab answers 422 when the delivery was sent and failed again. */
export const redeliver: HostCall<'redeliver'> = async (
  connection,
  access,
  { webhookId, attemptId },
  signal,
) => {
  const path = `/hooks/${webhookId}/events/${encodeURIComponent(attemptId)}/resend`
  try {
    await sendWrite(connection, access, path, { method: 'POST', signal })
  } catch (error) {
    if (!(error instanceof PlatformError && error.status === 422)) throw error
  }
}
