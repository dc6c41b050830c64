// Tests error bodies, rate limits, request logs and the OpenAPI document of all endpoints.
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { OpenAPIV3_1 } from 'openapi-types'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/read-config.ts'
import { createResponseChecker } from '../check-responses.ts'
import { type Forge, hold } from '../fakes/forge/forge.ts'
import { sendRaw } from '../raw-request.ts'
import { forgeEnvironment, startShopForge } from '../review-scenario.ts'
import { signInWithToken } from '../sign-in.ts'
import { pullRequestPayload, startTestApp, type TestApp } from '../start-app.ts'
import { createServiceStorage, startUmpireProcess } from '../start-umpire-process.ts'

const token = 'ghp_token_of_alice'
const parts = { web: true, worker: false }

let forge: Forge
let app: TestApp
beforeAll(async () => {
  forge = await startShopForge()
  app = await startTestApp({ env: forgeEnvironment(forge), parts })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await forge[Symbol.asyncDispose]()
})

describe('error responses', () => {
  const json = { 'content-type': 'application/json' }
  const post = (
    body: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = json,
  ) => ({
    method: 'POST',
    body,
    headers,
  })

  it.each<[string, string, RequestInit, number]>([
    ['an unknown path', '/api/v1/nothing', {}, 404],
    ['a path outside of the API', '/index.php', {}, 404],
    ['a slash too many', '/healthz/', {}, 404],
    ['a malformed percent-encoding', '/api/v1/repos/%zz/x/install', {}, 400],
    [
      'a part of a path that is too long',
      `/api/v1/repos/${'x'.repeat(600)}/x/install`,
      { method: 'POST' },
      414,
    ],
    ['malformed JSON', '/auth/login', post('{"token":'), 400],
    ['an empty body', '/auth/login', post(''), 422],
    ['a key that names a prototype', '/auth/login', post('{"__proto__":{"token":"x"}}'), 400],
    [
      'a body of another type',
      '/auth/login',
      post('token=x', { 'content-type': 'application/x-www-form-urlencoded' }),
      415,
    ],
    ['a plain text', '/auth/login', post('{"token":"x"}', { 'content-type': 'text/plain' }), 415],
    ['a body without a type', '/auth/login', post(new Uint8Array([123, 125]), {}), 415],
    [
      'a body over 1 MB',
      '/auth/login',
      post(JSON.stringify({ token: 'x'.repeat(1024 * 1024) })),
      413,
    ],
    ['an array', '/auth/login', post('[]'), 422],
    ['a missing field', '/auth/login', post('{}'), 422],
  ])('have a status and a detail: %s', async (_name, path, init, status) => {
    const response = await fetch(`${app.url}${path}`, init)
    const body = await response.json()
    expect([response.status, body]).toEqual([
      status,
      { detail: expect.stringMatching(/^[A-Z\w][^\n]{3,200}$/) },
    ])
    expect(JSON.stringify(body)).not.toMatch(/Invalid input|node_modules|\.ts:\d|%zz|FST_/)
    expect(response.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/)
  })

  it.each([
    ['PUT', '/healthz', 'GET, HEAD'],
    ['OPTIONS', '/healthz', 'GET, HEAD'],
    ['GET', '/api/v1/repos/acme/shop/install', 'DELETE, POST'],
    ['GET', '/api/v1/webhooks/host', 'POST'],
    ['PATCH', '/openapi.json', 'GET, HEAD'],
  ])('to %s %s are a 405 with the allowed methods', async (method, path, allowed) => {
    const response = await fetch(`${app.url}${path}`, { method })
    expect([response.status, await response.json()]).toEqual([
      405,
      { detail: 'Method not allowed' },
    ])
    expect(response.headers.get('allow')).toBe(allowed)
  })

  it.each(['application/json', 'application/x-www-form-urlencoded', 'text/plain'])(
    'are not sent for an empty body of type %s',
    async (type) => {
      const response = await fetch(`${app.url}/auth/logout`, post('', { 'content-type': type }))
      expect([response.status, await response.json()]).toEqual([200, { status: 'signed_out' }])
    },
  )

  it('have no body for a HEAD request', async () => {
    for (const [path, status] of [
      ['/healthz', 200],
      ['/nothing', 404],
      ['/auth/me', 401],
    ] as const) {
      const response = await fetch(`${app.url}${path}`, { method: 'HEAD' })
      expect([path, response.status, await response.text()]).toEqual([path, status, ''])
    }
  })

  it.each([
    ['no HTTP at all', ['HELO', '', ''], 400],
    ['an unknown method', ['BREW /healthz HTTP/1.1', 'host: localhost', '', ''], 400],
    [
      'headers that are too large',
      ['GET /healthz HTTP/1.1', 'host: localhost', `x: ${'y'.repeat(50_000)}`, '', ''],
      431,
    ],
    [
      'two lengths',
      [
        'POST /auth/login HTTP/1.1',
        'host: localhost',
        'content-length: 1',
        'content-length: 2',
        '',
        '',
      ],
      400,
    ],
    [
      'a method of no path',
      ['PROPFIND /healthz HTTP/1.1', 'host: localhost', 'connection: close', '', ''],
      405,
    ],
    [
      'an unknown expectation',
      ['GET /healthz HTTP/1.1', 'host: localhost', 'expect: miracles', 'connection: close', '', ''],
      417,
    ],
  ])('have a detail for %s', async (_name, lines, status) => {
    const answer = await sendRaw(app.url, lines)
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))).toEqual({
      detail: expect.any(String),
    })
  })

  it('are never a 500, for any value of a parameter', async () => {
    const odd = [
      '',
      '%00',
      '%ED%A0%80',
      '%',
      '__proto__',
      "'%20or%201=1--",
      '..%2F..',
      '-1',
      '1e99',
      '%F0%9F%92%A5',
      'x'.repeat(499),
    ]
    const document = await readDocument()
    const { cookie, bearer } = await signInWithToken(app, token)
    const answers = new Map<string, number>()
    for (const [path, method, operation] of operationsOf(document)) {
      if (path === '/api/v1/live' || path === '/auth/logout') continue
      for (const value of odd) {
        const parameters = (operation.parameters ?? []) as OpenAPIV3_1.ParameterObject[]
        const query = parameters
          .filter((one) => one.in === 'query')
          .map((one) => `${one.name}=${value}`)
        const url = `${app.url}${path.replace(/\{\w+\}/g, value)}?${query.join('&')}`
        // Requests have no body: only paths and queries are tested here.
        const response = await fetch(url, {
          method,
          headers: { ...cookie, ...bearer },
          redirect: 'manual',
        })
        answers.set(`${method} ${path} ${value}`, response.status)
        await response.text()
      }
    }
    expect(answers.size).toBeGreaterThan(200)
    expect([...answers].filter(([, status]) => status === 500)).toEqual([])
  })
})

describe('the rate limit', () => {
  it('counts each session on its own, before any database query', async () => {
    forge.createUser('bob', { token: 'ghp_token_of_bob' })
    await using limited = await startTestApp({
      env: { ...forgeEnvironment(forge), RATE_LIMIT_PER_MINUTE: '6' },
      parts,
    })
    const alice = await signInWithToken(limited, token)
    const bob = await signInWithToken(limited, 'ghp_token_of_bob')
    const readStatus = async (headers: Record<string, string>) =>
      (await fetch(`${limited.url}/auth/me`, { headers })).status
    // The request for the bearer token was the first of six.
    const statuses = [
      await readStatus(alice.cookie),
      await readStatus(alice.bearer),
      await readStatus(alice.cookie),
      await readStatus(alice.bearer),
    ]
    expect([...statuses, await readStatus(alice.cookie)]).toEqual([200, 200, 200, 200, 200])
    const over = await fetch(`${limited.url}/auth/me`, { headers: alice.bearer })
    expect([over.status, await over.json()]).toEqual([
      429,
      { detail: 'More than 6 requests in a minute' },
    ])
    expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await readStatus(bob.cookie)).toBe(200)
    // Requests with a forged token count for the address, like the two sign-ins.
    const forged = { authorization: `Bearer ${alice.bearer.authorization.slice(7, -4)}AAAA` }
    expect([
      await readStatus(forged),
      await readStatus({}),
      await readStatus(forged),
      await readStatus({}),
      await readStatus(forged),
    ]).toEqual([401, 401, 401, 401, 429])
    await limited.db.updateTable('tokens').set({ revokedAt: new Date() }).execute()
    expect(await readStatus(alice.cookie)).toBe(429)
  })

  it('does not affect a person whose revoked token is still used', async () => {
    await using limited = await startTestApp({
      env: { ...forgeEnvironment(forge), RATE_LIMIT_PER_MINUTE: '6' },
      parts,
    })
    const [lost, alice] = [
      await signInWithToken(limited, token),
      await signInWithToken(limited, token),
    ]
    const readStatus = async (headers: Record<string, string>) =>
      (await fetch(`${limited.url}/auth/me`, { headers })).status
    await fetch(`${limited.url}/auth/logout`, { method: 'POST', headers: lost.cookie })
    const statuses: number[] = []
    for (let count = 0; count < 6; count++) statuses.push(await readStatus(lost.bearer))
    expect(statuses).toEqual([401, 401, 401, 401, 429, 429])
    expect(await readStatus(alice.bearer)).toBe(200)
  })

  it('does not apply to deliveries, health checks and the document', async () => {
    await using limited = await startTestApp({ env: { RATE_LIMIT_PER_MINUTE: '1' }, parts })
    for (let number = 1; number <= 3; number++) {
      expect(await limited.deliver(pullRequestPayload({ number }))).toMatchObject({ status: 200 })
      for (const path of ['/healthz', '/readyz', '/openapi.json', '/docs/']) {
        expect([path, (await fetch(`${limited.url}${path}`)).status]).toEqual([path, 200])
      }
    }
  })
})

describe('the sign-in limit', () => {
  const trusting = { SIGN_INS_PER_MINUTE: '2', TRUSTED_PROXIES: '10.1.0.0/16, 127.0.0.1' }
  const startLimited = (env: Record<string, string>) =>
    startTestApp({ env: { ...forgeEnvironment(forge), ...env }, parts })
  /** Signs in behind a proxy, by default with a token that the platform refuses. */
  async function signIn(
    limited: TestApp,
    forwardedFor: string,
    body: unknown = { token: 'ghp_of_nobody' },
  ) {
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': forwardedFor }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    const response = await fetch(`${limited.url}/auth/login`, init)
    return [response.status, ((await response.json()) as { detail: string }).detail]
  }
  const unknown = [401, expect.stringMatching(/^GitHub does not accept this token: /)]

  it('counts each address, but not requests without a token', async () => {
    await using limited = await startLimited(trusting)
    for (let count = 0; count < 3; count++)
      expect((await signIn(limited, '192.0.2.1', {}))[0]).toBe(422)
    expect(await signIn(limited, '192.0.2.1')).toEqual(unknown)
    expect(await signIn(limited, '192.0.2.1')).toEqual(unknown)
    const requestsBefore = forge.requests.length
    expect(await signIn(limited, '192.0.2.1')).toEqual([429, 'More than 2 sign-ins in a minute'])
    expect(forge.requests).toHaveLength(requestsBefore)
    // Addresses that a client adds itself come before those that the proxies add.
    expect((await signIn(limited, '192.0.2.9, 192.0.2.1, 10.1.2.3'))[0]).toBe(429)
    expect(await signIn(limited, '192.0.2.2')).toEqual(unknown)
  })

  it('case 84: lets another address sign in after 200 wrong tokens', async () => {
    await using limited = await startLimited({ ...trusting, SIGN_INS_PER_MINUTE: '20' })
    const guesses = Array.from({ length: 200 }, (_, at) =>
      signIn(limited, `198.51.100.${at % 10}`, { token: `ghp_wrong_${at}` }),
    )
    expect(await Promise.all(guesses)).toEqual(Array(200).fill(unknown))
    expect((await signIn(limited, '198.51.100.1'))[0]).toBe(429)
    expect((await signIn(limited, '203.0.113.1', { token }))[0]).toBe(200)
  })

  it('case 84: leaves capacity for others while guesses wait for the platform', async () => {
    await using limited = await startLimited({ ...trusting, SIGN_INS_PER_MINUTE: '100' })
    const before = forge.requests.length
    const held = hold()
    const removeFault = forge.faults.add({
      match: ({ login, path }) => login === null && path === '/api/v3/user',
      action: held,
    })
    const guesses = Array.from({ length: 100 }, (_, at) =>
      signIn(limited, '198.51.100.1', { token: `ghp_wrong_${at}` }),
    )
    const arrived = () => forge.requests.slice(before).filter(({ login }) => login === null)
    await forge.waitFor(() => arrived().length >= 6, {
      description: 'the maximum of concurrent guesses per address',
    })
    expect((await signIn(limited, '203.0.113.1', { token }))[0]).toBe(200)
    expect(arrived()).toHaveLength(6)
    removeFault()
    held.release()
    expect(await Promise.all(guesses)).toEqual(Array(100).fill(unknown))
  })

  it('counts each account over all addresses', async () => {
    await using limited = await startLimited(trusting)
    const statuses: unknown[] = []
    for (const at of [1, 2, 3])
      statuses.push((await signIn(limited, `192.0.2.${at}`, { token }))[0])
    expect(statuses).toEqual([200, 200, 429])
  })

  it.each([
    ['no proxy is trusted', ''],
    ['other proxies are trusted', '10.0.0.0/8,::2'],
  ])('counts the address of the connection when %s', async (_what, TRUSTED_PROXIES) => {
    await using limited = await startLimited({ ...trusting, TRUSTED_PROXIES })
    for (const address of ['192.0.2.1', '192.0.2.2'])
      expect(await signIn(limited, address)).toEqual(unknown)
    expect((await signIn(limited, '192.0.2.3'))[0]).toBe(429)
  })

  it.each(['proxy.example', '10.0.0.0/33', '0.0.0.0/0', '10.0.0.1,', 'true'])(
    'refuses %j as trusted proxies',
    async (TRUSTED_PROXIES) => {
      await expect(readConfig({ TRUSTED_PROXIES })).rejects.toThrow(
        /TRUSTED_PROXIES must be addresses or ranges/,
      )
    },
  )
})

describe('the request log', () => {
  it('has the route, status, user and request id, no sent values, and no other lines', async () => {
    await using site = await createServiceStorage()
    await using umpire = await startUmpireProcess(site, {
      args: ['--no-worker'],
      env: { ...forgeEnvironment(forge), LOG_LEVEL: 'trace' },
    })
    const url = umpire.url!
    const { cookie, bearer, session } = await signInWithToken({ url }, token)
    const canaries = ['canary-in-query', 'canary-in-path', 'canary-in-header', 'canary-in-body']
    const response = await fetch(`${url}/auth/me?token=canary-in-query`, {
      headers: { ...cookie, 'x-note': 'canary-in-header' },
    })
    await fetch(`${url}/canary-in-path?token=canary-in-query`)
    await fetch(`${url}/auth/login`, {
      method: 'POST',
      body: '{"token":"canary-in-body',
      headers: { 'content-type': 'application/json' },
    })
    const own = umpire
      .logLines('Request answered')
      .find((line) => line.request_id === response.headers.get('x-request-id'))
    expect(own).toMatchObject({
      method: 'GET',
      route: '/auth/me',
      status: 200,
      user: expect.any(Number),
    })
    umpire.signal('SIGTERM')
    const { stderr } = await umpire.exited
    expect(stderr).toContain('"status":404')
    // Such as a warning of the server's library about a route.
    expect(stderr.split('\n').filter((line) => !/^(\{.*\})?$/.test(line))).toEqual([])
    for (const secret of [...canaries, token, session, bearer.authorization.slice(7)]) {
      expect(stderr).not.toContain(secret)
    }
  })
})

describe('the OpenAPI document', () => {
  it('has version 3.1 and valid schemas only', async () => {
    const document = await readDocument()
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { title: 'Umpire', version: expect.any(String) },
    })
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true })
    addFormats.default(ajv)
    ajv.addVocabulary(['components'])
    ajv.addSchema({ $id: 'document', components: document.components } as object)
    for (const name of Object.keys(document.components?.schemas ?? {})) {
      expect(ajv.getSchema(`document#/components/schemas/${name}`), name).toBeTypeOf('function')
    }
    for (const schema of schemasOf(document)) {
      const own = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/')
      expect(() => ajv.compile(JSON.parse(own)), own).not.toThrow()
    }
  })

  it('describes summary, access, parameters and success of every operation', async () => {
    const document = await readDocument()
    const schemes = Object.keys(document.components?.securitySchemes ?? {})
    for (const [path, method, operation] of operationsOf(document)) {
      const name = `${method} ${path}`
      expect(operation.summary, name).toMatch(/\w/)
      expect(operation.tags, name).toHaveLength(1)
      for (const scheme of (operation.security ?? []).flatMap(Object.keys))
        expect(schemes, name).toContain(scheme)
      expect(
        Object.keys(operation.responses ?? {}).some((status) => status < '400'),
        name,
      ).toBe(true)
      const parameters = (operation.parameters ?? []) as OpenAPIV3_1.ParameterObject[]
      const inPath = parameters.filter((one) => one.in === 'path').map((one) => `{${one.name}}`)
      expect(inPath.sort(), name).toEqual((path.match(/\{\w+\}/g) ?? []).sort())
      for (const one of parameters)
        expect(Object.keys(one.schema ?? {}).length, `${name} ${one.name}`).toBeGreaterThan(0)
    }
  })

  it.each([
    ['/api/v1/memory/project-map', 'get', ['bearer']],
    ['/api/v1/memory/rescan', 'post', ['cookie']],
    ['/api/v1/memory/stats', 'get', ['cookie']],
    ['/api/v1/analytics/insights', 'get', ['cookie']],
    ['/api/v1/analytics/reviewing', 'get', ['cookie']],
    ['/api/v1/analytics/contributors', 'get', ['bearer']],
    ['/api/v1/analytics/graph', 'get', ['cookie']],
    ['/api/v1/repos/{owner}/{repo}/install', 'post', ['bearer']],
    ['/api/v1/repos/{owner}/{repo}/install', 'delete', ['bearer']],
    ['/api/v1/webhooks/host', 'post', []],
    ['/api/v1/live', 'get', ['cookie', 'bearer']],
    ['/auth/login', 'post', []],
    ['/healthz', 'get', []],
    ['/readyz', 'get', []],
  ] as const)('has %s (%s), with its credential', async (path, method, credentials) => {
    const operation = (await readDocument()).paths?.[path]?.[method]
    expect(operation).toBeDefined()
    expect((operation?.security ?? []).flatMap(Object.keys)).toEqual(credentials)
  })

  it('lets the response checker find undocumented responses', async () => {
    const checker = createResponseChecker(await readDocument())
    const find = (status: number, body: object, path = '/healthz', type = 'application/json') =>
      checker.findProblem(
        'GET',
        path,
        new Response(JSON.stringify(body), { status, headers: { 'content-type': type } }),
      )
    expect(await find(200, { status: 'ok' })).toBeNull()
    expect(await find(200, { status: 'ok', more: 1 })).toMatch(/additional properties/)
    expect(await find(200, { status: 'fine' })).toMatch(/must be equal to/)
    expect(await find(200, {})).toMatch(/required property/)
    expect(await find(201, { status: 'ok' })).toMatch(/does not declare/)
    expect(await find(200, { status: 'ok' }, '/healthz', 'text/html')).toMatch(/content type/)
    expect(await find(200, {}, '/api/v1/unheard-of')).toMatch(/does not declare/)
    expect(await find(404, { error: 'no' }, '/api/v1/unheard-of')).toMatch(/required property/)
  })

  it('is shown on a page that runs only its own scripts', async () => {
    const page = await fetch(`${app.url}/docs/`)
    expect(page.status).toBe(200)
    const policy = page.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self';")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
    const html = await page.text()
    expect(html.match(/<style|\son\w+=|\sstyle=/g)).toBeNull()
    const scripts = [...html.matchAll(/<script([^>]*)>([^<]*)<\/script>/g)]
    expect(scripts.length).toBeGreaterThan(0)
    for (const [, , inside] of scripts) expect(inside!.trim()).toBe('')
    for (const [, address] of html.matchAll(/(?:src|href)="([^"]+)"/g)) {
      const part = await fetch(new URL(address!, `${app.url}/docs/`))
      expect([address, part.status]).toEqual([address, 200])
      await part.text()
    }
    expect(await (await fetch(`${app.url}/docs/json`)).json()).toEqual(await readDocument())
  })

  it('serves the JSON Schema of the repository settings without a credential', async () => {
    const response = await fetch(`${app.url}/schemas/repository-settings.json`)
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({
      $schema: 'http://json-schema.org/draft-07/schema#',
      additionalProperties: false,
      properties: { severity: { default: 'minor' }, gate: { default: expect.any(Array) } },
    })
  })
})

async function readDocument(): Promise<OpenAPIV3_1.Document> {
  const response = await fetch(`${app.url}/openapi.json`)
  expect(response.headers.get('content-type')).toMatch(/^application\/json/)
  return (await response.json()) as OpenAPIV3_1.Document
}

function operationsOf(
  document: OpenAPIV3_1.Document,
): [path: string, method: string, OpenAPIV3_1.OperationObject][] {
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    Object.entries(item ?? {}).map(
      ([method, operation]): [string, string, OpenAPIV3_1.OperationObject] => [
        path,
        method.toUpperCase(),
        operation as OpenAPIV3_1.OperationObject,
      ],
    ),
  )
}

/** Lists all schemas under the paths of the document. */
function schemasOf(document: OpenAPIV3_1.Document): object[] {
  const found: object[] = []
  JSON.stringify(document.paths, (key, value) => {
    if (key === 'schema') found.push(value as object)
    return value
  })
  return found
}
