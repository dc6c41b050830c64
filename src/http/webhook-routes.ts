// The webhook receiver: target type → repository's name → secrets → signature → parse → intake. Nothing is parsed
// before its signature was checked.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { WebhookSecrets } from '../accounts/installations.ts'
import { receiveDeliverySchema } from '../contract/webhook-schemas.ts'
import { RequestError } from '../domain/errors.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import type { LabelValue, Metrics } from '../metrics/metrics.ts'
import type { Platform, UnverifiedDelivery } from '../platforms/platform.ts'
import type { Admission, DeliveryIntake } from '../workflows/accept-delivery.ts'
import type { Server } from './server.ts'

/** The platform's own limit of a delivery, in bytes. */
const bodyLimit = 25 * 1024 * 1024
/** Of a delivery whose signature isn't checked, in bytes. Payloads of platforms are rarely larger than 100 KB. */
const uncheckedBodyLimit = 1024 * 1024

const appLevelReason =
  'App-level events are not supported: only webhooks of single repositories are'
const inactiveReason = 'The repository is disconnected'

/** One request, and the repository that it says to be about. */
interface ReceivedRequest {
  readonly headers: IncomingHttpHeaders
  readonly rawBody: Buffer
  readonly envelope: UnverifiedDelivery
  readonly repo: RepositoryName | null
}

/** Adds `POST /api/v1/webhooks/host`. */
export async function addWebhookRoutes(
  server: Server,
  options: {
    platform: Platform
    intake: DeliveryIntake
    /** Signatures are enforced in production only. */
    enforceSignatures: boolean
    fallbackSecret: string | null
    metrics: Metrics
  },
): Promise<void> {
  await server.register(async (scope) => {
    // The signature is over the bytes as they came.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) =>
      done(null, body),
    )
    scope.addHook('preSerialization', (_request, reply, answer, done) => {
      options.metrics.deliveries.inc({ answer: answerLabelOf(reply.statusCode, answer) })
      options.metrics.deliveryDuration.observe({}, reply.elapsedTime / 1000)
      done(null, answer)
    })
    const route = { schema: receiveDeliverySchema, bodyLimit, config: { quiet: true } }
    scope.post('/api/v1/webhooks/host', route, async ({ headers, body }) => {
      const rawBody = Buffer.isBuffer(body) ? body : Buffer.alloc(0)
      const envelope = options.platform.readUnverifiedDelivery(headers, rawBody)
      if (envelope.targetType === 'integration')
        return { status: 'ignored' as const, reason: appLevelReason }
      return receive({ headers, rawBody, envelope, repo: envelope.findRepository() })
    })
  })

  async function receive(request: ReceivedRequest) {
    const acceptance = await options.intake.accept(request.repo, (secrets) =>
      admit(request, secrets),
    )
    switch (acceptance.status) {
      case 'ignored':
        return { status: 'ignored' as const, reason: inactiveReason }
      case 'duplicate_skipped':
        return { status: 'duplicate_skipped' as const }
      case 'received':
        return {
          status: 'received' as const,
          event_id: acceptance.eventId,
          event_type: acceptance.eventType,
        }
    }
  }

  /** Throws RequestError for what is refused, and UmpireError `delivery_invalid` for a body that can't be read. */
  function admit(request: ReceivedRequest, secrets: WebhookSecrets): Admission {
    const { envelope, rawBody, repo } = request
    const accepted = options.enforceSignatures ? acceptedSecrets(secrets) : []
    const isChecked = accepted.length > 0
    if (!isChecked) assertAcceptableUnsigned(request)
    else if (!isSigned(envelope.signature, rawBody, accepted)) throw invalidSignature()
    const delivery = envelope.parse()
    // A key that stands twice or is escaped can name another repository than the one whose secrets were used.
    if (delivery.repo?.toLowerCase() !== repo?.toLowerCase()) throw invalidSignature()
    if (secrets.active.length === 0 && secrets.inactive.length > 0) return { status: 'ignored' }
    return { status: 'admitted', delivery, isChecked }
  }

  function acceptedSecrets({ active, inactive }: WebhookSecrets): readonly string[] {
    if (active.length > 0) return active
    if (inactive.length > 0) return inactive
    return options.fallbackSecret === null ? [] : [options.fallbackSecret]
  }
}

/** Whether the header holds the HMAC-SHA256 of the body under one of the secrets. */
function isSigned(header: string | null, rawBody: Buffer, secrets: readonly string[]): boolean {
  const digits = /^sha256=([0-9a-fA-F]{64})$/.exec(header ?? '')?.[1]
  if (digits === undefined) return false
  const given = Buffer.from(digits, 'hex')
  return secrets.some((secret) =>
    timingSafeEqual(given, createHmac('sha256', secret).update(rawBody).digest()),
  )
}

function invalidSignature(): RequestError {
  return new RequestError('access_denied', 'Invalid webhook signature')
}

/** Throws RequestError for what nobody signed and a platform would not send: no web page must reach a receiver by itself. */
function assertAcceptableUnsigned({ headers, rawBody }: ReceivedRequest): void {
  if (headers.origin !== undefined || headers['sec-fetch-site'] !== undefined) {
    throw new RequestError('access_denied', 'Unsigned deliveries from a web page are refused')
  }
  if (rawBody.length > uncheckedBodyLimit) {
    throw new RequestError(
      'too_large',
      `An unsigned delivery must not be larger than ${uncheckedBodyLimit} bytes`,
    )
  }
}

/** What a delivery was answered, in one of the words that the metrics have for it. */
function answerLabelOf(status: number, answer: unknown): LabelValue<'deliveries', 'answer'> {
  return answerLabels[status === 200 ? (answer as { status: string }).status : status] ?? 'error'
}

const answerLabels: Readonly<Record<string, LabelValue<'deliveries', 'answer'>>> = {
  received: 'received',
  duplicate_skipped: 'duplicate',
  ignored: 'ignored',
  400: 'malformed',
  403: 'refused',
  413: 'too_large',
  503: 'unavailable',
}
