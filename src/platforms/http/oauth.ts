// Sign-in: OAuth 2.0 authorization code (RFC 6749) with PKCE (RFC 7636).
import { z } from 'zod'
import { isNotFound, PlatformError } from '../../domain/errors.ts'
import type { OAuthApplication, OAuthGrant, Platform } from '../platform.ts'
import type { Connection } from './connection.ts'
import { sendForJson } from './request.ts'
import { sanitizeMessage } from './response-error.ts'

/** What differs between the sign-in of hosts. */
export interface OAuthHost {
  /** They are paths below the address of its pages. */
  readonly authorizePath: string
  readonly tokenPath: string
  /** The scopes that Umpire needs, separated by spaces. */
  readonly scope: string
  /** Parameters of the sign-in page that not every host wants, such as `response_type`. */
  readonly authorizeFields: Readonly<Record<string, string>>
  /** Fields that not every host wants beside the code, such as `grant_type`. */
  readonly codeFields: Readonly<Record<string, string>>
  /** Fields of a request that is refused, but with `wrongApplication` for wrong credentials. */
  readonly probe: Readonly<Record<string, string>>
  /** It is the code of the error for an unknown application or a wrong secret. */
  readonly wrongApplication: string
}

type SignIn = Pick<Platform, 'authorizeUrl' | 'exchangeCode' | 'renewGrant' | 'acceptsOAuthApp'>

const errorResponse = z.object({ error: z.string(), error_description: z.string().optional() })

/** Some hosts send errors with status 200 too. */
const tokenResponse = z.union([
  z.object({
    access_token: z.string().min(1),
    scope: z.string().catch(''),
    refresh_token: z.string().min(1).nullable().catch(null),
    expires_in: z.int().positive().nullable().catch(null),
  }),
  errorResponse,
])

/** Builds the methods of a platform by which people sign in. */
export function createSignIn(connection: Connection, host: OAuthHost): SignIn {
  const request = (
    application: OAuthApplication,
    grant: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
  ) => requestToken({ connection, host }, application, grant, signal)
  return {
    authorizeUrl: ({ clientId }, input) => {
      const url = new URL(connection.webUrl + host.authorizePath)
      url.search = new URLSearchParams({
        client_id: clientId,
        redirect_uri: input.redirectUri,
        ...host.authorizeFields,
        scope: host.scope,
        state: input.state,
        code_challenge: input.codeChallenge,
        code_challenge_method: 'S256',
      }).toString()
      return url.href
    },
    exchangeCode: async (application, { code, redirectUri, codeVerifier }, signal) => {
      const grant = { code, redirect_uri: redirectUri, code_verifier: codeVerifier }
      return toGrant(await request(application, { ...host.codeFields, ...grant }, signal))
    },
    renewGrant: async (application, refreshToken, signal) => {
      const grant = { grant_type: 'refresh_token', refresh_token: refreshToken }
      return toGrant(await request(application, grant, signal))
    },
    acceptsOAuthApp: async (application, signal) => {
      try {
        await request(application, host.probe, signal)
        return true
      } catch (error) {
        if (error instanceof OAuthRefusal) return error.reason !== host.wrongApplication
        // GitHub answers with 404 when no application has the client id.
        if (isNotFound(error)) return false
        throw error
      }
    },
  }
}

/** The host refused a code, verifier, refresh token or application. */
class OAuthRefusal extends PlatformError {
  readonly reason: string

  constructor(
    { error, error_description: text }: z.output<typeof errorResponse>,
    input: {
      status: number
      secret: string
    },
  ) {
    const message = sanitizeMessage(text ?? error, input.secret)
    super('platform_unauthorized', message, { status: input.status })
    this.reason = error
  }
}

type TokenResponse = Exclude<z.output<typeof tokenResponse>, { error: string }>

function toGrant(answer: TokenResponse): OAuthGrant {
  const { expires_in: seconds } = answer
  return {
    token: answer.access_token,
    scopes: answer.scope.split(/[\s,]+/).filter((scope) => scope !== ''),
    refreshToken: answer.refresh_token,
    expiresAt: seconds === null ? null : new Date(Date.now() + seconds * 1000),
  }
}

/** @throws PlatformError `platform_unauthorized` when the grant or the application is rejected */
async function requestToken(
  { connection, host }: { connection: Connection; host: OAuthHost },
  { clientId, clientSecret }: OAuthApplication,
  grant: Readonly<Record<string, string>>,
  signal: AbortSignal | undefined,
): Promise<TokenResponse> {
  const call = {
    method: 'POST',
    path: host.tokenPath,
    accept: 'application/json',
    body: { client_id: clientId, client_secret: clientSecret, ...grant },
    signal,
  } as const
  const { rules, webUrl } = connection
  const toError: typeof rules.toError = (status, headers, body, token) =>
    readRefusal(status, body, clientSecret) ?? rules.toError(status, headers, body, token)
  const endpoint = { ...connection, apiUrl: webUrl, rules: { ...rules, toError } }
  const answer = await sendForJson(endpoint, call, tokenResponse)
  if ('error' in answer) throw new OAuthRefusal(answer, { status: 200, secret: clientSecret })
  return answer
}

/** RFC 6749 has errors with the statuses 400 and 401. */
function readRefusal(status: number, body: Uint8Array, secret: string): OAuthRefusal | undefined {
  if (status !== 400 && status !== 401) return undefined
  try {
    const fields = errorResponse.parse(JSON.parse(Buffer.from(body).toString('utf8')))
    return new OAuthRefusal(fields, { status, secret })
  } catch {
    return undefined
  }
}
