// The list of repositories that a person can connect, and live events about connections.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  type ConnectScenario,
  type Person,
  startConnectScenario,
  tokenOf,
} from '../connect-scenario.ts'
import { replyWith } from '../fakes/forge/forge.ts'

let scene: ConnectScenario
let repos: string[]
beforeAll(async () => {
  scene = await startConnectScenario({ parts: { web: true, worker: false } })
  repos = []
  for (let count = 0; count < 5; count++)
    repos.push(await scene.createRepository({ private: count === 0 }))
  await scene.forge.createRepository('acme/hidden', { private: true })
  await scene.forge.createRepository('alice/100%_mine', { description: 'Hers <b>alone</b>' })
})
beforeEach(() => scene.app.db.deleteFrom('installations').execute())
afterEach(() => scene.forge.faults.clear())
afterAll(() => scene[Symbol.asyncDispose]())

const list = (query: string) => scene.request('alice', `/api/v1/repos?${query}`)
const namesOf = ({ body }: Awaited<ReturnType<typeof list>>) =>
  body.repositories.map(({ repo }: { repo: string }) => repo)

describe('repositories to connect', () => {
  it('lists what the caller administers and marks what is connected', async () => {
    const [repo] = repos
    const { body: connected } = await scene.connect('alice', repo!)
    await scene.connect('bob', repos[1]!)
    const { status, body } = await list('per_page=100')
    expect(status).toBe(200)
    expect(body).toMatchObject({ page: 1, per_page: 100, has_more: false })
    expect(namesOf({ status, body }).sort()).toEqual([...repos, 'alice/100%_mine'].sort())
    const find = (name: string) =>
      body.repositories.find((entry: { repo: string }) => entry.repo === name)
    expect(find(repo!)).toEqual({
      repo,
      connected: true,
      installation_id: connected.installation_id,
      health: null,
      private: true,
      description: '',
      default_branch: 'main',
      has_webhook: null,
    })
    expect(find(repos[1]!)).toMatchObject({
      connected: false,
      installation_id: null,
      health: null,
      private: false,
    })
    expect(find('alice/100%_mine')).toMatchObject({ description: 'Hers <b>alone</b>' })
    // Carol can write to the repositories but administers none.
    expect((await scene.request('carol', '/api/v1/repos')).body.repositories).toEqual([])
  })

  it('is paginated', async () => {
    const pages = [
      await list('per_page=4&page=1'),
      await list('per_page=4&page=2'),
      await list('per_page=4&page=3'),
    ]
    expect(pages.map(({ body }) => [body.repositories.length, body.has_more])).toEqual([
      [4, true],
      [2, false],
      [0, false],
    ])
    expect(new Set(pages.flatMap(namesOf)).size).toBe(6)
    expect((await list('per_page=6')).body.has_more).toBe(false)
  })

  it.each([
    ['SHOP-3', ['acme/shop-3']],
    ['%25', ['alice/100%_mine']],
    ['_', ['alice/100%_mine']],
    ["'", []],
    ['%00', []],
    ['%5C', []],
  ])('case 28: searches literally: %s', async (search, expected) => {
    expect(namesOf(await list(`search=${search}`))).toEqual(expected)
    for (const repo of expected.filter((name) => name.startsWith('acme/')))
      await scene.connect('alice', repo)
    const connected = expected.filter((name) => name.startsWith('acme/'))
    expect(namesOf(await list(`connected=true&search=${search}`))).toEqual(connected)
  })

  it.each([
    ['page=0', 'page must be a whole number from 1 to 1000'],
    ['page=1000000000000', 'page must be a whole number from 1 to 1000'],
    ['per_page=101', 'per_page must be a whole number from 1 to 100'],
    ['per_page=1&per_page=2', 'per_page must be a whole number from 1 to 100'],
    ['connected=maybe', 'connected must be true or false'],
    [`search=${'x'.repeat(201)}`, 'search must have 200 characters at most'],
  ])('case 27: refuses %s', async (query, detail) => {
    const requestsBefore = scene.forge.requests.length
    expect(await list(query)).toEqual({ status: 422, body: { detail } })
    expect(scene.forge.requests.length).toBe(requestsBefore)
  })

  it('responds with 502 and the error message of the platform', async () => {
    scene.forge.faults.add({
      match: () => true,
      times: 1,
      action: replyWith(503, { message: 'Down for a while' }),
    })
    const detail = 'The repositories could not be listed: Down for a while'
    expect(await list('')).toEqual({ status: 502, body: { detail } })
    scene.forge.revokeToken(tokenOf('alice'))
    const refused = await list('')
    scene.forge.createUser('alice', { token: tokenOf('alice') })
    // It has ended or was revoked, so only another sign-in helps.
    expect(refused).toEqual({
      status: 401,
      body: { detail: 'Session expired — please log out and sign in again.' },
    })
  })

  it('requires a stored platform token, except for connected repositories', async () => {
    await scene.app.db
      .updateTable('users')
      .set({ encryptedToken: null })
      .where('login', '=', 'alice')
      .execute()
    const [all, connected] = [await list(''), await list('connected=true')]
    await scene.signIn('alice')
    expect(all).toEqual({
      status: 401,
      body: { detail: 'Session expired — please log out and sign in again.' },
    })
    expect(connected.status).toBe(200)
  })

  it('accepts the cookie or the bearer token and rejects other requests', async () => {
    const { cookie, bearer } = await scene.signIn('alice')
    const address = `${scene.app.url}/api/v1/repos`
    for (const headers of [cookie, bearer])
      expect((await fetch(address, { headers })).status).toBe(200)
    expect((await fetch(address)).status).toBe(401)
  })
})

describe('connected repositories', () => {
  it('lists only those of the caller, by name, in pages, without the platform', async () => {
    for (const repo of repos.toReversed()) await scene.connect('alice', repo)
    await scene.disconnect('alice', repos[2]!)
    scene.forge.faults.add({ match: () => true, action: replyWith(503, 'no') })
    const { body } = await list('connected=true&per_page=3')
    expect(body).toMatchObject({ page: 1, per_page: 3, has_more: true })
    expect(body.repositories[0]).toEqual({
      repo: repos[0],
      connected: true,
      installation_id: expect.any(Number),
      health: { state: 'ok', messages: [] },
      private: null,
      description: null,
      default_branch: null,
      has_webhook: true,
    })
    const rest = await list('connected=true&per_page=3&page=2')
    expect(rest.body.has_more).toBe(false)
    const [one, two, , four, five] = repos
    expect([...namesOf({ status: 200, body }), ...namesOf(rest)]).toEqual([one, two, four, five])
    expect((await scene.request('bob', '/api/v1/repos?connected=true')).body.repositories).toEqual(
      [],
    )
  })
})

/** Yields the repository events of a person's live stream. It connects on the first `next`. */
async function* readLive(person: Person): AsyncGenerator<unknown> {
  const { bearer } = await scene.signIn(person)
  const disconnect = new AbortController()
  const { body } = await fetch(`${scene.app.url}/api/v1/live`, {
    headers: bearer,
    signal: disconnect.signal,
  })
  let text = ''
  try {
    for await (const piece of body!.pipeThrough(new TextDecoderStream())) {
      const blocks = (text + piece).split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const [, event, data] = /^event: (ready|repository)\ndata: (.*)$/.exec(block) ?? []
        if (event !== undefined) yield event === 'ready' ? event : JSON.parse(data!)
      }
    }
  } finally {
    disconnect.abort()
  }
}

describe('the live stream', () => {
  it('reports connections only to the person who made them', async () => {
    const [repo, other] = repos
    const [alice, bob] = [readLive('alice'), readLive('bob')]
    for (const stream of [alice, bob]) expect((await stream.next()).value).toBe('ready')
    await scene.connect('alice', repo!)
    expect((await alice.next()).value).toEqual({ repo_name: repo, connected: true })
    await scene.disconnect('alice', repo!)
    expect((await alice.next()).value).toEqual({ repo_name: repo, connected: false })
    await scene.connect('bob', other!)
    // The first event that Bob receives is about his own repository.
    expect((await bob.next()).value).toEqual({ repo_name: other, connected: true })
    for (const stream of [alice, bob]) await stream.return(undefined)
  })
})
