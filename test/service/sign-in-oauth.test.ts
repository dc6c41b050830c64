// Signing in by OAuth: state, PKCE and the redirect afterwards.
import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  type AccountScenario,
  aliceToken,
  publicUrl,
  startAccountScenario,
} from '../account-scenario.ts'
import { type Browser, createBrowser, followToCallback, locationOf } from '../browser.ts'
import { drop, replyWith } from '../fakes/forge/faults.ts'
import { startForge } from '../fakes/forge/forge.ts'
import { startTestApp } from '../start-app.ts'

let scene: AccountScenario
beforeAll(async () => {
  scene = await startAccountScenario()
})
afterAll(() => scene[Symbol.asyncDispose]())
beforeEach(() => scene.forge.signInAs('alice'))
afterEach(() => {
  scene.forge.faults.clear()
  vi.useRealTimers()
})

/** Expects a 400 with a reason, and a browser without cookies of the service. */
async function expectRefused(browser: Browser, response: Response, detail: RegExp): Promise<void> {
  const body = (await response.json()) as { detail: string }
  expect(response.status, body.detail).toBe(400)
  expect(body.detail).toMatch(detail)
  expect(body.detail).toMatch(/: start again at \/auth\/login$/)
  expect(response.headers.get('location')).toBeNull()
  expect([...browser.cookies.keys()]).toEqual([])
}

describe('signing in by OAuth', () => {
  it('goes to the platform with state and PKCE, and returns with a session', async () => {
    const browser = scene.browser()
    const login = await browser.open('/auth/login?return_to=/reviews?status%3Dopen')
    expect(login.status).toBe(302)
    const authorize = new URL(locationOf(login))
    expect(authorize.href.startsWith(`${scene.forge.url}/login/oauth/authorize?`)).toBe(true)
    expect(Object.fromEntries(authorize.searchParams)).toEqual({
      client_id: expect.any(String),
      redirect_uri: `${publicUrl}/auth/callback`,
      scope: 'repo',
      state: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
    expect(login.headers.getSetCookie()[0]).toMatch(
      /^umpire_login=[\w-]+; Max-Age=600; Path=\/auth; HttpOnly; Secure; SameSite=Lax$/,
    )

    const back = await browser.open(locationOf(await browser.open(authorize.href)))
    expect([back.status, locationOf(back)]).toEqual([303, '/reviews?status=open'])
    expect([...browser.cookies.keys()]).toEqual(['access_token'])
    const me = await browser.open('/auth/me')
    expect(await me.json()).toMatchObject({ login: 'alice' })
  })

  it('hides state and verifier from the browser, and stores nothing for a visitor', async () => {
    const browser = scene.browser()
    const authorize = new URL(locationOf(await browser.open('/auth/login')))
    const sealed = Buffer.from(browser.cookies.get('umpire_login')!.value, 'base64url').toString(
      'latin1',
    )
    expect(sealed).not.toContain(authorize.searchParams.get('state'))
    expect(sealed).not.toContain('verifier')
    expect(
      await scene.app.db.selectFrom('usedSignInStates').select('digest').execute(),
    ).toHaveLength(
      (
        await scene.app.db
          .selectFrom('auditLog')
          .select('id')
          .where('action', '=', 'signed_in')
          .execute()
      ).length,
    )
  })

  it('returns instructions when no application is configured', async () => {
    const env = { PLATFORM_URL: scene.forge.url, PLATFORM_API_URL: scene.forge.apiUrl }
    await using app = await startTestApp({ env, parts: { web: true, worker: false } })
    for (const path of ['/auth/login', '/auth/callback?code=x&state=y']) {
      const response = await fetch(`${app.url}${path}`, { redirect: 'manual' })
      expect(response.status).toBe(404)
      const { detail } = (await response.json()) as { detail: string }
      expect(detail).toMatch(
        /^OAUTH_CLIENT_ID and OAUTH_CLIENT_SECRET are not configured: POST .* to \/auth\/login/,
      )
    }
    const body = JSON.stringify({ token: aliceToken })
    const headers = { 'content-type': 'application/json' }
    const signedIn = await fetch(`${app.url}/auth/login`, { method: 'POST', headers, body })
    // A browser does not return a Secure cookie over plain HTTP.
    expect(signedIn.headers.getSetCookie()).toEqual([
      expect.stringMatching(/HttpOnly; SameSite=Lax$/),
    ])
  })
})

describe('case 22: OAuth state, code and PKCE', () => {
  const elsewhere = /^This sign-in was not started in this browser, or took longer than ten minutes/
  const refusedCode = /^GitHub did not accept the sign-in/

  it.each<[string, (callback: URL) => void, RegExp]>([
    ['without a state', (url) => url.searchParams.delete('state'), elsewhere],
    ['with a foreign state', (url) => url.searchParams.set('state', 'x'.repeat(43)), elsewhere],
    ['with an empty state', (url) => url.searchParams.set('state', ''), elsewhere],
    [
      'with its state twice',
      (url) => url.searchParams.append('state', url.searchParams.get('state')!),
      elsewhere,
    ],
    ['without a code', (url) => url.searchParams.delete('code'), /^GitHub did not sign you in/],
    ['with an unknown code', (url) => url.searchParams.set('code', 'f'.repeat(20)), refusedCode],
    [
      'with an error',
      (url) => url.searchParams.set('error', 'server_error'),
      /^GitHub did not sign you in/,
    ],
  ])('refuses the callback %s', async (_what, change, detail) => {
    const browser = scene.browser()
    const callback = await followToCallback(browser)
    change(callback)
    await expectRefused(browser, await browser.open(callback.href), detail)
  })

  it.each([
    ['without the cookie', () => undefined],
    ['with an invalid cookie', () => 'AAAA'],
    ['with a changed cookie', (value: string) => value.replace(/.{4}$/, 'AAAA')],
  ])('refuses the callback %s', async (_what, change) => {
    const browser = scene.browser()
    const callback = await followToCallback(browser)
    const value = change(browser.cookies.get('umpire_login')!.value)
    if (value === undefined) browser.cookies.clear()
    else browser.cookies.set('umpire_login', { value, path: '/auth' })
    await expectRefused(browser, await browser.open(callback.href), elsewhere)
  })

  it('refuses the state of another browser that started a sign-in too', async () => {
    const [attacker, victim] = [scene.browser(), scene.browser()]
    const callback = await followToCallback(attacker)
    await followToCallback(victim)
    await expectRefused(victim, await victim.open(callback.href), elsewhere)
  })

  it('refuses a state after ten minutes', async () => {
    const browser = scene.browser()
    const callback = await followToCallback(browser)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 601_000 })
    await expectRefused(browser, await browser.open(callback.href), elsewhere)
  })

  it('accepts a state once, even with concurrent requests', async () => {
    const browser = scene.browser()
    const callback = await followToCallback(browser)
    const attempt = browser.cookies.get('umpire_login')!
    const replays = Array.from({ length: 4 }, () => {
      const copy = scene.browser()
      copy.cookies.set('umpire_login', attempt)
      return copy
    })
    const responses = await Promise.all(replays.map((copy) => copy.open(callback.href)))
    expect(responses.map(({ status }) => status).sort()).toEqual([303, 400, 400, 400])
    await expectRefused(
      browser,
      await browser.open(callback.href),
      /^This sign-in has ended already/,
    )
  })

  it('accepts a state once, even after the platform refused', async () => {
    const browser = scene.browser()
    const callback = await followToCallback(browser)
    const attempt = browser.cookies.get('umpire_login')!
    const code = callback.searchParams.get('code')!
    callback.searchParams.set('code', 'f'.repeat(20))
    await expectRefused(browser, await browser.open(callback.href), refusedCode)
    browser.cookies.set('umpire_login', attempt)
    callback.searchParams.set('code', code)
    await expectRefused(
      browser,
      await browser.open(callback.href),
      /^This sign-in has ended already/,
    )
  })

  it('refuses a code that was used before', async () => {
    const browser = scene.browser()
    const used = await followToCallback(browser)
    expect((await browser.open(used.href)).status).toBe(303)
    browser.cookies.clear()
    const callback = await followToCallback(browser)
    callback.searchParams.set('code', used.searchParams.get('code')!)
    await expectRefused(browser, await browser.open(callback.href), refusedCode)
  })

  it('refuses a code of another sign-in, because the verifier differs', async () => {
    const [attacker, victim] = [scene.browser(), scene.browser()]
    const stolen = (await followToCallback(attacker)).searchParams.get('code')!
    const callback = await followToCallback(victim)
    callback.searchParams.set('code', stolen)
    await expectRefused(victim, await victim.open(callback.href), refusedCode)
  })

  it('sends the verifier of the challenge', async () => {
    const browser = scene.browser()
    const authorize = new URL(locationOf(await browser.open('/auth/login')))
    await browser.open(locationOf(await browser.open(authorize.href)))
    const exchange = scene.forge.requests.findLast(
      ({ path }) => path === '/login/oauth/access_token',
    )
    const { code_verifier: verifier } = JSON.parse(String(exchange?.body)) as {
      code_verifier: string
    }
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    expect(challenge).toBe(authorize.searchParams.get('code_challenge'))
  })

  it('reports that the person cancelled', async () => {
    const browser = scene.browser()
    scene.forge.denyNextSignIn()
    const callback = await followToCallback(browser)
    expect(callback.searchParams.get('error')).toBe('access_denied')
    await expectRefused(
      browser,
      await browser.open(callback.href),
      /^The sign-in was cancelled at GitHub/,
    )
  })

  it.each([
    [
      'refuses the exchange',
      '/login/oauth/access_token',
      replyWith(404, { message: 'Not Found' }),
      400,
    ],
    [
      'does not accept its own token',
      '/api/v3/user',
      replyWith(401, { message: 'Bad credentials' }),
      400,
    ],
    ['is down for the exchange', '/login/oauth/access_token', replyWith(503), 502],
    ['drops the next connection', '/api/v3/user', drop(), 502],
  ])('opens no session when the platform %s', async (_what, path, action, status) => {
    const browser = scene.browser()
    const callback = await followToCallback(browser)
    scene.forge.faults.add({ match: (request) => request.path === path, action })
    const response = await browser.open(callback.href)
    expect(response.status).toBe(status)
    expect([...browser.cookies.keys()]).toEqual([])
  })
})

describe('case 23: return_to of another site', () => {
  const signInTo = async (query: string) => {
    const browser = scene.browser()
    return locationOf(
      await browser.open((await followToCallback(browser, `/auth/login?${query}`)).href),
    )
  }

  it.each([
    ...[
      '//evil.example',
      '/\\evil.example',
      '\\/evil.example',
      '\\\\evil.example',
      '///evil.example',
    ],
    ...[
      'https:evil.example',
      'https://evil.example/',
      'https:/evil.example',
      '%2f%2fevil.example',
      'evil.example',
    ],
    ...[
      '/%2f%2fevil.example',
      '/%2Fevil.example',
      '/%5cevil.example',
      '/.//evil.example',
      '/x/..//evil.example',
    ],
    ...[
      '/%2e//evil.example',
      'javascript:alert(1)',
      'data:text/html,x',
      '/\t/evil.example',
      '/\n/evil.example',
    ],
    ...[
      '/\0',
      ' //evil.example',
      '/%09/evil.example',
      '/%0d%0aset-cookie:a=b',
      '/é',
      '',
      '@evil.example',
    ],
    ...[`/${'x'.repeat(2000)}`, '/.\\/evil.example'],
  ])('redirects to / instead of %j', async (path) => {
    expect(await signInTo(new URLSearchParams({ return_to: path }).toString())).toBe('/')
  })

  it.each([
    ['return_to=%252f%252fevil.example', '/'],
    ['return_to=/a&return_to=//evil.example', '/'],
    ['return_to=/reviews/7?tab=findings%23first', '/reviews/7?tab=findings#first'],
    ['return_to=/search?q=//evil.example', '/search?q=//evil.example'],
  ])('redirects as requested by %s', async (query, path) => {
    expect(await signInTo(query)).toBe(path)
  })
})

/** Starts a code host and Umpire, and signs alice in. */
async function signInAtHost(dialect: 'gitea' | 'forgejo' | 'gitlab') {
  await using stack = new AsyncDisposableStack()
  const forge = stack.use(await startForge({ dialect }))
  forge.createUser('alice')
  const { clientId, clientSecret } = forge.createOAuthApp({
    callbackUrl: `${publicUrl}/auth/callback`,
  })
  const env = {
    PLATFORM: dialect,
    PLATFORM_URL: forge.url,
    PUBLIC_URL: publicUrl,
    OAUTH_CLIENT_ID: clientId,
    OAUTH_CLIENT_SECRET: clientSecret,
  }
  const app = stack.use(await startTestApp({ env, parts: { web: true, worker: false } }))
  forge.signInAs('alice')
  const signIn = async () => {
    const browser = createBrowser({ url: app.url, publicUrl })
    await browser.open((await followToCallback(browser)).href)
    return browser
  }
  const browser = await signIn()
  const resources = stack.move()
  return {
    forge,
    browser,
    signIn,
    /** The tokens of all hosts end within this time. */
    passThreeHours() {
      const threeHours = 3 * 60 * 60_000
      forge.shiftClock(threeHours)
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + threeHours })
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

const listRepositories = (browser: Browser) => browser.open('/api/v1/repos')

describe.each(['gitea', 'forgejo', 'gitlab'] as const)('a session from OAuth at %s', (dialect) => {
  it('outlasts the token of the code host, which is renewed', async () => {
    await using scene = await signInAtHost(dialect)
    expect((await listRepositories(scene.browser)).status).toBe(200)
    scene.passThreeHours()
    expect((await listRepositories(scene.browser)).status).toBe(200)
  })

  it('goes on after a sign-in in another browser', async () => {
    await using scene = await signInAtHost(dialect)
    const other = await scene.signIn()
    scene.passThreeHours()
    for (const browser of [scene.browser, other])
      expect((await listRepositories(browser)).status).toBe(200)
  })
})

describe.each(['gitea', 'forgejo'] as const)('a sign-in that is revoked at %s', (dialect) => {
  it.each([
    ['before its token has ended', false],
    ['after its token has ended', true],
  ])('is requested again, %s', async (_when, hasEnded) => {
    await using scene = await signInAtHost(dialect)
    scene.forge.revokeGrants('alice')
    if (hasEnded) scene.passThreeHours()
    const refused = await listRepositories(scene.browser)
    const detail = 'Session expired — please log out and sign in again.'
    expect([refused.status, await refused.json()]).toEqual([401, { detail }])
    expect((await listRepositories(await scene.signIn())).status).toBe(200)
  })
})
