// Lists the deliveries of a webhook that failed, and asks GitHub to send one again.
// https://docs.github.com/en/webhooks/using-webhooks/handling-failed-webhook-deliveries
import { z } from 'zod'
import type { ApiCall, Connection } from '../http/connection.ts'
import { readPages } from '../http/read-pages.ts'
import { send } from '../http/request.ts'
import type { FailedDelivery } from '../platform-app.ts'

/**
 * Limits what one look reads after a long outage. The oldest attempts are listed last, so nothing
 * can be read of those beyond it.
 */
const maxAttempts = 10_000

const attempt = z
  .object({
    id: z.int(),
    guid: z.string(),
    delivered_at: z.string(),
    redelivery: z.boolean(),
    status_code: z.int(),
  })
  .transform((fields) => ({
    attemptId: String(fields.id),
    deliveryId: fields.guid,
    attemptedAt: new Date(fields.delivered_at),
    isRedelivery: fields.redelivery,
    status: fields.status_code,
  }))

/**
 * GET …/deliveries, which lists each attempt, the newest first. Old versions of GitHub Enterprise
 * Server ignore the filter.
 *
 * @param call its path is that of the list
 */
export async function listFailedDeliveries(
  connection: Connection,
  call: ApiCall,
  since: Date,
): Promise<readonly FailedDelivery[]> {
  const failed: FailedDelivery[] = []
  let seen = 0
  const filtered = { ...call, path: `${call.path}?status=failure` }
  for await (const one of readPages(connection, filtered, attempt)) {
    if (one.attemptedAt < since) break
    if (one.status < 200 || one.status >= 400) failed.push(one)
    if (++seen === maxAttempts) break
  }
  return failed
}

/**
 * POST …/deliveries/{delivery_id}/attempts. The new attempt has the id, the body and the signature
 * of the first one.
 *
 * @param call its path is that of the list
 */
export async function redeliver(
  connection: Connection,
  call: ApiCall,
  attemptId: string,
): Promise<void> {
  const path = `${call.path}/${encodeURIComponent(attemptId)}/attempts`
  await send(connection, { ...call, method: 'POST', path })
}
