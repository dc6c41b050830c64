// Signing in with a platform token, who may sign in, and signing out.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/read-config.ts'
import { createControl } from '../../src/workflows/control.ts'
import {
  type AccountScenario,
  aliceToken,
  bobToken,
  publicUrl,
  startAccountScenario,
} from '../account-scenario.ts'
import { createBrowser, followToCallback, locationOf } from '../browser.ts'
import { drop, replyWith } from '../fakes/forge/faults.ts'
import { createTestDatabase } from '../fakes/test-database.ts'
import { signInWithToken } from '../sign-in.ts'
import { startTestApp } from '../start-app.ts'

let scene: AccountScenario
beforeAll(async () => {
  scene = await startAccountScenario()
})
afterAll(() => scene[Symbol.asyncDispose]())

function postToken(body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${scene.app.url}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}

const sessionsOf = async () =>
  (await scene.app.db.selectFrom('tokens').select('id').where('kind', '=', 'session').execute())
    .length

describe('signing in with a token of the platform', () => {
  it('sets a session cookie that scripts cannot read, and returns the account', async () => {
    const response = await postToken({ token: aliceToken })
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ login: 'alice', is_admin: true })
    const [cookie] = response.headers.getSetCookie()
    const jwt = String.raw`[\w-]+\.[\w-]+\.[\w-]+`
    const attributes = 'Max-Age=2592000; Path=/; HttpOnly; Secure; SameSite=Lax'
    expect(cookie).toMatch(new RegExp(`^access_token=${jwt}; ${attributes}$`))
  })

  it('makes only the first account an administrator', async () => {
    await signInWithToken(scene.app, aliceToken)
    const bob = await signInWithToken(scene.app, bobToken)
    const me = await fetch(`${scene.app.url}/auth/me`, { headers: bob.bearer })
    const url = scene.forge.url
    expect(await me.json()).toEqual({
      hosts: [
        {
          id: 'github',
          name: 'GitHub',
          url,
          suffix: '',
          apps: true,
          token_help: expect.stringContaining('repo scope'),
        },
      ],
      id: expect.any(Number),
      login: 'bob',
      name: expect.any(String),
      avatar_url: expect.any(String),
      is_admin: false,
      service_name: 'umpire',
      platform: 'github',
      platform_url: scene.forge.url,
    })
    expect((await fetch(`${scene.app.url}/auth/me`, { headers: bob.cookie })).status).toBe(200)
    expect((await fetch(`${scene.app.url}/auth/me`)).status).toBe(401)
  })

  it.each([
    [
      'an unknown token',
      { token: 'ghp_of_nobody' },
      401,
      'GitHub does not accept this token: create a personal access token there that has ' +
        'not expired, and copy all of it',
    ],
    ['no token', {}, 422, 'token must be a string'],
    [
      'a malformed token',
      { token: 'a\nb' },
      422,
      'token must be a personal access token of the code host',
    ],
  ])('refuses %s', async (_what, body, status, detail) => {
    const before = await sessionsOf()
    const response = await postToken(body)
    expect([response.status, await response.json()]).toEqual([status, { detail }])
    expect(response.headers.getSetCookie()).toEqual([])
    expect(await sessionsOf()).toBe(before)
  })

  it.each(['gho_', 'ghu_', 'ghs_', 'ghr_'])(
    'refuses a token of an application: %s…',
    async (kind) => {
      const before = await sessionsOf()
      scene.forge.createUser('carol', { token: `${kind}token_of_carol` })
      const response = await postToken({ token: `${kind}token_of_carol` })
      const detail =
        'This is not a personal access token: create one on the code host, and copy all of it'
      expect([response.status, await response.json()]).toEqual([401, { detail }])
      expect(response.headers.getSetCookie()).toEqual([])
      expect(await sessionsOf()).toBe(before)
    },
  )

  it.each([
    ['is down', replyWith(503), 502],
    ['hangs up', drop(), 502],
    [
      'does not let the token read its user',
      replyWith(403, { message: 'Resource not accessible' }),
      401,
    ],
  ])('reports an error when the platform %s', async (_what, action, status) => {
    const remove = scene.forge.faults.add({ match: ({ path }) => path.endsWith('/user'), action })
    const response = await postToken({ token: aliceToken })
    remove()
    expect(response.status).toBe(status)
    const { detail } = (await response.json()) as { detail: string }
    expect(detail).toMatch(/^(The code host could not be reached|GitHub does not accept)/)
    expect(response.headers.getSetCookie()).toEqual([])
  })

  it('keeps 100 sessions per person and deletes tokens a month after expiry', async () => {
    const { db } = scene.app
    const { session } = await signInWithToken(scene.app, bobToken)
    const { id } = await db
      .selectFrom('users')
      .select('id')
      .where('login', '=', 'bob')
      .executeTakeFirstOrThrow()
    const row = { userId: id, kind: 'session' as const }
    const [yesterday, soon] = [new Date(Date.now() - 86_400_000), new Date(Date.now() + 86_400_000)]
    const more = Array.from({ length: 105 }, () => ({
      ...row,
      id: crypto.randomUUID(),
      expiresAt: soon,
    }))
    await db
      .insertInto('tokens')
      .values(more.map((token) => ({ ...token, createdAt: yesterday })))
      .execute()
    const stale = ['29 days', '31 days'].map((age) => ({
      ...row,
      kind: 'api' as const,
      name: age,
      age,
    }))
    for (const { age, ...token } of stale) {
      const expiresAt = new Date(Date.now() - Number.parseInt(age, 10) * 86_400_000)
      await db
        .insertInto('tokens')
        .values({ ...token, id: crypto.randomUUID(), expiresAt })
        .execute()
    }
    await signInWithToken(scene.app, bobToken)
    const stored = await db
      .selectFrom('tokens')
      .select(['kind', 'name'])
      .where('userId', '=', id)
      .execute()
    expect(stored.filter(({ kind }) => kind === 'session')).toHaveLength(100)
    expect(stored.filter(({ kind }) => kind === 'api').map(({ name }) => name)).toEqual(['29 days'])
    const earlier = await fetch(`${scene.app.url}/auth/me`, {
      headers: { cookie: `access_token=${session}` },
    })
    expect(earlier.status).toBe(200)
  })
})

describe('signing out', () => {
  it('ends the session and its bearer token, and no other', async () => {
    const [one, other] = [
      await signInWithToken(scene.app, aliceToken),
      await signInWithToken(scene.app, aliceToken),
    ]
    const response = await fetch(`${scene.app.url}/auth/logout`, {
      method: 'POST',
      headers: one.cookie,
    })
    expect([response.status, await response.json()]).toEqual([200, { status: 'signed_out' }])
    expect(response.headers.getSetCookie()[0]).toMatch(
      /^access_token=; Max-Age=0; Path=\/;.*HttpOnly; Secure; SameSite=Lax$/,
    )
    for (const headers of [one.cookie, one.bearer]) {
      expect((await fetch(`${scene.app.url}/auth/me`, { headers })).status).toBe(401)
    }
    expect((await fetch(`${scene.app.url}/auth/me`, { headers: other.bearer })).status).toBe(200)
    const audit = await fetch(`${scene.app.url}/api/v1/audit?limit=3`, { headers: other.cookie })
    const { entries } = (await audit.json()) as { entries: { action: string; login: string }[] }
    expect(entries.map(({ action, login }) => `${login} ${action}`)).toEqual([
      'alice signed_out',
      'alice signed_in',
      'alice signed_in',
    ])
  })

  it.each([
    ['no session', undefined],
    ['an invalid session', 'access_token=made.up.it'],
  ])('responds in the same way to %s', async (_what, cookie) => {
    const headers = cookie === undefined ? {} : { cookie }
    const response = await fetch(`${scene.app.url}/auth/logout`, { method: 'POST', headers })
    expect([response.status, await response.json()]).toEqual([200, { status: 'signed_out' }])
    expect(response.headers.getSetCookie()[0]).toMatch(/^access_token=; Max-Age=0;/)
  })
})

describe('SIGN_IN_ALLOWED', () => {
  it('refuses other people on both sign-in paths, and ends their sessions', async () => {
    const database = await createTestDatabase()
    await using stack = new AsyncDisposableStack()
    stack.defer(() => database.dispose())
    const { forge } = scene
    const oauth = forge.createOAuthApp()
    const env = {
      PLATFORM_URL: forge.url,
      PLATFORM_API_URL: forge.apiUrl,
      PUBLIC_URL: publicUrl,
      SECRET_KEY: 'k'.repeat(32),
      OAUTH_CLIENT_ID: oauth.clientId,
      OAUTH_CLIENT_SECRET: oauth.clientSecret,
    }
    const start = (more: Record<string, string>) =>
      startTestApp({ env: { ...env, ...more }, database, parts: { web: true, worker: false } })
    const open = await start({})
    const bob = await signInWithToken(open, bobToken)
    await open[Symbol.asyncDispose]()

    await using app = await start({ SIGN_IN_ALLOWED: 'carol, ALICE' })
    expect((await fetch(`${app.url}/auth/me`, { headers: bob.cookie })).status).toBe(401)
    expect((await fetch(`${app.url}/auth/me`, { headers: bob.bearer })).status).toBe(401)
    const headers = { 'content-type': 'application/json' }
    const refused = await fetch(`${app.url}/auth/login`, {
      method: 'POST',
      headers,
      body: `{"token":"${bobToken}"}`,
    })
    const detail = 'bob may not sign in here: SIGN_IN_ALLOWED names who may'
    expect([refused.status, await refused.json()]).toEqual([403, { detail }])
    expect((await signInWithToken(app, aliceToken)).session).toMatch(/\./)

    const browser = createBrowser({ url: app.url, publicUrl })
    forge.signInAs('bob')
    const back = await browser.open((await followToCallback(browser)).href)
    expect([back.status, await back.json()]).toEqual([403, { detail }])
    expect([...browser.cookies]).toEqual([])
    forge.signInAs('alice')
    expect(locationOf(await browser.open((await followToCallback(browser)).href))).toBe('/')
  })

  it('case 85: revokes a removed administrator, but not tokens of the operator', async () => {
    const database = await createTestDatabase()
    await using stack = new AsyncDisposableStack()
    stack.defer(() => database.dispose())
    const { forge } = scene
    const env = {
      ...{ PLATFORM_URL: forge.url, PLATFORM_API_URL: forge.apiUrl, PUBLIC_URL: publicUrl },
      ...{ SECRET_KEY: 'k'.repeat(32), MCP_ACCESS: 'token' },
    }
    const start = async (allowed: string) => {
      const given = { ...env, SIGN_IN_ALLOWED: allowed }
      const app = await startTestApp({ env: given, database, parts: { web: true, worker: false } })
      return {
        app,
        control: createControl(app.app.context, { db: app.db, engine: database.config.engine }),
      }
    }
    const before = await start('alice, bob')
    const tokenOptions = { admin: true, name: 'a token', days: 30 }
    const alice = await signInWithToken(before.app, aliceToken)
    const issued = await Promise.all([
      before.control.createToken({ ...tokenOptions, user: 'alice' }),
      before.control.createToken({ ...tokenOptions, user: null }),
    ])
    const [ofAlice, ofOperator] = issued.map(({ jwt }) => ({ authorization: `Bearer ${jwt}` }))
    const statusesFor = async (
      url: string,
      headers: Readonly<Record<string, string>> | undefined,
    ) => {
      const request = (path: string, init: RequestInit = {}) =>
        fetch(`${url}${path}`, {
          ...init,
          headers: { 'content-type': 'application/json', ...headers },
        })
      const list = await request('/auth/me')
      const checks = await request('/api/v1/settings/checks')
      const mcp = await request('/mcp/messages', {
        method: 'POST',
        body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
      })
      return [list, checks, mcp].map(({ status }) => status)
    }
    for (const headers of [ofAlice, ofOperator, alice.bearer]) {
      expect(await statusesFor(before.app.url, headers)).toEqual([200, 200, 200])
    }
    expect(await statusesFor(before.app.url, alice.cookie)).toEqual([200, 200, 401])
    await before.app[Symbol.asyncDispose]()

    const { app, control } = await start('bob')
    stack.use(app)
    for (const headers of [ofAlice, alice.bearer, alice.cookie]) {
      expect(await statusesFor(app.url, headers)).toEqual([401, 401, 401])
    }
    expect(await statusesFor(app.url, ofOperator)).toEqual([200, 200, 200])
    const refused = 'alice may not sign in here: add the username to SIGN_IN_ALLOWED.'
    await expect(control.createToken({ ...tokenOptions, user: 'alice' })).rejects.toThrow(refused)
  })

  it.each([',', ' ', 'alice,,bob'])('refuses %j as a list of names', async (value) => {
    await expect(readConfig({ SIGN_IN_ALLOWED: value })).rejects.toThrow(
      /SIGN_IN_ALLOWED must be usernames/,
    )
  })
})
