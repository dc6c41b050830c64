// Limits of cost hold for all workers together, before each call of a model.
import { sql } from 'kysely'
import { afterEach, beforeAll, expect, it } from 'vitest'
import { createSpendLedger, pruneReservations } from '../../src/analytics/spend-ledger.ts'
import { type Db, openDatabase } from '../../src/db/database.ts'
import type { Forge } from '../fakes/forge/forge.ts'
import { type ModelServer, type Reply, startModelServer } from '../fakes/models/model-server.ts'
import { createTestDatabase, silentLog, testEngine } from '../fakes/test-database.ts'
import {
  forgeEnvironment,
  ownComments,
  repo,
  startShopForge,
  waitUntilSettled,
} from '../review-scenario.ts'
import { startTestApp, type TestApp, webhookSecret } from '../start-app.ts'
import { createServiceStorage, startUmpireProcess } from '../start-umpire-process.ts'

let forge: Forge
beforeAll(async () => {
  forge = await startShopForge()
  return () => forge.close()
})
afterEach(() => {
  for (const hook of forge.webhooks(repo)) forge.removeWebhook(repo, hook.id)
})

/** With the model below, the only call of a small review costs 0.39 dollars at most. */
const limitUsd = 0.7
/** It costs 0.45 dollars. */
const usage = { input: 90_000, output: 4500 }
const nothing: Reply = { json: { summary: 'Nothing to report.', findings: [] }, usage }

function environment(server: ModelServer): Record<string, string> {
  return {
    ...forgeEnvironment(forge),
    MEMORY: 'off',
    GRAPH: 'off',
    MODEL: 'anthropic:claude-opus-5-5',
    MODEL_BASE_URL: server.url,
    ANTHROPIC_API_KEY: 'sk-test-0123456789',
    REVIEW_BUDGET_DAILY_USD: String(limitUsd),
  }
}

function listen(url: string | null): void {
  forge.addWebhook(repo, { url: `${url}/api/v1/webhooks/host`, secret: webhookSecret })
}

let branches = 0
async function openPullRequest(): Promise<number> {
  const branch = `branch-${++branches}`
  const files = { [`src/rate-${branches}.ts`]: `export const rate = ${branches}\n` }
  await forge.push(repo, branch, files, { author: 'alice', message: branch })
  return forge.openPullRequest({ repo, head: branch, author: 'alice' })
}

const summaryOf = (number: number) =>
  ownComments(forge.pullRequest(repo, number)).summaries[0]?.body ?? ''

async function sumSpentUsd(db: Db): Promise<number> {
  const { rows } = await sql<{ usd: number }>`
    select (select coalesce(sum(cost_usd), 0) from model_spend)
      + (select coalesce(sum(usd), 0) from model_reservations) as usd`.execute(db)
  return rows[0]!.usd
}

async function isRunning({ db }: TestApp, count: number): Promise<boolean> {
  const { rows } = await sql`
    select from work_items where kind = 'review' and status = 'processing'`.execute(db)
  return rows.length === count
}

it('case 49: lets two workers spend no more than a daily budget together', async () => {
  await using stack = new AsyncDisposableStack()
  const server = stack.use(await startModelServer({ protocol: 'anthropic', script: () => nothing }))
  const database = await createTestDatabase()
  stack.defer(() => database.dispose())
  const env = environment(server)
  // On a server, each process reviews one of the two; the embedded database has one process.
  const isServer = testEngine === 'postgresql'
  const shared = { database, env: { ...env, REVIEW_CONCURRENCY: isServer ? '1' : '8' } }
  const app = stack.use(await startTestApp(shared))
  if (isServer) stack.use(await startTestApp({ ...shared, parts: { web: false, worker: true } }))
  listen(app.url)
  const both = Promise.withResolvers<void>()
  server.respondWith(async () => {
    await both.promise
    return nothing
  })
  const numbers = [await openPullRequest(), await openPullRequest()]
  await forge.waitFor(() => isRunning(app, 2), { description: 'two reviews in progress' })
  both.resolve()
  await waitUntilSettled(app)
  expect(server.requests).toHaveLength(1)
  expect(await sumSpentUsd(app.db)).toBeCloseTo(0.45, 10)
  const refused = numbers.filter((number) =>
    summaryOf(number).includes(
      'The configured model took no part. The model budget for one day ($0.70) ' +
        "doesn't cover the next call: it may cost $0.",
    ),
  )
  expect(refused).toHaveLength(1)
})

it('case 49: never reserves more than a limit over several connections', async () => {
  await using stack = new AsyncDisposableStack()
  const database = await createTestDatabase()
  stack.defer(() => database.dispose())
  const one = stack.use(await openDatabase(database.config, silentLog))
  const isServer = testEngine === 'postgresql'
  const other = isServer ? stack.use(await openDatabase(database.config, silentLog)) : one
  const limits = { perReviewUsd: null, perDayUsd: 1, perOwnerDayUsd: 0.5 }
  const reserve = async (at: number) => {
    const subject = { owner: at % 2 === 0 ? 'acme' : 'big', name: null }
    const ledger = createSpendLedger(at % 3 === 0 ? one.db : other.db, limits, {
      ...subject,
      readRecordedUsd: async () => 0,
    })
    return 'settle' in (await ledger.reserve(0.125))
  }
  const reserved = await Promise.all(Array.from({ length: 32 }, (_, at) => reserve(at)))
  expect(reserved.filter((isReserved) => isReserved)).toHaveLength(8)
  expect(await sumSpentUsd(one.db)).toBe(1)
})

it('case 49: counts the call of a worker that died with its maximum', async () => {
  await using stack = new AsyncDisposableStack()
  const server = stack.use(
    await startModelServer({ protocol: 'anthropic', script: () => ({ hang: true }) }),
  )
  const site = stack.use(await createServiceStorage())
  const env = { ...environment(server), REVIEW_LEASE_SECONDS: '2' }
  const first = stack.use(await startUmpireProcess(site, { env }))
  listen(first.url)
  const number = await openPullRequest()
  await server.arrived(1)
  first.signal('SIGKILL')
  await first.exited
  server.respondWith(() => nothing)
  const second = stack.use(await startUmpireProcess(site, { env }))
  await forge.waitFor(() => summaryOf(number) !== '', { description: 'the second attempt' })
  second.signal('SIGTERM')
  await second.exited
  expect(server.requests).toHaveLength(1)
  expect(summaryOf(number)).toContain('The model budget for one day ($0.70)')
  await using open = await openDatabase(site.database, silentLog)
  const spentUsd = await sumSpentUsd(open.db)
  expect(spentUsd).toBeGreaterThan(limitUsd / 2)
  expect(spentUsd).toBeLessThanOrEqual(limitUsd)
  const rows = () => open.db.selectFrom('modelReservations').select('state').execute()
  await pruneReservations(open.db)
  expect(await rows()).toEqual([{ state: 'lost' }])
  await sql`update model_reservations set created_at = now() - interval '3 days'`.execute(open.db)
  await pruneReservations(open.db)
  expect(await rows()).toEqual([])
})
