// Checks whether it is Umpire that answers under the public address, and that deliveries are signed.
import type { Config } from '../../config/config.ts'
import { type Observation, ok, problem, unreachable, warning } from './check.ts'

/** Longest answer that is read. */
const maxBytes = 10_000
/** A name, a route or a certificate that is wrong: waiting doesn't mend it. */
const permanentErrors = /^(ENOTFOUND|ERR_TLS_|CERT_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_)/
/** Answers of a proxy that found nobody behind it. */
const proxyStatuses = [502, 503, 504]
const start = 'Start it with umpire serve, and see that what stands before it passes requests on.'

/** Asks from here, as the platform would from there. */
export async function checkService(publicUrl: string, signal: AbortSignal): Promise<Observation> {
  const health = await ask(`${publicUrl}/healthz`, signal)
  if ('fault' in health) return explainSilence(publicUrl, health.fault)
  if (proxyStatuses.includes(health.status)) {
    return unreachable(
      `At ${publicUrl} a proxy answers (status ${health.status}), but Umpire behind it doesn't.`,
      start,
    )
  }
  if (health.status >= 300 && health.status < 400) {
    const remedy = 'Platforms follow no redirects: set PUBLIC_URL to the address where it ends.'
    return problem(`${publicUrl} only redirects elsewhere.`, remedy)
  }
  if (health.status !== 200 || health.body.status !== 'ok') {
    const remedy = 'Set PUBLIC_URL to where Umpire is, or choose a free port with PORT.'
    return problem(
      `At ${publicUrl} something answers that isn't Umpire (status ${health.status}).`,
      remedy,
    )
  }
  return checkReceiver(`${publicUrl}/api/v1/webhooks/host`, signal)
}

/** It takes POST alone, and says so. */
async function checkReceiver(address: string, signal: AbortSignal): Promise<Observation> {
  const answer = await ask(address, signal)
  if ('fault' in answer) return explainSilence(address, answer.fault)
  if (answer.status === 405 && answer.body.detail === 'Method not allowed')
    return ok(`Umpire answers at ${address}.`)
  const remedy = 'Have what stands before it pass all paths on.'
  return problem(`Deliveries to ${address} don't reach Umpire (status ${answer.status}).`, remedy)
}

function explainSilence(address: string, fault: string): Observation {
  if (fault === 'ECONNREFUSED') return unreachable(`Nothing listens at ${address}.`, start)
  const message = `${address} can't be reached from here (${fault}).`
  return permanentErrors.test(fault)
    ? problem(message, 'Mend the name or the certificate.')
    : unreachable(message, start)
}

type Asked =
  | { readonly status: number; readonly body: Readonly<Record<string, unknown>> }
  | { readonly fault: string }

async function ask(address: string, signal: AbortSignal): Promise<Asked> {
  try {
    const response = await fetch(address, { redirect: 'manual', signal })
    return { status: response.status, body: toRecord(await readStart(response)) }
  } catch (error) {
    signal.throwIfAborted()
    const { cause } = error as { cause?: { code?: unknown } }
    return { fault: typeof cause?.code === 'string' ? cause.code : 'the connection failed' }
  }
}

async function readStart(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk)
    length += chunk.byteLength
    if (length > maxBytes) break
  }
  return Buffer.concat(chunks).toString('utf8')
}

function toRecord(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** Whether deliveries of repositories that nobody connected have to be signed. */
export function checkWebhookSecret({
  environment,
  fallback,
}: Pick<Config, 'environment' | 'fallback'>): Observation {
  if (environment !== 'production') {
    const message = `Signatures of deliveries are not enforced: APP_ENV is ${environment}.`
    return warning(message, 'Set APP_ENV to production where others can reach it.')
  }
  if (fallback.webhookSecret !== null) return ok('Deliveries have to be signed.')
  return warning(
    'Deliveries of repositories that nobody connected are accepted unsigned.',
    'Set WEBHOOK_SECRET, and the same in the webhooks that you made yourself.',
  )
}
