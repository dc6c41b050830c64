// Who makes a request: the bearer token or the cookie, as each endpoint asks for, and never one in place of the other.
import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import type { Claims, CredentialPlace, Credentials } from '../accounts/credentials.ts'
import { type Caller, findCaller } from '../accounts/tokens.ts'
import type { Db } from '../db/database.ts'
import { RequestError } from '../domain/errors.ts'
import type { Server } from './server.ts'

/** The cookie that holds the session's JWT. */
export const sessionCookie = 'access_token'

/** `onRequest` hooks for routes. Each sets the request's caller, or answers 401 (403 for a cross-site write). */
export interface Authenticate {
  /** `Authorization: Bearer …`. 401 `Unauthorized`. */
  readonly bearer: onRequestAsyncHookHandler
  /** The cookie. 401 `Not authenticated`. */
  readonly cookie: onRequestAsyncHookHandler
  /** The bearer token where the header is there, else the cookie. */
  readonly either: onRequestAsyncHookHandler
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null until one of the `Authenticate` hooks ran. */
    caller: Caller | null
  }
}

/** Makes the hooks. `publicUrl` is where people reach the service. */
export function createAuthenticate(
  server: Server,
  options: { db: Db; credentials: Credentials; publicUrl: string },
): Authenticate {
  server.decorateRequest('caller', null)
  const publicOrigin = new URL(options.publicUrl).origin

  async function identify(request: FastifyRequest, place: CredentialPlace, jwt: string | undefined): Promise<boolean> {
    const claims: Claims | null = jwt === undefined ? null : await options.credentials.verify(place, jwt)
    request.caller = claims === null ? null : ((await findCaller(options.db, claims)) ?? null)
    return request.caller !== null
  }

  async function bearer(request: FastifyRequest): Promise<void> {
    if (!(await identify(request, 'bearer', readBearer(request)))) {
      throw new RequestError('not_authenticated', 'Unauthorized')
    }
  }

  async function cookie(request: FastifyRequest): Promise<void> {
    if (!(await identify(request, 'cookie', request.cookies[sessionCookie]))) {
      throw new RequestError('not_authenticated', 'Not authenticated')
    }
    if (request.method !== 'GET') refuseCrossSite(request, publicOrigin)
  }

  return {
    bearer,
    cookie,
    either: (request) => (request.headers.authorization === undefined ? cookie(request) : bearer(request)),
  }
}

/** The caller of a route that has one of the `Authenticate` hooks. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new RequestError('not_authenticated', 'Not authenticated')
  return request.caller
}

/**
 * Refuses what another site made a browser send. A client that says nothing of where it comes from is no browser, or
 * sends what can't change anything.
 *
 * @param publicOrigin where people reach us; the address that the request itself names is fine too
 */
export function refuseCrossSite(request: FastifyRequest, publicOrigin: string): void {
  const { origin, host } = request.headers
  const isOwn = origin === undefined || origin === publicOrigin || URL.parse(origin)?.host === host
  if (isOwn && request.headers['sec-fetch-site'] !== 'cross-site') return
  throw new RequestError('access_denied', 'Cross-site request refused')
}

function readBearer({ headers }: FastifyRequest): string | undefined {
  return /^bearer +([\w.-]+)$/i.exec(headers.authorization ?? '')?.[1]
}
