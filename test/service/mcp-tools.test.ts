// Tests results of the MCP tools for reviewed pull requests, on each database engine.
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { changesChannel } from '../../src/events/listing.ts'
import { type Hold, hold, replyWith, type SeenRequest } from '../fakes/forge/forge.ts'
import {
  flaws,
  type KnowledgeRepository,
  type KnowledgeScenario,
  startKnowledgeScenario,
} from '../knowledge-scenario.ts'
import { callTool } from '../mcp-client.ts'
import { pullRequestPayload } from '../start-app.ts'

let scenario: KnowledgeScenario
let shop: KnowledgeRepository
let tools: KnowledgeRepository
let held: Hold
/** The pull requests of the shop, by their state. */
let numbers: Record<'clean' | 'flawed' | 'doubtful' | 'failed' | 'processing' | 'pending', number>

const call = (name: string, given: object) => callTool(scenario.app.url, name, given)

/** Reads the runs of a repository, newest first. */
const runsIn = (repo: string) =>
  scenario.app.db
    .selectFrom('workflowRuns')
    .selectAll()
    .where('repo', '=', repo)
    .orderBy('id', 'desc')
    .execute()

beforeAll(async () => {
  scenario = await startKnowledgeScenario()
  const { forge, app } = scenario
  shop = await scenario.createRepository({ 'src/a.ts': '1\n', 'src/b.ts': '1\n' })
  tools = await scenario.createRepository({ 'src/a.ts': '1\n' })
  const [clean, flawed, doubtful] = await shop.proposeAll([
    ['alice', { 'src/a.ts': 'export const two = 2\n' }],
    ['bob', { 'src/a.ts': flaws.critical(), 'src/b.ts': '2\n' }],
    ['alice', { 'src/b.ts': flaws.moderate() }],
  ])
  await tools.propose('carol', { 'src/a.ts': flaws.critical('c') })
  const isRead = (repo: string) => (seen: SeenRequest) =>
    new RegExp(`/repos/${repo}/pulls/\\d+$`).test(seen.path)
  forge.faults.add({ match: isRead(shop.name), action: replyWith(404, { message: 'Not Found' }) })
  const failed = await shop.propose('carol', { 'src/b.ts': '5\n' })
  forge.faults.clear()
  // One review waits for the platform, and the other one for a rate limit.
  held = hold()
  const isNumber = (number: number) => (seen: SeenRequest) =>
    seen.path.endsWith(`/repos/${shop.name}/pulls/${number}`)
  const limited = replyWith(429, { message: 'Slow down' }, { 'retry-after': '3600' })
  forge.faults.add({ match: isNumber(900), action: held })
  forge.faults.add({ match: isNumber(901), action: limited })
  for (const number of [900, 901]) {
    const payload = pullRequestPayload({ repo: shop.name, number })
    expect(await app.deliver(payload, { secret: 'a5'.repeat(32) })).toMatchObject({ status: 200 })
  }
  await held.arrived
  await vi.waitFor(
    async () => expect((await runsIn(shop.name)).map((run) => run.status)).toContain('pending'),
    20_000,
  )
  numbers = {
    clean: clean!,
    flawed: flawed!,
    doubtful: doubtful!,
    failed,
    processing: 900,
    pending: 901,
  }
})
afterAll(async () => {
  held?.release()
  await scenario?.[Symbol.asyncDispose]()
})

describe('get_recent_reviews', () => {
  it('lists the runs of the repository, newest first', async () => {
    const rows = await runsIn(shop.name)
    const verdicts = {
      APPROVE: 'APPROVED',
      REQUEST_CHANGES: 'CHANGES_REQUESTED',
      NEEDS_DISCUSSION: 'COMMENT',
    }
    const records = await call('get_recent_reviews', { repo: shop.name })
    expect(records).toEqual(
      rows.map((row) => ({
        id: row.id,
        repo: shop.name,
        pr_number: row.prNumber,
        verdict: row.verdict === null ? 'UNKNOWN' : verdicts[row.verdict],
        summary: row.summary ?? row.error ?? '',
        created_at: row.createdAt.toISOString(),
        status: row.status,
      })),
    )
    expect(
      records.map((one: Record<string, unknown>) => [one.pr_number, one.status, one.verdict]),
    ).toEqual([
      [numbers.pending, 'pending', 'UNKNOWN'],
      [numbers.processing, 'processing', 'UNKNOWN'],
      [numbers.failed, 'failed', 'UNKNOWN'],
      [numbers.doubtful, 'completed', 'COMMENT'],
      [numbers.flawed, 'completed', 'CHANGES_REQUESTED'],
      [numbers.clean, 'completed', 'APPROVED'],
    ])
  })

  it('lists no runs of another repository with the same pull request number', async () => {
    const records = await call('get_recent_reviews', { repo: tools.name, limit: 50 })
    expect(records).toHaveLength(1)
    expect(records[0]).toMatchObject({
      repo: tools.name,
      pr_number: 1,
      verdict: 'CHANGES_REQUESTED',
    })
  })

  it('accepts the name in any letter case, and returns the platform’s spelling', async () => {
    const records = await call('get_recent_reviews', { repo: shop.name.toUpperCase() })
    expect(records).toEqual(await call('get_recent_reviews', { repo: shop.name }))
    expect(records).toHaveLength(6)
  })

  it.each([
    [1, 1],
    [4, 4],
    [0, 0],
    [-5, 0],
    [Number.MIN_SAFE_INTEGER, 0],
  ])('accepts a limit of %d', async (limit, count) => {
    const records = await call('get_recent_reviews', { repo: shop.name, limit })
    const all = await call('get_recent_reviews', { repo: shop.name })
    expect(records).toEqual(all.slice(0, count))
  })
})

describe('get_pr_verdict', () => {
  it('returns the verdict of the review in the requested repository', async () => {
    for (const [repo, number, verdict] of [
      [shop, numbers.clean, 'APPROVED'],
      [shop, numbers.flawed, 'CHANGES_REQUESTED'],
      [shop, numbers.doubtful, 'COMMENT'],
      [tools, 1, 'CHANGES_REQUESTED'],
    ] as const) {
      const row = (await runsIn(repo.name)).find((one) => one.prNumber === number)
      expect(await call('get_pr_verdict', { repo: repo.name, pr_number: number })).toEqual([
        {
          repo: repo.name,
          pr_number: number,
          verdict,
          summary: row!.summary,
          created_at: row!.createdAt.toISOString(),
        },
      ])
    }
    expect(
      (await call('get_pr_verdict', { repo: tools.name, pr_number: numbers.doubtful }))[0],
    ).toEqual({
      error: `No review found for ${tools.name}#${numbers.doubtful}`,
    })
  })

  it.each(['failed', 'processing', 'pending'] as const)(
    'returns UNKNOWN for a review that is %s',
    async (name) => {
      const [record] = await call('get_pr_verdict', { repo: shop.name, pr_number: numbers[name] })
      expect(record).toMatchObject({
        repo: shop.name,
        pr_number: numbers[name],
        verdict: 'UNKNOWN',
      })
      expect(record.summary === '', 'the reason of the wait or failure').toBe(name === 'processing')
    },
  )

  it('returns the last verdict while a newer review has none', async () => {
    const before = await call('get_pr_verdict', { repo: shop.name, pr_number: numbers.clean })
    const run = {
      workflowType: 'pr_review',
      repo: shop.name,
      prNumber: numbers.clean,
      status: 'failed',
      attempts: 1,
    } as const
    const { id } = await scenario.app.db
      .insertInto('workflowRuns')
      .values({ ...run, error: 'The platform is gone' })
      .returning('id')
      .executeTakeFirstOrThrow()
    expect(await call('get_pr_verdict', { repo: shop.name, pr_number: numbers.clean })).toEqual(
      before,
    )
    await scenario.app.db.deleteFrom('workflowRuns').where('id', '=', id).execute()
  })
})

describe('a repeated call', () => {
  afterEach(() => {
    vi.useRealTimers()
  })
  const titles = ['Not announced', 'Announced'] as const
  const saveSummary = (summary: string) =>
    scenario.app.db
      .updateTable('workflowRuns')
      .set({ summary })
      .where('repo', '=', tools.name)
      .where('prNumber', '=', 1)
      .execute()
  // Another spelling than above, since answers are cached by name.
  const readSummary = async () =>
    (await call('get_pr_verdict', { repo: tools.name.toUpperCase(), pr_number: 1 }))[0].summary

  it('returns the same answer for a second, unless a review changed', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const before = await readSummary()
    await saveSummary(titles[0])
    expect(await readSummary()).toBe(before)
    vi.advanceTimersByTime(1001)
    expect(await readSummary()).toBe(titles[0])
    await saveSummary(titles[1])
    const change = { repo: tools.name, number: 1, event: 1, status: 'completed' }
    await sql`select pg_notify(${changesChannel}, ${JSON.stringify(change)})`.execute(
      scenario.app.db,
    )
    await vi.waitFor(async () => expect(await readSummary()).toBe(titles[1]), {
      timeout: 10_000,
      interval: 20,
    })
    await saveSummary(before)
    vi.advanceTimersByTime(1001)
    expect(await readSummary()).toBe(before)
  })
})

describe('get_repo_health', () => {
  it('counts reviewed pull requests', async () => {
    expect(await call('get_repo_health', { repo: shop.name.toUpperCase() })).toEqual([
      {
        repo: shop.name,
        // Three of six pull requests have a verdict.
        review_coverage_pct: 50,
        avg_merge_time_hours: null,
        open_prs_indexed: 3,
        health_score: 15,
        note: expect.stringMatching(/avg_merge_time_hours/),
      },
    ])
    expect(await call('get_repo_health', { repo: tools.name })).toMatchObject([
      { repo: tools.name, review_coverage_pct: 100, open_prs_indexed: 1, health_score: 5 },
    ])
  })
})

describe('get_contributor_stats', () => {
  it('counts the pull requests with changed files by author', async () => {
    expect(await call('get_contributor_stats', { repo: shop.name.toUpperCase() })).toEqual([
      { login: 'alice', pr_count: 2 },
      { login: 'bob', pr_count: 1 },
    ])
    expect(await call('get_contributor_stats', { repo: tools.name })).toEqual([
      { login: 'carol', pr_count: 1 },
    ])
  })
})

describe('case 68: many records', () => {
  const repo = 'acme/busy'
  beforeAll(async () => {
    const start = Date.UTC(2026, 0, 1)
    const rows = Array.from({ length: 130 }, (_, index) => ({
      workflowType: 'pr_review' as const,
      repo,
      prNumber: index + 1,
      status: 'completed' as const,
      attempts: 1,
      verdict: 'APPROVE' as const,
      summary: `Review ${index + 1}`,
      createdAt: new Date(start + index * 60_000),
    }))
    const pulls = rows.map(({ prNumber: number }) => ({
      ...{
        repo,
        number,
        title: 'A change',
        author: 'alice',
        branch: 'topic',
        baseBranch: 'main',
        url: '',
      },
      ...{
        state: 'open' as const,
        draft: false,
        headSha: '',
        additions: 0,
        deletions: 0,
        updatedAt: new Date(start),
      },
    }))
    await scenario.app.db.insertInto('pullRequests').values(pulls).execute()
    // The rows are stored in reverse, so that ids differ from the order by time.
    await scenario.app.db.insertInto('workflowRuns').values(rows.toReversed()).execute()
  })
  const listed = async (given: object) =>
    (await call('get_recent_reviews', { repo, ...given })).map(
      (one: { pr_number: number }) => one.pr_number,
    )
  const newest = (count: number) => Array.from({ length: count }, (_, index) => 130 - index)

  it('case 68: are limited to 50, and to 10 without a limit', async () => {
    expect(await listed({ limit: 1000 })).toEqual(newest(50))
    expect(await listed({ limit: Number.MAX_SAFE_INTEGER })).toEqual(newest(50))
    expect(await listed({ limit: 50 })).toEqual(newest(50))
    expect(await listed({})).toEqual(newest(10))
  })

  it('are searched for a verdict up to the last 100', async () => {
    expect(await call('get_pr_verdict', { repo, pr_number: 31 })).toMatchObject([
      { repo, pr_number: 31, verdict: 'APPROVED', summary: 'Review 31' },
    ])
    expect(await call('get_pr_verdict', { repo, pr_number: 30 })).toEqual([
      { error: 'No review found for acme/busy#30' },
    ])
  })

  it('give full health from 20 completed reviews on', async () => {
    expect(await call('get_repo_health', { repo })).toMatchObject([
      { open_prs_indexed: 130, health_score: 100, review_coverage_pct: 0 },
    ])
  })
})

describe('case 68: invalid arguments', () => {
  const lists = ['get_recent_reviews', 'get_contributor_stats']
  const objects = ['get_pr_verdict', 'get_repo_health']
  const wrong: readonly [string, object][] = [
    ['no arguments', {}],
    ['a number for a name', { repo: 7, pr_number: 1 }],
    ['null for a name', { repo: null, pr_number: 1 }],
    ['a list for a name', { repo: ['acme/shop'], pr_number: 1 }],
    ['a name of 200,000 letters', { repo: `acme/${'x'.repeat(200_000)}`, pr_number: 1 }],
    ['a name with a NUL character', { repo: 'acme/\0', pr_number: 1 }],
  ]

  it.each(wrong)('case 68: make lists empty and objects an error: %s', async (_, given) => {
    for (const name of lists) expect(await call(name, given)).toEqual([])
    for (const name of objects) {
      const [record] = await call(name, given)
      expect(record.error).toMatch(/^repo: \w/)
      expect(record.error.length).toBeLessThan(300)
    }
  })

  it.each([
    ['a string', '10'],
    ['a fraction', 2.5],
    ['null', null],
    ['an unsafe integer', 2 ** 60],
  ])('case 68: include %s as a number', async (_, value) => {
    expect(await call('get_recent_reviews', { repo: shop.name, limit: value })).toEqual([])
    expect(await call('get_pr_verdict', { repo: shop.name, pr_number: value })).toEqual([
      { error: expect.stringMatching(/^pr_number: /) },
    ])
  })

  it.each([
    'acme/nothing',
    'no-slash',
    'a/b/c',
    '',
    "acme/x' or 1=1 --",
    'acme/sh%p-1',
    'acme/\ufffd',
    '../../etc/passwd',
    '__proto__/constructor',
  ])('case 68: find nothing for the repository %j', async (repo) => {
    for (const name of lists) expect(await call(name, { repo })).toEqual([])
    const [verdict] = await call('get_pr_verdict', { repo, pr_number: 1 })
    expect(verdict).toEqual({ error: `No review found for ${repo}#1` })
    const [health] = await call('get_repo_health', { repo })
    expect(health).toMatchObject({ review_coverage_pct: 0, open_prs_indexed: 0, health_score: 0 })
    expect(health.error).toBeUndefined()
  })

  it.each([0, -1, 2 ** 31, Number.MAX_SAFE_INTEGER])(
    'case 68: find no pull request %d',
    async (pr_number) => {
      expect(await call('get_pr_verdict', { repo: shop.name, pr_number })).toEqual([
        { error: `No review found for ${shop.name}#${pr_number}` },
      ])
    },
  )
})

it('does not list runs of a repository whose name only begins the same', async () => {
  expect(await call('get_recent_reviews', { repo: `${shop.name}x` })).toEqual([])
})
