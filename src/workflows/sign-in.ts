// Signs a person in with a token of the platform: who it is, the account, the session.
import { recordAudit } from '../accounts/audit.ts'
import { saveToken } from '../accounts/tokens.ts'
import { saveUser } from '../accounts/users.ts'
import type { AppContext } from '../context.ts'
import { transactionWithRetry } from '../db/transaction.ts'
import type { Viewer } from '../platforms/platform.ts'

/** How long a session lasts. */
export const sessionSeconds = 30 * 24 * 3600

/** A new session, to be put into the cookie. */
export interface Session {
  readonly jwt: string
  readonly expiresAt: Date
  readonly user: Viewer & { readonly userId: number; readonly isAdmin: boolean }
}

/** @throws PlatformError when the platform doesn't say whose token it is */
export async function signIn(
  ctx: Pick<AppContext, 'db' | 'keys' | 'credentials' | 'platform'>,
  platformToken: string,
  signal?: AbortSignal,
): Promise<Session> {
  const viewer = await ctx.platform.viewer(platformToken, signal)
  const expiresAt = new Date(Date.now() + sessionSeconds * 1000)
  const { user, tokenId } = await transactionWithRetry(ctx.db, async (tx) => {
    const user = await saveUser(tx, ctx.keys, { platform: ctx.platform.id, viewer, token: platformToken })
    const tokenId = await saveToken(tx, { userId: user.id, kind: 'session', expiresAt })
    await recordAudit(tx, { userId: user.id, login: viewer.login }, 'signed_in')
    return { user, tokenId }
  })
  const jwt = await ctx.credentials.issue('cookie', { userId: user.id, tokenId }, expiresAt)
  return { jwt, expiresAt, user: { ...viewer, userId: user.id, isAdmin: user.isAdmin } }
}
