// Review statistics, compared with numbers that were computed by hand.
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readSample } from '../../demo/read-sample.ts'
import type { Verdict } from '../../src/domain/review.ts'
import type { Forge } from '../fakes/forge/forge.ts'
import { startModelServer } from '../fakes/models/model-server.ts'
import { insertConnection } from '../insert-connection.ts'
import { insertPullRequestSamples, type PullRequestSamples } from '../pull-request-samples.ts'
import { forgeEnvironment, startScenario, startShopForge } from '../review-scenario.ts'
import { type SignedInUser, signInWithToken } from '../sign-in.ts'
import { startTestApp, type TestApp } from '../start-app.ts'

type Verdicts = Readonly<Record<Verdict, number>>

/** The parts of the response that tests read. */
interface Reviewing {
  readonly period: { readonly start: string; readonly end: string; readonly days: number }
  readonly coverage: Readonly<Record<string, number>>
  readonly time_to_review: { readonly median_seconds: number | null; readonly count: number }
  readonly reviews: { readonly posted: number }
  readonly cost: {
    readonly total_usd: number
    readonly per_review: { readonly median_usd: number | null; readonly count: number }
    readonly outside_usd: number | null
    readonly models: readonly {
      readonly model: string
      readonly runs: number
      readonly calls: number
    }[]
  }
  readonly days: readonly { date: string; verdicts: Verdicts; failed: number; cost_usd: number }[]
}

async function requestReviewing(
  app: Pick<TestApp, 'url'>,
  headers: Record<string, string>,
  query = '',
) {
  const response = await fetch(`${app.url}/api/v1/analytics/reviewing${query}`, { headers })
  return {
    status: response.status,
    body: (await response.json()) as Reviewing & { detail?: string },
  }
}

const day = 24

const samples: PullRequestSamples = {
  'acme/shop': [
    {
      runs: [
        {
          outcome: 'APPROVE',
          hoursAgo: day,
          seconds: 90,
          spend: [
            ['x', 0.1],
            ['x', 0.02],
            ['y', 0.03],
          ],
        },
      ],
    },
    {
      runs: [
        { outcome: 'APPROVE', hoursAgo: 3 * day, seconds: 9000, spend: [['x', 0.25]] },
        { outcome: 'REQUEST_CHANGES', hoursAgo: day, seconds: 30, spend: [['x', 0.05]] },
      ],
    },
    {
      runs: [
        {
          outcome: 'NEEDS_DISCUSSION',
          hoursAgo: 5 * day,
          seconds: 600,
          spend: [
            ['x', 0.01],
            ['z', null],
          ],
        },
      ],
    },
    { runs: [{ outcome: 'APPROVE', hoursAgo: 2 * day, seconds: 10 }] },
    { runs: [{ outcome: 'failed', hoursAgo: 2 * day, seconds: 7, spend: [['x', 0.4]] }] },
    { runs: [{ outcome: 'skipped', hoursAgo: 2 * day, seconds: 8, spend: [['x', 0.02]] }] },
    // The cost of the first attempt counts once the run ends.
    { runs: [{ outcome: 'processing', hoursAgo: 1, spend: [['x', 9.99]] }] },
    { pendingHoursAgo: 2, labeledHoursAgo: 1 },
    { labeledHoursAgo: 1 },
    // Reviewed before the period, with an event since.
    {
      runs: [{ outcome: 'APPROVE', hoursAgo: 40 * day, seconds: 5, spend: [['x', 1]] }],
      labeledHoursAgo: 1,
    },
    { runs: [{ outcome: 'REQUEST_CHANGES', hoursAgo: 35 * day, seconds: 20, spend: [['y', 2]] }] },
    // The completed review counts until the next one ends.
    {
      runs: [
        { outcome: 'APPROVE', hoursAgo: day, seconds: 45, spend: [['x', 0.07]] },
        { outcome: 'processing', hoursAgo: 1 },
      ],
    },
  ],
  'acme/blog': [{ runs: [{ outcome: 'APPROVE', hoursAgo: 6, seconds: 100, spend: [['y', 0.5]] }] }],
  'other/tool': [{ runs: [{ outcome: 'failed', hoursAgo: 6, seconds: 100 }] }],
}

describe('review statistics', () => {
  let forge: Forge
  let app: TestApp
  let inserted: Date
  const people: Record<string, SignedInUser> = {}

  beforeAll(async () => {
    forge = await startShopForge()
    app = await startTestApp({ env: forgeEnvironment(forge), parts: { web: true, worker: false } })
    // The first user to sign in is the administrator.
    for (const login of ['root', 'anne', 'bob', 'carol']) {
      forge.createUser(login, { token: `ghp_token_of_${login}x` })
      people[login] = await signInWithToken(app, `ghp_token_of_${login}x`)
    }
    // The last argument adds the costs of scans and searches.
    inserted = await insertPullRequestSamples(app.db, samples, [
      [0.5, 1],
      [null, 1],
      [0.7, 40 * day],
    ])
    await insertConnection(app.db, 'anne', 'acme/shop')
    await insertConnection(app.db, 'anne', 'acme/blog')
    await insertConnection(app.db, 'bob', 'other/tool')
  })
  afterAll(async () => {
    await app[Symbol.asyncDispose]()
    await forge[Symbol.asyncDispose]()
  })

  async function readReviewing(login: string, query = '') {
    return (await requestReviewing(app, people[login]?.cookie ?? {}, query)).body
  }

  it('have the right numbers', async () => {
    const { period, days, ...statistics } = await readReviewing('anne', '?repo=acme/shop')
    expect(statistics).toEqual({
      coverage: {
        pull_requests: 11,
        reviewed: 6,
        skipped: 1,
        failed: 1,
        under_way: 2,
        not_asked: 1,
      },
      // The latest reviews in the period took 10, 30, 45, 90 and 600 seconds.
      time_to_review: { median_seconds: 45, p90_seconds: 396, count: 5 },
      reviews: { posted: 6, skipped: 1, failed: 1 },
      cost: {
        total_usd: 0.95,
        without_review_usd: 0.42,
        // The reviews cost $0.05, $0.07, $0.15 and $0.25.
        per_review: { median_usd: 0.11, p90_usd: 0.22, count: 4 },
        ...{ unknown_price: 1, without_model: 1, outside_usd: null },
        models: [
          {
            model: 'x',
            runs: 7,
            calls: 16,
            input_tokens: 800,
            output_tokens: 80,
            cached_input_tokens: 40,
            cost_usd: 0.92,
          },
          {
            model: 'y',
            runs: 1,
            calls: 2,
            input_tokens: 100,
            output_tokens: 10,
            cached_input_tokens: 5,
            cost_usd: 0.03,
          },
          {
            model: 'z',
            runs: 1,
            calls: 2,
            input_tokens: 100,
            output_tokens: 10,
            cached_input_tokens: 5,
            cost_usd: null,
          },
        ],
      },
    })
    expect(period.days).toBe(30)
    expect(Date.parse(period.end) - Date.parse(period.start)).toBe(30 * day * 3_600_000)
  })

  it('include every day, also the empty ones', async () => {
    const { period, days } = await readReviewing('anne', '?repo=acme/shop')
    expect([days.length, days[0]?.date, days.at(-1)?.date]).toEqual([
      31,
      period.start.slice(0, 10),
      period.end.slice(0, 10),
    ])
    const dateOf = (daysAgo: number) =>
      new Date(inserted.getTime() - daysAgo * day * 3_600_000).toISOString().slice(0, 10)
    const none = { APPROVE: 0, REQUEST_CHANGES: 0, NEEDS_DISCUSSION: 0 }
    expect(days.filter((one) => one.cost_usd > 0)).toEqual([
      { date: dateOf(5), verdicts: { ...none, NEEDS_DISCUSSION: 1 }, failed: 0, cost_usd: 0.01 },
      { date: dateOf(3), verdicts: { ...none, APPROVE: 1 }, failed: 0, cost_usd: 0.25 },
      { date: dateOf(2), verdicts: { ...none, APPROVE: 1 }, failed: 1, cost_usd: 0.42 },
      {
        date: dateOf(1),
        verdicts: { ...none, APPROVE: 2, REQUEST_CHANGES: 1 },
        failed: 0,
        cost_usd: 0.27,
      },
    ])
    const others = days.filter((one) => one.cost_usd === 0)
    expect(others).toHaveLength(27)
    for (const one of others) expect(one).toMatchObject({ verdicts: none, failed: 0 })
  })

  it('cover the requested number of days', async () => {
    const week = await readReviewing('anne', '?days=7&repo=acme/shop')
    expect([week.reviews.posted, week.days.length]).toEqual([6, 8])
    const quarter = await readReviewing('anne', '?days=90&repo=acme/shop')
    expect(quarter.coverage).toMatchObject({ pull_requests: 12, reviewed: 7 })
    expect(quarter.reviews).toEqual({ posted: 8, skipped: 1, failed: 1 })
    expect(quarter.cost.total_usd).toBe(3.95)
    expect(quarter.cost.models.map(({ model }) => model)).toEqual(['y', 'x', 'z'])
    expect(quarter.time_to_review.count).toBe(7)
  })

  it('case 26: do not include repositories of other people', async () => {
    expect(await readReviewing('bob')).toMatchObject({
      coverage: { pull_requests: 1, failed: 1 },
      time_to_review: { median_seconds: null, p90_seconds: null, count: 0 },
      reviews: { posted: 0, skipped: 0, failed: 1 },
      cost: { total_usd: 0, outside_usd: null, models: [] },
    })
    const { coverage, reviews, days } = await readReviewing('bob', '?repo=acme/shop')
    expect([coverage.pull_requests, reviews.posted]).toEqual([0, 0])
    expect(days.every(({ verdicts }) => verdicts.APPROVE === 0)).toBe(true)
    const insights = await fetch(`${app.url}/api/v1/analytics/insights?repo=acme/shop`, {
      headers: people.bob?.cookie ?? {},
    })
    expect(await insights.json()).toMatchObject({ repos: [], authors: [] })
  })

  it('cover all repositories or one', async () => {
    expect(await readReviewing('anne')).toMatchObject({
      coverage: { pull_requests: 12 },
      cost: { total_usd: 1.45 },
    })
    expect(await readReviewing('anne', '?repo=acme/blog')).toMatchObject({
      coverage: { pull_requests: 1, reviewed: 1 },
      cost: { total_usd: 0.5, per_review: { median_usd: 0.5, count: 1 } },
    })
    for (const [repo, prs] of [
      ['acme/shop', 11],
      ['acme/blog', 1],
    ] as const) {
      const answer = await fetch(`${app.url}/api/v1/analytics/insights?repo=${repo}`, {
        headers: people.anne!.cookie,
      })
      expect(await answer.json()).toMatchObject({ repos: [{ repo, prs }] })
    }
  })

  it('show administrators everything, and costs outside of repositories', async () => {
    expect(await readReviewing('root')).toMatchObject({
      coverage: { pull_requests: 13 },
      cost: { total_usd: 1.45, outside_usd: 0.5 },
    })
    expect((await readReviewing('root', '?days=90')).cost.outside_usd).toBe(1.2)
    expect((await readReviewing('root', '?repo=acme/shop')).cost.outside_usd).toBeNull()
  })

  it('are zero or null when there is no data', async () => {
    const { period: _, days, ...statistics } = await readReviewing('carol')
    expect(statistics).toEqual({
      coverage: {
        pull_requests: 0,
        reviewed: 0,
        skipped: 0,
        failed: 0,
        under_way: 0,
        not_asked: 0,
      },
      time_to_review: { median_seconds: null, p90_seconds: null, count: 0 },
      reviews: { posted: 0, skipped: 0, failed: 0 },
      cost: {
        ...{
          total_usd: 0,
          without_review_usd: 0,
          per_review: { median_usd: null, p90_usd: null, count: 0 },
        },
        ...{ unknown_price: 0, without_model: 0, outside_usd: null, models: [] },
      },
    })
    expect(days).toHaveLength(31)
  })

  it.each(['6', '91', '-7', '30.5', '', '7&days=8'])('case 27: refuse %s days', async (days) => {
    const { status, body } = await requestReviewing(app, people.anne?.cookie ?? {}, `?days=${days}`)
    expect({ status, body }).toEqual({
      status: 422,
      body: { detail: 'days must be a whole number from 7 to 90' },
    })
  })

  it('require the cookie', async () => {
    const unauthenticated = { status: 401, body: { detail: 'Not authenticated' } }
    expect(await requestReviewing(app, {})).toEqual(unauthenticated)
    expect(await requestReviewing(app, people.anne?.bearer ?? {})).toEqual(unauthenticated)
  })
})

describe('review statistics after a review', () => {
  it('count the review, its time and its model cost', async () => {
    await using server = await startModelServer({
      protocol: 'anthropic',
      script: () => ({ json: { summary: 'It sells.', findings: [] } }),
    })
    const model = 'anthropic:claude-opus-5-5'
    const env = {
      MODEL: model,
      MODEL_BASE_URL: server.url,
      ANTHROPIC_API_KEY: 'sk-test-0123456789',
    }
    await using scenario = await startScenario({ env })
    const alice = await signInWithToken(scenario.app, 'ghp_token_of_alice')
    await scenario.openPullRequest(readSample('topic'), { branch: 'bugs' })
    await scenario.waitUntilSettled()
    const { rows } = await sql<{ cost: number; seconds: number }>`
      select (select sum(cost_usd) from model_spend) as cost,
        (select extract(epoch from finished_at - e.created_at)::float8
          from workflow_runs r join events e on e.run_id = r.id) as seconds
      `.execute(scenario.app.db)
    const { body } = await requestReviewing(scenario.app, alice.cookie)
    expect(body.coverage).toMatchObject({ pull_requests: 1, reviewed: 1 })
    expect(body.time_to_review.count).toBe(1)
    expect(body.time_to_review.median_seconds).toBeCloseTo(rows[0]!.seconds, 1)
    expect(rows[0]!.cost).toBeGreaterThan(0)
    expect(body.cost.total_usd).toBeCloseTo(rows[0]!.cost, 5)
    expect(body.cost.per_review).toMatchObject({ median_usd: body.cost.total_usd, count: 1 })
    expect(body.cost.models.map((used) => used.model)).toEqual([model])
    expect(body.days.at(-1)?.cost_usd).toBe(body.cost.total_usd)
  })
})
