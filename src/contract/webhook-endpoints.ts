// Defines the schemas of the webhook receivers.
import { z } from 'zod'
import { addresses } from './addresses.ts'
import { endpoint } from './endpoint.ts'

/** Not parsed here: the signature covers the bytes of the body as they arrived. */
const delivery = z
  .unknown()
  .meta({ type: 'object', description: 'Event payload of the code-hosting platform, as JSON' })

const answer = z
  .discriminatedUnion('status', [
    z.object({ status: z.literal('received'), event_id: z.int(), event_type: z.string() }),
    z.object({ status: z.literal('duplicate_skipped') }),
    z.object({ status: z.literal('ignored'), reason: z.string() }),
  ])
  .meta({ id: 'DeliveryAnswer' })

export const receiveDelivery = endpoint(addresses.receiveDelivery, {
  summary: 'Receive a webhook delivery',
  description: `\
The code-hosting platform calls this endpoint. In production the header \`X-Hub-Signature-256\`
must be \`sha256=\` followed by the hexadecimal HMAC-SHA256 of the body, keyed with the secret of
the webhook. Where it may be missing (without a secret, or outside production) and is not valid, a
body of more than 1 MB and a request with \`Origin\` or \`Sec-Fetch-Site\` are refused. The event
name is read from \`X-Host-Event\`, or from the code host's own header.`,
  tags: ['Webhook'],
  credential: 'none',
  body: delivery,
  response: answer,
  errors: [400, 403, 413, 503],
})

export const receiveAppDelivery = endpoint(addresses.receiveAppDelivery, {
  summary: 'Receive a delivery to the App',
  description: `\
The code-hosting platform calls this endpoint for all repositories in which the App of this service
is installed. The header \`X-Hub-Signature-256\` is always checked with the secret of the App.
Deliveries about installations connect and disconnect repositories.`,
  tags: ['Webhook'],
  credential: 'none',
  body: delivery,
  response: answer,
  errors: [400, 403, 413, 503],
})
