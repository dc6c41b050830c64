// Secrets must not appear in logs, errors or responses: a search for canaries.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { aliceToken, bobToken, publicUrl, startAccountForge } from '../account-scenario.ts'
import { type Browser, createBrowser, followToCallback } from '../browser.ts'
import { replyWith } from '../fakes/forge/faults.ts'
import type { Forge } from '../fakes/forge/forge.ts'
import { signInWithToken } from '../sign-in.ts'
import {
  createServiceStorage,
  type ServiceStorage,
  startUmpireProcess,
  type UmpireProcess,
} from '../start-umpire-process.ts'

/** The secrets that the deployment is configured with. */
const configured = {
  SECRET_KEY: 'canary-of-the-secret-key-32-characters',
  SECRET_KEYS_OLD: 'canary-of-an-older-secret-key-32-characters',
  OAUTH_CLIENT_SECRET: 'canary-of-the-oauth-client-secret',
  PLATFORM_TOKEN: 'ghs_canary_of_the_platform_token',
  WEBHOOK_SECRET: 'canary-of-the-webhook-secret',
}

let forge: Forge
let site: ServiceStorage
let umpire: UmpireProcess
let url: string
const canaries = new Map<string, string>(Object.entries(configured))
/** Every response (status, headers, body), without what a response is meant to contain. */
const responses: string[] = []

beforeAll(async () => {
  const accounts = await startAccountForge()
  forge = accounts.forge
  const oauth = forge.createOAuthApp({ clientSecret: configured.OAUTH_CLIENT_SECRET })
  site = await createServiceStorage()
  const env = {
    ...accounts.env,
    ...configured,
    OAUTH_CLIENT_ID: oauth.clientId,
    LOG_LEVEL: 'trace',
  }
  umpire = await startUmpireProcess(site, { args: ['--no-worker'], env })
  url = umpire.url!
})
afterAll(async () => {
  await umpire[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
  await forge[Symbol.asyncDispose]()
})

/** Records a response, but leaves out the cookies and the redirect of a sign-in. */
async function recordResponse(response: Response): Promise<Response> {
  const headers = [...response.headers].filter(
    ([name]) => name !== 'set-cookie' && name !== 'location',
  )
  responses.push(JSON.stringify([response.status, headers, await response.clone().text()]))
  return response
}

const headers = { 'content-type': 'application/json' }
async function send(
  method: string,
  path: string,
  more: Record<string, string> = {},
  body?: unknown,
): Promise<Response> {
  const init =
    body === undefined
      ? { headers: more }
      : { headers: { ...headers, ...more }, body: JSON.stringify(body) }
  return recordResponse(await fetch(url + path, { method, ...init }))
}

function addCookies(name: string, browser: Browser): void {
  for (const [cookie, { value }] of browser.cookies) canaries.set(`${cookie} of ${name}`, value)
}

/** Signs in by OAuth, once correctly and then in ways that fail. */
async function signInByOAuth(): Promise<void> {
  forge.signInAs('alice')
  const failureStatus = { code: 400, state: 400, platform: 502 }
  for (const spoil of [null, 'code', 'state', 'platform'] as const) {
    const browser = createBrowser({ url, publicUrl })
    const callback = await followToCallback(browser)
    canaries.set(`code, ${spoil}`, callback.searchParams.get('code')!)
    canaries.set(`state, ${spoil}`, callback.searchParams.get('state')!)
    addCookies(`an attempt, ${spoil}`, browser)
    if (spoil === 'code' || spoil === 'state') callback.searchParams.append(spoil, 'x')
    if (spoil === 'platform')
      forge.faults.add({
        match: ({ path }) => path.endsWith('/access_token'),
        action: replyWith(500),
      })
    const response = await recordResponse(await browser.open(callback.href))
    expect(response.status).toBe(spoil === null ? 303 : failureStatus[spoil])
    addCookies(`the session, ${spoil}`, browser)
  }
  forge.faults.clear()
  const exchanges = forge.requests.filter(({ path }) => path === '/login/oauth/access_token')
  for (const [index, { body }] of exchanges.entries()) {
    canaries.set(
      `verifier ${index}`,
      (JSON.parse(String(body)) as { code_verifier: string }).code_verifier,
    )
  }
  const uses = forge.requests.flatMap(
    ({ headers }) => /^Bearer (gho_\w+)$/.exec(String(headers.authorization))?.[1] ?? [],
  )
  expect(uses).toHaveLength(1)
  canaries.set('token of the platform, by OAuth', uses[0]!)
}

/** Uses and misuses credentials on all kinds of endpoints. */
async function useCredentials(): Promise<void> {
  const bob = await signInWithToken({ url }, bobToken)
  const bearer = bob.bearer.authorization.slice('Bearer '.length)
  const created = await fetch(`${url}/api/v1/tokens`, {
    method: 'POST',
    headers: { ...headers, ...bob.cookie },
    body: '{"name":"x"}',
  })
  const { token, id } = (await created.json()) as { token: string; id: string }
  for (const [name, jwt] of Object.entries({ session: bob.session, bearer, named: token })) {
    canaries.set(`${name} of bob`, jwt)
    canaries.set(`signature of ${name}`, jwt.split('.')[2]!)
    for (const path of [
      '/auth/me',
      '/api/v1/tokens',
      '/api/v1/audit',
      `/api/v1/${jwt}`,
      `/auth/me?token=${jwt}`,
      `/${jwt}`,
    ]) {
      await send('GET', path, { authorization: `Bearer ${jwt}` })
      await send('GET', path, { cookie: `access_token=${jwt}` })
      await send('GET', path, { authorization: `Basic ${jwt}`, cookie: `${jwt}=${jwt}` })
    }
    await send('DELETE', `/api/v1/tokens/${jwt}`, bob.cookie)
    await send('POST', '/api/v1/tokens', bob.cookie, {
      name: '',
      token: jwt,
      [jwt]: jwt,
      expires_in_days: jwt,
    })
    await send('POST', `/api/v1/repos/acme/${jwt}/install`, { authorization: `Bearer ${jwt}` })
  }
  await send('DELETE', `/api/v1/tokens/${id}`, bob.cookie)
  await send('POST', '/auth/logout', bob.cookie)
}

/** Signs in with platform tokens that are rejected. */
async function failToSignIn(): Promise<void> {
  for (const [name, value] of [
    ['of alice', aliceToken],
    ['of bob', bobToken],
  ] as const)
    canaries.set(`token ${name}`, value)
  const wrong = 'ghp_canary_of_a_token_that_nobody_has'
  canaries.set('a wrong token', wrong)
  await send('POST', '/auth/login', {}, { token: wrong })
  await send('POST', '/auth/login', {}, { token: [wrong] })
  await send('POST', '/auth/login', {}, { token: `${wrong}\n` })
  await send('POST', '/auth/login', {}, { [wrong]: wrong })
  await send('POST', '/auth/login', {}, wrong)
  await recordResponse(
    await fetch(`${url}/auth/login`, { method: 'POST', headers, body: `{"token":"${wrong}"` }),
  )
  await recordResponse(
    await fetch(`${url}/auth/login`, {
      method: 'POST',
      headers: { 'content-type': wrong },
      body: wrong,
    }),
  )
  await send('GET', `/auth/login/${wrong}`)
  for (const action of [
    replyWith(500, { message: wrong }),
    replyWith(403, { message: `not with ${wrong}` }),
    replyWith(200, { id: wrong }),
  ]) {
    const remove = forge.faults.add({ match: ({ path }) => path.endsWith('/user'), action })
    await send('POST', '/auth/login', {}, { token: wrong })
    remove()
  }
}

it('case 25: no secret is in logs, errors or responses not meant to contain it', async () => {
  await signInByOAuth()
  await useCredentials()
  await failToSignIn()
  for (const path of ['/openapi.json', '/docs', '/healthz', '/readyz']) await send('GET', path)
  umpire.signal('SIGTERM')
  const { stderr } = await umpire.exited
  expect(stderr).toContain('"Request answered"')
  expect(responses.length).toBeGreaterThan(60)
  const leaks = [...canaries].flatMap(([name, value]) => {
    const spellings = [
      value,
      encodeURIComponent(value),
      Buffer.from(value).toString('base64').replace(/=+$/, ''),
    ]
    const outputs = { log: stderr, answers: responses.join('\n') }
    return Object.entries(outputs).flatMap(([output, text]) =>
      spellings.some((spelling) => text.includes(spelling)) ? [`${name} in the ${output}`] : [],
    )
  })
  expect(leaks).toEqual([])
  expect(canaries.size).toBeGreaterThan(25)
})
