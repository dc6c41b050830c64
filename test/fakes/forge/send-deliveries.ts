// Sends deliveries, with the failures that tests ask for, and records each attempt.
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { decideFate } from './delivery-faults.ts'
import type { Hook, Repository } from './entities.ts'
import {
  announceChange,
  type Delivery,
  type DeliveryAttempt,
  type ForgeState,
  fullName,
  nextId,
  now,
} from './state.ts'

/** A webhook request that a dialect made. */
export interface NewDelivery {
  readonly guid: string
  readonly hook: Pick<Hook, 'id' | 'url'>
  readonly event: string
  /** The payload's own `action` unless given. */
  readonly action?: string | null
  readonly payload: Readonly<Record<string, unknown>>
  readonly repository: Repository | null
  readonly installationId: number | null
  readonly headers: Readonly<Record<string, string>>
  /** Makes the headers of a further attempt, where they aren't the first one's. */
  readonly renewHeaders?: () => Readonly<Record<string, string>>
  readonly body: string
}

/** By delivery, for those whose headers are new in each attempt. */
const renewals = new WeakMap<Delivery, () => Readonly<Record<string, string>>>()

/** Records a delivery and sends it without waiting for its answer. */
export function startDelivery(state: ForgeState, input: NewDelivery): void {
  const { body, event, guid, headers, hook, installationId, payload, repository } = input
  const attempts: DeliveryAttempt[] = []
  const delivery: Delivery = {
    id: nextId(state),
    guid,
    hookId: hook.id,
    repo: repository === null ? null : fullName(repository),
    repositoryId: repository?.id ?? null,
    installationId,
    event,
    action: input.action ?? (typeof payload.action === 'string' ? payload.action : null),
    request: { url: hook.url, headers, body },
    payload,
    attempts,
    get status() {
      return attempts.at(-1)?.status ?? null
    },
  }
  if (input.renewHeaders !== undefined) renewals.set(delivery, input.renewHeaders)
  state.deliveries.push(delivery)
  announceChange(state)
  dispatch(state, delivery)
}

/** Sends a new delivery without waiting for its answer: once and at once, unless tests ask else. */
function dispatch(state: ForgeState, delivery: Delivery): void {
  const faults = state.deliveryFaults
  if (faults === null) {
    void send(state, delivery)
    return
  }
  const fate = decideFate(faults, delivery)
  const waiting = faults.overtaken.filter(({ repo }) => repo === delivery.repo)
  faults.overtaken = faults.overtaken.filter((other) => !waiting.includes(other))
  if (fate === 'delay') faults.late.push(delivery)
  if (fate === 'reorder') faults.overtaken.push(delivery)
  if (fate === 'drop') record(state, delivery, failedAttempt(state, delivery, 'timed out'))
  const sent = fate === 'send' || fate === 'double' ? send(state, delivery) : Promise.resolve()
  if (fate === 'double') void send(state, delivery)
  void sent.then(() => Promise.all(waiting.map((other) => send(state, other))))
}

/** Sends what is late, one after the other, in an order by chance. */
export async function releaseLate(state: ForgeState): Promise<void> {
  const faults = state.deliveryFaults
  if (faults === null) return
  const all = [...faults.late.splice(0), ...faults.overtaken.splice(0)]
  const shuffled = all
    .map((delivery) => ({ delivery, place: faults.random() }))
    .sort((one, other) => one.place - other.place)
  for (const { delivery } of shuffled) await send(state, delivery)
}

/** Redelivers with the same id, headers and body. Returns the attempt when it has ended. */
export async function redeliver(state: ForgeState, id: number | string): Promise<DeliveryAttempt> {
  const delivery = state.deliveries.find(
    (candidate) =>
      candidate.guid === id ||
      candidate.id === id ||
      candidate.attempts.some((one) => one.id === id),
  )
  if (delivery === undefined) throw new Error(`The forge made no delivery ${id}.`)
  return await send(state, delivery)
}

async function send(state: ForgeState, delivery: Delivery): Promise<DeliveryAttempt> {
  const startedAt = now(state)
  try {
    const answer = await post(state, delivery)
    return record(state, delivery, {
      ...failedAttempt(state, delivery, null),
      startedAt,
      ...answer,
    })
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    return record(state, delivery, { ...failedAttempt(state, delivery, problem), startedAt })
  }
}

function failedAttempt(
  state: ForgeState,
  delivery: Delivery,
  error: string | null,
): DeliveryAttempt {
  const id = delivery.attempts.length === 0 ? delivery.id : nextId(state)
  return { id, startedAt: now(state), status: 0, responseHeaders: {}, responseBody: '', error }
}

function record(state: ForgeState, delivery: Delivery, attempt: DeliveryAttempt): DeliveryAttempt {
  delivery.attempts.push(attempt)
  announceChange(state)
  return attempt
}

function post(
  state: ForgeState,
  delivery: Delivery,
): Promise<Omit<DeliveryAttempt, 'id' | 'startedAt' | 'error'>> {
  const { url, body } = delivery.request
  const renew = delivery.attempts.length === 0 ? undefined : renewals.get(delivery)
  const headers = renew?.() ?? delivery.request.headers
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
