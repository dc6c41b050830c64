// Schema of the webhook receiver.
import { z } from 'zod'
import { errorResponses } from './common-schemas.ts'

/** The body stays the bytes that were signed: it is described here and read elsewhere. */
const delivery = z
  .unknown()
  .meta({ type: 'object', description: 'The event as the platform sends it, JSON' })

export const receiveDeliverySchema = {
  summary: 'Receive an event of a repository from the platform',
  description: `\
The platform calls this. In production the signature in \`X-Hub-Signature-256\` is checked: \`sha256=\` and the HMAC-SHA256 of
the body under the webhook's secret, in hexadecimal. Where it isn't checked (outside of production, and where there is no secret), a
body of more than 1 MB is refused, and so is a request with \`Origin\` or \`Sec-Fetch-Site\`. The event's name is in
\`X-Host-Event\`, or in the header of the platform's own.`,
  tags: ['Webhook'],
  body: delivery,
  response: {
    200: z
      .discriminatedUnion('status', [
        z.object({ status: z.literal('received'), event_id: z.int(), event_type: z.string() }),
        z.object({ status: z.literal('duplicate_skipped') }),
        z.object({ status: z.literal('ignored'), reason: z.string() }),
      ])
      .meta({ id: 'DeliveryAnswer' }),
    ...errorResponses(400, 403, 413, 503),
  },
}
