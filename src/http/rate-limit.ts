// How often a caller may ask: a number of requests a minute, counted in this process.
import type { onRequestHookHandler } from 'fastify'
import { RequestError } from '../domain/errors.ts'
import type { Authenticate } from './authenticate.ts'
import type { Server } from './server.ts'

/** Callers that are remembered; the one that was silent longest is forgotten first. */
const rememberedCallers = 20_000

/** Whether a route counts; the platform's deliveries don't. */
export function isRateLimited(url: string): boolean {
  return /^\/(api\/v1|auth)\//.test(url) && url !== '/api/v1/webhooks/host'
}

/**
 * Limits the routes that are added after this. A caller is the user whom a valid signature names (the database isn't
 * asked before the limit is), else an address.
 */
export async function addRateLimit(server: Server, authenticate: Authenticate, perMinute: number): Promise<void> {
  const { default: rateLimit, normalizeIP } = await import('@fastify/rate-limit')
  await server.register(rateLimit, {
    global: false,
    max: perMinute,
    timeWindow: 60_000,
    cache: rememberedCallers,
    keyGenerator: async (request) => {
      const userId = await authenticate.readUserId(request)
      return userId === null ? `address ${normalizeIP(request.ip)}` : `user ${userId}`
    },
    errorResponseBuilder: (_request, { ttl }) =>
      new RequestError('too_many', `More than ${perMinute} requests in a minute`, { retryAfterMs: ttl }),
  })
  const limit = server.rateLimit() as onRequestHookHandler
  server.addHook('onRoute', (route) => {
    if (!isRateLimited(route.url)) return
    // First of all: what comes after it costs more.
    route.onRequest = [limit, ...[route.onRequest ?? []].flat()]
  })
}
