// Authenticates requests by the bearer token or the session cookie, as each route requires.
import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import type { Claims, CredentialPlace, Credentials } from '../accounts/credentials.ts'
import { type Caller, findCaller } from '../accounts/tokens.ts'
import type { SignInConfig } from '../accounts/users.ts'
import type { Db } from '../db/database.ts'
import { RequestError } from '../domain/errors.ts'
import type { Server } from './server.ts'

/** The cookie that holds the JWT of the session. */
export const sessionCookie = 'access_token'

/**
 * `onRequest` hooks for routes. Each sets the caller of the request, or throws a RequestError: 401
 * for a missing or invalid credential, 403 for a cross-site request that writes.
 */
export interface Authenticate {
  /** Requires `Authorization: Bearer …`. The error is `Unauthorized`. */
  readonly bearer: onRequestAsyncHookHandler
  /** Accepts requests without a token, which have no caller. The error is `Unauthorized`. */
  readonly optionalBearer: onRequestAsyncHookHandler
  /** Requires the cookie. The error is `Not authenticated`. */
  readonly cookie: onRequestAsyncHookHandler
  /** Requires the bearer token if there is an `Authorization` header, else the cookie. */
  readonly either: onRequestAsyncHookHandler
  /** Returns the ID in a validly signed credential, without checking in the database. */
  readTokenId(request: FastifyRequest): Promise<string | null>
  /** Checks the credential of an earlier request again. Returns null if it is no longer valid. */
  refreshCaller(request: FastifyRequest): Promise<Caller | null>
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null until one of the `Authenticate` hooks ran. */
    caller: Caller | null
    /** Caches the claims of each credential, so that its signature is verified only once. */
    claims: Partial<Record<CredentialPlace, Promise<Claims | null>>> | null
  }
}

/** Creates the hooks. `publicUrl` is the URL at which people reach the service. */
export function createAuthenticate(
  server: Server,
  options: {
    db: Db
    credentials: Credentials
    publicUrl: string
    config: SignInConfig
  },
): Authenticate {
  server.decorateRequest('caller', null)
  server.decorateRequest('claims', null)
  const publicOrigin = new URL(options.publicUrl).origin

  async function verify(request: FastifyRequest, place: CredentialPlace): Promise<Claims | null> {
    const jwt = place === 'bearer' ? readBearer(request) : request.cookies[sessionCookie]
    return jwt === undefined ? null : await options.credentials.verify(place, jwt)
  }

  function readClaims(request: FastifyRequest, place: CredentialPlace): Promise<Claims | null> {
    request.claims ??= {}
    request.claims[place] ??= verify(request, place)
    return request.claims[place]
  }

  async function identify(claims: Claims | null): Promise<Caller | null> {
    if (claims === null) return null
    return (await findCaller(options.db, claims, options.config)) ?? null
  }

  async function bearer(request: FastifyRequest): Promise<void> {
    request.caller = await identify(await readClaims(request, 'bearer'))
    if (request.caller === null) throw new RequestError('not_authenticated', 'Unauthorized')
  }

  async function cookie(request: FastifyRequest): Promise<void> {
    request.caller = await identify(await readClaims(request, 'cookie'))
    if (request.caller === null) throw new RequestError('not_authenticated', 'Not authenticated')
    if (request.method !== 'GET') refuseCrossSite(request, publicOrigin)
  }

  return {
    bearer,
    async optionalBearer(request) {
      if (request.headers.authorization !== undefined) await bearer(request)
    },
    cookie,
    either(request) {
      return credentialPlaceOf(request) === 'bearer' ? bearer(request) : cookie(request)
    },
    async readTokenId(request) {
      const claims = await readClaims(request, credentialPlaceOf(request))
      return claims?.tokenId ?? null
    },
    async refreshCaller(request) {
      return identify(await verify(request, credentialPlaceOf(request)))
    },
  }
}

/**
 * Refuses requests that another site made a browser send. Browsers send `Origin` or
 * `Sec-Fetch-Site` with every request that writes, so a request without them is accepted.
 *
 * @param publicOrigin origin of the service; the host that the request names is accepted too
 * @throws RequestError `access_denied`
 */
export function refuseCrossSite(request: FastifyRequest, publicOrigin: string): void {
  const { origin, host } = request.headers
  const isOwnOrigin =
    origin === undefined || origin === publicOrigin || URL.parse(origin)?.host === host
  if (isOwnOrigin && request.headers['sec-fetch-site'] !== 'cross-site') return
  throw new RequestError('access_denied', 'Cross-site request refused')
}

function credentialPlaceOf({ headers }: FastifyRequest): CredentialPlace {
  return headers.authorization === undefined ? 'cookie' : 'bearer'
}

function readBearer({ headers }: FastifyRequest): string | undefined {
  return /^bearer +([\w.-]+)$/i.exec(headers.authorization ?? '')?.[1]
}
