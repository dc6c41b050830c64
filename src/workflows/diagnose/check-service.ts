// Checks that Umpire answers at the public address, and that deliveries are signed.
import type { Config } from '../../context.ts'
import { deliveryPath } from '../../contract/addresses.ts'
import { parseJson } from '../../lib/parse-json.ts'
import { readBytes } from '../../lib/read-bytes.ts'
import { hostVariable } from '../../platforms/code-hosts.ts'
import { type Observation, ok, problem, unreachable, warning } from './check.ts'
import type { Evidence } from './setup.ts'

/** Longer responses aren't ours. */
const maxBytes = 10_000
/** Waiting doesn't fix a wrong name or certificate. */
const permanentErrors = /^(ENOTFOUND|ERR_TLS_|CERT_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_)/
/** A proxy without a backend responds with these. */
const proxyStatuses = [502, 503, 504]
const start = 'Start it with umpire serve, and check that proxies before it forward requests.'

/**
 * Checks the service at the public address, and that it is the one of this installation. The
 * process that uses an embedded database answers on the control socket in DATA_DIR; if none does,
 * another installation answers at the public address. A database server doesn't show that.
 */
export async function checkService(
  { http, platform, database, dataDir }: Config,
  evidence: Pick<Evidence, 'database'>,
  signal: AbortSignal,
): Promise<Observation> {
  const observation = await checkAddress(http.publicUrl, platform.name, signal)
  if (observation.state !== 'ok' || database.engine !== 'embedded') return observation
  const reading = await evidence.database.catch(() => null)
  if (reading === null || reading.answer.heldBy !== null) return observation
  return problem(
    `Another installation of Umpire answers at ${http.publicUrl}: no service uses ${dataDir}.`,
    'Start the service of this installation with umpire serve, and set PORT and PUBLIC_URL to an ' +
      'address of its own. Or set DATA_DIR to that of the service that answers.',
  )
}

/**
 * Sends the requests from this machine, like the platform would from its own.
 *
 * @param host the id of the code host; null for the first one
 */
async function checkAddress(
  publicUrl: string,
  host: string | null,
  signal: AbortSignal,
): Promise<Observation> {
  const health = await request(`${publicUrl}/healthz`, signal)
  if ('errorCode' in health) return explainSilence(publicUrl, health.errorCode)
  if (proxyStatuses.includes(health.status)) {
    return unreachable(
      `A proxy responds at ${publicUrl} (status ${health.status}), but not Umpire behind it.`,
      start,
    )
  }
  if (health.status >= 300 && health.status < 400) {
    const remedy = 'Platforms follow no redirects: set PUBLIC_URL to the target of the redirect.'
    return problem(`${publicUrl} redirects to another address.`, remedy)
  }
  if (health.status !== 200 || health.body.status !== 'ok') {
    const remedy = 'Set PUBLIC_URL to the address of Umpire, or choose a free port with PORT.'
    return problem(
      `Something other than Umpire responds at ${publicUrl} (status ${health.status}).`,
      remedy,
    )
  }
  return checkReceiver(`${publicUrl}${deliveryPath(host)}`, signal)
}

/** The receiver answers GET with status 405. */
async function checkReceiver(address: string, signal: AbortSignal): Promise<Observation> {
  const answer = await request(address, signal)
  if ('errorCode' in answer) return explainSilence(address, answer.errorCode)
  if (answer.status === 405 && answer.body.detail === 'Method not allowed')
    return ok(`Umpire answers at ${address}.`)
  const remedy = 'Let proxies before it forward all paths.'
  return problem(`Deliveries to ${address} don't reach Umpire (status ${answer.status}).`, remedy)
}

function explainSilence(address: string, errorCode: string): Observation {
  if (errorCode === 'ECONNREFUSED') return unreachable(`Nothing listens at ${address}.`, start)
  const message = `${address} can't be reached from here (${errorCode}).`
  return permanentErrors.test(errorCode)
    ? problem(message, 'Fix the name or the certificate.')
    : unreachable(message, start)
}

type ServiceResponse =
  | { readonly status: number; readonly body: Readonly<Record<string, unknown>> }
  | { readonly errorCode: string }

async function request(address: string, signal: AbortSignal): Promise<ServiceResponse> {
  try {
    const response = await fetch(address, { redirect: 'manual', signal })
    const body = await readBytes(response.body, maxBytes)
    return { status: response.status, body: toRecord(parseJson(String(body))) }
  } catch (error) {
    signal.throwIfAborted()
    const { cause } = error as { cause?: { code?: unknown } }
    return { errorCode: typeof cause?.code === 'string' ? cause.code : 'the connection failed' }
  }
}

function toRecord(json: unknown): Readonly<Record<string, unknown>> {
  return typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : {}
}

/** Checks that deliveries of unconnected repositories have to be signed. */
export function checkWebhookSecret({
  environment,
  platform,
  fallback,
}: Pick<Config, 'environment' | 'platform' | 'fallback'>): Observation {
  if (environment !== 'production') {
    const message = `Signatures of deliveries are not enforced: APP_ENV is ${environment}.`
    return warning(message, 'Set APP_ENV to production if others can reach the service.')
  }
  if (fallback.webhookSecret !== null) return ok('Deliveries have to be signed.')
  const variable = hostVariable('WEBHOOK_SECRET', platform)
  return warning(
    'Deliveries of unconnected repositories are accepted unsigned.',
    `Set ${variable} to a long random text. Webhooks that you created yourself need the same one.`,
  )
}
