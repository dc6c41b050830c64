// Tests insights against numbers computed by hand, on each database engine.
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readSample } from '../../demo/read-sample.ts'
import type { Db } from '../../src/db/database.ts'
import type { Verdict } from '../../src/domain/review.ts'
import type { Forge } from '../fakes/forge/forge.ts'
import { insertConnection } from '../insert-connection.ts'
import {
  forgeEnvironment,
  type Scenario,
  startScenario,
  startShopForge,
} from '../review-scenario.ts'
import { type SignedInUser, signInWithToken } from '../sign-in.ts'
import { pullRequestPayload, startTestApp, type TestApp } from '../start-app.ts'

/** The fields of the response that the tests check. */
interface Insights {
  readonly period: { readonly start: string; readonly end: string; readonly days: number }
  readonly merge_metrics: {
    readonly median_hours: number
    readonly p90_hours: number
    readonly count: number
  }
  readonly authors: readonly { readonly author: string; readonly prs: number }[]
  readonly repos: readonly { readonly repo: string; readonly prs: number }[]
  readonly verdicts: Readonly<Record<Verdict, number>>
  readonly confidence_dist: Readonly<Record<string, number>>
  readonly issue_categories: Readonly<Record<string, number>>
  readonly pr_size: { readonly median: number; readonly p90: number }
}

async function requestInsights(
  app: Pick<TestApp, 'url'>,
  headers: Record<string, string>,
  query = '',
) {
  const response = await fetch(`${app.url}/api/v1/analytics/insights${query}`, { headers })
  return {
    status: response.status,
    body: (await response.json()) as Insights & { detail?: string },
  }
}

/** A pull request with the fields that insights read; times count back from now. */
interface Sample {
  readonly author: string
  /** How long ago its newest event happened. */
  readonly hoursAgo: number
  readonly mergedHoursAgo?: number
  /** Hours from its creation to its merge; unknown unless given. */
  readonly age?: number
  readonly size?: readonly [additions: number, deletions: number]
  readonly review?: readonly [
    Verdict,
    confidence: number,
    critical: number,
    moderate: number,
    minor: number,
  ]
}

const day = 24

/** By repository, numbered from 1. */
const samples: Readonly<Record<string, readonly Sample[]>> = {
  'acme/shop': [
    {
      author: 'ann',
      hoursAgo: 1,
      mergedHoursAgo: 1,
      age: 10,
      size: [10, 0],
      review: ['APPROVE', 5, 0, 0, 0],
    },
    {
      author: 'ann',
      hoursAgo: 2,
      mergedHoursAgo: 2,
      age: 20,
      size: [20, 10],
      review: ['APPROVE', 4, 0, 0, 2],
    },
    { author: 'ann', hoursAgo: 3 * day, size: [100, 50], review: ['REQUEST_CHANGES', 5, 1, 2, 0] },
    {
      author: 'bea',
      hoursAgo: 90,
      mergedHoursAgo: 96,
      age: 45.5,
      size: [7, 1],
      review: ['NEEDS_DISCUSSION', 2, 0, 3, 1],
    },
    { author: 'bea', hoursAgo: 5 * day },
    { author: 'cid', hoursAgo: 6 * day, size: [1, 1] },
    // Its newest event is from the last 30 days, but it was merged before.
    {
      author: 'ann',
      hoursAgo: 30 * day - 1,
      mergedHoursAgo: 45 * day,
      age: 100,
      size: [30, 10],
      review: ['APPROVE', 3, 0, 0, 0],
    },
    {
      author: 'cid',
      hoursAgo: 30 * day + 1,
      mergedHoursAgo: 30 * day + 1,
      age: 3,
      size: [4000, 1000],
      review: ['REQUEST_CHANGES', 1, 9, 9, 9],
    },
  ],
  'acme/blog': [
    {
      author: 'bea',
      hoursAgo: 7,
      mergedHoursAgo: 7,
      size: [12, 0],
      review: ['APPROVE', 4, 0, 1, 0],
    },
    { author: 'Ann', hoursAgo: 2 * day, size: [9, 0], review: ['NEEDS_DISCUSSION', 3, 0, 1, 1] },
    {
      author: 'ann',
      hoursAgo: 3 * day,
      mergedHoursAgo: 3 * day,
      age: 1,
      size: [0, 200],
      review: ['REQUEST_CHANGES', 4, 2, 0, 0],
    },
  ],
  'other/tool': [
    {
      author: 'dan',
      hoursAgo: 20,
      mergedHoursAgo: 20,
      age: 1000.126,
      size: [1, 0],
      review: ['APPROVE', 1, 0, 0, 7],
    },
    // The clock of the platform is ahead: it counts as not merged yet.
    { author: 'ann', hoursAgo: 1, mergedHoursAgo: -5, age: 8, size: [3, 0] },
    // According to its times it was merged before it was opened.
    { author: 'dan', hoursAgo: 3 * day, mergedHoursAgo: 3 * day, age: -2, size: [11, 0] },
    // The merge was read from the platform, without an event: it counts as a merge only.
    {
      author: 'dan',
      hoursAgo: 95 * day,
      mergedHoursAgo: 1,
      age: 8,
      size: [2_147_483_647, 2_147_483_647],
    },
  ],
}

async function insertSamples(db: Db): Promise<void> {
  const ago = (hours: number | undefined) =>
    sql<Date>`now() - make_interval(secs => ${hours === undefined ? null : hours * 3600}::float8)`
  for (const [repo, pulls] of Object.entries(samples)) {
    for (const [
      index,
      { author, hoursAgo, mergedHoursAgo, age, size = [0, 0], review },
    ] of pulls.entries()) {
      const [verdict, confidence, critical, moderate, minor] = review ?? [null, null, 0, 0, 0]
      await db
        .insertInto('pullRequests')
        .values({
          ...{
            repo,
            number: index + 1,
            author,
            title: '',
            branch: '',
            baseBranch: '',
            url: '',
            headSha: '',
          },
          state: mergedHoursAgo === undefined ? 'open' : 'merged',
          draft: false,
          additions: size[0],
          deletions: size[1],
          mergedAt: ago(mergedHoursAgo),
          openedAt: ago(age === undefined ? undefined : (mergedHoursAgo ?? 0) + age),
          updatedAt: sql<Date>`now()`,
          lastEventAt: ago(hoursAgo),
          ...{
            verdict,
            confidence,
            criticalCount: critical,
            moderateCount: moderate,
            minorCount: minor,
          },
        })
        .execute()
    }
  }
}

describe('insights', () => {
  let forge: Forge
  let app: TestApp
  const people: Record<string, SignedInUser> = {}

  beforeAll(async () => {
    forge = await startShopForge()
    app = await startTestApp({ env: forgeEnvironment(forge), parts: { web: true, worker: false } })
    // The first person to sign in becomes the administrator.
    for (const login of ['root', 'anne', 'bob', 'carol']) {
      forge.createUser(login, { token: `ghp_token_of_${login}x` })
      people[login] = await signInWithToken(app, `ghp_token_of_${login}x`)
    }
    await insertSamples(app.db)
    await insertConnection(app.db, 'anne', 'acme/shop', true)
    // A repository that was disconnected counts too.
    await insertConnection(app.db, 'anne', 'acme/blog', false)
    await insertConnection(app.db, 'bob', 'other/tool', true)
  })
  afterAll(async () => {
    await app[Symbol.asyncDispose]()
    await forge[Symbol.asyncDispose]()
  })

  async function readInsights(login: string, query = '') {
    return (await requestInsights(app, people[login]?.cookie ?? {}, query)).body
  }

  it('match every number computed by hand', async () => {
    const { period, ...numbers } = await readInsights('anne')
    expect(numbers).toEqual({
      // The pull requests took 1, 10, 20 and 45.5 hours; one has an unknown age.
      merge_metrics: { median_hours: 15, p90_hours: 37.85, count: 4 },
      authors: [
        { author: 'ann', prs: 5, merged: 3, issues_flagged: 7, avg_confidence: 4.2 },
        { author: 'bea', prs: 3, merged: 2, issues_flagged: 5, avg_confidence: 3 },
        { author: 'Ann', prs: 1, merged: 0, issues_flagged: 2, avg_confidence: 3 },
        { author: 'cid', prs: 1, merged: 0, issues_flagged: 0, avg_confidence: 0 },
      ],
      verdicts: { APPROVE: 4, REQUEST_CHANGES: 2, NEEDS_DISCUSSION: 2 },
      confidence_dist: { 1: 0, 2: 1, 3: 2, 4: 3, 5: 2 },
      issue_categories: { critical: 3, moderate: 7, minor: 4 },
      repos: [
        { repo: 'acme/shop', prs: 7, merged: 3, issues_flagged: 9 },
        { repo: 'acme/blog', prs: 3, merged: 2, issues_flagged: 5 },
      ],
      // The sizes are 0, 2, 8, 9, 10, 12, 30, 40, 150 and 200 lines.
      pr_size: { median: 11, p90: 155 },
    })
    expect(period.days).toBe(30)
    expect(Date.parse(period.end) - Date.parse(period.start)).toBe(30 * day * 3_600_000)
    expect([period.start, period.end]).toEqual(
      [period.start, period.end].map((time) => new Date(time).toISOString()),
    )
  })

  it('cover the last days by the clock of the database', async () => {
    const { rows } = await sql<{ now: Date }>`select now()`.execute(app.db)
    const { period } = await readInsights('anne')
    expect(Date.parse(period.end)).toBeGreaterThanOrEqual(Number(rows[0]?.now))
  })

  it('cover the requested number of days', async () => {
    const week = await readInsights('anne', '?days=7')
    expect(week.repos.map(({ repo, prs }) => [repo, prs])).toEqual([
      ['acme/shop', 6],
      ['acme/blog', 3],
    ])
    expect(week.merge_metrics).toEqual({ median_hours: 15, p90_hours: 37.85, count: 4 })
    const quarter = await readInsights('anne', '?days=90')
    expect(quarter.repos[0]).toEqual({ repo: 'acme/shop', prs: 8, merged: 5, issues_flagged: 36 })
    // The pull requests took 1, 3, 10, 20, 45.5 and 100 hours.
    expect(quarter.merge_metrics).toEqual({ median_hours: 15, p90_hours: 72.75, count: 6 })
    expect(quarter.confidence_dist).toMatchObject({ 1: 1 })
    expect(quarter.period.days).toBe(90)
  })

  it("case 26: hide other people's repositories", async () => {
    const { period: _, ...numbers } = await readInsights('bob')
    expect(numbers).toEqual({
      // The pull requests took 8 and 1000.126 hours.
      merge_metrics: { median_hours: 504.06, p90_hours: 900.91, count: 2 },
      authors: [
        { author: 'dan', prs: 2, merged: 2, issues_flagged: 7, avg_confidence: 1 },
        { author: 'ann', prs: 1, merged: 0, issues_flagged: 0, avg_confidence: 0 },
      ],
      verdicts: { APPROVE: 1, REQUEST_CHANGES: 0, NEEDS_DISCUSSION: 0 },
      confidence_dist: { 1: 1, 2: 0, 3: 0, 4: 0, 5: 0 },
      issue_categories: { critical: 0, moderate: 0, minor: 7 },
      repos: [{ repo: 'other/tool', prs: 3, merged: 2, issues_flagged: 7 }],
      // The sizes are 1, 3 and 11 lines, so the p90 of 9.4 is rounded.
      pr_size: { median: 3, p90: 9 },
    })
  })

  it('cover all repositories for an administrator', async () => {
    const { authors, repos } = await readInsights('root')
    expect(repos.map(({ repo, prs }) => [repo, prs])).toEqual([
      ['acme/shop', 7],
      ['acme/blog', 3],
      ['other/tool', 3],
    ])
    expect(authors[0]).toEqual({
      author: 'ann',
      prs: 6,
      merged: 3,
      issues_flagged: 7,
      avg_confidence: 4.2,
    })
  })

  it('are zeros without data', async () => {
    const { period, ...numbers } = await readInsights('carol')
    expect(period.days).toBe(30)
    expect(numbers).toEqual({
      merge_metrics: { median_hours: 0, p90_hours: 0, count: 0 },
      authors: [],
      verdicts: { APPROVE: 0, REQUEST_CHANGES: 0, NEEDS_DISCUSSION: 0 },
      confidence_dist: { 1: 0, 2: 0, 3: 0, 4: 0, 5: 0 },
      issue_categories: { critical: 0, moderate: 0, minor: 0 },
      repos: [],
      pr_size: { median: 0, p90: 0 },
    })
  })

  it.each([
    '6',
    '91',
    '0',
    '-7',
    '1e9',
    'NaN',
    '30.5',
    '',
    '10;drop',
    '99999999999999999999',
    '7&days=8',
  ])('case 27: refuse %s days', async (days) => {
    const { status, body } = await requestInsights(app, people.anne?.cookie ?? {}, `?days=${days}`)
    expect({ status, body }).toEqual({
      status: 422,
      body: { detail: 'days must be a whole number from 7 to 90' },
    })
  })

  it('require the cookie', async () => {
    const unauthenticated = { status: 401, body: { detail: 'Not authenticated' } }
    expect(await requestInsights(app, {})).toEqual(unauthenticated)
    expect(await requestInsights(app, people.anne?.bearer ?? {})).toEqual(unauthenticated)
    expect(await requestInsights(app, { cookie: 'access_token=a.b.c' }, '?days=6')).toEqual(
      unauthenticated,
    )
  })
})

describe('insights after reviews', () => {
  let scenario: Scenario
  beforeAll(async () => {
    // With more findings than comments, some are suppressed.
    scenario = await startScenario({ env: { REVIEW_MAX_COMMENTS: '2' } })
  })
  afterAll(() => scenario[Symbol.asyncDispose]())

  it('count the findings of the latest review with a verdict', async () => {
    const { app, forge } = scenario
    const alice = await signInWithToken(app, 'ghp_token_of_alice')
    const number = await scenario.openPullRequest(readSample('topic'), {
      branch: 'bugs',
      title: 'Pay orders',
    })
    await scenario.waitUntilSettled()
    const { body: first } = await requestInsights(app, alice.cookie)
    const findings = await app.db.selectFrom('findings').select(['severity', 'placement']).execute()
    const count = (severity: string) =>
      findings.filter((finding) => finding.severity === severity).length
    expect(findings.map(({ placement }) => placement)).toContain('held_back')
    expect(first.issue_categories).toEqual({
      critical: count('critical'),
      moderate: count('moderate'),
      minor: count('minor'),
    })
    expect(first.issue_categories.critical).toBeGreaterThan(0)
    expect(first.verdicts).toEqual({ APPROVE: 0, REQUEST_CHANGES: 1, NEEDS_DISCUSSION: 0 })
    const run = await app.db.selectFrom('workflowRuns').selectAll().executeTakeFirstOrThrow()
    expect(first.confidence_dist).toEqual({
      1: 0,
      2: 0,
      3: 0,
      4: 0,
      5: 0,
      [String(run.confidence)]: 1,
    })

    const fixed = { 'src/orders.ts': null, 'src/payments.ts': null, 'README.md': 'A shop.\n' }
    await forge.push('acme/shop', 'bugs', fixed, { author: 'alice' })
    await scenario.waitUntilSettled()
    const { body: second } = await requestInsights(app, alice.cookie)
    // The leaked key stays open after its removal, since it must still be revoked.
    expect(second.issue_categories).toEqual({ critical: 1, moderate: 0, minor: 0 })
    expect(second.authors).toHaveLength(1)
    expect(second.repos).toMatchObject([{ repo: 'acme/shop', prs: 1, issues_flagged: 1 }])

    // A run that ends without a verdict changes no number.
    forge.closePullRequest('acme/shop', number, 'alice')
    await app.deliver(pullRequestPayload({ action: 'synchronize', number }))
    await scenario.waitUntilSettled()
    const runs = await app.db.selectFrom('workflowRuns').select('verdict').orderBy('id').execute()
    expect(runs.map(({ verdict }) => verdict !== null)).toEqual([true, true, false])
    const { body: third } = await requestInsights(app, alice.cookie)
    expect(third.verdicts).toEqual(second.verdicts)
    expect(third.confidence_dist).toEqual(second.confidence_dist)
  })
})
