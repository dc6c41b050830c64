// The tokens of people who signed in to an App: they end after eight hours and are renewed.
import { randomBytes } from 'node:crypto'
import type { User } from '../entities.ts'
import { type OAuthAnswer, oauthError } from '../oauth.ts'
import type { ForgeState } from '../state.ts'
import type { App } from './app-state.ts'

const tokenLifetimeSeconds = 28_800
const refreshLifetimeSeconds = 15_897_600

/** Issues a token, with one to renew it where the App's tokens end. Scopes don't apply. */
export function issueUserToken(state: ForgeState, app: App, user: User): OAuthAnswer {
  const token = `ghu_${randomBytes(18).toString('hex')}`
  const fixed = { access_token: token, scope: '', token_type: 'bearer' }
  const time = state.clock().getTime()
  const base = { user, scopes: [], clientId: app.clientId, app }
  if (!app.expiresUserTokens) {
    state.tokens.set(token, base)
    return fixed
  }
  state.tokens.set(token, { ...base, expiresAt: time + tokenLifetimeSeconds * 1000 })
  const refresh = `ghr_${randomBytes(38).toString('hex')}`
  const expiresAt = time + refreshLifetimeSeconds * 1000
  state.oauth.refreshTokens.set(refresh, { user, app, accessToken: token, expiresAt })
  return {
    ...fixed,
    expires_in: tokenLifetimeSeconds,
    refresh_token: refresh,
    refresh_token_expires_in: refreshLifetimeSeconds,
  }
}

/** Exchanges a refresh token for new ones. The former token and refresh token end. */
export function renewUserToken(state: ForgeState, app: App, refresh: string): OAuthAnswer {
  const known = state.oauth.refreshTokens.get(refresh)
  state.oauth.refreshTokens.delete(refresh)
  if (known === undefined || known.app !== app || known.expiresAt <= state.clock().getTime()) {
    return oauthError('bad_refresh_token', 'The refresh token passed is incorrect or expired.')
  }
  state.tokens.delete(known.accessToken)
  return issueUserToken(state, app, known.user)
}
