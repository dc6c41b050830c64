// Limits the requests and sign-ins of each caller per minute, counted in this process.
import type { FastifyRequest, onRequestHookHandler, RouteOptions } from 'fastify'
import type { Config } from '../context.ts'
import { addresses } from '../contract/addresses.ts'
import { RequestError } from '../domain/errors.ts'
import { createFairSemaphore } from '../lib/semaphore.ts'
import type { Authenticate } from './authenticate.ts'
import type { Server } from './server.ts'

/** Beyond this number, the least recently active caller is evicted. */
const maxTrackedCallers = 20_000
/** Sign-ins query the platform. The limit leaves most of its capacity to reviews. */
const maxConcurrentSignIns = 8

type Limits = Pick<Config['http'], 'rateLimitPerMinute' | 'signInsPerMinute'>

export interface SignInLimits {
  /**
   * Runs a sign-in that queries the platform, once there is capacity. Addresses take turns, so that
   * many attempts from one address don't block other people.
   */
  runQueued<T>(request: FastifyRequest, work: () => Promise<T>): Promise<T>
  /** Counts a sign-in of an account of the platform. Throws RequestError `too_many`. */
  countSignIn(request: FastifyRequest, accountId: string): Promise<void>
}

/** Returns whether requests to a route count. Webhook deliveries don't. */
export function isRateLimited(url: string): boolean {
  return /^\/(api\/v1(?!\/webhooks\/)|auth)\//.test(url)
}

/**
 * Limits the routes that are added after this call. Requests with a validly signed credential are
 * counted by credential, before the database is queried, and all others by address. A revoked
 * credential thus uses up only its own limit.
 */
export async function addRateLimit(
  server: Server,
  authenticate: Authenticate,
  limits: Limits,
): Promise<SignInLimits> {
  const { default: rateLimit, normalizeIP } = await import('@fastify/rate-limit')
  const addressOf = (request: FastifyRequest) => `address ${normalizeIP(request.ip)}`
  await server.register(rateLimit, {
    global: false,
    max: limits.rateLimitPerMinute,
    timeWindow: 60_000,
    cache: maxTrackedCallers,
    keyGenerator: async (request) => {
      const tokenId = await authenticate.readTokenId(request)
      return tokenId === null ? addressOf(request) : `token ${tokenId}`
    },
    errorResponseBuilder: (_request, { max, ttl }) => rateLimitError('requests', max, ttl),
  })
  const limitRequests = server.rateLimit() as onRequestHookHandler
  const limitSignInsByAddress = createSignInLimit(server, limits.signInsPerMinute, addressOf)
  const accountOfRequest = new WeakMap<FastifyRequest, string>()
  const limitSignInsByAccount = createSignInLimit(
    server,
    limits.signInsPerMinute,
    (request) => `account ${accountOfRequest.get(request)}`,
  )
  const signInSemaphore = createFairSemaphore(maxConcurrentSignIns)
  server.addHook('onRoute', (route) => {
    if (!isRateLimited(route.url)) return
    // The limit comes first, because all later hooks cost more.
    route.onRequest = [limitRequests, ...[route.onRequest ?? []].flat()]
    if (isSignIn(route)) {
      // This hook runs after the validation, so that malformed tokens don't count.
      route.preHandler = [limitSignInsByAddress, ...[route.preHandler ?? []].flat()]
    }
  })
  return {
    async runQueued(request, work) {
      const release = await signInSemaphore.acquire(addressOf(request))
      return work().finally(release)
    },
    countSignIn(request, accountId) {
      accountOfRequest.set(request, accountId)
      return limitSignInsByAccount(request)
    },
  }
}

/** There is no limit for all sign-ins together: with one, an attacker could lock everyone out. */
function createSignInLimit(
  server: Server,
  max: number,
  keyGenerator: (request: FastifyRequest) => string,
) {
  const count = server.createRateLimit({ max, keyGenerator })
  return async (request: FastifyRequest) => {
    const result = await count(request)
    if (!result.isAllowed && result.isExceeded) {
      throw rateLimitError('sign-ins', result.max, result.ttl)
    }
  }
}

function isSignIn({ method, url }: RouteOptions): boolean {
  const { signInWithToken } = addresses
  return method === signInWithToken.method && url === signInWithToken.path
}

function rateLimitError(what: string, max: number, retryAfterMs: number): RequestError {
  return new RequestError('too_many', `More than ${max} ${what} in a minute`, { retryAfterMs })
}
