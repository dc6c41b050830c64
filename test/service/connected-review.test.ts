// From connecting a repository over the API to the review on its pull request: with whose token, and what may happen.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  type ConnectScenario,
  type Person,
  startConnectScenario,
  tokenOf,
} from '../connect-scenario.ts'
import { hold, replyWith, type SeenRequest } from '../fakes/forge/forge.ts'
import { reviewerLogin, waitUntilSettled } from '../review-scenario.ts'

let scene: ConnectScenario
beforeAll(async () => {
  // Faults are meant for reviews: no scan is to meet them.
  const layers = { MEMORY: 'off', GRAPH: 'off' }
  scene = await startConnectScenario({
    env: { REVIEW_LEASE_SECONDS: '2', REVIEW_MAX_ATTEMPTS: '3', ...layers },
  })
})
afterAll(() => scene[Symbol.asyncDispose]())
afterEach(() => {
  scene.forge.faults.clear()
  for (const person of ['alice', 'bob'] as const)
    scene.forge.createUser(person, { token: tokenOf(person) })
})

/** A line that the static reviewer reports. */
const leak = `export const key = 'sk_${'live'}_51Hq2eKLmV9wXyZ8rT4uBnC7dPfGjA3sa'\n`

/** Makes a repository, which these people connect in this order. */
async function makeConnected(people: readonly Person[], at = scene): Promise<string> {
  const repo = await at.createRepository()
  await at.forge.push(repo, 'main', { 'README.md': '# Shop\n' }, { author: 'alice' })
  for (const person of people) expect(await at.connect(person, repo)).toMatchObject({ status: 200 })
  return repo
}

/** Opens a pull request. Resolves when its delivery was answered. */
async function openPullRequest(repo: string, at = scene): Promise<number> {
  await at.forge.push(
    repo,
    'topic',
    { 'src/key.ts': leak },
    { author: 'alice', message: `Change ${repo}` },
  )
  const number = await at.forge.openPullRequest({ repo, head: 'topic', author: 'alice' })
  await at.forge.waitForDelivery(
    (delivery) => delivery.repo === repo && delivery.action === 'opened',
  )
  return number
}

function runsOf(repo: string, at = scene) {
  return at.app.db
    .selectFrom('workflow_runs')
    .selectAll()
    .where('repo', '=', repo)
    .orderBy('id')
    .execute()
}

/** Who wrote comments and lines on the pull request. */
function writers(repo: string, number: number, at = scene): string[] {
  const { comments, inlineComments } = at.forge.pullRequest(repo, number)
  return [...new Set([...comments, ...inlineComments].map(({ author }) => author))]
}

const isLook = (repo: string) => (request: SeenRequest) =>
  request.method === 'GET' && request.path.toLowerCase() === `/api/v3/repos/${repo}`

describe('the token', () => {
  it('of who connected the repository reads it and writes the review', async () => {
    const repo = await makeConnected(['alice'])
    const number = await openPullRequest(repo)
    await waitUntilSettled(scene.app)
    expect(await runsOf(repo)).toMatchObject([{ status: 'completed', verdict: 'REQUEST_CHANGES' }])
    expect(writers(repo, number)).toEqual(['alice'])
    const asked = scene.forge.requests.filter(({ path }) => path.includes(repo))
    expect(asked.map(({ login }) => login)).not.toContain(reviewerLogin)
  })

  it('case 16: of who connected it last counts, then the others, then the one of the deployment', async () => {
    const order = [
      { revoked: [], writer: 'bob' },
      { revoked: ['bob'], writer: 'alice' },
      { revoked: ['bob', 'alice'], writer: reviewerLogin },
    ] as const
    for (const { revoked, writer } of order) {
      const repo = await makeConnected(['alice', 'bob'])
      for (const person of revoked) scene.forge.revokeToken(tokenOf(person))
      const number = await openPullRequest(repo)
      await waitUntilSettled(scene.app)
      expect(writers(repo, number)).toEqual([writer])
      for (const person of revoked) scene.forge.createUser(person, { token: tokenOf(person) })
    }
  })

  it('case 16: of who can read it no more, and of who disconnected, is passed over', async () => {
    const repo = await makeConnected(['alice', 'bob'])
    await scene.app.db
      .updateTable('users')
      .set({ encrypted_token: Buffer.alloc(60, 1) })
      .where('login', '=', 'bob')
      .execute()
    const number = await openPullRequest(repo)
    await waitUntilSettled(scene.app)
    await scene.signIn('bob')
    expect(writers(repo, number)).toEqual(['alice'])

    const other = await makeConnected(['alice', 'bob'])
    await scene.disconnect('bob', other)
    const second = await openPullRequest(other)
    await waitUntilSettled(scene.app)
    expect(writers(other, second)).toEqual(['alice'])
  })

  it('that can only read gives way to one that can write, and counts where there is none', async () => {
    const { forge } = scene
    const order = [
      { readers: ['bob'], writer: 'alice' },
      { readers: ['bob', 'alice'], writer: reviewerLogin },
      { readers: ['bob', 'alice', reviewerLogin], writer: 'bob' },
    ] as const
    for (const { readers, writer } of order) {
      const repo = await makeConnected(['alice', 'bob'])
      await forge.push(repo, 'topic', { 'src/key.ts': leak }, { author: 'root', message: 'Change' })
      for (const person of readers) forge.setPermission(repo, person, 'read')
      const number = await forge.openPullRequest({ repo, head: 'topic', author: 'root' })
      await forge.waitForDelivery(
        (delivery) => delivery.repo === repo && delivery.action === 'opened',
      )
      await waitUntilSettled(scene.app)
      expect(writers(repo, number)).toEqual([writer])
    }
  })

  it('of who may not sign in any more is passed over', async () => {
    await using strict = await startConnectScenario({
      env: { SIGN_IN_ALLOWED: 'root, alice, bob, carol' },
    })
    const repo = await makeConnected(['alice', 'bob'], strict)
    // As after the operator took the name off, and started the service anew.
    await strict.app.db
      .updateTable('users')
      .set({ login: 'robert' })
      .where('login', '=', 'bob')
      .execute()
    const number = await openPullRequest(repo, strict)
    await waitUntilSettled(strict.app)
    expect(writers(repo, number, strict)).toEqual(['alice'])
  })

  it('is not passed over because the platform is down for a while', async () => {
    const repo = await makeConnected(['alice', 'bob'])
    scene.forge.faults.add({ match: isLook(repo), times: 1, action: replyWith(503, 'no') })
    const number = await openPullRequest(repo)
    await waitUntilSettled(scene.app)
    expect(await runsOf(repo)).toMatchObject([{ status: 'completed', attempts: 2 }])
    expect(writers(repo, number)).toEqual(['bob'])
  })

  it('is missing where nobody has one that works: the review fails and says so', async () => {
    await using lonely = await startConnectScenario({ env: { PLATFORM_TOKEN: '' } })
    const repo = await makeConnected(['alice'], lonely)
    lonely.forge.revokeToken(tokenOf('alice'))
    await openPullRequest(repo, lonely)
    await waitUntilSettled(lonely.app)
    expect(await runsOf(repo, lonely)).toMatchObject([
      {
        status: 'failed',
        attempts: 1,
        error_code: 'no_token',
        error: expect.stringContaining('sign in again'),
      },
    ])
  })
})

describe('disconnecting', () => {
  it('case 15: ends what waits for its review, and nothing comes any more', async () => {
    const { forge, app } = scene
    const repo = await makeConnected(['alice'])
    const held = hold()
    forge.faults.add({ match: isLook(repo), times: 1, action: held })
    const number = await openPullRequest(repo)
    await held.arrived
    await scene.disconnect('alice', repo)
    held.release('drop')
    await waitUntilSettled(app)
    expect(await runsOf(repo)).toMatchObject([{ status: 'failed', error_code: 'disconnected' }])
    const seen = forge.deliveries.length
    await forge.push(repo, 'topic', { 'src/more.ts': leak }, { author: 'alice' })
    expect(forge.deliveries.length).toBe(seen)
    expect(writers(repo, number)).toEqual([])

    expect(await scene.connect('alice', repo)).toMatchObject({ status: 200 })
    await forge.push(repo, 'topic', { 'src/more.ts': `${leak}\n` }, { author: 'alice' })
    await forge.waitForDelivery(
      (delivery) => delivery.repo === repo && delivery.action === 'synchronize',
    )
    await waitUntilSettled(app)
    expect((await runsOf(repo)).at(-1)).toMatchObject({ status: 'completed' })
    expect(writers(repo, number)).toEqual(['alice'])
  })
})

describe('disconnecting during a review', () => {
  /** Opens a pull request and disconnects alice after the model read it, before anything of it is posted. */
  async function disconnectDuring(people: readonly Person[], at: ConnectScenario) {
    const repo = await makeConnected(people, at)
    const held = hold()
    at.forge.faults.add({ match: ({ path }) => path.includes('/compare/'), times: 1, action: held })
    const number = await openPullRequest(repo, at)
    await held.arrived
    const shown = writes(repo, at).length
    await at.disconnect('alice', repo)
    held.release()
    await waitUntilSettled(at.app)
    return { repo, number, after: writes(repo, at).slice(shown) }
  }

  /** Who wrote to the API, call by call. */
  function writes(repo: string, at: ConnectScenario): (string | null)[] {
    const isWrite = ({ method, path }: SeenRequest) =>
      method !== 'GET' && path.includes(`/repos/${repo}/`) && !path.includes('/hooks')
    return at.forge.requests.filter(isWrite).map(({ login }) => login)
  }

  it('stops it before its next write where nobody else stands for the repository', async () => {
    await using lonely = await startConnectScenario({
      env: { PLATFORM_TOKEN: '', MEMORY: 'off', GRAPH: 'off' },
    })
    const { repo, number, after } = await disconnectDuring(['alice'], lonely)
    expect(after).toEqual([])
    expect(writers(repo, number, lonely)).toEqual([])
    expect(await runsOf(repo, lonely)).toMatchObject([
      { status: 'failed', error_code: 'disconnected', attempts: 1 },
    ])
  })

  it('goes on with the token of another connection', async () => {
    const { repo, number, after } = await disconnectDuring(['bob', 'alice'], scene)
    expect(new Set(after)).toEqual(new Set(['bob']))
    expect(writers(repo, number)).toEqual(['bob'])
    expect(await runsOf(repo)).toMatchObject([{ status: 'completed', attempts: 1 }])
  })

  it('goes on with the token of the deployment', async () => {
    const { repo, number, after } = await disconnectDuring(['alice'], scene)
    expect(new Set(after)).toEqual(new Set([reviewerLogin]))
    expect(writers(repo, number)).toEqual([reviewerLogin])
    expect(await runsOf(repo)).toMatchObject([{ status: 'completed' }])
  })
})

describe('case 55: what happens to a connected repository during a review', () => {
  /** Opens a pull request and lets `happen` come in the middle of its review. */
  async function interrupt(
    happen: (repo: string) => unknown,
  ): Promise<{ repo: string; number: number }> {
    const repo = await makeConnected(['alice'])
    const held = hold()
    scene.forge.faults.add({
      match: ({ path }) => path.includes('/compare/'),
      times: 1,
      action: held,
    })
    const number = await openPullRequest(repo)
    await held.arrived
    await happen(repo)
    held.release()
    await waitUntilSettled(scene.app)
    return { repo, number }
  }

  it('case 55: its webhook is removed: it is reviewed all the same', async () => {
    const { repo, number } = await interrupt((at) => {
      scene.forge.removeWebhook(at, scene.forge.webhooks(at)[0]!.id)
    })
    expect(await runsOf(repo)).toMatchObject([{ status: 'completed' }])
    expect(writers(repo, number)).toEqual(['alice'])
    expect(await scene.disconnect('alice', repo)).toMatchObject({ status: 200 })
  })

  it('case 55: it is renamed: it is reviewed at its new address, and can be connected under its new name', async () => {
    const { repo, number } = await interrupt((at) => scene.forge.renameRepository(at, `${at}-new`))
    expect(await runsOf(repo)).toMatchObject([{ status: 'completed' }])
    expect(writers(`${repo}-new`, number)).toEqual(['alice'])
    const answered = await scene.connect('alice', `${repo}-new`)
    expect(answered.body).toMatchObject({ status: 'connected', repo: `${repo}-new` })
    // That ended the connection under the former name; there is one webhook, the new one's.
    expect(await scene.disconnect('alice', repo)).toMatchObject({ status: 404 })
    const [record] = await scene.readInstallations(`${repo}-new`)
    expect(scene.forge.webhooks(`${repo}-new`)).toMatchObject([{ id: record!.webhook_id }])
  })

  it('case 55: it is removed: the review ends with the reason, and it can be disconnected', async () => {
    const { repo } = await interrupt((at) => scene.forge.removeRepository(at))
    expect(await runsOf(repo)).toMatchObject([
      { status: 'failed', attempts: 1, error_code: 'platform_not_found' },
    ])
    expect(await scene.disconnect('alice', repo)).toEqual({
      status: 200,
      body: { status: 'disconnected', repo },
    })
  })

  it('case 55: it is removed before its review begins: it ends with the reason', async () => {
    const repo = await makeConnected(['alice'])
    const held = hold()
    scene.forge.faults.add({ match: isLook(repo), times: 1, action: held })
    await openPullRequest(repo)
    await held.arrived
    await scene.forge.removeRepository(repo)
    held.release()
    await waitUntilSettled(scene.app)
    expect(await runsOf(repo)).toMatchObject([
      { status: 'failed', attempts: 1, error_code: 'platform_not_found' },
    ])
  })
})
