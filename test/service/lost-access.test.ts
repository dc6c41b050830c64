// Who loses a repository at the platform sees nothing of it here any more, and sees it again with it: on each database engine.
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  type ConnectScenario,
  type Person,
  startConnectScenario,
  tokenOf,
} from '../connect-scenario.ts'
import { hold, replyWith, type SeenRequest } from '../fakes/forge/forge.ts'
import { createTestDatabase } from '../fakes/test-database.ts'
import { followLive } from '../live-events.ts'
import { waitUntilSettled } from '../review-scenario.ts'
import { pullRequestPayload } from '../start-app.ts'

const denied = { status: 403, body: { detail: 'Repo not connected or access denied' } }

/** Makes a private repository, which these people connect in this order, and lets a pull request arrive. */
async function makeConnected(scene: ConnectScenario, people: readonly Person[]): Promise<string> {
  const repo = await scene.createRepository({ private: true })
  for (const person of people)
    expect(await scene.connect(person, repo)).toMatchObject({ status: 200 })
  const { webhook_secret: secret } = (await scene.readInstallations(repo))[0]!
  const { status } = await scene.app.deliver(pullRequestPayload({ repo, number: 1 }), { secret })
  expect(status).toBe(200)
  return repo
}

/** As when time has passed: so long ago the check of a repository's connections was due. */
function letBeDue(scene: ConnectScenario, repo: string, secondsAgo = 0) {
  return scene.app.db
    .updateTable('installations')
    .set({ access_check_due: sql`now() - make_interval(secs => ${secondsAgo})` })
    .where('repo_full_name', '=', repo)
    .execute()
}

/** Where a person sees something of the repository. */
async function placesOf(scene: ConnectScenario, person: Person, repo: string): Promise<string[]> {
  const [reviews, deliveries, insights, repos, map] = await Promise.all([
    scene.request(person, `/api/v1/reviews?search=${repo}`),
    scene.request(person, '/api/v1/deliveries?limit=100'),
    readInsights(scene, person),
    scene.request(person, `/api/v1/repos?connected=true&search=${repo}`),
    scene.request(person, `/api/v1/memory/project-map?repo=${repo}`),
  ])
  const places = {
    reviews: reviews.body.length > 0,
    deliveries: deliveries.body.deliveries.some(
      (delivery: { repo_name: string }) => delivery.repo_name === repo,
    ),
    insights: insights.includes(repo),
    repositories: repos.body.repositories.length > 0,
    map: map.status === 200,
  }
  if (!places.map) expect(map).toEqual(denied)
  return Object.entries(places).flatMap(([place, isSeen]) => (isSeen ? [place] : []))
}

async function readInsights(scene: ConnectScenario, person: Person): Promise<string[]> {
  const { cookie } = await scene.signIn(person)
  const response = await fetch(`${scene.app.url}/api/v1/analytics/insights`, { headers: cookie })
  const { repos } = (await response.json()) as { repos: { repo: string }[] }
  return repos.map(({ repo }) => repo)
}

const everywhere = ['reviews', 'deliveries', 'insights', 'repositories', 'map']

/** An answer of the platform about the repository itself. */
const isLook = (repo: string) => (request: SeenRequest) =>
  request.method === 'GET' && request.path.toLowerCase() === `/api/v3/repos/${repo}`

const looksAt = (scene: ConnectScenario, repo: string) => scene.forge.requests.filter(isLook(repo))

async function auditOf(scene: ConnectScenario, repo: string): Promise<string[]> {
  const { body } = await scene.request('alice', '/api/v1/audit?limit=100')
  const entries = body.entries as { subject: string; action: string }[]
  return entries.filter(({ subject }) => subject === repo).map(({ action }) => action)
}

describe('in the background', () => {
  let scene: ConnectScenario
  beforeAll(async () => {
    scene = await startConnectScenario({
      env: { REVIEW_LEASE_SECONDS: '2', MEMORY: 'off', GRAPH: 'off' },
    })
  })
  afterAll(() => scene[Symbol.asyncDispose]())

  it('what the platform shows no more is hidden, and shown again when it does', async () => {
    const repo = await makeConnected(scene, ['alice', 'bob'])
    expect(await placesOf(scene, 'alice', repo)).toEqual(everywhere)
    const alice = await scene.signIn('alice')
    using live = await followLive(scene.app.url, alice.bearer, ['ready', 'repository'])

    scene.forge.setPermission(repo, 'alice', 'none')
    await letBeDue(scene, repo)
    expect((await live.next()).data).toEqual({ repo_name: repo, connected: false })
    expect(await placesOf(scene, 'alice', repo)).toEqual([])
    expect(await placesOf(scene, 'bob', repo)).toEqual(everywhere)
    expect(await scene.readInstallations(repo)).toMatchObject([
      { is_active: true },
      { is_active: true },
    ])

    scene.forge.setPermission(repo, 'alice', 'read')
    await letBeDue(scene, repo)
    expect((await live.next()).data).toEqual({ repo_name: repo, connected: true })
    expect(await placesOf(scene, 'alice', repo)).toEqual(everywhere)
    expect(await auditOf(scene, repo)).toEqual([
      'access_regained',
      'access_lost',
      'repository_connected',
    ])
  })

  it('reviews go on with the tokens of others', async () => {
    const { forge, app } = scene
    const repo = await scene.createRepository({ private: true })
    await forge.push(repo, 'main', { 'README.md': '# Shop\n' }, { author: 'bob' })
    for (const person of ['bob', 'alice'] as const) await scene.connect(person, repo)
    using live = await followLive(app.url, (await scene.signIn('alice')).bearer, [
      'ready',
      'repository',
    ])
    forge.setPermission(repo, 'alice', 'none')
    await letBeDue(scene, repo)
    await live.next()
    await forge.push(repo, 'topic', { 'README.md': '# The shop\n' }, { author: 'bob' })
    const number = await forge.openPullRequest({ repo, head: 'topic', author: 'bob' })
    await forge.waitForDelivery(
      (delivery) => delivery.repo === repo && delivery.action === 'opened',
    )
    await waitUntilSettled(app)
    expect(forge.pullRequest(repo, number).comments.map(({ author }) => author)).toEqual(['bob'])
    expect(await placesOf(scene, 'alice', repo)).toEqual([])
    expect((await scene.request('bob', `/api/v1/reviews?search=${repo}`)).body).toMatchObject([
      { status: 'completed' },
    ])
  })

  it('a repository that the platform says nothing of holds up no others', async () => {
    const { app, forge } = scene
    const silent = await Promise.all(Array.from({ length: 4 }, () => makeConnected(scene, ['bob'])))
    const repo = await makeConnected(scene, ['alice'])
    using live = await followLive(app.url, (await scene.signIn('alice')).bearer, [
      'ready',
      'repository',
    ])
    forge.setPermission(repo, 'alice', 'none')
    for (const one of silent)
      forge.faults.add({ match: isLook(one), action: replyWith(500, { message: 'Oh no' }) })
    const all = [...silent, repo]
    const looks = looksAt(scene, silent[3]!).length
    await app.db
      .updateTable('installations')
      .set({
        access_check_due: sql`now() - make_interval(secs => case when repo_full_name = ${repo} then 1 else 9 end)`,
      })
      .where('repo_full_name', 'in', all)
      .execute()
    await forge.waitFor(() => looksAt(scene, silent[3]!).length > looks, {
      description: 'a look that comes to nothing',
    })
    // As when a minute has passed: who was taken up and not asked for is due again.
    const stop = setInterval(() => {
      void app.db
        .updateTable('installations')
        .set({ access_check_due: sql`access_check_due - interval '61 seconds'` })
        .where('repo_full_name', 'in', all)
        .where('access_check_due', '>', sql<Date>`now()`)
        .where('access_check_due', '<', sql<Date>`now() + interval '60 seconds'`)
        .execute()
    }, 200)
    try {
      expect((await live.next()).data).toEqual({ repo_name: repo, connected: false })
    } finally {
      clearInterval(stop)
      forge.faults.clear()
    }
  })

  it('nobody is asked for who could look at nothing, until they sign in', async () => {
    const repo = await makeConnected(scene, ['alice'])
    const theirs = await makeConnected(scene, ['bob'])
    await scene.app.db
      .updateTable('tokens')
      .set({ revoked_at: sql`now()` })
      .where(
        'user_id',
        'in',
        scene.app.db.selectFrom('users').select('id').where('login', '=', 'bob'),
      )
      .execute()
    scene.forge.setPermission(theirs, 'bob', 'none')
    using live = await followLive(scene.app.url, (await scene.signIn('alice')).bearer, [
      'ready',
      'repository',
    ])
    scene.forge.setPermission(repo, 'alice', 'none')
    // In a round it would come first.
    await letBeDue(scene, theirs, 3600)
    const looks = looksAt(scene, theirs).length
    await letBeDue(scene, repo)
    expect((await live.next()).data).toEqual({ repo_name: repo, connected: false })
    expect(looksAt(scene, theirs)).toHaveLength(looks)

    await scene.app.db
      .updateTable('installations')
      .set({ access_confirmed_at: sql`now() - interval '1 day'` })
      .where('repo_full_name', '=', theirs)
      .execute()
    await scene.signIn('bob')
    expect(looksAt(scene, theirs)).toHaveLength(looks + 1)
    expect(await placesOf(scene, 'bob', theirs)).toEqual([])
  })
})

describe('where nobody looks in the background', () => {
  let scene: ConnectScenario
  beforeAll(async () => {
    scene = await startConnectScenario({
      parts: { web: true, worker: false },
      env: { MEMORY: 'off', GRAPH: 'off', PLATFORM_TIMEOUT_SECONDS: '300' },
    })
  })
  afterAll(() => scene[Symbol.asyncDispose]())
  afterEach(() => {
    scene.forge.faults.clear()
    scene.forge.createUser('alice', { token: tokenOf('alice') })
  })

  const askMap = (repo: string) => scene.request('alice', `/api/v1/memory/project-map?repo=${repo}`)

  /** Asks for the repository's map when the check is overdue: the answer comes after it. */
  async function askOverdue(repo: string): Promise<number> {
    await letBeDue(scene, repo, 3600)
    const looks = looksAt(scene, repo).length
    const { status } = await askMap(repo)
    expect(looksAt(scene, repo)).toHaveLength(looks + 1)
    return status
  }

  it('the platform is asked before the answer about a repository, once in a while, and never before a list', async () => {
    const repo = await makeConnected(scene, ['alice'])
    scene.forge.setPermission(repo, 'alice', 'none')
    const looks = looksAt(scene, repo).length
    await letBeDue(scene, repo, 5)
    expect((await askMap(repo)).status).toBe(200)
    await letBeDue(scene, repo, 3600)
    expect((await scene.request('alice', `/api/v1/reviews?search=${repo}`)).body).toHaveLength(1)
    expect(looksAt(scene, repo)).toHaveLength(looks)
    expect(await askMap(repo)).toEqual(denied)
    expect(await askMap(repo)).toEqual(denied)
    expect(looksAt(scene, repo)).toHaveLength(looks + 1)
    expect((await scene.request('alice', `/api/v1/reviews?search=${repo}`)).body).toEqual([])
  })

  it.each([
    ['is down', replyWith(503, { message: 'no' })],
    [
      'takes no more',
      replyWith(403, { message: 'API rate limit exceeded' }, { 'x-ratelimit-remaining': '0' }),
    ],
    ['answers with a page', replyWith(200, '<html>')],
  ])('nothing is hidden while the platform %s', async (_what, action) => {
    const repo = await makeConnected(scene, ['alice'])
    scene.forge.setPermission(repo, 'alice', 'none')
    scene.forge.faults.add({ match: isLook(repo), action })
    expect(await askOverdue(repo)).toBe(200)
    scene.forge.faults.clear()
    expect(await askOverdue(repo)).toBe(403)
  })

  it('an answer waits not for long for a platform that says nothing', async () => {
    const repo = await makeConnected(scene, ['alice'])
    const held = hold()
    scene.forge.faults.add({ match: isLook(repo), action: held })
    expect(await askOverdue(repo)).toBe(200)
    held.release()
  })

  it('who was asked for too much is left alone as long as the platform says', async () => {
    const repo = await makeConnected(scene, ['alice'])
    const other = await makeConnected(scene, ['alice'])
    const limit = replyWith(429, { message: 'Slow down' }, { 'retry-after': '1800' })
    scene.forge.faults.add({ match: isLook(repo), action: limit })
    await letBeDue(scene, other, 3600)
    const looks = looksAt(scene, other).length
    expect(await askOverdue(repo)).toBe(200)
    expect((await askMap(other)).status).toBe(200)
    expect(looksAt(scene, other)).toHaveLength(looks)
  })

  it('a token that the platform refuses hides what it showed an hour ago, until its owner signs in anew', async () => {
    const repo = await makeConnected(scene, ['alice'])
    scene.forge.revokeToken(tokenOf('alice'))
    expect(await askOverdue(repo)).toBe(200)
    await scene.app.db
      .updateTable('installations')
      .set({ access_confirmed_at: sql`now() - interval '61 minutes'` })
      .where('repo_full_name', '=', repo)
      .execute()
    expect(await askOverdue(repo)).toBe(403)
    scene.forge.createUser('alice', { token: tokenOf('alice') })
    await scene.signIn('alice')
    expect(await placesOf(scene, 'alice', repo)).toEqual(everywhere)
  })

  const limited = replyWith(
    403,
    { message: 'API rate limit exceeded' },
    { 'x-ratelimit-remaining': '0' },
  )

  /** As when so much time has passed since the platform confirmed what people see; of one repository or of all. */
  function letBeConfirmed(minutesAgo: number, repo?: string) {
    return scene.app.db
      .updateTable('installations')
      .set({ access_confirmed_at: sql`now() - make_interval(mins => ${minutesAgo})` })
      .$if(repo !== undefined, (query) => query.where('repo_full_name', '=', repo as string))
      .execute()
  }

  it.each([
    ['limits the token', limited],
    ['fails', replyWith(503, { message: 'no' })],
    ['answers with a page', replyWith(200, '<html>')],
    ['refuses the token', replyWith(401, { message: 'Bad credentials' })],
  ])(
    'case 82: what was not confirmed for an hour is hidden where the platform %s and answers others',
    async (_what, action) => {
      const repo = await makeConnected(scene, ['alice'])
      scene.forge.setPermission(repo, 'alice', 'none')
      scene.forge.faults.add({ match: isLook(repo), action })
      await letBeConfirmed(59, repo)
      expect(await askOverdue(repo)).toBe(200)
      await letBeConfirmed(61, repo)
      expect(await askOverdue(repo)).toBe(403)
      expect(await placesOf(scene, 'alice', repo)).toEqual([])
      expect((await auditOf(scene, repo))[0]).toBe('access_lost')
      scene.forge.faults.clear()
      scene.forge.setPermission(repo, 'alice', 'read')
      await askOverdue(repo)
      expect(await placesOf(scene, 'alice', repo)).toEqual(everywhere)
    },
  )

  it.each([
    ['limits all tokens', limited],
    ['is down', replyWith(503, { message: 'no' })],
    ['refuses all tokens', replyWith(401, { message: 'Bad credentials' })],
  ])(
    'case 82: nothing is hidden while the platform %s and answers nobody',
    async (_what, action) => {
      const repo = await makeConnected(scene, ['alice', 'bob'])
      scene.forge.faults.add({ match: ({ path }) => path.startsWith('/api/v3/repos/'), action })
      await letBeConfirmed(61)
      expect(await askOverdue(repo)).toBe(200)
    },
  )

  it('case 82: where there is nobody else, the platform is asked without a token whether it answers', async () => {
    const repo = await makeConnected(scene, ['alice'])
    const { db } = scene.app
    const others = db.selectFrom('users').select('id').where('login', '!=', 'alice')
    const revoke = (revokedAt: Date | null) =>
      db
        .updateTable('tokens')
        .set({ revoked_at: revokedAt })
        .where('user_id', 'in', others)
        .execute()
    await revoke(new Date())
    try {
      await letBeConfirmed(61)
      scene.forge.faults.add({ match: () => true, action: limited })
      expect(await askOverdue(repo)).toBe(200)
      scene.forge.faults.clear()
      scene.forge.faults.add({ match: isLook(repo), action: limited })
      expect(await askOverdue(repo)).toBe(403)
    } finally {
      await revoke(null)
    }
  })

  it('case 82: a token that is limited for long is asked again when its hour is over', async () => {
    const repo = await makeConnected(scene, ['alice'])
    scene.forge.faults.add({
      match: isLook(repo),
      action: replyWith(429, {}, { 'retry-after': '7200' }),
    })
    await letBeConfirmed(30, repo)
    expect(await askOverdue(repo)).toBe(200)
    const { rows } = await sql<{ minutes: number }>`
      select extract(epoch from access_check_due - now())::float8 / 60 as minutes from installations
      where repo_full_name = ${repo}`.execute(scene.app.db)
    expect(rows[0]!.minutes).toBeGreaterThan(25)
    expect(rows[0]!.minutes).toBeLessThanOrEqual(30)
  })

  it('a name that another repository got shows nothing of the one that was connected', async () => {
    const repo = await makeConnected(scene, ['alice'])
    await scene.forge.removeRepository(repo)
    await scene.forge.createRepository(repo, { admins: ['alice'] })
    expect(await askOverdue(repo)).toBe(403)
    expect(await placesOf(scene, 'alice', repo)).toEqual([])
  })

  it('a repository that only changed its name stays', async () => {
    const repo = await makeConnected(scene, ['alice'])
    scene.forge.renameRepository(repo, `${repo}-renamed`)
    expect(await askOverdue(repo)).toBe(200)
  })

  it('what is hidden can be connected when the platform shows it again, and disconnected when not', async () => {
    const repo = await makeConnected(scene, ['alice'])
    const [record] = await scene.readInstallations(repo)
    scene.forge.setPermission(repo, 'alice', 'none')
    expect(await askOverdue(repo)).toBe(403)
    const refused = { status: 502, body: { detail: 'Failed to install webhook: Not Found' } }
    expect(await scene.connect('alice', repo)).toEqual(refused)
    scene.forge.setPermission(repo, 'alice', 'admin')
    const connected = { status: 'connected', installation_id: record!.id, repo }
    expect(await scene.connect('alice', repo)).toEqual({ status: 200, body: connected })
    expect(await placesOf(scene, 'alice', repo)).toEqual(everywhere)

    scene.forge.setPermission(repo, 'alice', 'none')
    expect(await askOverdue(repo)).toBe(403)
    expect(await scene.disconnect('alice', repo)).toEqual({
      status: 200,
      body: { status: 'disconnected', repo },
    })
    expect(await scene.readInstallations(repo)).toMatchObject([{ is_active: false }])
    expect(await placesOf(scene, 'alice', repo)).toEqual([])
  })

  it('what was disconnected before is hidden too', async () => {
    const repo = await makeConnected(scene, ['alice'])
    await scene.disconnect('alice', repo)
    const lists = ['reviews', 'deliveries', 'insights']
    expect(await placesOf(scene, 'alice', repo)).toEqual(lists)
    scene.forge.setPermission(repo, 'alice', 'none')
    expect(await askOverdue(repo)).toBe(403)
    expect(await placesOf(scene, 'alice', repo)).toEqual([])
    scene.forge.setPermission(repo, 'alice', 'read')
    expect(await askOverdue(repo)).toBe(403)
    expect(await placesOf(scene, 'alice', repo)).toEqual(lists)
  })
})

it('ACCESS_CHECK_MINUTES holds for new connections, and from the start on for those of before', async () => {
  const database = await createTestDatabase()
  try {
    const minutesUntilChecks = async (
      minutes: string,
      use?: (scene: ConnectScenario) => Promise<unknown>,
    ) => {
      const env = { MEMORY: 'off', GRAPH: 'off', ACCESS_CHECK_MINUTES: minutes }
      await using scene = await startConnectScenario({
        database,
        parts: { web: true, worker: use === undefined },
        env,
      })
      await use?.(scene)
      const { rows } = await sql<{ minutes: number }>`
        select extract(epoch from access_check_due - now())::float8 / 60 as minutes from installations`.execute(
        scene.app.db,
      )
      return rows.map((row) => Math.ceil(row.minutes))
    }
    const connect = async (scene: ConnectScenario) =>
      scene.connect('alice', await scene.createRepository())
    expect(await minutesUntilChecks('600', connect)).toEqual([600])
    expect(await minutesUntilChecks('2')).toEqual([2])
  } finally {
    await database.dispose()
  }
})
