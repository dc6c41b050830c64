// How pull requests stand at the platform now, in the reviews list: webhooks that never came, a platform that is slow.
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

/** A repository of alice's with a pull request that Umpire knows of, and whose webhook says nothing any more. */
async function quietPullRequest(
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

/** The states that alice's list shows of a repository. */
async function shownStates(repo: string, query = ''): Promise<string[]> {
  const { status, body } = await scene.request('alice', `/api/v1/reviews?search=${repo}${query}`)
  expect(status).toBe(200)
  return body.map((entry: { pr_status: string }) => entry.pr_status)
}

async function storedPullRequest({ repo, number }: { repo: string; number: number }) {
  return scene.app.db
    .selectFrom('pull_requests')
    .select(['state', 'merged_at'])
    .where('repo', '=', repo)
    .where('number', '=', number)
    .executeTakeFirstOrThrow()
}

/** Requests for the pull request itself. */
function asked({ repo, number }: { repo: string; number: number }) {
  return scene.forge.requests.filter(
    ({ method, path }) => method === 'GET' && path.endsWith(`/${repo}/pulls/${number}`),
  )
}

/** Lets the half minute pass in which nobody asks again. */
async function forgetLastLook(repo: string): Promise<void> {
  await scene.app.db
    .updateTable('pull_requests')
    .set({ state_checked_at: null })
    .where('repo', '=', repo)
    .execute()
}

describe('a pull request whose webhook is missing', () => {
  it('is shown merged, and known to be so from then on', async () => {
    const pullRequest = await quietPullRequest()
    await scene.forge.mergePullRequest(pullRequest.repo, pullRequest.number)
    expect(await shownStates(pullRequest.repo)).toEqual(['merged'])
    const stored = await storedPullRequest(pullRequest)
    expect(stored).toEqual({ state: 'merged', merged_at: expect.any(Date) })
    await forgetLastLook(pullRequest.repo)
    const before = asked(pullRequest).length
    expect(await shownStates(pullRequest.repo)).toEqual(['merged'])
    expect(asked(pullRequest), 'what is final is not asked for').toHaveLength(before)
  })

  it('is found by the state that it has now', async () => {
    const pullRequest = await quietPullRequest()
    scene.forge.closePullRequest(pullRequest.repo, pullRequest.number)
    expect(await shownStates(pullRequest.repo, '&status=open')).toEqual([])
    expect(await shownStates(pullRequest.repo, '&status=closed')).toEqual(['closed'])
    await scene.forge.reopenPullRequest(pullRequest.repo, pullRequest.number)
    await forgetLastLook(pullRequest.repo)
    expect(await shownStates(pullRequest.repo, '&status=closed')).toEqual([])
    expect(await shownStates(pullRequest.repo, '&status=open')).toEqual(['open'])
  })

  it('stays as a late delivery from before the look does not have it', async () => {
    const { repo, number, secret } = await quietPullRequest()
    scene.forge.closePullRequest(repo, number)
    expect(await shownStates(repo)).toEqual(['closed'])
    const updatedAt = '2026-01-02T00:00:00Z'
    await scene.app.deliver(pullRequestPayload({ repo, number, action: 'edited', updatedAt }), {
      secret,
    })
    expect(await shownStates(repo)).toEqual(['closed'])
  })
})

it('is not taken from a platform that knows less than its own delivery said', async () => {
  const { repo, number, secret } = await quietPullRequest()
  const newer = {
    repo,
    number,
    action: 'closed',
    state: 'closed',
    updatedAt: new Date(Date.now() + 240_000).toISOString(),
  }
  await scene.app.deliver(pullRequestPayload(newer), { secret })
  expect(await shownStates(repo)).toEqual(['closed'])
  expect(asked({ repo, number })).toHaveLength(1)
  expect(await storedPullRequest({ repo, number })).toMatchObject({ state: 'closed' })
})

it('is asked for with the token of those who connected the repository, else with the common one', async () => {
  const pullRequest = await quietPullRequest({ private: true })
  const root = await signInWithToken(scene.app, tokenOf('root'))
  const list = await fetch(`${scene.app.url}/api/v1/reviews?search=${pullRequest.repo}`, {
    headers: root.bearer,
  })
  expect(await list.json()).toMatchObject([{ pr_status: 'open' }])
  await forgetLastLook(pullRequest.repo)
  await shownStates(pullRequest.repo)
  expect(asked(pullRequest).map(({ login }) => login)).toEqual([reviewerLogin, 'alice'])
})

it('is asked for once in half a minute, however many ask at the same time', async () => {
  const pullRequest = await quietPullRequest()
  const lists = Array.from({ length: 8 }, () => shownStates(pullRequest.repo))
  for (const states of await Promise.all(lists)) expect(states).toEqual(['open'])
  expect(await shownStates(pullRequest.repo, '&status=open')).toEqual(['open'])
  expect(asked(pullRequest)).toHaveLength(1)
  await forgetLastLook(pullRequest.repo)
  await shownStates(pullRequest.repo)
  expect(asked(pullRequest)).toHaveLength(2)
})

it('is asked for with the token of whoever asks', async () => {
  const pullRequest = await quietPullRequest({ private: true })
  scene.forge.setPermission(pullRequest.repo, 'alice', 'none')
  await scene.forge.mergePullRequest(pullRequest.repo, pullRequest.number)
  expect(await shownStates(pullRequest.repo)).toEqual(['open'])
})

describe('the stored state is shown', () => {
  it.each([
    ['drops the connection', drop],
    ['fails', () => replyWith(500, { message: 'Server error' })],
    ['limits', () => replyWith(429, { message: 'Slow down' }, { 'retry-after': '60' })],
    ['shows a page', () => htmlPage(200)],
    ['says that there is none', () => replyWith(404, { message: 'Not Found' })],
  ])('where the platform %s', async (_, fault) => {
    const { repo, number } = await quietPullRequest()
    await scene.forge.mergePullRequest(repo, number)
    scene.forge.faults.add({
      match: ({ path }) => path.endsWith(`/pulls/${number}`),
      action: fault(),
    })
    expect(await shownStates(repo)).toEqual(['open'])
  })

  it('while the platform keeps everybody waiting, and no list waits for it again', async () => {
    const { repo, number } = await quietPullRequest()
    await scene.forge.mergePullRequest(repo, number)
    const held = hold()
    scene.forge.faults.add({
      match: ({ path }) => path.endsWith(`/${repo}/pulls/${number}`),
      action: held,
    })
    // The answer to the look is still held back when these are there.
    expect(await shownStates(repo)).toEqual(['open'])
    expect(await shownStates(repo)).toEqual(['open'])
    expect(await shownStates(repo, '&status=merged')).toEqual([])
    expect(asked({ repo, number })).toHaveLength(1)
    held.release()
  })
})

it('asks no further in a list when the platform says that it was asked too much', async () => {
  const { repo, secret } = await quietPullRequest()
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
  expect(await shownStates(repo, '&limit=100')).toHaveLength(41)
  const calls = scene.forge.requests.filter(({ path }) => path.includes(`/${repo}/pulls/`))
  // As many as are under way at once.
  expect(calls.length).toBeLessThanOrEqual(16)
})
