// Sign-in with OAuth 2.0: authorization code with PKCE (RFC 6749, RFC 7636), as at GitHub.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { issueUserToken, renewUserToken } from './apps/user-tokens.ts'
import type { User } from './entities.ts'
import { type ForgeRequest, type ForgeResponse, header, json, jsonBody, notFound } from './http.ts'
import { renderPage, safeHtml } from './markup.ts'
import { announceChange, type ForgeState, type OAuthApp } from './state.ts'

/** A token or an error, as the token address answers it. */
export type OAuthAnswer = Record<string, string | number>

const codeLifetimeMs = 10 * 60 * 1000

/** Creates an application that can sign users in. */
export function createOAuthApp(
  state: ForgeState,
  input: { clientId?: string; clientSecret?: string; callbackUrl?: string } = {},
): OAuthApp {
  const app: OAuthApp = {
    clientId: input.clientId ?? `Iv1.${randomBytes(8).toString('hex')}`,
    clientSecret: input.clientSecret ?? randomBytes(20).toString('hex'),
    callbackUrl: input.callbackUrl ?? null,
  }
  state.oauth.apps.set(app.clientId, app)
  return app
}

/** Answers `/login/oauth/authorize` and `/login/oauth/access_token`. */
export function serveOAuth(state: ForgeState, request: ForgeRequest): ForgeResponse {
  if (request.path === '/login/oauth/authorize' && request.method === 'GET')
    return authorize(state, request)
  if (request.path === '/login/oauth/access_token' && request.method === 'POST')
    return issueToken(state, request)
  throw notFound()
}

/** GitHub's rule: same host and port, and at or below the application's path. */
function allowsRedirect(app: OAuthApp, redirectUri: string): boolean {
  if (!URL.canParse(redirectUri)) return false
  // An App's addresses must match whole.
  if (app.app !== undefined) return app.app.callbackUrls.includes(redirectUri)
  if (app.callbackUrl === null) return true
  const [wanted, allowed] = [new URL(redirectUri), new URL(app.callbackUrl)]
  const below =
    wanted.pathname === allowed.pathname ||
    wanted.pathname.startsWith(`${allowed.pathname.replace(/\/$/, '')}/`)
  return wanted.origin === allowed.origin && below
}

/** The address that a sign-in without `redirect_uri` returns to. */
const firstCallback = ({ app, callbackUrl }: OAuthApp) => app?.callbackUrls[0] ?? callbackUrl

function authorize(state: ForgeState, request: ForgeRequest): ForgeResponse {
  const { query } = request
  const app = state.oauth.apps.get(query.get('client_id') ?? '')
  if (app === undefined) throw notFound()
  const redirectUri = query.get('redirect_uri') ?? firstCallback(app)
  if (redirectUri === null) throw notFound()
  const back = (parameters: Record<string, string>) => {
    const target = new URL(redirectUri)
    for (const [name, value] of Object.entries(parameters)) target.searchParams.set(name, value)
    if (query.has('state')) target.searchParams.set('state', query.get('state')!)
    return redirect(target.href)
  }
  if (!allowsRedirect(app, redirectUri)) {
    const description =
      'The redirect_uri MUST match the registered callback URL for this application.'
    return renderPage('Sign-in', safeHtml`<p>${description}</p>`, 400)
  }
  if (state.oauth.denyNext || query.has('deny')) {
    state.oauth.denyNext = false
    const description = 'The user has denied your application access.'
    return back({ error: 'access_denied', error_description: description })
  }
  const login = query.get('login')
  const user = login === null ? state.oauth.signedIn : state.users.get(login.toLowerCase())
  if (user === undefined || user === null) return chooseUser(state, query)
  return back({ code: issueCode(state, user, app, query) })
}

export function redirect(location: string): ForgeResponse {
  return { status: 302, headers: { location, 'cache-control': 'no-store' }, body: '' }
}

/** Renders a page on which people choose an account, because nobody is signed in. */
export function chooseUser(state: ForgeState, query: URLSearchParams): ForgeResponse {
  const link = (name: string, value: string) => {
    const next = new URLSearchParams(query)
    next.set(name, value)
    return `?${next}`
  }
  const people = [...state.users.values()].filter((user) => user.type === 'User')
  const items = people.map(
    (user) => safeHtml`<li><a href="${link('login', user.login)}">${user.login}</a></li>`,
  )
  const body = safeHtml`<h1>Sign in as</h1><ul>${items}</ul><p><a href="${link('deny', '1')}">Cancel</a></p>`
  return renderPage('Sign in', body)
}

/** Issues the code of a sign-in that can be exchanged for a token. */
export function issueCode(
  state: ForgeState,
  user: User,
  app: OAuthApp,
  query: URLSearchParams,
): string {
  const code = randomBytes(10).toString('hex')
  state.oauth.codes.set(code, {
    user,
    clientId: app.clientId,
    redirectUri: query.get('redirect_uri'),
    scopes: (query.get('scope') ?? '').split(/[\s,]+/).filter(Boolean),
    challenge: query.get('code_challenge_method') === 'S256' ? query.get('code_challenge') : null,
    expiresAt: state.clock().getTime() + codeLifetimeMs,
  })
  return code
}

/** Errors have status 200, as at GitHub. */
function issueToken(state: ForgeState, request: ForgeRequest): ForgeResponse {
  const input = readParameters(request)
  const result = redeem(state, input)
  announceChange(state)
  if (/application\/(\w+\+)?json/.test(header(request, 'accept'))) return json(200, result)
  const type = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }
  const fields = new URLSearchParams()
  for (const [name, value] of Object.entries(result)) fields.set(name, String(value))
  return { status: 200, headers: type, body: fields.toString() }
}

export function readParameters(request: ForgeRequest): Record<string, unknown> {
  if (header(request, 'content-type').startsWith('application/json')) return jsonBody(request)
  return Object.fromEntries([
    ...request.query,
    ...new URLSearchParams(request.body.toString('utf8')),
  ])
}

function redeem(state: ForgeState, input: Record<string, unknown>): OAuthAnswer {
  const app = state.oauth.apps.get(String(input.client_id))
  if (app === undefined || !isSameSecret(app.clientSecret, String(input.client_secret))) {
    return oauthError(
      'incorrect_client_credentials',
      'The client_id and/or client_secret passed are incorrect.',
    )
  }
  if (app.app !== undefined && input.grant_type === 'refresh_token')
    return renewUserToken(state, app.app, String(input.refresh_token))
  const code = state.oauth.codes.get(String(input.code))
  // A code is invalid after the first attempt, even a failed one.
  state.oauth.codes.delete(String(input.code))
  const isValid =
    code !== undefined &&
    code.expiresAt > state.clock().getTime() &&
    code.clientId === app.clientId &&
    isProven(code.challenge, input.code_verifier)
  if (!isValid) {
    return oauthError('bad_verification_code', 'The code passed is incorrect or expired.')
  }
  if (input.redirect_uri !== undefined && input.redirect_uri !== code.redirectUri) {
    const description =
      'The redirect_uri MUST match the registered callback URL for this application.'
    return oauthError('redirect_uri_mismatch', description)
  }
  if (app.app !== undefined) return issueUserToken(state, app.app, code.user)
  const token = `gho_${randomBytes(18).toString('hex')}`
  state.tokens.set(token, { user: code.user, scopes: code.scopes, clientId: app.clientId })
  return { access_token: token, scope: code.scopes.join(','), token_type: 'bearer' }
}

export function isProven(challenge: string | null, verifier: unknown): boolean {
  return challenge === null || challenge === challengeOf(String(verifier ?? ''))
}

export function oauthError(error: string, description: string): OAuthAnswer {
  return {
    error,
    error_description: description,
    error_uri: 'https://docs.github.com/apps/oauth-apps',
  }
}

const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url')

export function isSameSecret(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)]
  return first.length === second.length && timingSafeEqual(first, second)
}
