// Webhook deliveries: signed, sent once, recorded, redelivered only on request.
import { createHmac, randomUUID } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { shapeHook, shapeRepository, shapeUser } from './shapes.ts'
import {
  announceChange,
  type Delivery,
  type DeliveryAttempt,
  type ForgeState,
  fullName,
  type Hook,
  nextId,
  now,
  type Repository,
  type User,
} from './state.ts'

const zen = 'Say what you mean, once.'

/** Sends an event to all active hooks of the repository for it, without waiting for answers. */
export function deliver(
  state: ForgeState,
  repository: Repository,
  event: string,
  sender: User,
  content: Record<string, unknown>,
): void {
  const payload = {
    ...content,
    repository: shapeRepository(state, repository),
    sender: shapeUser(state, sender),
  }
  for (const hook of repository.hooks) {
    if (!hook.active || !(hook.events.includes(event) || hook.events.includes('*'))) continue
    start(state, repository, hook, event, payload)
  }
}

/** Sends the `ping` of a new hook. */
export function ping(state: ForgeState, repository: Repository, hook: Hook, sender: User): void {
  start(state, repository, hook, 'ping', {
    zen,
    hook_id: hook.id,
    hook: shapeHook(state, repository, hook),
    repository: shapeRepository(state, repository),
    sender: shapeUser(state, sender),
  })
}

function start(
  state: ForgeState,
  repository: Repository,
  hook: Hook,
  event: string,
  payload: Record<string, unknown>,
) {
  const text = JSON.stringify(payload)
  const body =
    hook.contentType === 'json' ? text : new URLSearchParams({ payload: text }).toString()
  const guid = randomUUID()
  const attempts: DeliveryAttempt[] = []
  const delivery: Delivery = {
    id: nextId(state),
    guid,
    hookId: hook.id,
    repo: fullName(repository),
    event,
    action: typeof payload.action === 'string' ? payload.action : null,
    request: { url: hook.url, headers: headersFor(repository, hook, event, guid, body), body },
    payload,
    attempts,
    get status() {
      return attempts.at(-1)?.status ?? null
    },
  }
  state.deliveries.push(delivery)
  announceChange(state)
  void send(state, delivery)
}

function headersFor(repository: Repository, hook: Hook, event: string, guid: string, body: string) {
  const sign = (algorithm: string) =>
    `${algorithm}=${createHmac(algorithm, hook.secret).update(body).digest('hex')}`
  return {
    'User-Agent': 'GitHub-Hookshot/f0e4a7e',
    Accept: '*/*',
    'Content-Type':
      hook.contentType === 'json' ? 'application/json' : 'application/x-www-form-urlencoded',
    'X-GitHub-Event': event,
    'X-GitHub-Delivery': guid,
    'X-GitHub-Hook-ID': String(hook.id),
    'X-GitHub-Hook-Installation-Target-ID': String(repository.id),
    'X-GitHub-Hook-Installation-Target-Type': 'repository',
    ...(hook.secret === ''
      ? {}
      : { 'X-Hub-Signature': sign('sha1'), 'X-Hub-Signature-256': sign('sha256') }),
  }
}

/** Redelivers with the same id, headers and body. Returns the attempt when it has ended. */
export async function redeliver(state: ForgeState, id: number | string): Promise<DeliveryAttempt> {
  const delivery = state.deliveries.find(
    (candidate) => candidate.id === id || candidate.guid === id,
  )
  if (delivery === undefined) throw new Error(`The forge made no delivery ${id}.`)
  return await send(state, delivery)
}

async function send(state: ForgeState, delivery: Delivery): Promise<DeliveryAttempt> {
  const startedAt = now(state)
  let attempt: DeliveryAttempt
  try {
    attempt = { startedAt, error: null, ...(await post(state, delivery)) }
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    attempt = { startedAt, status: 0, responseHeaders: {}, responseBody: '', error: problem }
  }
  delivery.attempts.push(attempt)
  announceChange(state)
  return attempt
}

function post(
  state: ForgeState,
  delivery: Delivery,
): Promise<Omit<DeliveryAttempt, 'startedAt' | 'error'>> {
  const { url, headers, body } = delivery.request
  const signal = AbortSignal.any([
    state.stop.signal,
    AbortSignal.timeout(state.limits.deliveryTimeoutMs),
  ])
  return new Promise((resolve, reject) => {
    const options = {
      method: 'POST',
      headers: { ...headers, 'Content-Length': Buffer.byteLength(body) },
      signal,
    }
    // No agent: each delivery has its own connection, and none outlives the forge.
    const request = (url.startsWith('https:') ? httpsRequest : httpRequest)(url, {
      ...options,
      agent: false,
    })
    request.on('error', reject)
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          responseHeaders: response.headers,
          responseBody: Buffer.concat(chunks).toString('utf8'),
        }),
      )
    })
    request.end(body)
  })
}
