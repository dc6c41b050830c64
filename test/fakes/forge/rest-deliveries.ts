// The deliveries of a hook in the REST API: of a repository's, and of an App's.
import { type ForgeRequest, type ForgeResponse, json, notFound, refuse } from './http.ts'
import { redeliver } from './send-deliveries.ts'
import type { Delivery, DeliveryAttempt, ForgeState } from './state.ts'

/** GitHub lists and repeats the deliveries of three days. */
const keptMs = 3 * 24 * 60 * 60 * 1000

interface Attempt {
  readonly delivery: Delivery
  readonly attempt: DeliveryAttempt
}

/** Each attempt is a delivery of its own at GitHub, with the guid of the first. */
function attemptsOf(state: ForgeState, hookId: number): Attempt[] {
  const oldest = state.clock().getTime() - keptMs
  return state.deliveries
    .filter((delivery) => delivery.hookId === hookId)
    .flatMap((delivery) => delivery.attempts.map((attempt) => ({ delivery, attempt })))
    .filter(({ attempt }) => Date.parse(attempt.startedAt) >= oldest)
    .sort((one, other) => other.attempt.id - one.attempt.id)
}

const succeeded = ({ status }: DeliveryAttempt) => status >= 200 && status < 400

/** Answers one page, newest first, by cursor. */
export function answerDeliveries(
  state: ForgeState,
  request: ForgeRequest,
  address: string,
  hookId: number,
): ForgeResponse {
  const { query } = request
  if (query.has('page')) throw refuse(422, 'The page parameter is not supported; use cursor.')
  const size = Math.min(100, Math.max(1, Number.parseInt(query.get('per_page') ?? '30', 10) || 30))
  const cursor = /^v1_(\d+)$/.exec(query.get('cursor') ?? '')?.[1]
  const wanted = query.get('status')
  const all = attemptsOf(state, hookId).filter(
    ({ attempt }) =>
      (cursor === undefined || attempt.id <= Number(cursor)) &&
      (wanted === null || succeeded(attempt) === (wanted === 'success')),
  )
  const next = all[size]
  const following = new URLSearchParams(query)
  following.set('cursor', `v1_${next?.attempt.id}`)
  const links: Record<string, string> =
    next === undefined ? {} : { link: `<${address}?${following}>; rel="next"` }
  return json(200, all.slice(0, size).map(shapeAttempt), links)
}

function find(state: ForgeState, hookId: number, id: string | undefined): Attempt {
  const found = attemptsOf(state, hookId).find(({ attempt }) => String(attempt.id) === id)
  if (found === undefined) throw notFound()
  return found
}

export function answerDelivery(
  state: ForgeState,
  hookId: number,
  id: string | undefined,
): ForgeResponse {
  const found = find(state, hookId, id)
  const { attempt, delivery } = found
  return json(200, {
    ...shapeAttempt(found),
    url: delivery.request.url,
    request: { headers: delivery.request.headers, payload: delivery.payload },
    response: { headers: attempt.responseHeaders, payload: attempt.responseBody },
  })
}

/** Sends a delivery again, with the same guid and body. */
export function answerRedelivery(
  state: ForgeState,
  hookId: number,
  id: string | undefined,
): ForgeResponse {
  void redeliver(state, find(state, hookId, id).delivery.id)
  return json(202, {})
}

function shapeAttempt({ attempt, delivery }: Attempt): Record<string, unknown> {
  return {
    id: attempt.id,
    guid: delivery.guid,
    delivered_at: attempt.startedAt,
    redelivery: attempt.id !== delivery.id,
    duration: 0.01,
    status: statusText(attempt),
    status_code: attempt.status,
    event: delivery.event,
    action: delivery.action,
    installation_id: delivery.installationId,
    repository_id: delivery.repositoryId,
    throttled_at: null,
  }
}

function statusText(attempt: DeliveryAttempt): string {
  if (attempt.status === 0) return attempt.error ?? 'failed to connect to host'
  return succeeded(attempt) ? 'OK' : `Invalid HTTP Response: ${attempt.status}`
}
