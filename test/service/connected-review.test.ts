// Tests reviews of repositories that were connected over the API, and whose tokens they use.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  type ConnectScenario,
  type Person,
  startConnectScenario,
  tokenOf,
} from '../connect-scenario.ts'
import { hold, replyWith, type SeenRequest } from '../fakes/forge/forge.ts'
import { reviewerLogin, waitUntilSettled } from '../review-scenario.ts'
import { signInWithToken } from '../sign-in.ts'

let scene: ConnectScenario
beforeAll(async () => {
  // Without these layers no scan runs that could consume the faults.
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

/** Creates a repository, which these people connect in this order. */
async function createConnected(people: readonly Person[], at = scene): Promise<string> {
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
    .selectFrom('workflowRuns')
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

const readsRepository = (repo: string) => (request: SeenRequest) =>
  request.method === 'GET' && request.path.toLowerCase() === `/api/v3/repos/${repo}`

describe('a review', () => {
  it('uses the token of the person who connected the repository', async () => {
    const repo = await createConnected(['alice'])
    const number = await openPullRequest(repo)
    await waitUntilSettled(scene.app)
    expect(await runsOf(repo)).toMatchObject([{ status: 'completed', verdict: 'REQUEST_CHANGES' }])
    expect(writers(repo, number)).toEqual(['alice'])
    const requests = scene.forge.requests.filter(({ path }) => path.includes(repo))
    expect(requests.map(({ login }) => login)).not.toContain(reviewerLogin)
  })

  it('case 16: tries the newest connection, then older ones, then the deployment', async () => {
    const order = [
      { revoked: [], writer: 'bob' },
      { revoked: ['bob'], writer: 'alice' },
      { revoked: ['bob', 'alice'], writer: reviewerLogin },
    ] as const
    for (const { revoked, writer } of order) {
      const repo = await createConnected(['alice', 'bob'])
      for (const person of revoked) scene.forge.revokeToken(tokenOf(person))
      const number = await openPullRequest(repo)
      await waitUntilSettled(scene.app)
      expect(writers(repo, number)).toEqual([writer])
      for (const person of revoked) scene.forge.createUser(person, { token: tokenOf(person) })
    }
  })

  it('case 16: skips unreadable tokens, and those of disconnected people', async () => {
    const repo = await createConnected(['alice', 'bob'])
    await scene.app.db
      .updateTable('users')
      .set({ encryptedToken: Buffer.alloc(60, 1) })
      .where('login', '=', 'bob')
      .execute()
    const number = await openPullRequest(repo)
    await waitUntilSettled(scene.app)
    await scene.signIn('bob')
    expect(writers(repo, number)).toEqual(['alice'])

    const other = await createConnected(['alice', 'bob'])
    await scene.disconnect('bob', other)
    const second = await openPullRequest(other)
    await waitUntilSettled(scene.app)
    expect(writers(other, second)).toEqual(['alice'])
  })

  it('prefers a token that can write, and falls back to one that can read', async () => {
    const { forge } = scene
    const order = [
      { readers: ['bob'], writer: 'alice' },
      { readers: ['bob', 'alice'], writer: reviewerLogin },
      { readers: ['bob', 'alice', reviewerLogin], writer: 'bob' },
    ] as const
    for (const { readers, writer } of order) {
      const repo = await createConnected(['alice', 'bob'])
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

  it('skips the token of a person who may no longer sign in', async () => {
    await using strict = await startConnectScenario({
      env: { SIGN_IN_ALLOWED: 'root, alice, bob, carol' },
    })
    const repo = await createConnected(['alice', 'bob'], strict)
    // This has the effect of a restart without bob in SIGN_IN_ALLOWED.
    await strict.app.db
      .updateTable('users')
      .set({ login: 'robert' })
      .where('login', '=', 'bob')
      .execute()
    const number = await openPullRequest(repo, strict)
    await waitUntilSettled(strict.app)
    expect(writers(repo, number, strict)).toEqual(['alice'])
  })

  it('does not skip a token during an outage of the platform', async () => {
    const repo = await createConnected(['alice', 'bob'])
    scene.forge.faults.add({ match: readsRepository(repo), times: 1, action: replyWith(503, 'no') })
    const number = await openPullRequest(repo)
    await waitUntilSettled(scene.app)
    expect(await runsOf(repo)).toMatchObject([{ status: 'completed', attempts: 2 }])
    expect(writers(repo, number)).toEqual(['bob'])
  })

  it('fails with a reason when no token works, until a person signs in again', async () => {
    await using lonely = await startConnectScenario({
      env: { PLATFORM_TOKEN: '', REVIEW_LEASE_SECONDS: '2' },
    })
    const repo = await createConnected(['alice'], lonely)
    lonely.forge.revokeToken(tokenOf('alice'))
    const number = await openPullRequest(repo, lonely)
    await waitUntilSettled(lonely.app)
    expect(await runsOf(repo, lonely)).toMatchObject([
      {
        status: 'failed',
        attempts: 1,
        errorCode: 'no_token',
        error: expect.stringContaining('sign in again'),
      },
    ])
    lonely.forge.createUser('alice', { token: 'ghp_new_token_of_alice' })
    await signInWithToken(lonely.app, 'ghp_new_token_of_alice')
    await expect
      .poll(() => runsOf(repo, lonely))
      .toMatchObject([{ status: 'failed' }, { status: 'completed', error: null }])
    expect(writers(repo, number, lonely)).toEqual(['alice'])
  })
})

describe('disconnecting', () => {
  it('case 15: ends waiting reviews and stops further deliveries', async () => {
    const { forge, app } = scene
    const repo = await createConnected(['alice'])
    const held = hold()
    forge.faults.add({ match: readsRepository(repo), times: 1, action: held })
    const number = await openPullRequest(repo)
    await held.arrived
    await scene.disconnect('alice', repo)
    held.release('drop')
    await waitUntilSettled(app)
    expect(await runsOf(repo)).toMatchObject([{ status: 'failed', errorCode: 'disconnected' }])
    const deliveriesBefore = forge.deliveries.length
    await forge.push(repo, 'topic', { 'src/more.ts': leak }, { author: 'alice' })
    expect(forge.deliveries.length).toBe(deliveriesBefore)
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
  /** Opens a pull request and disconnects alice during its review, before anything is posted. */
  async function disconnectDuring(people: readonly Person[], at: ConnectScenario) {
    const repo = await createConnected(people, at)
    const held = hold()
    at.forge.faults.add({ match: ({ path }) => path.includes('/compare/'), times: 1, action: held })
    const number = await openPullRequest(repo, at)
    await held.arrived
    const writesBefore = writes(repo, at).length
    await at.disconnect('alice', repo)
    held.release()
    await waitUntilSettled(at.app)
    return { repo, number, after: writes(repo, at).slice(writesBefore) }
  }

  /** The login of each write request to the API, in order. */
  function writes(repo: string, at: ConnectScenario): (string | null)[] {
    const isWrite = ({ method, path }: SeenRequest) =>
      method !== 'GET' && path.includes(`/repos/${repo}/`) && !path.includes('/hooks')
    return at.forge.requests.filter(isWrite).map(({ login }) => login)
  }

  it('stops it before its next write when no other token is left', async () => {
    await using lonely = await startConnectScenario({
      env: { PLATFORM_TOKEN: '', MEMORY: 'off', GRAPH: 'off' },
    })
    const { repo, number, after } = await disconnectDuring(['alice'], lonely)
    expect(after).toEqual([])
    expect(writers(repo, number, lonely)).toEqual([])
    expect(await runsOf(repo, lonely)).toMatchObject([
      { status: 'failed', errorCode: 'disconnected', attempts: 1 },
    ])
  })

  it('lets it continue with the token of another connection', async () => {
    const { repo, number, after } = await disconnectDuring(['bob', 'alice'], scene)
    expect(new Set(after)).toEqual(new Set(['bob']))
    expect(writers(repo, number)).toEqual(['bob'])
    expect(await runsOf(repo)).toMatchObject([{ status: 'completed', attempts: 1 }])
  })

  it('lets it continue with the token of the deployment', async () => {
    const { repo, number, after } = await disconnectDuring(['alice'], scene)
    expect(new Set(after)).toEqual(new Set([reviewerLogin]))
    expect(writers(repo, number)).toEqual([reviewerLogin])
    expect(await runsOf(repo)).toMatchObject([{ status: 'completed' }])
  })
})

describe('case 55: a change of the repository during a review', () => {
  /** Opens a pull request and calls `happen` in the middle of its review. */
  async function interrupt(
    happen: (repo: string) => unknown,
  ): Promise<{ repo: string; number: number }> {
    const repo = await createConnected(['alice'])
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

  it('case 55: completes after the webhook was removed', async () => {
    const { repo, number } = await interrupt((at) => {
      scene.forge.removeWebhook(at, scene.forge.webhooks(at)[0]!.id)
    })
    expect(await runsOf(repo)).toMatchObject([{ status: 'completed' }])
    expect(writers(repo, number)).toEqual(['alice'])
    expect(await scene.disconnect('alice', repo)).toMatchObject({ status: 200 })
  })

  it('case 55: completes at the new name after a rename', async () => {
    const { repo, number } = await interrupt((at) => scene.forge.renameRepository(at, `${at}-new`))
    expect(await runsOf(repo)).toMatchObject([{ status: 'completed' }])
    expect(writers(`${repo}-new`, number)).toEqual(['alice'])
    const answered = await scene.connect('alice', `${repo}-new`)
    expect(answered.body).toMatchObject({ status: 'connected', repo: `${repo}-new` })
    // Connecting under the new name ended the old connection and its webhook.
    expect(await scene.disconnect('alice', repo)).toMatchObject({ status: 404 })
    const [record] = await scene.readInstallations(`${repo}-new`)
    expect(scene.forge.webhooks(`${repo}-new`)).toMatchObject([{ id: record!.webhookId }])
  })

  it('case 55: fails with a reason after the repository was removed', async () => {
    const { repo } = await interrupt((at) => scene.forge.removeRepository(at))
    const runs = await runsOf(repo)
    expect(runs).toMatchObject([{ status: 'failed', errorCode: 'platform_not_found' }])
    // A fetch that the removal cut off is tried once more.
    expect(runs[0]!.attempts).toBeLessThanOrEqual(2)
    expect(await scene.disconnect('alice', repo)).toEqual({
      status: 200,
      body: { status: 'disconnected', repo },
    })
  })

  it('case 55: fails with a reason when removed before the review starts', async () => {
    const repo = await createConnected(['alice'])
    const held = hold()
    scene.forge.faults.add({ match: readsRepository(repo), times: 1, action: held })
    await openPullRequest(repo)
    await held.arrived
    await scene.forge.removeRepository(repo)
    held.release()
    await waitUntilSettled(scene.app)
    expect(await runsOf(repo)).toMatchObject([
      { status: 'failed', attempts: 1, errorCode: 'platform_not_found' },
    ])
  })
})
