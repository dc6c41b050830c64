// How often a caller may ask: a number of requests a minute, counted in this process.
import type { FastifyRequest, onRequestHookHandler, RouteOptions } from 'fastify'
import type { Config } from '../config/config.ts'
import { RequestError } from '../domain/errors.ts'
import type { Authenticate } from './authenticate.ts'
import type { Server } from './server.ts'

/** Callers that are remembered; the one that was silent longest is forgotten first. */
const rememberedCallers = 20_000
/** All addresses together may sign in as often as this many of them. */
const addressesAtTheirLimit = 10

type Limits = Pick<Config['http'], 'rateLimitPerMinute' | 'signInsPerMinute'>

/** Whether a route counts; the platform's deliveries don't. */
export function isRateLimited(url: string): boolean {
  return /^\/(api\/v1|auth)\//.test(url) && url !== '/api/v1/webhooks/host'
}

/**
 * Limits the routes that are added after this. A caller is the credential that a valid signature names (the database
 * isn't asked before the limit is), so that one that was revoked takes nothing from its owner; else an address.
 */
export async function addRateLimit(server: Server, authenticate: Authenticate, limits: Limits): Promise<void> {
  const { default: rateLimit, normalizeIP } = await import('@fastify/rate-limit')
  const addressOf = (request: FastifyRequest) => `address ${normalizeIP(request.ip)}`
  await server.register(rateLimit, {
    global: false,
    max: limits.rateLimitPerMinute,
    timeWindow: 60_000,
    cache: rememberedCallers,
    keyGenerator: async (request) => {
      const tokenId = await authenticate.readTokenId(request)
      return tokenId === null ? addressOf(request) : `token ${tokenId}`
    },
    errorResponseBuilder: (_request, { max, ttl }) => refuse('requests', max, ttl),
  })
  const limit = server.rateLimit() as onRequestHookHandler
  const limitSignIns = createSignInLimit(server, limits.signInsPerMinute, addressOf)
  server.addHook('onRoute', (route) => {
    if (!isRateLimited(route.url)) return
    // First of all: what comes after it costs more.
    route.onRequest = [limit, ...[route.onRequest ?? []].flat()]
    // What isn't even a token goes no further than here, and doesn't count.
    if (isSignIn(route)) route.preHandler = [limitSignIns, ...[route.preHandler ?? []].flat()]
  })
}

/** Each is passed on to the platform, whoever sends it: a limit for an address, and one for all of them. */
function createSignInLimit(server: Server, perAddress: number, addressOf: (request: FastifyRequest) => string) {
  // In this order: what an address has too many of takes nothing from the others.
  const counters = [
    server.createRateLimit({ max: perAddress, keyGenerator: addressOf }),
    server.createRateLimit({ max: perAddress * addressesAtTheirLimit, keyGenerator: () => 'all' }),
  ]
  return async (request: FastifyRequest) => {
    for (const count of counters) {
      const counted = await count(request)
      if (!counted.isAllowed && counted.isExceeded) throw refuse('sign-ins', counted.max, counted.ttl)
    }
  }
}

function isSignIn({ method, url }: RouteOptions): boolean {
  return method === 'POST' && url === '/auth/login'
}

function refuse(what: string, max: number, retryAfterMs: number): RequestError {
  return new RequestError('too_many', `More than ${max} ${what} in a minute`, { retryAfterMs })
}
