// Serves sign-in, sign-out, the signed-in user and short-lived bearer tokens.
import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply } from 'fastify'
import type { Caller } from '../accounts/tokens.ts'
import { hasUsers } from '../accounts/users.ts'
import type { AppContext } from '../context.ts'
import * as contract from '../contract/account-schemas.ts'
import { RequestError } from '../domain/errors.ts'
import {
  type Admit,
  type Session,
  sessionSeconds,
  signInWithToken,
  signOut,
} from '../workflows/signing-in/sign-in.ts'
import {
  finishSignIn,
  signInAttemptSeconds,
  startSignIn,
} from '../workflows/signing-in/sign-in-by-oauth.ts'
import { type Authenticate, callerOf, refuseCrossSite, sessionCookie } from './authenticate.ts'
import type { SignInLimits } from './request-rate-limit.ts'
import { readReturnPath } from './return-path.ts'
import type { Server } from './server.ts'

/** Holds the state of an OAuth sign-in until the platform redirects back. */
const attemptCookie = 'umpire_login'
const bearerTokenSeconds = 15 * 60

/** Adds the routes under `/auth`, and `POST /api/v1/auth/token`. */
export function addAuthRoutes(
  server: Server,
  ctx: AppContext,
  authenticate: Authenticate,
  limits: SignInLimits,
): void {
  addOAuthRoutes(server, ctx, limits)
  addSessionRoutes(server, ctx, authenticate, limits)
}

function addOAuthRoutes(server: Server, ctx: AppContext, limits: SignInLimits): void {
  const { publicUrl } = ctx.config.http
  const options: CookieSerializeOptions = {
    ...cookieOptions(publicUrl),
    path: new URL(`${publicUrl}/auth`).pathname,
  }

  server.get('/auth/login', { schema: contract.startSignInSchema }, async (request, reply) => {
    const returnPath = readReturnPath(request.query.return_to, publicUrl)
    const { location, attempt } = startSignIn(ctx, returnPath)
    return reply
      .setCookie(attemptCookie, attempt, { ...options, maxAge: signInAttemptSeconds })
      .redirect(location, 302)
  })

  server.get('/auth/callback', { schema: contract.finishSignInSchema }, async (request, reply) => {
    reply.clearCookie(attemptCookie, options)
    const attempt = request.cookies[attemptCookie]
    try {
      const admit: Admit = ({ id }) => limits.countSignIn(request, id)
      const callback = { attempt, ...request.query }
      const { session, returnTo } = await limits.runQueued(request, () =>
        finishSignIn(ctx, callback, admit),
      )
      return setSession(reply, publicUrl, session).redirect(returnTo, 303)
    } catch (error) {
      const isBrowser = request.headers.accept?.includes('text/html')
      if (!(error instanceof RequestError) || !isBrowser) throw error
      // The page gets only a code, so that a crafted link can't make it show other text.
      const failed = request.query.error === 'access_denied' ? 'cancelled' : error.code
      const signInPath = new URL(`${publicUrl}/sign-in`).pathname
      return reply.redirect(`${signInPath}?failed=${failed}`, 303)
    }
  })
}

function addSessionRoutes(
  server: Server,
  ctx: AppContext,
  authenticate: Authenticate,
  limits: SignInLimits,
): void {
  const { publicUrl } = ctx.config.http
  const publicOrigin = new URL(publicUrl).origin

  server.get('/auth/options', { schema: contract.signInOptionsSchema }, async () => ({
    ...describeService(ctx.config),
    oauth: ctx.config.platform.oauth !== null,
    is_new: !(await hasUsers(ctx.db, ctx.platform.id)),
  }))

  server.post('/auth/login', { schema: contract.signInWithTokenSchema }, async (request, reply) => {
    refuseCrossSite(request, publicOrigin)
    const admit: Admit = ({ id }) => limits.countSignIn(request, id)
    const session = await limits.runQueued(request, () =>
      signInWithToken(ctx, request.body.token, admit),
    )
    setSession(reply, publicUrl, session)
    return describePerson(session.user)
  })

  server.post('/auth/logout', { schema: contract.signOutSchema }, async (request, reply) => {
    refuseCrossSite(request, publicOrigin)
    const jwt = request.cookies[sessionCookie]
    const claims = jwt === undefined ? null : await ctx.credentials.verify('cookie', jwt)
    if (claims !== null) await signOut(ctx, claims)
    reply.clearCookie(sessionCookie, cookieOptions(publicUrl))
    return { status: 'signed_out' as const }
  })

  server.get(
    '/auth/me',
    { schema: contract.showMeSchema, onRequest: authenticate.either },
    async (request) => ({
      ...describePerson(callerOf(request)),
      ...describeService(ctx.config),
    }),
  )

  const tokenRoute = { schema: contract.shortLivedTokenSchema, onRequest: authenticate.cookie }
  server.post('/api/v1/auth/token', tokenRoute, async (request) => {
    const { userId, tokenId } = callerOf(request)
    const expiresAt = new Date(Date.now() + bearerTokenSeconds * 1000)
    return {
      access_token: await ctx.credentials.issue('bearer', { userId, tokenId }, expiresAt),
      expires_at: expiresAt,
    }
  })
}

function cookieOptions(publicUrl: string): CookieSerializeOptions {
  return { path: '/', httpOnly: true, sameSite: 'lax', secure: publicUrl.startsWith('https:') }
}

function setSession(reply: FastifyReply, publicUrl: string, { jwt }: Session): FastifyReply {
  return reply.setCookie(sessionCookie, jwt, {
    ...cookieOptions(publicUrl),
    maxAge: sessionSeconds,
  })
}

function describeService({ platform, serviceName }: AppContext['config']) {
  return { service_name: serviceName, platform: platform.id, platform_url: platform.url }
}

function describePerson(
  person: Pick<Caller, 'userId' | 'login' | 'name' | 'avatarUrl' | 'isAdmin'>,
) {
  const { userId: id, login, name, avatarUrl, isAdmin } = person
  return { id, login, name, avatar_url: avatarUrl, is_admin: isAdmin }
}
