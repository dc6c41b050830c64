// Who makes a request: the bearer token or the cookie, as each endpoint asks for, and never one in place of the other.
import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import type { Claims, CredentialPlace, Credentials } from '../accounts/credentials.ts'
import { type Caller, findCaller } from '../accounts/tokens.ts'
import type { Config } from '../config/config.ts'
import type { Db } from '../db/database.ts'
import { RequestError } from '../domain/errors.ts'
import type { Server } from './server.ts'

/** The cookie that holds the session's JWT. */
export const sessionCookie = 'access_token'

/** `onRequest` hooks for routes. Each sets the request's caller, or answers 401 (403 for a cross-site write). */
export interface Authenticate {
  /** `Authorization: Bearer …`. 401 `Unauthorized`. */
  readonly bearer: onRequestAsyncHookHandler
  /** The bearer token where there is one; without it there is no caller. 401 `Unauthorized` for one that doesn't count. */
  readonly optionalBearer: onRequestAsyncHookHandler
  /** The cookie. 401 `Not authenticated`. */
  readonly cookie: onRequestAsyncHookHandler
  /** The bearer token where the header is there, else the cookie. */
  readonly either: onRequestAsyncHookHandler
  /** Which credential a valid signature names. The database isn't asked whether it still counts. */
  readTokenId(request: FastifyRequest): Promise<string | null>
  /** Whom the credential of a request that `either` let in names now; null when it counts no more. */
  refreshCaller(request: FastifyRequest): Promise<Caller | null>
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null until one of the `Authenticate` hooks ran. */
    caller: Caller | null
    /** What was checked of the credentials so far. */
    claims: Partial<Record<CredentialPlace, Promise<Claims | null>>> | null
  }
}

/** Makes the hooks. `publicUrl` is where people reach the service. */
export function createAuthenticate(
  server: Server,
  options: {
    db: Db
    credentials: Credentials
    publicUrl: string
    signInAllowed: Config['signInAllowed']
  },
): Authenticate {
  server.decorateRequest('caller', null)
  server.decorateRequest('claims', null)
  const publicOrigin = new URL(options.publicUrl).origin

  async function verify(request: FastifyRequest, place: CredentialPlace): Promise<Claims | null> {
    const jwt = place === 'bearer' ? readBearer(request) : request.cookies[sessionCookie]
    return jwt === undefined ? null : await options.credentials.verify(place, jwt)
  }

  /** A signature is checked once a request. */
  function readClaims(request: FastifyRequest, place: CredentialPlace): Promise<Claims | null> {
    request.claims ??= {}
    request.claims[place] ??= verify(request, place)
    return request.claims[place]
  }

  async function identify(claims: Claims | null): Promise<Caller | null> {
    return claims === null
      ? null
      : ((await findCaller(options.db, claims, options.signInAllowed)) ?? null)
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
    either: (request) =>
      credentialPlaceOf(request) === 'bearer' ? bearer(request) : cookie(request),
    readTokenId: async (request) =>
      (await readClaims(request, credentialPlaceOf(request)))?.tokenId ?? null,
    refreshCaller: async (request) => identify(await verify(request, credentialPlaceOf(request))),
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

function credentialPlaceOf({ headers }: FastifyRequest): CredentialPlace {
  return headers.authorization === undefined ? 'cookie' : 'bearer'
}

function readBearer({ headers }: FastifyRequest): string | undefined {
  return /^bearer +([\w.-]+)$/i.exec(headers.authorization ?? '')?.[1]
}
