// Faults that tests inject into requests.
import type { ForgeResponse } from './http.ts'
import type { ForgeState, SeenRequest } from './state.ts'

/** Stops requests until they are released. */
export interface Hold {
  readonly kind: 'hold'
  /** Whether the request is carried out before it is held, so that only its answer waits. */
  readonly applied: boolean
  /** The first held request, resolved when it arrived (and was applied, if requested). */
  readonly arrived: Promise<SeenRequest>
  /** Releases all held requests or drops their connections. Later ones pass without being held. */
  release(how?: 'continue' | 'drop'): void
}

export type FaultAction =
  | { readonly kind: 'answer'; readonly response: ForgeResponse }
  | { readonly kind: 'drop'; readonly applied: boolean }
  | { readonly kind: 'truncate' }
  | { readonly kind: 'cut' }
  | { readonly kind: 'slow'; readonly milliseconds: number }
  | Hold

export interface FaultRule {
  readonly match: (request: SeenRequest) => boolean
  /** The number of requests that are affected; all by default. */
  times?: number
  readonly action: FaultAction
}

/** Answers with this without doing anything. A body that isn't a string is sent as JSON. */
export function replyWith(
  status: number,
  body: unknown = '',
  headers: Record<string, string> = {},
): FaultAction {
  const text = typeof body === 'string'
  const type = text ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8'
  const response = {
    status,
    headers: { 'content-type': type, ...headers },
    body: text ? body : JSON.stringify(body),
  }
  return { kind: 'answer', response }
}

/** Closes the connection before anything is done. */
export const drop = (): FaultAction => ({ kind: 'drop', applied: false })

/** Carries the request out and closes the connection without an answer. */
export const applyThenDrop = (): FaultAction => ({ kind: 'drop', applied: true })

/** Carries the request out and answers with the first half of the body as a complete one. */
export const truncateBody = (): FaultAction => ({ kind: 'truncate' })

/** Carries the request out, sends half of the announced body, and closes the connection. */
export const closeMidBody = (): FaultAction => ({ kind: 'cut' })

/** Answers with an HTML page where JSON is expected. */
export const htmlPage = (status = 200): FaultAction =>
  replyWith(status, '<!DOCTYPE html><html><body><h1>Whoa there!</h1></body></html>', {
    'content-type': 'text/html; charset=utf-8',
  })

/** Delays the request, for callers with a deadline. */
export const delayRequest = (milliseconds: number): FaultAction => ({ kind: 'slow', milliseconds })

const releases = new WeakMap<Hold, Promise<'continue' | 'drop'>>()
const arrivals = new WeakMap<Hold, (request: SeenRequest) => void>()

/** Holds requests until `release`. */
export function hold(options: { applied?: boolean } = {}): Hold {
  const arrival = Promise.withResolvers<SeenRequest>()
  const end = Promise.withResolvers<'continue' | 'drop'>()
  const made: Hold = {
    kind: 'hold',
    applied: options.applied ?? false,
    arrived: arrival.promise,
    release: (how = 'continue') => end.resolve(how),
  }
  releases.set(made, end.promise)
  arrivals.set(made, arrival.resolve)
  return made
}

/** Returns the first rule that matches the request, and counts the match. */
export function matchFault(state: ForgeState, request: SeenRequest): FaultAction | null {
  const rule = state.faults.find(
    (candidate) => (candidate.times ?? 1) > 0 && candidate.match(request),
  )
  if (rule === undefined) return null
  if (rule.times !== undefined) rule.times -= 1
  return rule.action
}

/** What is sent: an answer, half of one, or nothing before the connection is closed. */
export type Outcome = { readonly response: ForgeResponse; readonly cut: boolean } | 'drop'

/** Carries a request out under a fault. */
export async function runWithFault(
  state: ForgeState,
  fault: FaultAction | null,
  request: SeenRequest,
  run: () => Promise<ForgeResponse>,
): Promise<Outcome> {
  const uncut = (response: ForgeResponse): Outcome => ({ response, cut: false })
  if (fault === null) return uncut(await run())
  switch (fault.kind) {
    case 'answer':
      return uncut(fault.response)
    case 'drop':
      if (fault.applied) await run()
      return 'drop'
    case 'truncate': {
      const response = await run()
      const body = Buffer.from(response.body)
      return uncut({ ...response, body: body.subarray(0, Math.floor(body.length / 2)) })
    }
    case 'cut':
      return { response: await run(), cut: true }
    case 'slow':
      await pause(state, fault.milliseconds)
      return uncut(await run())
    case 'hold': {
      const done = fault.applied ? await run() : null
      arrivals.get(fault)!(request)
      const how = await Promise.race([releases.get(fault)!, stopped(state)])
      return how === 'drop' ? 'drop' : uncut(done ?? (await run()))
    }
  }
}

function pause(state: ForgeState, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    state.stop.signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

function stopped(state: ForgeState): Promise<'drop'> {
  return new Promise((resolve) => {
    if (state.stop.signal.aborted) resolve('drop')
    state.stop.signal.addEventListener('abort', () => resolve('drop'), { once: true })
  })
}
