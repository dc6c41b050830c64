// How often a caller may ask: a number of requests a minute, counted in this process.
import type { FastifyRequest, onRequestHookHandler, RouteOptions } from 'fastify'
import type { Config } from '../config/config.ts'
import { RequestError } from '../domain/errors.ts'
import { createFairSemaphore } from '../lib/semaphore.ts'
import type { Authenticate } from './authenticate.ts'
import type { Server } from './server.ts'

/** Callers that are remembered; the one that was silent longest is forgotten first. */
const maxTrackedCallers = 20_000
/** Sign-ins that ask the platform at a time: the calls of reviews keep most places there. */
const maxConcurrentSignIns = 8

type Limits = Pick<Config['http'], 'rateLimitPerMinute' | 'signInsPerMinute'>

/** What sign-ins are limited by beside the address, of which the routes know nothing. */
export interface SignInLimits {
  /** Does what asks the platform who somebody is. Addresses take turns, so that nobody's guesses keep others out. */
  runQueued<T>(request: FastifyRequest, work: () => Promise<T>): Promise<T>
  /** Counts a sign-in of an account that the platform named. Throws RequestError `too_many`. */
  countSignIn(request: FastifyRequest, accountId: string): Promise<void>
}

/** Whether a route counts; the platform's deliveries don't. */
export function isRateLimited(url: string): boolean {
  return /^\/(api\/v1|auth)\//.test(url) && url !== '/api/v1/webhooks/host'
}

/**
 * Limits the routes that are added after this. A caller is the credential that a valid signature names (the database
 * isn't asked before the limit is), so that one that was revoked takes nothing from its owner; else an address.
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
  const limit = server.rateLimit() as onRequestHookHandler
  const limitSignIns = createSignInLimit(server, limits.signInsPerMinute, addressOf)
  const accounts = new WeakMap<FastifyRequest, string>()
  const limitAccount = createSignInLimit(
    server,
    limits.signInsPerMinute,
    (request) => `account ${accounts.get(request)}`,
  )
  const turns = createFairSemaphore(maxConcurrentSignIns)
  server.addHook('onRoute', (route) => {
    if (!isRateLimited(route.url)) return
    // First of all: what comes after it costs more.
    route.onRequest = [limit, ...[route.onRequest ?? []].flat()]
    // What isn't even a token goes no further than here, and doesn't count.
    if (isSignIn(route)) route.preHandler = [limitSignIns, ...[route.preHandler ?? []].flat()]
  })
  return {
    async runQueued(request, work) {
      const release = await turns.acquire(addressOf(request))
      return work().finally(release)
    },
    countSignIn(request, accountId) {
      accounts.set(request, accountId)
      return limitAccount(request)
    },
  }
}

/** Each asks the platform, whoever sends it. There is no limit for all together: strangers could keep everybody out by it. */
function createSignInLimit(
  server: Server,
  max: number,
  keyGenerator: (request: FastifyRequest) => string,
) {
  const count = server.createRateLimit({ max, keyGenerator })
  return async (request: FastifyRequest) => {
    const counted = await count(request)
    if (!counted.isAllowed && counted.isExceeded)
      throw rateLimitError('sign-ins', counted.max, counted.ttl)
  }
}

function isSignIn({ method, url }: RouteOptions): boolean {
  return method === 'POST' && url === '/auth/login'
}

function rateLimitError(what: string, max: number, retryAfterMs: number): RequestError {
  return new RequestError('too_many', `More than ${max} ${what} in a minute`, { retryAfterMs })
}
