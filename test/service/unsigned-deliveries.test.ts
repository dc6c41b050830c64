// Unsigned deliveries, in development and in production without any secret.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hold, replyWith } from '../fakes/forge/forge.ts'
import { repo, runsOf, type Scenario, startScenario } from '../review-scenario.ts'
import { type SignedInUser, signInWithToken } from '../sign-in.ts'
import { pullRequestPayload, type TestApp } from '../start-app.ts'

const aliceToken = 'ghp_token_of_alice'
const forged = { title: 'Free money', branch: 'evil', state: 'closed', merged: true, repo }

async function listReviews(app: TestApp, person: SignedInUser): Promise<Record<string, unknown>[]> {
  const response = await fetch(`${app.url}/api/v1/reviews`, { headers: person.bearer })
  return (await response.json()) as Record<string, unknown>[]
}

describe('with access to the platform', () => {
  let scenario: Scenario
  let alice: SignedInUser
  beforeAll(async () => {
    // A review has attempts left once the platform responds again.
    const env = { APP_ENV: 'development', REVIEW_RETRY_SECONDS: '1' }
    scenario = await startScenario({ env })
    // The first account is an administrator, who sees everything.
    alice = await signInWithToken(scenario.app, aliceToken)
  })
  afterAll(() => scenario[Symbol.asyncDispose]())
  beforeEach(() => {
    for (const hook of scenario.forge.webhooks(repo)) scenario.forge.removeWebhook(repo, hook.id)
  })

  it('shows title, state and address only after the platform confirms them', async () => {
    const { app, forge } = scenario
    const number = await scenario.openPullRequest(
      { 'src/a.ts': 'export {}\n' },
      { title: 'What it really is' },
    )
    forge.faults.add({
      match: ({ path }) => path.endsWith(`/pulls/${number}`),
      action: replyWith(503, 'no'),
    })
    await app.deliver(pullRequestPayload({ ...forged, number }), { secret: null })
    expect(await listReviews(app, alice)).toMatchObject([
      {
        pr_title: `Pull request #${number}`,
        pr_status: 'open',
        pr_url: '',
        branch: '',
        author: '',
      },
    ])

    forge.faults.clear()
    await scenario.waitUntilSettled()
    const real = {
      pr_title: 'What it really is',
      pr_status: 'open',
      branch: 'topic',
      author: 'alice',
    }
    const [entry] = await listReviews(app, alice)
    expect(entry).toMatchObject({
      ...real,
      status: 'completed',
      pr_url: expect.stringContaining(`/pull/${number}`),
    })

    await app.deliver(pullRequestPayload({ ...forged, number, action: 'closed' }), { secret: null })
    expect(await listReviews(app, alice)).toMatchObject([real])
    const found = await fetch(`${app.url}/api/v1/reviews?search=really`, { headers: alice.bearer })
    expect(await found.json()).toMatchObject([real])
  })

  it('reviews a push whose delivery was skipped as a duplicate meanwhile', async () => {
    const { app, forge } = scenario
    const number = await scenario.openPullRequest(
      { 'src/b.ts': 'export {}\n' },
      { branch: 'pushed' },
    )
    const deliver = (sha: string) =>
      app.deliver(pullRequestPayload({ repo, number, action: 'synchronize', headSha: sha }), {
        secret: null,
      })
    const held = hold()
    forge.faults.add({
      match: ({ path, body }) => path.includes('/statuses/') && !body.includes('"pending"'),
      times: 1,
      action: held,
    })
    await deliver(forge.pullRequest(repo, number).headSha)
    await held.arrived
    const head = await forge.push(
      repo,
      'pushed',
      { 'src/b.ts': 'export const b = 1\n' },
      { author: 'alice' },
    )
    expect((await deliver(head)).body).toEqual({ status: 'duplicate_skipped' })
    held.release()
    await scenario.waitUntilSettled()
    expect((await runsOf(app, number)).at(-1)).toMatchObject({
      status: 'completed',
      headSha: head,
    })
  })

  it('combines nine concurrent deliveries with different names', async () => {
    const { app } = scenario
    const number = await scenario.openPullRequest({ 'src/c.ts': 'export {}\n' }, { branch: 'nine' })
    const names = Array.from({ length: 9 }, (_, index) => `event-${index}`)
    await Promise.all(
      names.map((event) =>
        app.deliver(pullRequestPayload({ repo, number }), { event, secret: null }),
      ),
    )
    await scenario.waitUntilSettled()
    // The first notification may arrive before the last delivery.
    expect((await runsOf(app, number)).length).toBeLessThanOrEqual(2)
  })
})

describe('in production without any secret', () => {
  it('reviews nothing without PLATFORM_TOKEN, and reports why', async () => {
    await using scenario = await startScenario({ env: { WEBHOOK_SECRET: '', PLATFORM_TOKEN: '' } })
    const { app, forge } = scenario
    for (const hook of forge.webhooks(repo)) forge.removeWebhook(repo, hook.id)
    const number = await scenario.openPullRequest({ 'src/a.ts': 'export {}\n' })
    const admin = await signInWithToken(app, aliceToken)
    expect(
      (await app.deliver(pullRequestPayload({ repo, number }), { secret: null })).body.status,
    ).toBe('received')
    await scenario.waitUntilSettled()
    expect(await app.events()).toMatchObject([{ status: 'failed' }])
    const deliveries = await fetch(`${app.url}/api/v1/deliveries`, { headers: admin.bearer })
    expect(await deliveries.json()).toMatchObject({
      deliveries: [{ outcome: 'failed', error: expect.stringContaining('PLATFORM_TOKEN') }],
    })
    expect(forge.pullRequest(repo, number).comments).toEqual([])
  })

  it('shows events that cannot be reviewed as failed, with the reason', async () => {
    await using scenario = await startScenario()
    const { app } = scenario
    const admin = await signInWithToken(app, aliceToken)
    await app.deliver({ ...pullRequestPayload(), pull_request: { number: '5' } })
    const deliveries = await fetch(`${app.url}/api/v1/deliveries`, { headers: admin.bearer })
    expect(await deliveries.json()).toMatchObject({
      deliveries: [
        {
          outcome: 'failed',
          status: 'failed',
          error: expect.stringContaining('pull_request.number'),
        },
      ],
    })
  })
})
