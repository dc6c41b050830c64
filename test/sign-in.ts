// Signs users in for tests over HTTP.
import type { TestApp } from './start-app.ts'

export interface SignedInUser {
  /** The JWT of the cookie. */
  readonly session: string
  /** Headers of a request with the cookie. */
  readonly cookie: { readonly cookie: string }
  /** Headers of a request with a bearer token. */
  readonly bearer: { readonly authorization: string }
}

/**
 * Signs in with a token of the platform, and gets a bearer token for the session.
 *
 * @param host its id, if it isn't the first one
 */
export async function signInWithToken(
  app: Pick<TestApp, 'url'>,
  token: string,
  host?: string,
): Promise<SignedInUser> {
  const response = await fetch(`${app.url}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, host }),
  })
  const session = /(?:^|\s)access_token=([^;]+)/.exec(
    response.headers.getSetCookie().join('\n'),
  )?.[1]
  if (session === undefined)
    throw new Error(`Sign-in failed: ${response.status} ${await response.text()}`)
  const cookie = { cookie: `access_token=${session}` }
  const answer = await fetch(`${app.url}/api/v1/auth/token`, { method: 'POST', headers: cookie })
  const { access_token: bearer } = (await answer.json()) as { access_token: string }
  return { session, cookie, bearer: { authorization: `Bearer ${bearer}` } }
}
