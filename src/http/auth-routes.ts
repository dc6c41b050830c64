// Sign-in and sign-out, and the short-lived bearer token of a session.
import type { AppContext } from '../context.ts'
import { sessionSeconds, signIn } from '../workflows/sign-in.ts'
import { type Authenticate, callerOf, refuseCrossSite, sessionCookie } from './authenticate.ts'
import { shortLivedToken, signInWithToken } from './contract/accounts.ts'
import type { Server } from './server.ts'

/** How long a bearer token made from the cookie lasts. */
const bearerSeconds = 15 * 60

/** Adds what stands under `/auth`, and `POST /api/v1/auth/token`. */
export function addAuthRoutes(server: Server, ctx: AppContext, authenticate: Authenticate): void {
  const { publicUrl } = ctx.config.http
  const cookieOptions = { path: '/', httpOnly: true, sameSite: 'lax', secure: publicUrl.startsWith('https:') } as const

  server.post('/auth/login', { schema: signInWithToken }, async (request, reply) => {
    refuseCrossSite(request, new URL(publicUrl).origin)
    const { jwt, user } = await signIn(ctx, request.body.token)
    reply.setCookie(sessionCookie, jwt, { ...cookieOptions, maxAge: sessionSeconds })
    const { userId: id, login, name, avatarUrl, isAdmin } = user
    return { id, login, name, avatar_url: avatarUrl, is_admin: isAdmin }
  })

  const tokenRoute = { schema: shortLivedToken, onRequest: authenticate.cookie }
  server.post('/api/v1/auth/token', tokenRoute, async (request) => {
    const { userId, tokenId } = callerOf(request)
    const expiresAt = new Date(Date.now() + bearerSeconds * 1000)
    return {
      access_token: await ctx.credentials.issue('bearer', { userId, tokenId }, expiresAt),
      expires_at: expiresAt,
    }
  })
}
