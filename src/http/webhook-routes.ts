// The webhook receiver: raw body → parse → secrets → signature → intake. Its order is the interface's.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import type { WebhookSecrets } from '../accounts/installations.ts'
import type { Delivery, Platform } from '../platforms/platform.ts'
import type { DeliveryIntake } from '../workflows/accept-delivery.ts'
import { receiveDelivery } from './contract/webhook.ts'
import type { Server } from './server.ts'

/** The platform's own limit of a delivery, in bytes. */
const bodyLimit = 25 * 1024 * 1024

const appLevelReason = 'App-level events are not supported: only webhooks of single repositories are'
const inactiveReason = 'The repository is disconnected'

/** Adds `POST /api/v1/webhooks/host`. */
export async function addWebhookRoutes(
  server: Server,
  options: {
    platform: Platform
    intake: DeliveryIntake
    /** Signatures are enforced in production only. */
    enforceSignatures: boolean
    fallbackSecret: string | null
  },
): Promise<void> {
  await server.register(async (scope) => {
    // The signature is over the bytes as they came.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    const route = { schema: receiveDelivery, bodyLimit, config: { quiet: true } }
    scope.post('/api/v1/webhooks/host', route, async (request, reply) => {
      const rawBody = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      const delivery = options.platform.readDelivery(request.headers, rawBody)
      if (delivery.targetType === 'integration') return { status: 'ignored', reason: appLevelReason }
      return receive(delivery, rawBody, reply)
    })
  })

  async function receive(delivery: Delivery, rawBody: Buffer, reply: FastifyReply) {
    const acceptance = await options.intake.accept(delivery, (secrets) => admit(delivery, rawBody, secrets))
    switch (acceptance.status) {
      case 'refused':
        return reply.code(403).send({ detail: 'Invalid webhook signature' })
      case 'ignored':
        return { status: 'ignored', reason: inactiveReason }
      case 'duplicate_skipped':
        return { status: 'duplicate_skipped' }
      case 'received':
        return { status: 'received', event_id: acceptance.eventId, event_type: acceptance.eventType }
    }
  }

  function admit(delivery: Delivery, rawBody: Buffer, secrets: WebhookSecrets) {
    if (options.enforceSignatures && !isSigned(delivery.signature, rawBody, acceptedSecrets(secrets))) return 'refused'
    const isInactive = secrets.active.length === 0 && secrets.inactive.length > 0
    return isInactive ? 'ignored' : 'admitted'
  }

  function acceptedSecrets({ active, inactive }: WebhookSecrets): readonly string[] {
    if (active.length > 0) return active
    if (inactive.length > 0) return inactive
    return options.fallbackSecret === null ? [] : [options.fallbackSecret]
  }
}

/** Whether the header holds the HMAC-SHA256 of the body under one of the secrets; without any secret it passes. */
function isSigned(header: string | null, rawBody: Buffer, secrets: readonly string[]): boolean {
  if (secrets.length === 0) return true
  const digits = /^sha256=([0-9a-fA-F]{64})$/.exec(header ?? '')?.[1]
  if (digits === undefined) return false
  const given = Buffer.from(digits, 'hex')
  return secrets.some((secret) => timingSafeEqual(given, createHmac('sha256', secret).update(rawBody).digest()))
}
