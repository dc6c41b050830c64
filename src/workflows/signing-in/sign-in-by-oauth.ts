// Sign-in with the OAuth 2.0 authorization code (RFC 6749), state and PKCE (RFC 7636). The state of
// an attempt travels in the browser, encrypted, so that nothing is stored for a visitor.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { openAttempt, sealAttempt } from '../../accounts/sealed-attempts.ts'
import { redeemState } from '../../accounts/sign-in-states.ts'
import { callbackPath } from '../../contract/addresses.ts'
import { RequestError } from '../../domain/errors.ts'
import { hostVariable } from '../../platforms/code-hosts.ts'
import type { OAuthApplication } from '../../platforms/platform.ts'
import { findApplication } from '../connecting/find-application.ts'
import {
  type Admit,
  callPlatform,
  openSession,
  type Session,
  type SignInContext,
} from './sign-in.ts'

/** The maximum time that a person may take at the platform. */
export const signInAttemptSeconds = 600

const attemptSchema = z.object({
  state: z.string(),
  verifier: z.string(),
  returnTo: z.string(),
  expiresAt: z.int(),
  /** The host at which the person signs in. */
  host: z.string(),
})
type Attempt = z.output<typeof attemptSchema>
const attemptOwner = 'sign-in attempt'

/** The parameters that the browser brings back from the platform. */
interface ReturnFromPlatform {
  /** The encrypted attempt of this browser. */
  readonly attempt?: string | undefined
  readonly state?: string | undefined
  readonly code?: string | undefined
  /** The platform's code for why there is no `code`. */
  readonly error?: string | undefined
}

/**
 * Starts a sign-in.
 *
 * @param returnTo the path of ours to go to afterwards
 * @returns where to send the browser, and the encrypted attempt that it has to bring back
 */
export async function startSignIn(
  ctx: SignInContext,
  returnTo: string,
): Promise<{ location: string; attempt: string }> {
  const application = await requireApplication(ctx)
  const state = randomBytes(32).toString('base64url')
  const verifier = randomBytes(32).toString('base64url')
  const attempt: Attempt = {
    state,
    verifier,
    returnTo,
    expiresAt: Date.now() + signInAttemptSeconds * 1000,
    host: ctx.platform.id,
  }
  const codeChallenge = createHash('sha256').update(verifier).digest('base64url')
  return {
    location: ctx.platform.authorizeUrl(application, {
      redirectUri: redirectUriOf(ctx),
      state,
      codeChallenge,
    }),
    attempt: sealAttempt(ctx.keys, attempt, attemptOwner),
  }
}

/**
 * Completes a sign-in of this browser, at the host where it was started. The code of another host
 * is sent to none: a malicious one could have requested it (RFC 9700, section 4.4).
 *
 * @param ctx the host whose redirect URI the browser opened
 * @throws RequestError, which says what to do
 */
export async function finishSignIn(
  ctx: SignInContext,
  back: ReturnFromPlatform,
  admit: Admit,
): Promise<{ session: Session; returnTo: string }> {
  const host = ctx.platform.terms.platform
  const attempt = openAttempt(ctx.keys, attemptSchema, back.attempt, attemptOwner)
  const application = await requireApplication(ctx)
  if (attempt === undefined || !isSame(attempt.state, back.state)) {
    throw refuse('This sign-in was not started in this browser, or took longer than ten minutes')
  }
  if (attempt.host !== ctx.platform.id) throw refuse('This sign-in began at another code host')
  if (!(await redeemState(ctx.db, attempt.state))) throw refuse('This sign-in has ended already')
  if (back.error === 'access_denied') throw refuse(`The sign-in was cancelled at ${host}`)
  if (back.error !== undefined || back.code === undefined)
    throw refuse(`${host} did not sign you in`)
  const input = {
    code: back.code,
    codeVerifier: attempt.verifier,
    redirectUri: redirectUriOf(ctx),
  }
  const notAccepted = refuse(`${host} did not accept the sign-in`)
  const grant = await callPlatform(ctx, notAccepted, () =>
    ctx.platform.exchangeCode(application, input),
  )
  const viewer = await callPlatform(ctx, notAccepted, () => ctx.platform.getViewer(grant.token))
  await admit(viewer, ctx.platform.id)
  return { session: await openSession(ctx, viewer, grant), returnTo: attempt.returnTo }
}

/** The comparison takes constant time. */
function isSame(expected: string, given: string | undefined): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return given !== undefined && timingSafeEqual(digest(expected), digest(given))
}

function redirectUriOf({ config }: SignInContext): string {
  return `${config.http.publicUrl}${callbackPath(config.platform.name)}`
}

async function requireApplication(ctx: SignInContext): Promise<OAuthApplication> {
  const application = await findApplication(ctx)
  if (application !== undefined) return application
  const id = hostVariable('OAUTH_CLIENT_ID', ctx.config.platform)
  const secret = hostVariable('OAUTH_CLIENT_SECRET', ctx.config.platform)
  const token = `<personal access token of ${ctx.platform.terms.platform}>`
  const instead = `POST {"token": "${token}"} to /auth/login instead`
  throw new RequestError('not_found', `${id} and ${secret} are not configured: ${instead}`)
}

function refuse(reason: string): RequestError {
  return new RequestError('request_malformed', `${reason}: start again at /auth/login`)
}
