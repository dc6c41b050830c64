// Endpoints about one repository, with the memory and graph layers off.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Forge, replyWith } from '../fakes/forge/forge.ts'
import { insertConnection } from '../insert-connection.ts'
import { forgeEnvironment, repo, startShopForge } from '../review-scenario.ts'
import { type SignedInUser, signInWithToken } from '../sign-in.ts'
import { startTestApp, type TestApp } from '../start-app.ts'

let forge: Forge
let app: TestApp
let root: SignedInUser
let anne: SignedInUser
let bob: SignedInUser

beforeAll(async () => {
  forge = await startShopForge()
  const env = { ...forgeEnvironment(forge), MEMORY: 'off', GRAPH: 'off' }
  app = await startTestApp({ env, parts: { web: true, worker: false } })
  // The first user to sign in is the administrator.
  root = await signIn('root')
  anne = await signIn('anne')
  bob = await signIn('bob')
  await insertConnection(app.db, 'anne', repo)
  await insertConnection(app.db, 'bob', repo, false)
  await insertConnection(app.db, 'bob', 'bob/tool')
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await forge[Symbol.asyncDispose]()
})
afterEach(() => forge.faults.clear())

async function signIn(login: string): Promise<SignedInUser> {
  forge.createUser(login, { token: `ghp_the_token_of_${login}` })
  return signInWithToken(app, `ghp_the_token_of_${login}`)
}

interface Endpoint {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly credential: 'bearer' | 'cookie'
  /** The detail that a request without a credential gets. */
  readonly unauthenticated: string
  /** The response to a malformed repository name. */
  readonly malformed: readonly [status: number, detail: string]
}

const denied = 'Repo not connected or access denied'
const badName = 'repo must be owner/repo'

const endpoints = [
  endpoint('GET', '/api/v1/memory/project-map', 'bearer', [403, denied]),
  endpoint('POST', '/api/v1/memory/rescan', 'cookie', [400, badName]),
  endpoint('GET', '/api/v1/memory/stats', 'cookie', [400, badName]),
  endpoint('GET', '/api/v1/analytics/contributors', 'bearer', [403, denied]),
  endpoint('GET', '/api/v1/analytics/graph', 'cookie', [
    400,
    "repo must be in 'owner/repo' format",
  ]),
]

function endpoint(
  method: Endpoint['method'],
  path: string,
  credential: Endpoint['credential'],
  malformed: Endpoint['malformed'],
): Endpoint {
  return {
    method,
    path,
    credential,
    unauthenticated: credential === 'bearer' ? 'Unauthorized' : 'Not authenticated',
    malformed,
  }
}

async function send({ method, path }: Endpoint, query: string, headers: Record<string, string>) {
  const response = await fetch(`${app.url}${path}${query}`, { method, headers })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

function call(path: string, query: string, user: SignedInUser) {
  const found = endpoints.find((candidate) => candidate.path.endsWith(path)) as Endpoint
  return send(found, query, user[found.credential])
}

const refused = (status: number, detail: string) => ({ status, body: { detail } })
const about = (name: string) => `?repo=${encodeURIComponent(name)}`

/** No repository can have such a name. */
const malformedNames = [
  'a',
  'a/b/c',
  '../x',
  'a/..',
  'a%2f..',
  '.git/x',
  'x/.git',
  '',
  '/',
  'acme/shop/',
  `a/${'b'.repeat(298)}`,
  'acme/‮pohs',
  'acme/shop\0',
  'acme/sh op',
  "acme/shop'--",
]

describe.each(endpoints)('$method $path', (tested) => {
  const headersOf = (user: SignedInUser) => user[tested.credential]

  it('checks its credential first', async () => {
    const unauthenticated = refused(401, tested.unauthenticated)
    expect(await send(tested, about(repo), {})).toEqual(unauthenticated)
    expect(await send(tested, '', {})).toEqual(unauthenticated)
    expect(await send(tested, about('a'), {})).toEqual(unauthenticated)
    expect(
      await send(tested, about(repo), anne[tested.credential === 'bearer' ? 'cookie' : 'bearer']),
    ).toEqual(unauthenticated)
  })

  it('case 26: refuses a repository that the caller is not connected to', async () => {
    const expected = refused(403, denied)
    // Bob disconnected it, an administrator needs a connection too, and nobody connected the last
    // one.
    expect(await send(tested, about(repo), headersOf(bob))).toEqual(expected)
    expect(await send(tested, about(repo), headersOf(root))).toEqual(expected)
    expect(await send(tested, about('bob/tool'), headersOf(anne))).toEqual(expected)
    expect(await send(tested, about('acme/nothing'), headersOf(anne))).toEqual(expected)
  })

  it('case 27: requires exactly one repository', async () => {
    const expected = refused(422, 'repo is required, as owner/repo')
    expect(await send(tested, '', headersOf(anne))).toEqual(expected)
    expect(await send(tested, `${about(repo)}&repo=bob/tool`, headersOf(anne))).toEqual(expected)
  })

  it.each(malformedNames)('case 29: rejects the malformed name %j', async (name) => {
    expect(await send(tested, about(name), headersOf(anne))).toEqual(refused(...tested.malformed))
  })

  it('ignores case in repository names', async () => {
    const { status, body } = await send(tested, about('ACME/Shop'), headersOf(anne))
    expect(status).toBe(tested.path.endsWith('/rescan') ? 503 : 200)
    if ('repo' in body) expect(body.repo).toBe(repo)
  })
})

describe('without the memory layer', () => {
  it('rejects rescans', async () => {
    expect(await call('/rescan', about(repo), anne)).toEqual(
      refused(503, 'Memory layer not configured'),
    )
  })

  it('returns no memories', async () => {
    expect(await call('/project-map', about(repo), anne)).toEqual({
      status: 200,
      body: { memories: [], count: 0 },
    })
    const by_type = {
      ...{ project_pattern: 0, decision: 0, developer_pattern: 0 },
      ...{ developer_strength: 0, risk_module: 0, contributor_profile: 0 },
    }
    expect(await call('/stats', about(repo), anne)).toEqual({
      status: 200,
      body: { repo, total: 0, by_type },
    })
  })

  it('lists no memories and rejects writes', async () => {
    const memory = (method: string, path = '', body?: object) =>
      fetch(`${app.url}/api/v1/memory${path}${about(repo)}`, {
        method,
        headers: { ...anne.bearer, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      }).then(async (response) => ({ status: response.status, body: await response.json() }))
    const off = refused(503, 'Memory layer not configured')
    const id = '/00000000-0000-4000-8000-000000000000'
    expect(await memory('GET')).toEqual({ status: 200, body: { memories: [], next: null } })
    expect(await memory('POST', '', { type: 'decision', text: 'We use PostgreSQL.' })).toEqual(off)
    expect(await memory('PATCH', id, { text: 'We use PostgreSQL.' })).toEqual(off)
    expect(await memory('DELETE', id, {})).toEqual(off)
    expect(await memory('GET', `${id}/history`)).toEqual(refused(404, 'Memory not found'))
  })

  it('returns no contributors, with a note', async () => {
    const body = {
      repo,
      contributor_count: 0,
      contributors: [],
      note: 'Memory layer not configured',
    }
    expect(await call('/contributors', about(repo), anne)).toEqual({ status: 200, body })
    expect(await call('/contributors', `${about(repo)}&page=1000000&per_page=100`, anne)).toEqual({
      status: 200,
      body,
    })
  })

  const page = 'page must be a whole number from 1 to 1000000'
  const perPage = 'per_page must be a whole number from 1 to 100'
  it.each([
    ['page=0', page],
    ['page=-1', page],
    ['page=1000000000000', page],
    ['page=1e3', page],
    ['page=', page],
    ['page=1&page=2', page],
    ['per_page=0', perPage],
    ['per_page=101', perPage],
    ['per_page=1.5', perPage],
    ['per_page=NaN', perPage],
    ['per_page=10;drop', perPage],
  ])('case 27: contributors reject %s', async (query, detail) => {
    expect(await call('/contributors', `${about(repo)}&${query}`, anne)).toEqual(
      refused(422, detail),
    )
    // Parameters are validated before the connection is checked.
    expect(await call('/contributors', `${about(repo)}&${query}`, bob)).toEqual(
      refused(422, detail),
    )
  })

  const foreign: Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
  ]
  it.each(foreign)(
    'case 21: another site cannot trigger a rescan from a browser (%j)',
    async (headers) => {
      const rescan = endpoints[1] as Endpoint
      const { status } = await send(rescan, about(repo), { ...anne.cookie, ...headers })
      expect(status).toBe(403)
      expect((await send(rescan, about(repo), { ...anne.cookie, origin: app.url })).status).toBe(
        503,
      )
    },
  )
})

describe('without the graph layer', () => {
  // Platform responses are cached by person and repository, so each test has its own repository.
  let name: string
  let rounds = 0
  beforeEach(async () => {
    name = `anne/made-${++rounds}`
    await forge.createRepository(name)
    await forge.push(name, 'main', { 'a.ts': '123456', 'b.py': '1\n' }, { author: 'anne' })
    await insertConnection(app.db, 'anne', name)
  })

  const countRequests = (what: string) =>
    forge.requests.filter(({ path }) => path.includes(`/repos/${name}/${what}`)).length

  it('the graph contains platform statistics only', async () => {
    const { status, body } = await call('/graph', about(name), anne)
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        repo: name,
        languages: [
          { name: 'TypeScript', bytes: 6, pct: 75 },
          { name: 'Python', bytes: 2, pct: 25 },
        ],
        hotspots: [],
        high_risk: [],
        dead_files: { count: 0, sample: [] },
        ownership: [],
        expertise: [],
        contributors: [{ login: 'anne', commits: 1, additions: 2, deletions: 0 }],
      },
    })
    const request = forge.requests.findLast(({ path }) => path.endsWith(`/repos/${name}/languages`))
    expect(request?.headers.authorization).toBe('Bearer ghp_the_token_of_anne')
  })

  it('concurrent and later requests share one platform request', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => call('/graph', about(name), anne)),
    )
    forge.faults.add({ match: ({ path }) => path.includes(name), action: replyWith(500) })
    answers.push(await call('/graph', about(name), anne))
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    expect(answers[0]?.body.languages).toHaveLength(2)
    expect(countRequests('languages')).toBe(1)
  })

  it('does not show what only the token of another person can see', async () => {
    await call('/graph', about(name), anne)
    await insertConnection(app.db, 'bob', name)
    forge.faults.add({ match: ({ path }) => path.includes(name), action: replyWith(404) })
    expect((await call('/graph', about(name), bob)).body).toMatchObject({
      repo: name,
      languages: [],
      contributors: [],
    })
  })

  it('tolerates platform errors in one part or in all of them', async () => {
    forge.faults.add({ match: ({ path }) => path.endsWith('/languages'), action: replyWith(404) })
    const { status, body } = await call('/graph', about(name), anne)
    expect({ status, languages: body.languages }).toEqual({ status: 200, languages: [] })
    expect(body.contributors).toHaveLength(1)
    await insertConnection(app.db, 'bob', name)
    forge.faults.add({ match: ({ path }) => path.includes(name), action: replyWith(500) })
    expect(await call('/graph', about(name), bob)).toMatchObject({
      status: 200,
      body: { repo: name, languages: [], contributors: [] },
    })
  })
})
