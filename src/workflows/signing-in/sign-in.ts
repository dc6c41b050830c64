// Signs users in and out: identity from the platform, account and session.
import { makeAccessChecksDue } from '../../accounts/access-checks.ts'
import { recordAudit } from '../../accounts/audit.ts'
import type { Claims } from '../../accounts/credentials.ts'
import { pruneTokens, revokeToken, saveToken } from '../../accounts/tokens.ts'
import { maySignIn, saveUser, type UserGrant } from '../../accounts/users.ts'
import type { AppContext } from '../../context.ts'
import { transactionWithRetry } from '../../db/transaction.ts'
import { PlatformError, RequestError } from '../../domain/errors.ts'
import type { Viewer } from '../../platforms/platform.ts'
import { checkUserAccess } from '../connecting/check-access.ts'

export const sessionSeconds = 30 * 24 * 3600
/** Limits the sessions of one user; the oldest are deleted first. */
const maxSessions = 100

export type SignInContext = Pick<
  AppContext,
  'config' | 'db' | 'keys' | 'credentials' | 'platform' | 'userTokens' | 'log'
>

/** The session goes into the cookie. */
export interface Session {
  readonly jwt: string
  readonly expiresAt: Date
  readonly user: Viewer & { readonly userId: number; readonly isAdmin: boolean }
}

/** Throws if a user whom the platform identified must not sign in. */
export type Admit = (viewer: Viewer, platform: string) => Promise<void>

/** Signs in the user of a personal platform token. Throws RequestError. */
export async function signInWithToken(
  ctx: SignInContext,
  platformToken: string,
  admit: Admit,
): Promise<Session> {
  if (!ctx.platform.isPersonalToken(platformToken)) {
    throw new RequestError(
      'not_authenticated',
      'This is not a personal access token: create one on the code host, and copy all of it',
    )
  }
  const refusal = new RequestError(
    'not_authenticated',
    `${ctx.platform.terms.platform} does not accept this token: create a personal access token ` +
      'there that has not expired, and copy all of it',
  )
  const viewer = await callPlatform(ctx, refusal, () => ctx.platform.getViewer(platformToken))
  await admit(viewer, ctx.platform.id)
  return openSession(ctx, viewer, { token: platformToken, refreshToken: null, expiresAt: null })
}

/**
 * Opens a session for an identified user, and stores the user's platform token.
 *
 * @throws RequestError if the user may not sign in here
 */
export async function openSession(
  ctx: SignInContext,
  viewer: Viewer,
  grant: UserGrant,
): Promise<Session> {
  const { id: platform } = ctx.platform
  const { hosts } = ctx.config
  if (!maySignIn(ctx.config, { platform, login: viewer.login })) {
    throw new RequestError(
      'access_denied',
      `${viewer.login} may not sign in here: SIGN_IN_ALLOWED names who may`,
    )
  }
  const expiresAt = new Date(Date.now() + sessionSeconds * 1000)
  const { user, tokenId } = await transactionWithRetry(ctx.db, async (tx) => {
    const user = await saveUser(tx, ctx.keys, {
      platform,
      hosts: hosts.map((host) => host.platform.id),
      viewer,
      grant,
    })
    await pruneTokens(tx, user.id, { keptSessions: maxSessions - 1 })
    const tokenId = await saveToken(tx, { userId: user.id, kind: 'session', expiresAt })
    await makeAccessChecksDue(tx, user.id)
    await recordAudit(tx, { userId: user.id, login: viewer.login }, 'signed_in')
    return { user, tokenId }
  })
  // Repositories that the user no longer sees are hidden before the first request.
  await checkUserAccess(ctx, user.id)
  const jwt = await ctx.credentials.issue('cookie', { userId: user.id, tokenId }, expiresAt)
  return { jwt, expiresAt, user: { ...viewer, userId: user.id, isAdmin: user.isAdmin } }
}

/** Ends a session and the bearer tokens made from it. An ended session is ignored. */
export async function signOut(
  ctx: Pick<AppContext, 'db'>,
  { userId, tokenId }: Claims,
): Promise<void> {
  await transactionWithRetry(ctx.db, async (tx) => {
    const revoked = await revokeToken(tx, { userId, tokenId, kind: 'session' })
    if (revoked) await recordAudit(tx, { userId, login: revoked.login }, 'signed_out')
  })
}

/**
 * Calls the platform during a sign-in. If it refuses, `refusal` is thrown; its own message is only
 * logged.
 */
export async function callPlatform<T>(
  ctx: Pick<AppContext, 'log'>,
  refusal: RequestError,
  request: () => Promise<T>,
): Promise<T> {
  try {
    return await request()
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    ctx.log.warn({ code: error.code, reason: error.message }, 'A sign-in failed at the code host')
    if (!error.retryable) throw refusal
    throw new RequestError(
      'platform_failed',
      'The code host could not be reached to identify you. Try again in a moment',
    )
  }
}
