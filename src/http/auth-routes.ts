// Serves sign-in, sign-out, the signed-in user and short-lived bearer tokens.
import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply } from 'fastify'
import { hasUsers } from '../accounts/users.ts'
import type { AppContext, ServiceContext } from '../context.ts'
import * as contract from '../contract/account-endpoints.ts'
import { callbackPath } from '../contract/addresses.ts'
import { hostSuffix } from '../contract/repository-name.ts'
import { RequestError } from '../domain/errors.ts'
import { findApplication } from '../workflows/connecting/find-application.ts'
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
import type { AddRoute } from './add-route.ts'
import { refuseCrossSite, sessionCookie } from './authenticate.ts'
import { findHost, hostOfCaller } from './find-host.ts'
import type { SignInLimits } from './request-rate-limit.ts'
import { readReturnPath } from './return-path.ts'

/** Holds the state of an OAuth sign-in until the platform redirects back. */
const attemptCookie = 'umpire_login'
const bearerTokenSeconds = 15 * 60

export function addAuthRoutes(addRoute: AddRoute, ctx: ServiceContext, limits: SignInLimits): void {
  addOAuthRoutes(addRoute, ctx, limits)
  addSessionRoutes(addRoute, ctx, limits)
}

function addOAuthRoutes(addRoute: AddRoute, ctx: ServiceContext, limits: SignInLimits): void {
  const { publicUrl } = ctx.config.http
  const options: CookieSerializeOptions = {
    ...cookieOptions(publicUrl),
    path: new URL(`${publicUrl}/auth`).pathname,
  }

  addRoute(contract.startSignIn, async (request, reply) => {
    const returnPath = readReturnPath(request.query.return_to, publicUrl)
    const host = findHost(ctx, request.query.host)
    const { location, attempt } = await startSignIn(host, returnPath)
    return reply
      .setCookie(attemptCookie, attempt, { ...options, maxAge: signInAttemptSeconds })
      .redirect(location)
  })

  for (const host of ctx.hosts.all) {
    const path = callbackPath(host.config.platform.name)
    addRoute({ ...contract.finishSignIn, path }, async (request, reply) => {
      reply.clearCookie(attemptCookie, options)
      const attempt = request.cookies[attemptCookie]
      try {
        const admit: Admit = ({ id }, host) => limits.countSignIn(request, `${host} ${id}`)
        const callback = { attempt, ...request.query }
        const { session, returnTo } = await limits.runQueued(request, () =>
          finishSignIn(host, callback, admit),
        )
        return setSession(reply, publicUrl, session).redirect(returnTo)
      } catch (error) {
        const isBrowser = request.headers.accept?.includes('text/html')
        if (!(error instanceof RequestError) || !isBrowser) throw error
        // The page gets only a code, so that a crafted link can't make it show other text.
        const failed = request.query.error === 'access_denied' ? 'cancelled' : error.code
        const signInPath = new URL(`${publicUrl}/sign-in`).pathname
        return reply.redirect(`${signInPath}?failed=${failed}`)
      }
    })
  }
}

function addSessionRoutes(addRoute: AddRoute, ctx: ServiceContext, limits: SignInLimits): void {
  const { publicUrl } = ctx.config.http
  const publicOrigin = new URL(publicUrl).origin

  addRoute(contract.signInOptions, async () => ({
    ...describeService(ctx.hosts.first),
    oauth: (await findApplication(ctx.hosts.first)) !== undefined,
    hosts: await Promise.all(
      ctx.hosts.all.map(async (host) => {
        const oauth = (await findApplication(host)) !== undefined
        return { ...describeHost(host), oauth }
      }),
    ),
    isNew: !(await hasUsers(
      ctx.db,
      ctx.hosts.all.map(({ platform }) => platform.id),
    )),
  }))

  addRoute(contract.signInWithToken, async (request, reply) => {
    refuseCrossSite(request, publicOrigin)
    const admit: Admit = ({ id }, host) => limits.countSignIn(request, `${host} ${id}`)
    const session = await limits.runQueued(request, () =>
      signInWithToken(findHost(ctx, request.body.host), request.body.token, admit),
    )
    setSession(reply, publicUrl, session)
    return { ...session.user, id: session.user.userId }
  })

  addRoute(contract.signOut, async (request, reply) => {
    refuseCrossSite(request, publicOrigin)
    const jwt = request.cookies[sessionCookie]
    const claims = jwt === undefined ? null : await ctx.credentials.verify('cookie', jwt)
    if (claims !== null) await signOut(ctx, claims)
    reply.clearCookie(sessionCookie, cookieOptions(publicUrl))
    return { status: 'signed_out' as const }
  })

  addRoute(contract.showMe, ({ caller }) => {
    return {
      ...caller,
      id: caller.userId,
      ...describeService(hostOfCaller(ctx, caller)),
      hosts: ctx.hosts.all.map(describeHost),
    }
  })

  addRoute(contract.shortLivedToken, async ({ caller: { userId, tokenId } }) => {
    const expiresAt = new Date(Date.now() + bearerTokenSeconds * 1000)
    const accessToken = await ctx.credentials.issue('bearer', { userId, tokenId }, expiresAt)
    return { accessToken, expiresAt }
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

function describeService(host: AppContext) {
  const { serviceName, platform } = host.config
  return { serviceName, platform: platform.id, platformUrl: platform.url }
}

function describeHost({ config, platform }: AppContext) {
  return {
    id: platform.id,
    name: platform.terms.platform,
    url: config.platform.url,
    suffix: hostSuffix(config.platform.name),
    apps: platform.apps !== null,
    tokenHelp: platform.terms.tokenHelp,
  }
}
