// Sign-in as Doorkeeper's: codes with PKCE, tokens of two hours, and refresh tokens that rotate.
import { randomBytes } from 'node:crypto'
import type { User } from '../entities.ts'
import { type ForgeRequest, type ForgeResponse, header, json } from '../http.ts'
import { renderPage, safeHtml } from '../markup.ts'
import { chooseUser, isProven, isSameSecret, redirect } from '../oauth.ts'
import { announceChange, type ForgeState, type OAuthApp } from '../state.ts'
import { memoryOf } from './memory.ts'
import { readInput } from './read-input.ts'

const codeLifetimeMs = 10 * 60 * 1000
const tokenLifetimeSeconds = 7200

type Input = Readonly<Record<string, unknown>>

/** Answers below `/oauth`; null for an address that isn't there. */
export function serveOAuth(state: ForgeState, request: ForgeRequest): ForgeResponse | null {
  const route = `${request.method} ${request.path}`
  if (route === 'GET /oauth/authorize') return authorize(state, request)
  if (route === 'POST /oauth/token') return issue(state, request)
  if (route === 'POST /oauth/revoke') return revoke(state, request)
  if (route === 'GET /oauth/token/info') return showToken(state, request)
  return null
}

/** Redirects must be one of the application's addresses, whole. */
function allows(app: OAuthApp, address: string): boolean {
  return URL.canParse(address) && (app.callbackUrl === null || app.callbackUrl === address)
}

const pageOf = (status: number, text: string) =>
  renderPage('Sign-in', safeHtml`<h1>An error has occurred</h1><p>${text}</p>`, status)

function authorize(state: ForgeState, request: ForgeRequest): ForgeResponse {
  const { query } = request
  const app = state.oauth.apps.get(query.get('client_id') ?? '')
  if (app === undefined) return pageOf(401, 'Client authentication failed due to unknown client.')
  const address = query.get('redirect_uri') ?? ''
  if (!allows(app, address)) return pageOf(400, 'The redirect URI included is not valid.')
  const back = (parameters: Readonly<Record<string, string>>) => {
    const target = new URL(address)
    const given = query.get('state')
    for (const [name, value] of Object.entries(parameters)) target.searchParams.set(name, value)
    if (given !== null) target.searchParams.set('state', given)
    return redirect(target.href)
  }
  if (query.get('response_type') !== 'code') return back({ error: 'unsupported_response_type' })
  if (state.oauth.denyNext || query.has('deny')) {
    state.oauth.denyNext = false
    const description = 'The resource owner or authorization server denied the request.'
    return back({ error: 'access_denied', error_description: description })
  }
  const login = query.get('login')
  const user = login === null ? state.oauth.signedIn : state.users.get(login.toLowerCase())
  if (user === undefined || user === null) return chooseUser(state, query)
  return back({ code: makeCode(state, user, app, query) })
}

/** Without a scope the application's first one is granted, which is `api` here. */
function makeCode(state: ForgeState, user: User, app: OAuthApp, query: URLSearchParams): string {
  const code = randomBytes(32).toString('hex')
  state.oauth.codes.set(code, {
    user,
    clientId: app.clientId,
    redirectUri: query.get('redirect_uri'),
    scopes: (query.get('scope') ?? 'api').split(/[\s+]+/).filter(Boolean),
    challenge: query.get('code_challenge'),
    expiresAt: state.clock().getTime() + codeLifetimeMs,
  })
  return code
}

const refuse = (status: number, error: string, description: string) =>
  json(status, { error, error_description: description }, { 'cache-control': 'no-store' })

const invalidGrant = () =>
  refuse(
    400,
    'invalid_grant',
    'The provided authorization grant is invalid, expired, revoked, does not match the redirection URI used in the authorization request, or was issued to another client.',
  )

/** The application of a request, by its fields or by basic authorization; null for a wrong one. */
function findApp(state: ForgeState, request: ForgeRequest, input: Input): OAuthApp | null {
  const basic = /^Basic (.+)$/i.exec(header(request, 'authorization'))?.[1]
  const [id, secret] =
    basic === undefined
      ? [String(input.client_id ?? ''), String(input.client_secret ?? '')]
      : Buffer.from(basic, 'base64').toString('utf8').split(':')
  const app = state.oauth.apps.get(id ?? '')
  return app !== undefined && isSameSecret(app.clientSecret, secret ?? '') ? app : null
}

function issue(state: ForgeState, request: ForgeRequest): ForgeResponse {
  const input = readInput(request)
  const app = findApp(state, request, input)
  if (app === null) {
    const text =
      'Client authentication failed due to unknown client, no client authentication included, or unsupported authentication method.'
    return refuse(401, 'invalid_client', text)
  }
  if (input.grant_type === 'refresh_token') return refresh(state, app, input)
  if (input.grant_type !== 'authorization_code') {
    const text = 'The authorization grant type is not supported by the authorization server.'
    return refuse(400, 'unsupported_grant_type', text)
  }
  const code = state.oauth.codes.get(String(input.code))
  state.oauth.codes.delete(String(input.code))
  const isGood =
    code !== undefined &&
    code.expiresAt > state.clock().getTime() &&
    code.clientId === app.clientId &&
    code.redirectUri === input.redirect_uri &&
    isProven(code.challenge, input.code_verifier)
  return isGood ? grant(state, app, code.user, code.scopes) : invalidGrant()
}

/** Ends the former token and its refresh token at once (doc/api/oauth2.md). */
function refresh(state: ForgeState, app: OAuthApp, input: Input): ForgeResponse {
  const memory = memoryOf(state)
  const text = String(input.refresh_token)
  const former = memory.refreshGrants.get(text)
  if (former === undefined || former.clientId !== app.clientId) return invalidGrant()
  memory.refreshGrants.delete(text)
  state.tokens.delete(former.accessToken)
  memory.revoked.add(former.accessToken)
  return grant(state, app, former.user, former.scopes)
}

function grant(
  state: ForgeState,
  app: OAuthApp,
  user: User,
  scopes: readonly string[],
): ForgeResponse {
  const accessToken = randomBytes(32).toString('hex')
  const refreshToken = randomBytes(32).toString('hex')
  const time = state.clock().getTime()
  const expiresAt = time + tokenLifetimeSeconds * 1000
  state.tokens.set(accessToken, { user, scopes, clientId: app.clientId, expiresAt })
  const { clientId } = app
  memoryOf(state).refreshGrants.set(refreshToken, { user, clientId, scopes, accessToken })
  announceChange(state)
  const answer = {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: tokenLifetimeSeconds,
    refresh_token: refreshToken,
    scope: scopes.join(' '),
    created_at: Math.floor(time / 1000),
  }
  return json(200, answer, { 'cache-control': 'no-store' })
}

/** A token that isn't there is no error (RFC 7009). */
function revoke(state: ForgeState, request: ForgeRequest): ForgeResponse {
  const input = readInput(request)
  if (findApp(state, request, input) === null)
    return refuse(403, 'unauthorized_client', 'You are not authorized to revoke this token')
  const memory = memoryOf(state)
  const text = String(input.token)
  const accessToken = memory.refreshGrants.get(text)?.accessToken ?? text
  memory.refreshGrants.delete(text)
  if (state.tokens.delete(accessToken)) memory.revoked.add(accessToken)
  announceChange(state)
  return json(200, {})
}

function showToken(state: ForgeState, request: ForgeRequest): ForgeResponse {
  const { token } = request
  if (token === null) return refuse(401, 'invalid_request', 'The access token is invalid')
  const seconds = Math.floor(((token.expiresAt ?? 0) - state.clock().getTime()) / 1000)
  return json(200, {
    resource_owner_id: token.user.id,
    scope: token.scopes,
    expires_in: token.expiresAt === undefined ? null : seconds,
    application: { uid: token.clientId },
    created_at: Math.floor(state.clock().getTime() / 1000),
  })
}
