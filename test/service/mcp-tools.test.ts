// What the MCP tools tell, against the database and the reviews that real pull requests led to; on each engine.
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
/** Numbers of the pull requests of the shop. */
let numbers: Record<'clean' | 'flawed' | 'doubtful' | 'failed' | 'processing' | 'pending', number>

const call = (name: string, given: object) => callTool(scenario.app.url, name, given)

/** The runs of a repository, the newest first. */
const runsIn = (repo: string) =>
  scenario.app.db
    .selectFrom('workflow_runs')
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
  // One is held at the platform, which has the other one wait for long.
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
  it('tells of the runs of the repository, the newest first', async () => {
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
        pr_number: row.pr_number,
        verdict: row.verdict === null ? 'UNKNOWN' : verdicts[row.verdict],
        summary: row.summary ?? row.error ?? '',
        created_at: row.created_at.toISOString(),
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

  it('tells of no other repository, whose pull request has the same number', async () => {
    const records = await call('get_recent_reviews', { repo: tools.name, limit: 50 })
    expect(records).toHaveLength(1)
    expect(records[0]).toMatchObject({
      repo: tools.name,
      pr_number: 1,
      verdict: 'CHANGES_REQUESTED',
    })
  })

  it('takes the name in any letter case, and tells it as the platform spells it', async () => {
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
  ])('takes a limit of %d', async (limit, count) => {
    const records = await call('get_recent_reviews', { repo: shop.name, limit })
    const all = await call('get_recent_reviews', { repo: shop.name })
    expect(records).toEqual(all.slice(0, count))
  })
})

describe('get_pr_verdict', () => {
  it('tells what the review came to, of the repository that was asked for', async () => {
    for (const [repo, number, verdict] of [
      [shop, numbers.clean, 'APPROVED'],
      [shop, numbers.flawed, 'CHANGES_REQUESTED'],
      [shop, numbers.doubtful, 'COMMENT'],
      [tools, 1, 'CHANGES_REQUESTED'],
    ] as const) {
      const row = (await runsIn(repo.name)).find((one) => one.pr_number === number)
      expect(await call('get_pr_verdict', { repo: repo.name, pr_number: number })).toEqual([
        {
          repo: repo.name,
          pr_number: number,
          verdict,
          summary: row!.summary,
          created_at: row!.created_at.toISOString(),
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
    'does not know one that is %s',
    async (name) => {
      const [record] = await call('get_pr_verdict', { repo: shop.name, pr_number: numbers[name] })
      expect(record).toMatchObject({
        repo: shop.name,
        pr_number: numbers[name],
        verdict: 'UNKNOWN',
      })
      expect(record.summary === '', 'what it waits for, or why it failed').toBe(
        name === 'processing',
      )
    },
  )

  it('keeps to the last verdict while a newer review has none', async () => {
    const before = await call('get_pr_verdict', { repo: shop.name, pr_number: numbers.clean })
    const run = {
      workflow_type: 'pr_review',
      repo: shop.name,
      pr_number: numbers.clean,
      status: 'failed',
      attempts: 1,
      fence: 1,
    } as const
    const { id } = await scenario.app.db
      .insertInto('workflow_runs')
      .values({ ...run, error: 'The platform is gone' })
      .returning('id')
      .executeTakeFirstOrThrow()
    expect(await call('get_pr_verdict', { repo: shop.name, pr_number: numbers.clean })).toEqual(
      before,
    )
    await scenario.app.db.deleteFrom('workflow_runs').where('id', '=', id).execute()
  })
})

describe('the same question again', () => {
  afterEach(() => {
    vi.useRealTimers()
  })
  const titles = ['Not announced', 'Announced'] as const
  const say = (summary: string) =>
    scenario.app.db
      .updateTable('workflow_runs')
      .set({ summary })
      .where('repo', '=', tools.name)
      .where('pr_number', '=', 1)
      .execute()
  // In a spelling of its own: the clock of what was asked before is another one.
  const ask = async () =>
    (await call('get_pr_verdict', { repo: tools.name.toUpperCase(), pr_number: 1 }))[0].summary

  it('within a second gets the same answer, unless a review changed', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const before = await ask()
    await say(titles[0])
    expect(await ask()).toBe(before)
    vi.advanceTimersByTime(1001)
    expect(await ask()).toBe(titles[0])
    await say(titles[1])
    const change = { repo: tools.name, number: 1, event: 1, status: 'completed' }
    await sql`select pg_notify(${changesChannel}, ${JSON.stringify(change)})`.execute(
      scenario.app.db,
    )
    await vi.waitFor(async () => expect(await ask()).toBe(titles[1]), {
      timeout: 10_000,
      interval: 20,
    })
    await say(before)
    vi.advanceTimersByTime(1001)
    expect(await ask()).toBe(before)
  })
})

describe('get_repo_health', () => {
  it('counts what was reviewed', async () => {
    expect(await call('get_repo_health', { repo: shop.name.toUpperCase() })).toEqual([
      {
        repo: shop.name,
        // Three of six pull requests.
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
  it('counts the pull requests that touched files, for each author', async () => {
    expect(await call('get_contributor_stats', { repo: shop.name.toUpperCase() })).toEqual([
      { login: 'alice', pr_count: 2 },
      { login: 'bob', pr_count: 1 },
    ])
    expect(await call('get_contributor_stats', { repo: tools.name })).toEqual([
      { login: 'carol', pr_count: 1 },
    ])
  })
})

describe('case 68: of many records', () => {
  const repo = 'acme/busy'
  beforeAll(async () => {
    const start = Date.UTC(2026, 0, 1)
    const rows = Array.from({ length: 130 }, (_, index) => ({
      workflow_type: 'pr_review' as const,
      repo,
      pr_number: index + 1,
      status: 'completed' as const,
      ...{ attempts: 1, fence: 1 },
      verdict: 'APPROVE' as const,
      summary: `Review ${index + 1}`,
      created_at: new Date(start + index * 60_000),
    }))
    const pulls = rows.map(({ pr_number: number }) => ({
      ...{
        repo,
        number,
        title: 'A change',
        author: 'alice',
        branch: 'topic',
        base_branch: 'main',
        url: '',
      },
      ...{
        state: 'open' as const,
        draft: false,
        head_sha: '',
        additions: 0,
        deletions: 0,
        updated_at: new Date(start),
      },
    }))
    await scenario.app.db.insertInto('pull_requests').values(pulls).execute()
    // The ids say nothing of their order.
    await scenario.app.db.insertInto('workflow_runs').values(rows.toReversed()).execute()
  })
  const listed = async (given: object) =>
    (await call('get_recent_reviews', { repo, ...given })).map(
      (one: { pr_number: number }) => one.pr_number,
    )
  const newest = (count: number) => Array.from({ length: count }, (_, index) => 130 - index)

  it('case 68: a limit of 1,000 gives 50, and none gives 10', async () => {
    expect(await listed({ limit: 1000 })).toEqual(newest(50))
    expect(await listed({ limit: Number.MAX_SAFE_INTEGER })).toEqual(newest(50))
    expect(await listed({ limit: 50 })).toEqual(newest(50))
    expect(await listed({})).toEqual(newest(10))
  })

  it('a verdict is looked for among the last 100', async () => {
    expect(await call('get_pr_verdict', { repo, pr_number: 31 })).toMatchObject([
      { repo, pr_number: 31, verdict: 'APPROVED', summary: 'Review 31' },
    ])
    expect(await call('get_pr_verdict', { repo, pr_number: 30 })).toEqual([
      { error: 'No review found for acme/busy#30' },
    ])
  })

  it('health is full from 20 completed reviews on', async () => {
    expect(await call('get_repo_health', { repo })).toMatchObject([
      { open_prs_indexed: 130, health_score: 100, review_coverage_pct: 0 },
    ])
  })
})

describe('case 68: what is asked for wrongly', () => {
  const lists = ['get_recent_reviews', 'get_contributor_stats']
  const objects = ['get_pr_verdict', 'get_repo_health']
  const wrong: readonly [string, object][] = [
    ['no arguments', {}],
    ['a number for a name', { repo: 7, pr_number: 1 }],
    ['nothing for a name', { repo: null, pr_number: 1 }],
    ['a list for a name', { repo: ['acme/shop'], pr_number: 1 }],
    ['a name of 200,000 letters', { repo: `acme/${'x'.repeat(200_000)}`, pr_number: 1 }],
    ['a name that no database holds', { repo: 'acme/\0', pr_number: 1 }],
  ]

  it.each(wrong)('case 68: lists are empty, objects tell the error: %s', async (_, given) => {
    for (const name of lists) expect(await call(name, given)).toEqual([])
    for (const name of objects) {
      const [record] = await call(name, given)
      expect(record.error).toMatch(/^repo: \w/)
      expect(record.error.length).toBeLessThan(300)
    }
  })

  it.each([
    ['a text', '10'],
    ['a fraction', 2.5],
    ['nothing', null],
    ['more than is exact', 2 ** 60],
  ])('case 68: %s is no whole number', async (_, value) => {
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
  ])('case 68: nothing is known of %j', async (repo) => {
    for (const name of lists) expect(await call(name, { repo })).toEqual([])
    const [verdict] = await call('get_pr_verdict', { repo, pr_number: 1 })
    expect(verdict).toEqual({ error: `No review found for ${repo}#1` })
    const [health] = await call('get_repo_health', { repo })
    expect(health).toMatchObject({ review_coverage_pct: 0, open_prs_indexed: 0, health_score: 0 })
    expect(health.error).toBeUndefined()
  })

  it.each([0, -1, 2 ** 31, Number.MAX_SAFE_INTEGER])(
    'case 68: there is no pull request %d',
    async (pr_number) => {
      expect(await call('get_pr_verdict', { repo: shop.name, pr_number })).toEqual([
        { error: `No review found for ${shop.name}#${pr_number}` },
      ])
    },
  )
})

it('the runs of a repository are not those of another with the same start of a name', async () => {
  expect(await call('get_recent_reviews', { repo: `${shop.name}x` })).toEqual([])
})
