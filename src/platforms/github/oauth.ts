// Sign-in: OAuth 2.0 authorization code (RFC 6749) with PKCE (RFC 7636).
import { z } from 'zod'
import { PlatformError } from '../../domain/errors.ts'
import type { Connection } from '../http/connection.ts'
import { sendForJson } from '../http/request.ts'
import { sanitizeMessage } from '../http/response-error.ts'
import type { OAuthApplication, OAuthGrant } from '../platform.ts'

/** Connecting a repository and reviewing it need this scope. GitHub ignores scopes of Apps. */
const scope = 'repo'

/** GitHub sends errors with status 200 too. */
const tokenResponse = z.union([
  z.object({
    access_token: z.string().min(1),
    scope: z.string().catch(''),
    refresh_token: z.string().min(1).nullable().catch(null),
    expires_in: z.int().positive().nullable().catch(null),
  }),
  z.object({ error: z.string(), error_description: z.string().optional() }),
])

/** Builds the address of the page that asks the person to authorize the application. */
export function buildAuthorizeUrl(
  connection: Connection,
  { clientId }: Pick<OAuthApplication, 'clientId'>,
  input: { redirectUri: string; state: string; codeChallenge: string },
): string {
  const url = new URL(`${connection.webUrl}/login/oauth/authorize`)
  url.search = new URLSearchParams({
    client_id: clientId,
    redirect_uri: input.redirectUri,
    scope,
    state: input.state,
    code_challenge: input.codeChallenge,
    code_challenge_method: 'S256',
  }).toString()
  return url.href
}

/** @throws PlatformError `platform_unauthorized` when code, verifier or application is rejected */
export async function exchangeCode(
  connection: Connection,
  application: OAuthApplication,
  input: { code: string; redirectUri: string; codeVerifier: string },
  signal?: AbortSignal,
): Promise<OAuthGrant> {
  const { code, redirectUri, codeVerifier } = input
  const grant = { code, redirect_uri: redirectUri, code_verifier: codeVerifier }
  return requestGrant(connection, application, grant, signal)
}

/** @throws PlatformError `platform_unauthorized` for a refresh token that isn't valid any more */
export function renewGrant(
  connection: Connection,
  application: OAuthApplication,
  refreshToken: string,
  signal?: AbortSignal,
): Promise<OAuthGrant> {
  const grant = { grant_type: 'refresh_token', refresh_token: refreshToken }
  return requestGrant(connection, application, grant, signal)
}

async function requestGrant(
  connection: Connection,
  application: OAuthApplication,
  grant: Readonly<Record<string, string>>,
  signal: AbortSignal | undefined,
): Promise<OAuthGrant> {
  const answer = await requestToken(connection, application, grant, signal)
  if ('error' in answer) {
    const message = sanitizeMessage(
      answer.error_description ?? answer.error,
      application.clientSecret,
    )
    throw new PlatformError('platform_unauthorized', message, { status: 200 })
  }
  const { expires_in: seconds } = answer
  return {
    token: answer.access_token,
    scopes: answer.scope.split(/[\s,]+/).filter((scope) => scope !== ''),
    refreshToken: answer.refresh_token,
    expiresAt: seconds === null ? null : new Date(Date.now() + seconds * 1000),
  }
}

/** Sends an invalid code: GitHub checks the application's credentials before it checks the code. */
export async function acceptsOAuthApp(
  connection: Connection,
  application: OAuthApplication,
  signal?: AbortSignal,
): Promise<boolean> {
  try {
    const answer = await requestToken(connection, application, { code: 'not-a-code' }, signal)
    return !('error' in answer) || answer.error !== 'incorrect_client_credentials'
  } catch (error) {
    // GitHub answers with 404 when no application has the client id.
    if (error instanceof PlatformError && error.code === 'platform_not_found') return false
    throw error
  }
}

/**
 * False for tokens with a prefix of an application: OAuth, user-to-server, server-to-server,
 * refresh. Enterprise Server tokens from before 2021 have no prefix and count as personal.
 */
export function isPersonalToken(token: string): boolean {
  return !/^gh[ousr]_/i.test(token)
}

function requestToken(
  connection: Connection,
  { clientId, clientSecret }: OAuthApplication,
  grant: Readonly<Record<string, string>>,
  signal: AbortSignal | undefined,
) {
  const body = { client_id: clientId, client_secret: clientSecret, ...grant }
  const call = {
    method: 'POST',
    path: '/login/oauth/access_token',
    accept: 'application/json',
    body,
    signal,
  } as const
  return sendForJson({ ...connection, apiUrl: connection.webUrl }, call, tokenResponse)
}
