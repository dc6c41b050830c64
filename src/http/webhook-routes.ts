// Receives webhook deliveries, and checks their signature before parsing them.
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { deliveryPath } from '../contract/addresses.ts'
import * as contract from '../contract/webhook-endpoints.ts'
import { RequestError, UmpireError } from '../domain/errors.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import type { LabelValue, Metrics } from '../metrics/metrics.ts'
import type { Delivery, Platform, UnverifiedDelivery } from '../platforms/platform.ts'
import type { Admission, DeliveryIntake, DeliverySecrets } from '../workflows/accept-delivery.ts'
import type { DeliveryLedger } from '../workflows/delivery-ledger.ts'
import { createAddRoute } from './add-route.ts'
import type { Server } from './server.ts'

/** GitHub sends deliveries of at most this size in bytes. */
const bodyLimit = 25 * 1024 * 1024
/** Bytes of a delivery without a signature check. Real payloads rarely exceed 100 KB. */
const uncheckedBodyLimit = 1024 * 1024

const appLevelReason =
  'App-level events are not supported: only webhooks of single repositories are'
const ignoredReasons = {
  disconnected: 'The repository is disconnected',
  irrelevant: 'This delivery requests nothing',
}

interface ReceivedRequest {
  readonly headers: IncomingHttpHeaders
  readonly rawBody: Buffer
  readonly envelope: UnverifiedDelivery
  /** The unverified body names this repository. */
  readonly repo: RepositoryName | null
  /** Whether it was sent to the App, whose deliveries are always signed. */
  readonly isForApp: boolean
}

/** Adds the routes at which one code host delivers. */
export async function addWebhookRoutes(
  server: Server,
  options: {
    platform: Platform
    /** The id in the path; null for the first host, whose App has a path of its own. */
    name: string | null
    intake: DeliveryIntake
    ledger: DeliveryLedger
    /** Signatures of webhooks of repositories are enforced in production only. */
    enforceSignatures: boolean
    /** Of repositories that nobody connected. */
    fallbackSecrets: readonly string[]
    metrics: Metrics
  },
): Promise<void> {
  await server.register(async (scope) => {
    // The signature covers the bytes of the body, so they must not be parsed.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) =>
      done(null, body),
    )
    scope.addHook('onError', (_request, _reply, { code }, done) => {
      // Its body wasn't read, so nothing is known of it.
      if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
        options.ledger.note({ reason: 'too_large', repo: null, verified: null })
      done()
    })
    scope.addHook('onClose', () => options.ledger.flush())
    scope.addHook('preSerialization', (_request, reply, answer, done) => {
      options.metrics.deliveries.inc({ answer: answerLabelOf(reply.statusCode, answer) })
      options.metrics.deliveryDuration.observe({}, reply.elapsedTime / 1000)
      done(null, answer)
    })
    const addRoute = createAddRoute(scope)
    const limits = { bodyLimit, config: { quiet: true } }
    addRoute(
      { ...contract.receiveDelivery, path: deliveryPath(options.name) },
      async (request) => {
        const received = readRequest(request, false)
        const { isAppLevel } = received.envelope
        if (!isAppLevel) return receive(received)
        // The secret of the App verifies what the header says.
        if (options.name !== null) return receive({ ...received, isForApp: true })
        options.ledger.note({ reason: 'app_level', repo: null, verified: null })
        return { status: 'ignored' as const, reason: appLevelReason }
      },
      limits,
    )
    if (options.name !== null) return
    addRoute(contract.receiveAppDelivery, (request) => receive(readRequest(request, true)), limits)
  })

  function readRequest({ headers, body }: FastifyRequest, isForApp: boolean): ReceivedRequest {
    const rawBody = Buffer.isBuffer(body) ? body : Buffer.alloc(0)
    const envelope = options.platform.readUnverifiedDelivery(headers, rawBody)
    return { headers, rawBody, envelope, isForApp, repo: envelope.findRepository() }
  }

  async function receive(request: ReceivedRequest) {
    const acceptance = await options.intake.accept(request, (secrets) => admit(request, secrets))
    switch (acceptance.status) {
      case 'ignored':
        return { status: 'ignored' as const, reason: ignoredReasons[acceptance.reason] }
      case 'duplicate_skipped':
        return { status: 'duplicate_skipped' as const }
      case 'received':
        return {
          status: 'received' as const,
          eventId: acceptance.eventId,
          eventType: acceptance.eventType,
        }
    }
  }

  function admit(request: ReceivedRequest, secrets: DeliverySecrets): Admission {
    const { envelope, repo, isForApp } = request
    const accepted = acceptedSecrets(secrets, isForApp)
    // A valid signature also counts where signatures aren't enforced.
    const isChecked = envelope.isSentWith(accepted)
    const refusal = isChecked ? null : refuseUnverified(request, accepted)
    if (refusal !== null) return refusal
    const delivery = parse(envelope)
    if ('status' in delivery) return delivery
    // A duplicate or escaped key can make this name differ from the one that chose the secret.
    if (delivery.repo?.toLowerCase() !== repo?.toLowerCase()) return invalidSignature()
    if (secrets.active.length === 0 && secrets.inactive.length > 0)
      return { status: 'ignored', reason: 'disconnected', delivery, isChecked }
    return { status: 'admitted', delivery, isChecked }
  }

  function refuseUnverified(request: ReceivedRequest, accepted: readonly string[]): Refusal | null {
    const isRequired = request.isForApp || (options.enforceSignatures && accepted.length > 0)
    return isRequired ? invalidSignature() : refuseUnsigned(request)
  }

  function acceptedSecrets(
    { active, inactive, app }: DeliverySecrets,
    isForApp: boolean,
  ): readonly string[] {
    if (isForApp) return app
    if (active.length > 0) return active
    if (inactive.length > 0) return inactive
    return options.fallbackSecrets
  }
}

type Refusal = Extract<Admission, { status: 'refused' }>

function refuse(reason: Refusal['reason'], error: Error): Refusal {
  return { status: 'refused', reason, error }
}

function invalidSignature(): Refusal {
  const error = new RequestError('access_denied', 'Invalid webhook signature')
  return refuse('invalid_signature', error)
}

function parse(envelope: UnverifiedDelivery): Delivery | Refusal {
  try {
    return envelope.parse()
  } catch (error) {
    if (error instanceof UmpireError) return refuse('malformed', error)
    throw error
  }
}

/** Refuses unsigned deliveries that a web page could send from a browser, and large ones. */
function refuseUnsigned({ headers, rawBody }: ReceivedRequest): Refusal | null {
  if (headers.origin !== undefined || headers['sec-fetch-site'] !== undefined) {
    const message = 'Unsigned deliveries from a web page are refused'
    return refuse('from_web_page', new RequestError('access_denied', message))
  }
  if (rawBody.length <= uncheckedBodyLimit) return null
  const message = `An unsigned delivery must not be larger than ${uncheckedBodyLimit} bytes`
  return refuse('too_large', new RequestError('too_large', message))
}

function answerLabelOf(status: number, answer: unknown): LabelValue<'deliveries', 'answer'> {
  const key = status === 200 ? (answer as { status: string }).status : status
  return labelByAnswer[key] ?? 'error'
}

const labelByAnswer: Readonly<Record<string, LabelValue<'deliveries', 'answer'>>> = {
  received: 'received',
  duplicate_skipped: 'duplicate',
  ignored: 'ignored',
  400: 'malformed',
  403: 'refused',
  413: 'too_large',
  503: 'unavailable',
}
