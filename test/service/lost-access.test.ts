// Tests that people who lose access on the platform no longer see a repository here.
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

/** Creates a private repository, which these people connect in this order, with a delivery. */
async function createConnected(scene: ConnectScenario, people: readonly Person[]): Promise<string> {
  const repo = await scene.createRepository({ private: true })
  for (const person of people)
    expect(await scene.connect(person, repo)).toMatchObject({ status: 200 })
  const { webhookSecret: secret } = (await scene.readInstallations(repo))[0]!
  const { status } = await scene.app.deliver(pullRequestPayload({ repo, number: 1 }), { secret })
  expect(status).toBe(200)
  return repo
}

/** Makes the access check of a repository's connections due, `secondsAgo` in the past. */
function makeCheckDue(scene: ConnectScenario, repo: string, secondsAgo = 0) {
  return scene.app.db
    .updateTable('installations')
    .set({ accessCheckDue: sql`now() - make_interval(secs => ${secondsAgo})` })
    .where('repoFullName', '=', repo)
    .execute()
}

/** The endpoints at which a person sees something of the repository. */
async function findVisibleAt(
  scene: ConnectScenario,
  person: Person,
  repo: string,
): Promise<string[]> {
  const [reviews, deliveries, insights, repos, map] = await Promise.all([
    scene.request(person, `/api/v1/reviews?search=${repo}`),
    scene.request(person, '/api/v1/deliveries?limit=100'),
    readInsights(scene, person),
    scene.request(person, `/api/v1/repos?connected=true&search=${repo}`),
    scene.request(person, `/api/v1/memory/project-map?repo=${repo}`),
  ])
  const visible = {
    reviews: reviews.body.length > 0,
    deliveries: deliveries.body.deliveries.some(
      (delivery: { repo_name: string }) => delivery.repo_name === repo,
    ),
    insights: insights.includes(repo),
    repositories: repos.body.repositories.length > 0,
    map: map.status === 200,
  }
  if (!visible.map) expect(map).toEqual(denied)
  return Object.entries(visible).flatMap(([name, isVisible]) => (isVisible ? [name] : []))
}

async function readInsights(scene: ConnectScenario, person: Person): Promise<string[]> {
  const { cookie } = await scene.signIn(person)
  const response = await fetch(`${scene.app.url}/api/v1/analytics/insights`, { headers: cookie })
  const { repos } = (await response.json()) as { repos: { repo: string }[] }
  return repos.map(({ repo }) => repo)
}

const everywhere = ['reviews', 'deliveries', 'insights', 'repositories', 'map']

/** Matches requests to the platform for the repository itself. */
const readsRepository = (repo: string) => (request: SeenRequest) =>
  request.method === 'GET' && request.path.toLowerCase() === `/api/v3/repos/${repo}`

const accessChecks = (scene: ConnectScenario, repo: string) =>
  scene.forge.requests.filter(readsRepository(repo))

async function auditOf(scene: ConnectScenario, repo: string): Promise<string[]> {
  const { body } = await scene.request('alice', '/api/v1/audit?limit=100')
  const entries = body.entries as { subject: string; action: string }[]
  return entries.filter(({ subject }) => subject === repo).map(({ action }) => action)
}

describe('access checks in the background', () => {
  let scene: ConnectScenario
  beforeAll(async () => {
    scene = await startConnectScenario({
      env: { REVIEW_LEASE_SECONDS: '2', MEMORY: 'off', GRAPH: 'off' },
    })
  })
  afterAll(() => scene[Symbol.asyncDispose]())

  it('hide a repository after access was lost, and show it when regained', async () => {
    const repo = await createConnected(scene, ['alice', 'bob'])
    expect(await findVisibleAt(scene, 'alice', repo)).toEqual(everywhere)
    const alice = await scene.signIn('alice')
    using live = await followLive(scene.app.url, alice.bearer, ['ready', 'repository'])

    scene.forge.setPermission(repo, 'alice', 'none')
    await makeCheckDue(scene, repo)
    expect((await live.next()).data).toEqual({ repo_name: repo, connected: false })
    expect(await findVisibleAt(scene, 'alice', repo)).toEqual([])
    expect(await findVisibleAt(scene, 'bob', repo)).toEqual(everywhere)
    expect(await scene.readInstallations(repo)).toMatchObject([
      { isActive: true },
      { isActive: true },
    ])

    scene.forge.setPermission(repo, 'alice', 'read')
    await makeCheckDue(scene, repo)
    expect((await live.next()).data).toEqual({ repo_name: repo, connected: true })
    expect(await findVisibleAt(scene, 'alice', repo)).toEqual(everywhere)
    expect(await auditOf(scene, repo)).toEqual([
      'access_regained',
      'access_lost',
      'repository_connected',
    ])
  })

  it('do not stop reviews with the tokens of other people', async () => {
    const { forge, app } = scene
    const repo = await scene.createRepository({ private: true })
    await forge.push(repo, 'main', { 'README.md': '# Shop\n' }, { author: 'bob' })
    for (const person of ['bob', 'alice'] as const) await scene.connect(person, repo)
    using live = await followLive(app.url, (await scene.signIn('alice')).bearer, [
      'ready',
      'repository',
    ])
    forge.setPermission(repo, 'alice', 'none')
    await makeCheckDue(scene, repo)
    await live.next()
    await forge.push(repo, 'topic', { 'README.md': '# The shop\n' }, { author: 'bob' })
    const number = await forge.openPullRequest({ repo, head: 'topic', author: 'bob' })
    await forge.waitForDelivery(
      (delivery) => delivery.repo === repo && delivery.action === 'opened',
    )
    await waitUntilSettled(app)
    expect(forge.pullRequest(repo, number).comments.map(({ author }) => author)).toEqual(['bob'])
    expect(await findVisibleAt(scene, 'alice', repo)).toEqual([])
    expect((await scene.request('bob', `/api/v1/reviews?search=${repo}`)).body).toMatchObject([
      { status: 'completed' },
    ])
  })

  it('continue with other repositories when some checks fail', async () => {
    const { app, forge } = scene
    const silent = await Promise.all(
      Array.from({ length: 4 }, () => createConnected(scene, ['bob'])),
    )
    const repo = await createConnected(scene, ['alice'])
    using live = await followLive(app.url, (await scene.signIn('alice')).bearer, [
      'ready',
      'repository',
    ])
    forge.setPermission(repo, 'alice', 'none')
    for (const one of silent)
      forge.faults.add({
        match: readsRepository(one),
        action: replyWith(500, { message: 'Oh no' }),
      })
    const all = [...silent, repo]
    const checksBefore = accessChecks(scene, silent[3]!).length
    await app.db
      .updateTable('installations')
      .set({
        accessCheckDue: sql`now() - make_interval(
          secs => case when repo_full_name = ${repo} then 1 else 9 end)`,
      })
      .where('repoFullName', 'in', all)
      .execute()
    await forge.waitFor(() => accessChecks(scene, silent[3]!).length > checksBefore, {
      description: 'an access check that fails',
    })
    // Checks that were claimed but not made are due again after a minute, which this simulates.
    const stop = setInterval(() => {
      void app.db
        .updateTable('installations')
        .set({ accessCheckDue: sql`access_check_due - interval '61 seconds'` })
        .where('repoFullName', 'in', all)
        .where('accessCheckDue', '>', sql<Date>`now()`)
        .where('accessCheckDue', '<', sql<Date>`now() + interval '60 seconds'`)
        .execute()
    }, 200)
    try {
      expect((await live.next()).data).toEqual({ repo_name: repo, connected: false })
    } finally {
      clearInterval(stop)
      forge.faults.clear()
    }
  })

  it('skip people without a valid session until they sign in', async () => {
    const repo = await createConnected(scene, ['alice'])
    const theirs = await createConnected(scene, ['bob'])
    // Reviews and scans read the repository too.
    await waitUntilSettled(scene.app)
    await scene.app.db
      .updateTable('tokens')
      .set({ revokedAt: sql`now()` })
      .where(
        'userId',
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
    // This check would come first.
    await makeCheckDue(scene, theirs, 3600)
    const checksBefore = accessChecks(scene, theirs).length
    await makeCheckDue(scene, repo)
    expect((await live.next()).data).toEqual({ repo_name: repo, connected: false })
    expect(accessChecks(scene, theirs)).toHaveLength(checksBefore)

    await scene.app.db
      .updateTable('installations')
      .set({ accessConfirmedAt: sql`now() - interval '1 day'` })
      .where('repoFullName', '=', theirs)
      .execute()
    await scene.signIn('bob')
    expect(accessChecks(scene, theirs)).toHaveLength(checksBefore + 1)
    expect(await findVisibleAt(scene, 'bob', theirs)).toEqual([])
  })
})

describe('access checks without a worker', () => {
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

  const requestMap = (repo: string) =>
    scene.request('alice', `/api/v1/memory/project-map?repo=${repo}`)

  /** Requests the repository's map while the check is overdue, and so waits for the check. */
  async function requestWhenOverdue(repo: string): Promise<number> {
    await makeCheckDue(scene, repo, 3600)
    const checksBefore = accessChecks(scene, repo).length
    const { status } = await requestMap(repo)
    expect(accessChecks(scene, repo)).toHaveLength(checksBefore + 1)
    return status
  }

  it('run before a response about one repository, but never before a list', async () => {
    const repo = await createConnected(scene, ['alice'])
    scene.forge.setPermission(repo, 'alice', 'none')
    const checksBefore = accessChecks(scene, repo).length
    await makeCheckDue(scene, repo, 5)
    expect((await requestMap(repo)).status).toBe(200)
    await makeCheckDue(scene, repo, 3600)
    expect((await scene.request('alice', `/api/v1/reviews?search=${repo}`)).body).toHaveLength(1)
    expect(accessChecks(scene, repo)).toHaveLength(checksBefore)
    expect(await requestMap(repo)).toEqual(denied)
    expect(await requestMap(repo)).toEqual(denied)
    expect(accessChecks(scene, repo)).toHaveLength(checksBefore + 1)
    expect((await scene.request('alice', `/api/v1/reviews?search=${repo}`)).body).toEqual([])
  })

  it.each([
    ['is down', replyWith(503, { message: 'no' })],
    [
      'limits requests',
      replyWith(403, { message: 'API rate limit exceeded' }, { 'x-ratelimit-remaining': '0' }),
    ],
    ['answers with a page', replyWith(200, '<html>')],
  ])('hide nothing while the platform %s', async (_what, action) => {
    const repo = await createConnected(scene, ['alice'])
    scene.forge.setPermission(repo, 'alice', 'none')
    scene.forge.faults.add({ match: readsRepository(repo), action })
    expect(await requestWhenOverdue(repo)).toBe(200)
    scene.forge.faults.clear()
    expect(await requestWhenOverdue(repo)).toBe(403)
  })

  it('do not delay a response for long when the platform is silent', async () => {
    const repo = await createConnected(scene, ['alice'])
    const held = hold()
    scene.forge.faults.add({ match: readsRepository(repo), action: held })
    expect(await requestWhenOverdue(repo)).toBe(200)
    held.release()
  })

  it('pause for a person as long as the rate limit of the platform requires', async () => {
    const repo = await createConnected(scene, ['alice'])
    const other = await createConnected(scene, ['alice'])
    const limit = replyWith(429, { message: 'Slow down' }, { 'retry-after': '1800' })
    scene.forge.faults.add({ match: readsRepository(repo), action: limit })
    await makeCheckDue(scene, other, 3600)
    const checksBefore = accessChecks(scene, other).length
    expect(await requestWhenOverdue(repo)).toBe(200)
    expect((await requestMap(other)).status).toBe(200)
    expect(accessChecks(scene, other)).toHaveLength(checksBefore)
  })

  it('hide repositories an hour after the token was revoked, until a new sign-in', async () => {
    const repo = await createConnected(scene, ['alice'])
    scene.forge.revokeToken(tokenOf('alice'))
    expect(await requestWhenOverdue(repo)).toBe(200)
    await scene.app.db
      .updateTable('installations')
      .set({ accessConfirmedAt: sql`now() - interval '61 minutes'` })
      .where('repoFullName', '=', repo)
      .execute()
    expect(await requestWhenOverdue(repo)).toBe(403)
    scene.forge.createUser('alice', { token: tokenOf('alice') })
    await scene.signIn('alice')
    expect(await findVisibleAt(scene, 'alice', repo)).toEqual(everywhere)
  })

  const limited = replyWith(
    403,
    { message: 'API rate limit exceeded' },
    { 'x-ratelimit-remaining': '0' },
  )

  /** Sets when access was last confirmed, for one repository or for all. */
  function setConfirmed(minutesAgo: number, repo?: string) {
    return scene.app.db
      .updateTable('installations')
      .set({ accessConfirmedAt: sql`now() - make_interval(mins => ${minutesAgo})` })
      .$if(repo !== undefined, (query) => query.where('repoFullName', '=', repo as string))
      .execute()
  }

  it.each([
    ['limits the token', limited],
    ['fails', replyWith(503, { message: 'no' })],
    ['answers with a page', replyWith(200, '<html>')],
    ['refuses the token', replyWith(401, { message: 'Bad credentials' })],
  ])(
    'case 82: hide unconfirmed access after an hour if the platform %s, but serves others',
    async (_what, action) => {
      const repo = await createConnected(scene, ['alice'])
      scene.forge.setPermission(repo, 'alice', 'none')
      scene.forge.faults.add({ match: readsRepository(repo), action })
      await setConfirmed(59, repo)
      expect(await requestWhenOverdue(repo)).toBe(200)
      await setConfirmed(61, repo)
      expect(await requestWhenOverdue(repo)).toBe(403)
      expect(await findVisibleAt(scene, 'alice', repo)).toEqual([])
      expect((await auditOf(scene, repo))[0]).toBe('access_lost')
      scene.forge.faults.clear()
      scene.forge.setPermission(repo, 'alice', 'read')
      await requestWhenOverdue(repo)
      expect(await findVisibleAt(scene, 'alice', repo)).toEqual(everywhere)
    },
  )

  it.each([
    ['limits all tokens', limited],
    ['is down', replyWith(503, { message: 'no' })],
    ['refuses all tokens', replyWith(401, { message: 'Bad credentials' })],
  ])('case 82: hide nothing while the platform %s', async (_what, action) => {
    const repo = await createConnected(scene, ['alice', 'bob'])
    scene.forge.faults.add({ match: ({ path }) => path.startsWith('/api/v3/repos/'), action })
    await setConfirmed(61)
    expect(await requestWhenOverdue(repo)).toBe(200)
  })

  it('case 82: probe the platform without a token if there is no other person', async () => {
    const repo = await createConnected(scene, ['alice'])
    const { db } = scene.app
    const others = db.selectFrom('users').select('id').where('login', '!=', 'alice')
    const revoke = (revokedAt: Date | null) =>
      db.updateTable('tokens').set({ revokedAt }).where('userId', 'in', others).execute()
    await revoke(new Date())
    try {
      await setConfirmed(61)
      scene.forge.faults.add({ match: () => true, action: limited })
      expect(await requestWhenOverdue(repo)).toBe(200)
      scene.forge.faults.clear()
      scene.forge.faults.add({ match: readsRepository(repo), action: limited })
      expect(await requestWhenOverdue(repo)).toBe(403)
    } finally {
      await revoke(null)
    }
  })

  it('case 82: are due within the hour even after a longer rate limit', async () => {
    const repo = await createConnected(scene, ['alice'])
    scene.forge.faults.add({
      match: readsRepository(repo),
      action: replyWith(429, {}, { 'retry-after': '7200' }),
    })
    await setConfirmed(30, repo)
    expect(await requestWhenOverdue(repo)).toBe(200)
    const { rows } = await sql<{ minutes: number }>`
      select extract(epoch from access_check_due - now())::float8 / 60 as minutes from installations
      where repo_full_name = ${repo}`.execute(scene.app.db)
    expect(rows[0]!.minutes).toBeGreaterThan(25)
    expect(rows[0]!.minutes).toBeLessThanOrEqual(30)
  })

  it('hide a repository whose name belongs to another one now', async () => {
    const repo = await createConnected(scene, ['alice'])
    await scene.forge.removeRepository(repo)
    await scene.forge.createRepository(repo, { admins: ['alice'] })
    expect(await requestWhenOverdue(repo)).toBe(403)
    expect(await findVisibleAt(scene, 'alice', repo)).toEqual([])
  })

  it('keep a repository that was only renamed', async () => {
    const repo = await createConnected(scene, ['alice'])
    scene.forge.renameRepository(repo, `${repo}-renamed`)
    expect(await requestWhenOverdue(repo)).toBe(200)
  })

  it('allow to disconnect a hidden repository, and to reconnect it', async () => {
    const repo = await createConnected(scene, ['alice'])
    const [record] = await scene.readInstallations(repo)
    scene.forge.setPermission(repo, 'alice', 'none')
    expect(await requestWhenOverdue(repo)).toBe(403)
    const refused = { status: 502, body: { detail: 'Failed to install webhook: Not Found' } }
    expect(await scene.connect('alice', repo)).toEqual(refused)
    scene.forge.setPermission(repo, 'alice', 'admin')
    const connected = { status: 'connected', installation_id: record!.id, repo }
    expect(await scene.connect('alice', repo)).toEqual({ status: 200, body: connected })
    expect(await findVisibleAt(scene, 'alice', repo)).toEqual(everywhere)

    scene.forge.setPermission(repo, 'alice', 'none')
    expect(await requestWhenOverdue(repo)).toBe(403)
    expect(await scene.disconnect('alice', repo)).toEqual({
      status: 200,
      body: { status: 'disconnected', repo },
    })
    expect(await scene.readInstallations(repo)).toMatchObject([{ isActive: false }])
    expect(await findVisibleAt(scene, 'alice', repo)).toEqual([])
  })

  it('hide repositories that were disconnected before', async () => {
    const repo = await createConnected(scene, ['alice'])
    await scene.disconnect('alice', repo)
    const lists = ['reviews', 'deliveries', 'insights']
    expect(await findVisibleAt(scene, 'alice', repo)).toEqual(lists)
    scene.forge.setPermission(repo, 'alice', 'none')
    expect(await requestWhenOverdue(repo)).toBe(403)
    expect(await findVisibleAt(scene, 'alice', repo)).toEqual([])
    scene.forge.setPermission(repo, 'alice', 'read')
    expect(await requestWhenOverdue(repo)).toBe(403)
    expect(await findVisibleAt(scene, 'alice', repo)).toEqual(lists)
  })
})

it('applies ACCESS_CHECK_MINUTES to new and existing connections', async () => {
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
        select extract(epoch from access_check_due - now())::float8 / 60 as minutes
        from installations`.execute(scene.app.db)
      // The next code host has another address.
      await scene.app.db.deleteFrom('codeHosts').execute()
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
