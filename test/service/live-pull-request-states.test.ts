// Tests that the reviews list shows current states without webhooks or with a slow platform.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ConnectScenario, startConnectScenario, tokenOf } from '../connect-scenario.ts'
import { drop, hold, htmlPage, replyWith } from '../fakes/forge/forge.ts'
import { reviewerLogin } from '../review-scenario.ts'
import { signInWithToken } from '../sign-in.ts'
import { pullRequestPayload } from '../start-app.ts'

let scene: ConnectScenario

beforeAll(async () => {
  scene = await startConnectScenario({ parts: { web: true, worker: false } })
})
afterAll(async () => {
  await scene[Symbol.asyncDispose]()
})
beforeEach(() => scene.forge.faults.clear())

/** Creates a known pull request in a repository of alice whose webhook was removed. */
async function createQuietPullRequest(
  options: { private?: boolean } = {},
): Promise<{ repo: string; number: number; secret: string }> {
  const { forge } = scene
  const repo = await scene.createRepository(options)
  await scene.connect('alice', repo)
  const [webhook] = forge.webhooks(repo)
  forge.removeWebhook(repo, webhook!.id)
  await forge.push(repo, 'main', { 'a.ts': 'export {}\n' }, { author: 'alice', message: 'Start' })
  await forge.push(
    repo,
    'topic',
    { 'a.ts': 'export const a = 1\n' },
    { author: 'alice', message: 'Change' },
  )
  const number = await forge.openPullRequest({ repo, head: 'topic', author: 'alice' })
  const { secret } = webhook!
  await scene.app.deliver(pullRequestPayload({ repo, number }), { secret })
  return { repo, number, secret }
}

/** Reads the states that the list of alice shows for a repository. */
async function listStates(repo: string, query = ''): Promise<string[]> {
  const { status, body } = await scene.request('alice', `/api/v1/reviews?search=${repo}${query}`)
  expect(status).toBe(200)
  return body.map((entry: { pr_status: string }) => entry.pr_status)
}

async function readStored({ repo, number }: { repo: string; number: number }) {
  return scene.app.db
    .selectFrom('pullRequests')
    .select(['state', 'mergedAt'])
    .where('repo', '=', repo)
    .where('number', '=', number)
    .executeTakeFirstOrThrow()
}

/** Requests to the platform for the pull request itself. */
function stateRequests({ repo, number }: { repo: string; number: number }) {
  return scene.forge.requests.filter(
    ({ method, path }) => method === 'GET' && path.endsWith(`/${repo}/pulls/${number}`),
  )
}

/** Makes the check of the state due at once, which is otherwise due after half a minute. */
async function makeStateCheckDue(repo: string): Promise<void> {
  await scene.app.db
    .updateTable('pullRequests')
    .set({ stateCheckedAt: null })
    .where('repo', '=', repo)
    .execute()
}

describe('a pull request whose webhook is missing', () => {
  it('is listed as merged, and stored as such', async () => {
    const pullRequest = await createQuietPullRequest()
    await scene.forge.mergePullRequest(pullRequest.repo, pullRequest.number)
    expect(await listStates(pullRequest.repo)).toEqual(['merged'])
    const stored = await readStored(pullRequest)
    expect(stored).toEqual({ state: 'merged', mergedAt: expect.any(Date) })
    await makeStateCheckDue(pullRequest.repo)
    const before = stateRequests(pullRequest).length
    expect(await listStates(pullRequest.repo)).toEqual(['merged'])
    expect(stateRequests(pullRequest), 'a final state is not read again').toHaveLength(before)
  })

  it('is found by its current state', async () => {
    const pullRequest = await createQuietPullRequest()
    scene.forge.closePullRequest(pullRequest.repo, pullRequest.number)
    expect(await listStates(pullRequest.repo, '&status=open')).toEqual([])
    expect(await listStates(pullRequest.repo, '&status=closed')).toEqual(['closed'])
    await scene.forge.reopenPullRequest(pullRequest.repo, pullRequest.number)
    await makeStateCheckDue(pullRequest.repo)
    expect(await listStates(pullRequest.repo, '&status=closed')).toEqual([])
    expect(await listStates(pullRequest.repo, '&status=open')).toEqual(['open'])
  })

  it('is not changed by a late delivery from before the check', async () => {
    const { repo, number, secret } = await createQuietPullRequest()
    scene.forge.closePullRequest(repo, number)
    expect(await listStates(repo)).toEqual(['closed'])
    const updatedAt = '2026-01-02T00:00:00Z'
    await scene.app.deliver(pullRequestPayload({ repo, number, action: 'edited', updatedAt }), {
      secret,
    })
    expect(await listStates(repo)).toEqual(['closed'])
  })
})

it('ignores a state from the platform that is older than a delivery', async () => {
  const { repo, number, secret } = await createQuietPullRequest()
  const newer = {
    repo,
    number,
    action: 'closed',
    state: 'closed',
    updatedAt: new Date(Date.now() + 240_000).toISOString(),
  }
  await scene.app.deliver(pullRequestPayload(newer), { secret })
  expect(await listStates(repo)).toEqual(['closed'])
  expect(stateRequests({ repo, number })).toHaveLength(1)
  expect(await readStored({ repo, number })).toMatchObject({ state: 'closed' })
})

it('reads the state with the token of a connected requester or the deployment', async () => {
  const pullRequest = await createQuietPullRequest({ private: true })
  const root = await signInWithToken(scene.app, tokenOf('root'))
  const list = await fetch(`${scene.app.url}/api/v1/reviews?search=${pullRequest.repo}`, {
    headers: root.bearer,
  })
  expect(await list.json()).toMatchObject([{ pr_status: 'open' }])
  await makeStateCheckDue(pullRequest.repo)
  await listStates(pullRequest.repo)
  expect(stateRequests(pullRequest).map(({ login }) => login)).toEqual([reviewerLogin, 'alice'])
})

it('reads the state once in half a minute for all concurrent requests', async () => {
  const pullRequest = await createQuietPullRequest()
  const lists = Array.from({ length: 8 }, () => listStates(pullRequest.repo))
  for (const states of await Promise.all(lists)) expect(states).toEqual(['open'])
  expect(await listStates(pullRequest.repo, '&status=open')).toEqual(['open'])
  expect(stateRequests(pullRequest)).toHaveLength(1)
  await makeStateCheckDue(pullRequest.repo)
  await listStates(pullRequest.repo)
  expect(stateRequests(pullRequest)).toHaveLength(2)
})

it('reads no state that the requester may not see', async () => {
  const pullRequest = await createQuietPullRequest({ private: true })
  scene.forge.setPermission(pullRequest.repo, 'alice', 'none')
  await scene.forge.mergePullRequest(pullRequest.repo, pullRequest.number)
  expect(await listStates(pullRequest.repo)).toEqual(['open'])
})

describe('the reviews list shows the stored state', () => {
  it.each([
    ['drops the connection', drop],
    ['fails', () => replyWith(500, { message: 'Server error' })],
    ['limits requests', () => replyWith(429, { message: 'Slow down' }, { 'retry-after': '60' })],
    ['answers with a page', () => htmlPage(200)],
    ['answers 404', () => replyWith(404, { message: 'Not Found' })],
  ])('when the platform %s', async (_, action) => {
    const { repo, number } = await createQuietPullRequest()
    await scene.forge.mergePullRequest(repo, number)
    scene.forge.faults.add({
      match: ({ path }) => path.endsWith(`/pulls/${number}`),
      action: action(),
    })
    expect(await listStates(repo)).toEqual(['open'])
  })

  it('while the platform does not answer, without a second request', async () => {
    const { repo, number } = await createQuietPullRequest()
    await scene.forge.mergePullRequest(repo, number)
    const held = hold()
    scene.forge.faults.add({
      match: ({ path }) => path.endsWith(`/${repo}/pulls/${number}`),
      action: held,
    })
    // These lists arrive before the platform answers.
    expect(await listStates(repo)).toEqual(['open'])
    expect(await listStates(repo)).toEqual(['open'])
    expect(await listStates(repo, '&status=merged')).toEqual([])
    expect(stateRequests({ repo, number })).toHaveLength(1)
    held.release()
  })
})

it('stops reading states of a list at a rate limit', async () => {
  const { repo, secret } = await createQuietPullRequest()
  const numbers = Array.from({ length: 40 }, (_, index) => 1000 + index)
  await Promise.all(
    numbers.map((number) => scene.app.deliver(pullRequestPayload({ repo, number }), { secret })),
  )
  const limited = replyWith(
    429,
    { message: 'You have exceeded a rate limit.' },
    { 'retry-after': '60' },
  )
  scene.forge.faults.add({ match: ({ path }) => /\/pulls\/\d+$/.test(path), action: limited })
  expect(await listStates(repo, '&limit=100')).toHaveLength(41)
  const calls = scene.forge.requests.filter(({ path }) => path.includes(`/${repo}/pulls/`))
  // Only the concurrent requests are sent.
  expect(calls.length).toBeLessThanOrEqual(16)
})
