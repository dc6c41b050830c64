// Sign-in of Gitea and Forgejo: authorization code with PKCE, and tokens that renew it.
import { randomBytes } from 'node:crypto'
import type { User } from '../entities.ts'
import type { ForgeRequest, ForgeResponse } from '../http.ts'
import { header, json } from '../http.ts'
import { renderPage, safeHtml } from '../markup.ts'
import { chooseUser, isProven, isSameSecret, issueCode, readParameters } from '../oauth.ts'
import { announceChange, type OAuthApp } from '../state.ts'
import type { Host } from './host.ts'

const accessSeconds = 3600
const refreshSeconds = 730 * 3600

/** Answers `/login/oauth/authorize` and `/login/oauth/access_token`; null for other addresses. */
export function serveOAuth(host: Host, request: ForgeRequest): ForgeResponse | null {
  if (request.path === '/login/oauth/authorize' && request.method === 'GET')
    return authorize(host, request)
  if (request.path === '/login/oauth/access_token' && request.method === 'POST')
    return issueToken(host, request)
  return null
}

const errorPage = (text: string) => renderPage('Error', safeHtml`<p>${text}</p>`, 400)

/** Redirects as it does for an account that has granted the application before. */
function authorize({ state }: Host, request: ForgeRequest): ForgeResponse {
  const { query } = request
  const app = state.oauth.apps.get(query.get('client_id') ?? '')
  const redirectUri = query.get('redirect_uri')
  if (app === undefined) return errorPage('Client ID not registered')
  // The address must be registered as it is, with its port and path.
  if (redirectUri === null || (app.callbackUrl !== null && app.callbackUrl !== redirectUri))
    return errorPage('Unregistered Redirect URI')
  const back = (parameters: Record<string, string>) => {
    const target = new URL(redirectUri)
    for (const [name, value] of Object.entries(parameters)) target.searchParams.set(name, value)
    if (query.has('state')) target.searchParams.set('state', query.get('state')!)
    const headers = { location: target.href, 'cache-control': 'no-store' }
    return { status: 303, headers, body: '' }
  }
  if (query.get('response_type') !== 'code') {
    const text = 'Only code response type is supported.'
    return back({ error: 'unsupported_response_type', error_description: text })
  }
  if (state.oauth.denyNext || query.has('deny')) {
    state.oauth.denyNext = false
    return back({ error: 'access_denied', error_description: 'the request is denied' })
  }
  const login = query.get('login')
  const user = login === null ? state.oauth.signedIn : state.users.get(login.toLowerCase())
  if (user === undefined || user === null) return chooseUser(state, query)
  return back({ code: issueCode(state, user, app, query) })
}

const refused = (error: string, text: string): ForgeResponse =>
  json(400, { error, error_description: text })

/** Answers with JSON whatever is asked for; errors have status 400. */
function issueToken(host: Host, request: ForgeRequest): ForgeResponse {
  const input = { ...readBasic(request), ...readParameters(request) }
  const response = redeem(host, input)
  announceChange(host.state)
  return response
}

/** The credentials of the application may be in the header instead of the body. */
function readBasic(request: ForgeRequest): Record<string, string> {
  const [, value] = /^Basic\s+(.+)$/i.exec(header(request, 'authorization')) ?? []
  if (value === undefined) return {}
  const [id = '', secret = ''] = Buffer.from(value, 'base64').toString('utf8').split(':', 2)
  return { client_id: id, client_secret: secret }
}

function redeem(host: Host, input: Record<string, unknown>): ForgeResponse {
  const isRenewal = input.grant_type === 'refresh_token'
  if (!isRenewal && input.grant_type !== 'authorization_code') {
    const text = 'Only refresh_token or authorization_code grant type is supported'
    return refused('unsupported_grant_type', text)
  }
  const app = host.state.oauth.apps.get(String(input.client_id))
  if (app === undefined) {
    const mark = isRenewal ? '"' : "'"
    const text = `cannot load client with client id: ${mark}${input.client_id ?? ''}${mark}`
    return refused('invalid_client', text)
  }
  const secret = String(input.client_secret ?? '')
  if (!isSameSecret(app.clientSecret, secret)) {
    const text = secret === '' ? 'invalid empty client secret' : 'invalid client secret'
    return refused(isRenewal ? 'invalid_client' : 'unauthorized_client', text)
  }
  return isRenewal ? renew(host, app, String(input.refresh_token)) : redeemCode(host, app, input)
}

/** Exchanges a code. A wrong verifier doesn't use it up, as observed at both. */
function redeemCode(host: Host, app: OAuthApp, input: Record<string, unknown>): ForgeResponse {
  const { state } = host
  const { redirect_uri: redirectUri } = input
  if (
    typeof redirectUri === 'string' &&
    app.callbackUrl !== null &&
    app.callbackUrl !== redirectUri
  )
    return refused('unauthorized_client', 'unexpected redirect URI')
  const code = state.oauth.codes.get(String(input.code))
  if (code === undefined) return refused('unauthorized_client', 'client is not authorized')
  if (code.expiresAt <= state.clock().getTime())
    return refused('invalid_grant', 'authorization code expired')
  if (!isProven(code.challenge, input.code_verifier))
    return refused('unauthorized_client', 'failed PKCE code challenge')
  if (code.redirectUri !== null && redirectUri !== code.redirectUri)
    return refused(...host.profile.wrongRedirect)
  if (code.clientId !== app.clientId) return refused('invalid_grant', 'invalid grant')
  state.oauth.codes.delete(String(input.code))
  return answerToken(host, app, code.user, code.scopes)
}

/** Exchanges a token that renews. Former access tokens go on until they end, at both. */
function renew(host: Host, app: OAuthApp, token: string): ForgeResponse {
  const { profile, state } = host
  const grant = state.oauth.grants.get(token)
  if (grant === undefined || grant.expiresAt <= state.clock().getTime())
    return refused('unauthorized_client', 'unable to parse refresh token')
  if (grant.end === 'revoked') return refused('invalid_grant', 'grant does not exist')
  if (grant.clientId !== app.clientId) return refused('invalid_grant', profile.foreignRefreshToken)
  if (grant.end === 'used') return refused('unauthorized_client', 'token was already used')
  return answerToken(host, app, grant.user, grant.scopes)
}

/**
 * Issues tokens. Without scopes they can do everything. A person has one grant for an application:
 * where tokens that renew it are used up, a second sign-in uses up those of the first, too.
 */
function answerToken(
  { profile, state }: Host,
  { clientId }: OAuthApp,
  user: User,
  scopes: readonly string[],
): ForgeResponse {
  const time = state.clock().getTime()
  const access = makeToken(0, time, accessSeconds)
  const refresh = makeToken(1, time, refreshSeconds)
  const expiresAt = time + accessSeconds * 1000
  state.tokens.set(access, { user, scopes, clientId, expiresAt })
  if (profile.endsRefreshTokens) {
    for (const grant of state.oauth.grants.values())
      if (grant.user === user && grant.clientId === clientId) grant.end ??= 'used'
  }
  const endsAt = time + refreshSeconds * 1000
  state.oauth.grants.set(refresh, { user, clientId, scopes, expiresAt: endsAt, end: null })
  return json(200, {
    access_token: access,
    token_type: 'bearer',
    expires_in: accessSeconds,
    refresh_token: refresh,
  })
}

/** A token has the form of a JSON Web Token; `tt` is 1 in the one that renews. */
function makeToken(tt: number, time: number, lifetime: number): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const iat = Math.floor(time / 1000)
  const claims = { gnt: 1, tt, exp: iat + lifetime, iat }
  const signature = randomBytes(32).toString('base64url')
  return [part({ alg: 'RS256', typ: 'JWT' }), part(claims), signature].join('.')
}
