// Tests metrics of deliveries, reviews and their dependencies by scraping real processes.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { claimReview } from '../claim-work.ts'
import { hold, replyWith } from '../fakes/forge/forge.ts'
import { startModelServer } from '../fakes/models/model-server.ts'
import { findPostgresql, startPostgresql } from '../fakes/postgresql-server.ts'
import { testEngine } from '../fakes/test-database.ts'
import { repo, reviewerLogin, startScenario, waitUntilSettled } from '../review-scenario.ts'
import { type Scrape, scrape, scrapeUntil } from '../scrape.ts'
import { pullRequestPayload, startTestApp } from '../start-app.ts'
import { createServiceStorage, startUmpireProcess } from '../start-umpire-process.ts'

const on = { METRICS_PORT: '0' }
const modelKey = 'sk-test-0123456789'
const leak = `export const key = 'sk_${'live'}_51Hq2eKLmV9wXyZ8rT4uBnC7dPfGjA3sQ'\n`
const clean = 'export const answer = 42\n'

const needsPerson = { end: 'needs_person' }
const wrongAnswer = {
  path: 'src/clean.ts',
  side: 'RIGHT',
  start_line: 1,
  end_line: 1,
  quote: 'export const answer = 42',
  severity: 'moderate',
  category: 'correctness',
  title: 'The answer is another one',
  body: 'When it is asked for, then 42 is returned, though the question is open.',
  suggestion: null,
  evidence: [{ path: 'src/clean.ts', line: 1, note: 'the answer' }],
  confidence: 0.9,
}

/** Returns a function that reads how much a counter grew between two scrapes. */
function compare(before: Scrape, after: Scrape) {
  return (name: string, labels: Record<string, string> = {}) =>
    (after.value(name, labels) ?? Number.NaN) - (before.value(name, labels) ?? Number.NaN)
}

/** Reads the tables of metrics and alerts in docs/operating.md. */
function readTable() {
  const document = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8')
  const rows = [...document.matchAll(/^\| `(umpire_\w+)` \| (\w+) \| ([^|]*)\|/gm)].map(
    ([, name, type, cell]) => {
      const labels = [...(cell ?? '').matchAll(/`(\w+)`: ((?:`\w+`(?:, )?)+)/g)].map(
        ([, label, values]) =>
          [String(label), [...(values ?? '').matchAll(/\w+/g)].map(String)] as const,
      )
      return { name: String(name), type: String(type), labels: Object.fromEntries(labels) }
    },
  )
  const blocks = [...document.matchAll(/```yaml\n(.*?)```/gs)].map(([, text]) =>
    parseYaml(text ?? ''),
  )
  const alerts = blocks.flatMap(
    ({ groups }) => groups?.flatMap((group: { rules: object[] }) => group.rules) ?? [],
  )
  return {
    rows,
    alerts: alerts as { alert: string; expr: string; annotations: { summary: string } }[],
  }
}

function combine(labels: Record<string, string[]>): Record<string, string>[] {
  return Object.entries(labels).reduce<Record<string, string>[]>(
    (all, [name, values]) =>
      all.flatMap((some) => values.map((value) => ({ ...some, [name]: value }))),
    [{}],
  )
}

describe('metrics', () => {
  it('are off unless a port is given', async () => {
    await using app = await startTestApp()
    expect(app.app.metricsUrl).toBeNull()
  })

  it('answer GET /metrics and nothing else', async () => {
    await using app = await startTestApp({ env: on })
    const url = app.app.metricsUrl ?? ''
    const response = await fetch(url)
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
    expect(await response.text()).toMatch(/\n$/)
    expect((await fetch(`${url}?name=x`)).status).toBe(200)
    expect((await fetch(url, { method: 'POST' })).status).toBe(404)
    expect((await fetch(url.replace('/metrics', '/'))).status).toBe(404)
    // The address of the API has no metrics.
    expect((await fetch(`${app.url}/metrics`)).status).toBe(404)
  })

  it('count deliveries by answer', async () => {
    await using app = await startTestApp({ env: on, parts: { web: true, worker: false } })
    const before = await scrape(app.app.metricsUrl)
    expect(before.value('umpire_deliveries_total', { answer: 'received' })).toBe(0)
    await app.deliver(pullRequestPayload())
    await app.deliver(pullRequestPayload())
    await app.deliver(pullRequestPayload(), { secret: null })
    await app.deliver(null, { rawBody: 'no JSON' })
    await app.deliver(pullRequestPayload(), {
      headers: { 'x-github-hook-installation-target-type': 'integration' },
    })
    const count = compare(before, await scrape(app.app.metricsUrl))
    const answers = ['received', 'duplicate', 'refused', 'malformed', 'ignored', 'error']
    expect(answers.map((one) => [one, count('umpire_deliveries_total', { answer: one })])).toEqual([
      ['received', 1],
      ['duplicate', 1],
      ['refused', 1],
      ['malformed', 1],
      ['ignored', 1],
      ['error', 0],
    ])
    expect(count('umpire_delivery_duration_seconds_count')).toBe(5)
  })

  it('show the number of waiting pull requests and the age of the oldest', async () => {
    await using app = await startTestApp({ env: on, parts: { web: true, worker: false } })
    await app.deliver(pullRequestPayload({ number: 1 }))
    await app.deliver(pullRequestPayload({ number: 2 }))
    await app.deliver(pullRequestPayload({ number: 2, action: 'synchronize' }))
    await sql`
      update work_items set created_at = now() - interval '1 hour' where number = 1`.execute(app.db)
    const current = await scrape(app.app.metricsUrl)
    expect(current.value('umpire_queue_depth', { work: 'review' })).toBe(2)
    expect(
      current.value('umpire_queue_oldest_age_seconds', { work: 'review' }),
    ).toBeGreaterThanOrEqual(3600)
    expect(current.value('umpire_queue_oldest_age_seconds', { work: 'review' })).toBeLessThan(7200)
    expect(current.value('umpire_queue_depth', { work: 'scan' })).toBe(0)
    expect(current.value('umpire_queue_oldest_age_seconds', { work: 'scan' })).toBe(0)
    expect(current.value('umpire_database_up')).toBe(1)
  })

  it('show a review as waiting once its worker has died', async () => {
    await using app = await startTestApp({ env: on, parts: { web: true, worker: false } })
    await app.deliver(pullRequestPayload())
    await claimReview(app.db, { repo, number: 1 })
    const before = await scrape(app.app.metricsUrl)
    expect(before.value('umpire_queue_depth', { work: 'review' })).toBe(0)
    await sql`update work_items set due_at = now() - interval '1 second'`.execute(app.db)
    await scrapeUntil(
      app.app.metricsUrl,
      (current) => current.value('umpire_queue_depth', { work: 'review' }) === 1,
    )
  })

  it('count reviews by end, and their calls to platform, git and database', async () => {
    await using scenario = await startScenario({ env: { ...on, REVIEW_MAX_ATTEMPTS: '1' } })
    const { forge, app } = scenario
    const before = await scrape(app.app.metricsUrl)
    await scenario.openPullRequest({ 'src/leak.ts': leak }, { branch: 'leak' })
    await scenario.waitUntilSettled()
    await scenario.openPullRequest({ 'src/clean.ts': clean }, { branch: 'clean' })
    await scenario.waitUntilSettled()
    const failing = (path: string) => path.includes('/compare/')
    forge.faults.add({ match: ({ path }) => failing(path), times: 100, action: replyWith(500, {}) })
    await scenario.openPullRequest({ 'src/more.ts': clean }, { branch: 'more' })
    await scenario.waitUntilSettled()
    forge.faults.clear()
    const held = hold()
    forge.faults.add({ match: ({ path }) => failing(path), times: 1, action: held })
    const closed = await scenario.openPullRequest({ 'src/closed.ts': clean }, { branch: 'closed' })
    await held.arrived
    forge.closePullRequest(repo, closed)
    held.release()
    await scenario.waitUntilSettled()
    const isCounted = (current: Scrape) =>
      current.value('umpire_review_duration_seconds_count') === 4 &&
      current.value('umpire_work_in_progress', { work: 'review' }) === 0
    const after = await scrapeUntil(app.app.metricsUrl, isCounted)
    const count = compare(before, after)
    expect(count('umpire_reviews_total', { end: 'changes_requested' })).toBe(1)
    expect(count('umpire_reviews_total', { end: 'passed' })).toBe(1)
    expect(count('umpire_reviews_total', { end: 'failed' })).toBe(1)
    expect(count('umpire_reviews_total', { end: 'skipped' })).toBe(1)
    expect(count('umpire_review_wait_seconds_count')).toBe(4)
    expect(after.value('umpire_review_duration_seconds_sum')).toBeGreaterThan(0)
    const calls = forge.requests.filter(({ path }) => path.startsWith('/api/'))
    const answered = calls.filter(
      ({ status }) => status !== null && (status < 300 || status === 304),
    ).length
    expect(count('umpire_platform_calls_total', { outcome: 'ok' })).toBe(answered)
    expect(count('umpire_platform_calls_total', { outcome: 'unavailable' })).toBeGreaterThanOrEqual(
      1,
    )
    expect(count('umpire_platform_call_duration_seconds_count')).toBe(calls.length)
    expect(
      count('umpire_git_command_duration_seconds_count', { access: 'network', outcome: 'ok' }),
    ).toBeGreaterThan(0)
    expect(
      count('umpire_git_command_duration_seconds_count', { access: 'local', outcome: 'ok' }),
    ).toBeGreaterThan(0)
    expect(
      count('umpire_database_query_duration_seconds_count', { outcome: 'ok' }),
    ).toBeGreaterThan(0)
    expect(count('umpire_database_connection_wait_seconds_count')).toBeGreaterThan(0)
    expect(count('umpire_process_cpu_seconds_total')).toBeGreaterThan(0)
    expect(after.value('umpire_process_resident_memory_bytes')).toBeGreaterThan(50e6)
  })

  it('show the rate limit of the token with the fewest remaining calls', async () => {
    await using scenario = await startScenario({ env: on })
    Object.assign(scenario.forge.rateLimit, { limit: 5000, remaining: 4321 })
    await scenario.openPullRequest({ 'src/clean.ts': clean })
    await scenario.waitUntilSettled()
    const current = await scrape(scenario.app.app.metricsUrl)
    const left = current.value('umpire_platform_rate_limit_remaining', { resource: 'core' })
    expect(left).toBeLessThan(4321)
    expect(left).toBeGreaterThan(4000)
  })

  it('count calls, tokens and dollars of a model, and show a refused key', async () => {
    await using server = await startModelServer({
      protocol: 'anthropic',
      script: () => ({ json: { summary: 'It answers.', findings: [] } }),
    })
    await using scenario = await startScenario({
      env: {
        ...on,
        MODEL: 'anthropic:claude-opus-5-5',
        MODEL_BASE_URL: server.url,
        ANTHROPIC_API_KEY: modelKey,
        REVIEW_MAX_ATTEMPTS: '1',
      },
    })
    const { metricsUrl } = scenario.app.app
    const before = await scrape(metricsUrl)
    expect(before.value('umpire_model_refusing', { model: 'main' })).toBeUndefined()
    await scenario.openPullRequest({ 'src/clean.ts': clean }, { branch: 'one' })
    await scenario.waitUntilSettled()
    const between = await scrape(metricsUrl)
    const count = compare(before, between)
    const spent = await scenario.app.db
      .selectFrom('modelSpend')
      .selectAll()
      .executeTakeFirstOrThrow()
    expect(spent.calls).toBeGreaterThan(0)
    expect(count('umpire_model_calls_total', { model: 'main', outcome: 'ok' })).toBe(spent.calls)
    expect(count('umpire_model_call_duration_seconds_count', { model: 'main' })).toBe(spent.calls)
    expect(count('umpire_model_tokens_total', { model: 'main', kind: 'input' })).toBe(
      spent.inputTokens,
    )
    expect(count('umpire_model_tokens_total', { model: 'main', kind: 'output' })).toBe(
      spent.outputTokens,
    )
    expect(count('umpire_model_tokens_total', { model: 'main', kind: 'cached_input' })).toBe(
      spent.cachedInputTokens,
    )
    expect(count('umpire_model_cost_dollars_total', { model: 'main' })).toBeCloseTo(
      Number(spent.costUsd),
      6,
    )
    expect(between.value('umpire_model_refusing', { model: 'main' })).toBe(0)

    server.respondWith(() => ({ json: { summary: 'It answers.', findings: [wrongAnswer] } }))
    await scenario.openPullRequest({ 'src/clean.ts': clean }, { branch: 'wrong' })
    await scenario.waitUntilSettled()
    const disputed = await scrapeUntil(
      metricsUrl,
      (current) => current.value('umpire_reviews_total', needsPerson) === 1,
    )

    server.respondWith(() => ({ status: 401, message: 'invalid x-api-key' }))
    await scenario.openPullRequest({ 'src/more.ts': clean }, { branch: 'two' })
    await scenario.waitUntilSettled()
    const after = await scrapeUntil(
      metricsUrl,
      (current) => current.value('umpire_review_duration_seconds_count') === 3,
    )
    const refused = compare(disputed, after)
    expect(refused('umpire_reviews_total', { end: 'incomplete' })).toBe(1)
    expect(
      refused('umpire_model_calls_total', { model: 'main', outcome: 'unauthorized' }),
    ).toBeGreaterThanOrEqual(1)
    expect(refused('umpire_model_calls_total', { model: 'main', outcome: 'ok' })).toBe(0)
    expect(after.value('umpire_model_refusing', { model: 'main' })).toBe(1)

    for (const word of [
      repo,
      'acme',
      'alice',
      reviewerLogin,
      'claude',
      modelKey,
      '127.0.0.1',
      'src/',
      'A change',
    ])
      expect(after.text).not.toContain(word)
  })

  it('count the reviews that another worker took over', async () => {
    await using scenario = await startScenario({ env: { ...on, REVIEW_LEASE_SECONDS: '2' } })
    const { forge, app } = scenario
    const held = hold()
    forge.faults.add({ match: ({ path }) => path.includes('/compare/'), times: 1, action: held })
    await scenario.openPullRequest({ 'src/clean.ts': clean })
    await held.arrived
    expect(
      (await scrape(app.app.metricsUrl)).value('umpire_work_in_progress', { work: 'review' }),
    ).toBe(1)
    await sql`
      update work_items set due_at = now(), fence = nextval('work_fences')`.execute(app.db)
    held.release()
    await waitUntilSettled(app)
    const isCounted = (current: Scrape) =>
      current.value('umpire_reviews_total', { end: 'passed' }) === 1
    const after = await scrapeUntil(app.app.metricsUrl, isCounted)
    expect(after.value('umpire_leases_lost_total', { work: 'review' })).toBe(1)
    // The wait is measured for the first start only.
    expect(after.value('umpire_review_wait_seconds_count')).toBe(1)
  })

  it('show how late the event loop was', async () => {
    await using app = await startTestApp({ env: on })
    const end = performance.now() + 300
    while (performance.now() < end);
    const current = await scrape(app.app.metricsUrl)
    expect(current.value('umpire_event_loop_lag_max_seconds')).toBeGreaterThan(0.2)
  })

  it('are served without the database, and show that it is down', async (context) => {
    context.skip(
      testEngine === 'embedded',
      'the embedded database runs in the process of the service',
    )
    const programs = findPostgresql()
    context.skip(programs === null, 'no programs of PostgreSQL to start a server with')
    await using server = await startPostgresql(programs!)
    const config = { engine: 'postgresql', url: server.url, poolSize: 5 } as const
    await using app = await startTestApp({ database: { config, dispose: async () => {} }, env: on })
    await server.kill()
    await app.deliver(pullRequestPayload())
    const current = await scrape(app.app.metricsUrl)
    expect(current.value('umpire_database_up')).toBe(0)
    expect(current.value('umpire_queue_depth', { work: 'review' })).toBeUndefined()
    expect(current.value('umpire_deliveries_total', { answer: 'unavailable' })).toBe(1)
    await server.start()
  })
})

describe('processes', () => {
  it.each([['--worker-only'], ['--no-worker']])('serve metrics with %s', async (part) => {
    await using site = await createServiceStorage()
    await using umpire = await startUmpireProcess(site, { args: [part], env: on })
    const url = String((await umpire.waitForLog('Metrics are served')).url)
    expect(new URL(url).hostname).toBe('127.0.0.1')
    const current = await scrape(url)
    expect(current.value('umpire_database_up')).toBe(1)
    expect(current.value('umpire_reviews_total', { end: 'passed' })).toBe(0)
    umpire.signal('SIGTERM')
    expect(await umpire.exited).toMatchObject({ code: 0 })
    await expect(fetch(url)).rejects.toThrow()
  })

  it('refuse to start when the metrics port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as AddressInfo
    try {
      await using site = await createServiceStorage()
      await using umpire = await startUmpireProcess(site, { env: { METRICS_PORT: String(port) } })
      const { code, stderr } = await umpire.exited
      expect(code).toBe(3)
      expect(stderr).toContain(`metrics on 127.0.0.1, port ${port} (EADDRINUSE)`)
      expect(stderr).toContain('METRICS_PORT')
    } finally {
      other.close()
    }
  })

  it('warn when the metrics are reachable from elsewhere', async () => {
    await using site = await createServiceStorage()
    await using umpire = await startUmpireProcess(site, { env: { ...on, METRICS_HOST: '0.0.0.0' } })
    expect(
      umpire.logLines(
        'METRICS_HOST is not on loopback: anyone who can connect to it can read the metrics',
      ),
    ).toHaveLength(1)
  })
})

describe('the table of metrics', () => {
  it('lists all scraped metrics with all values of their labels', async () => {
    await using app = await startTestApp({ env: on })
    const { types, labelsOf } = await scrape(app.app.metricsUrl)
    const { rows } = readTable()
    expect(rows.length).toBeGreaterThanOrEqual(15)
    expect(types).toEqual(Object.fromEntries(rows.map(({ name, type }) => [name, type])))
    for (const { name, type, labels } of rows) {
      const exported = labelsOf(name).map((values) => JSON.stringify(Object.entries(values).sort()))
      const listed = combine(labels).map((values) => JSON.stringify(Object.entries(values).sort()))
      // Gauges without a value yet are not exported.
      if (type === 'gauge') expect(listed, name).toEqual(expect.arrayContaining(exported))
      else expect(exported.sort(), name).toEqual(listed.sort())
    }
  })

  it('lists all metrics that the alerts use', () => {
    const { rows, alerts } = readTable()
    expect(alerts.length).toBeGreaterThanOrEqual(5)
    for (const { alert, expr, annotations } of alerts) {
      const used = [...expr.matchAll(/umpire_\w+/g)].map(String)
      expect(used.length, alert).toBeGreaterThan(0)
      expect(used.filter((name) => !rows.some((row) => row.name === name))).toEqual([])
      expect(annotations.summary, alert).toMatch(/\w/)
    }
  })
})
