// Several processes, signals, clock skew and database outages.
import { once } from 'node:events'
import { cpSync, renameSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { afterEach, beforeAll, describe, expect, it, type TestContext } from 'vitest'
import { type Db, openDatabase } from '../../src/db/database.ts'
import { migrations } from '../../src/db/migrations/index.ts'
import { findWorkItem } from '../claim-work.ts'
import { type Forge, hold, type SeenRequest } from '../fakes/forge/forge.ts'
import { findPostgresql, startPostgresql } from '../fakes/postgresql-server.ts'
import {
  createTestDatabase,
  silentLog,
  type TestDatabase,
  testEngine,
} from '../fakes/test-database.ts'
import {
  forgeEnvironment,
  ownComments,
  repo,
  runsOf,
  startShopForge,
  waitUntilSettled,
} from '../review-scenario.ts'
import { pullRequestPayload, startTestApp, webhookSecret } from '../start-app.ts'
import {
  createServiceStorage,
  type ServiceStorage,
  startUmpireProcess,
  type UmpireProcess,
} from '../start-umpire-process.ts'

let forge: Forge
beforeAll(async () => {
  forge = await startShopForge()
  return () => forge.close()
})
afterEach(() => {
  forge.faults.clear()
  for (const hook of forge.webhooks(repo)) forge.removeWebhook(repo, hook.id)
})

const isComparison = (request: SeenRequest) => request.path.includes('/compare/')
const finished = (number: number) => () => {
  const view = forge.pullRequest(repo, number)
  return view.statuses[view.headSha]?.at(-1)?.state === 'failure'
}

function needsServer(context: TestContext): void {
  context.skip(testEngine === 'embedded', 'the embedded database is one process only')
}

async function stop(umpire: UmpireProcess): Promise<void> {
  umpire.signal('SIGTERM')
  expect(await umpire.exited).toMatchObject({ code: 0 })
}

let branches = 0
/** Opens a pull request that leaks a key. */
async function openPullRequest(): Promise<number> {
  branches += 1
  const branch = `branch-${branches}`
  const leak = `export const key = 'sk_${'live'}_51Hq2eKLmV9wXyZ8rT4uBnC7dPfGjA3sQ'\n`
  await forge.push(repo, branch, { [`src/leak${branches}.ts`]: leak }, { author: 'alice' })
  return forge.openPullRequest({ repo, head: branch, author: 'alice' })
}

function listen(url: string | null): void {
  forge.addWebhook(repo, { url: `${url}/api/v1/webhooks/host`, secret: webhookSecret })
}

/** Starts a process that uses the forge and has short leases. */
function start(
  site: ServiceStorage,
  env: Record<string, string> = {},
  ...args: string[]
): Promise<UmpireProcess> {
  return startUmpireProcess(site, {
    args,
    env: { ...forgeEnvironment(forge), REVIEW_LEASE_SECONDS: '2', ...env },
  })
}

/** Opens the database of a site and calls `read` with it. */
async function readDatabase<T>(site: ServiceStorage, read: (db: Db) => Promise<T>): Promise<T> {
  await using open = await openDatabase(site.database, silentLog)
  return await read(open.db)
}

/** Polls the database until `read` gives something. */
async function waitFor<T>(what: string, read: () => Promise<T | undefined | false>): Promise<T> {
  const deadline = performance.now() + 30_000
  for (;;) {
    const value = await read()
    if (value) return value
    if (performance.now() > deadline) throw new Error(`Timed out waiting for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

function databaseName({ config }: TestDatabase): string {
  return config.engine === 'postgresql' ? new URL(config.url).pathname.slice(1) : ''
}

function expectOneReview(number: number): void {
  const { summaries, inline } = ownComments(forge.pullRequest(repo, number))
  expect(summaries).toHaveLength(1)
  expect(inline).toHaveLength(1)
}

describe('SIGTERM', () => {
  it('case 63: finishes a running review, closes connections and exits with code 0', async () => {
    await using site = await createServiceStorage()
    await using umpire = await start(site, { SHUTDOWN_GRACE_SECONDS: '30' })
    listen(umpire.url)
    const idle = connect(Number(new URL(umpire.url ?? '').port), '127.0.0.1')
    idle.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n')
    await once(idle, 'data')
    const closed = once(idle, 'close')
    const held = hold()
    forge.faults.add({ match: isComparison, times: 1, action: held })
    const number = await openPullRequest()
    await held.arrived
    umpire.signal('SIGTERM')
    await umpire.waitForLog('The worker stops: running reviews may finish')
    held.release()
    expect(await umpire.exited).toMatchObject({ code: 0, signal: null })
    await closed
    expectOneReview(number)
    expect(umpire.logLines('Umpire stopped')).toHaveLength(1)
    expect(await readDatabase(site, (db) => runsOf({ db }, number))).toMatchObject([
      { status: 'completed', attempts: 1 },
    ])
  })

  it('case 63: requeues a review that outlasts the grace time for another process', async () => {
    await using site = await createServiceStorage()
    await using first = await start(site, { SHUTDOWN_GRACE_SECONDS: '0' })
    listen(first.url)
    const held = hold()
    forge.faults.add({ match: isComparison, times: 1, action: held })
    const number = await openPullRequest()
    await held.arrived
    first.signal('SIGTERM')
    expect(await first.exited).toMatchObject({ code: 0, signal: null })
    expect(first.logLines('The review returns to the queue because the worker stops')).toHaveLength(
      1,
    )
    held.release()
    const between = await readDatabase(site, (db) => runsOf({ db }, number))
    expect(between).toMatchObject([{ status: 'pending', attempts: 0 }])
    const item = await readDatabase(site, (db) =>
      findWorkItem(db, { kind: 'review', repo, number }),
    )
    expect(item).toMatchObject({ status: 'pending', worker: null, attempts: 0 })

    await using second = await start(site)
    await second.waitForLog('The review is done')
    second.signal('SIGTERM')
    expect(await second.exited).toMatchObject({ code: 0 })
    expectOneReview(number)
    expect(await readDatabase(site, (db) => runsOf({ db }, number))).toMatchObject([
      { status: 'completed', attempts: 1 },
    ])
  })
})

/** Requests that change something at the code host. GraphQL reads with POST too. */
function listWrites(): string[] {
  return forge.requests
    .filter(
      ({ method, path, body }) =>
        method !== 'GET' &&
        !path.endsWith('/git-upload-pack') &&
        !(path.endsWith('/graphql') && !body.includes('mutation')),
    )
    .map(({ method, path, body }) => `${method} ${path} ${body.slice(0, 200)}`)
}

describe('lost workers', () => {
  it('case 65: fails a review that lost its worker too often, with an error status', async () => {
    await using site = await createServiceStorage()
    await using first = await start(site, { REVIEW_MAX_LOST_WORKERS: '1' })
    listen(first.url)
    const held = hold()
    forge.faults.add({ match: isComparison, times: 1, action: held })
    const number = await openPullRequest()
    await held.arrived
    first.signal('SIGKILL')
    await first.exited
    await using second = await start(site, { REVIEW_MAX_LOST_WORKERS: '1' })
    const status = await forge.waitFor(() => {
      const view = forge.pullRequest(repo, number)
      const last = view.statuses[view.headSha]?.at(-1)
      return last?.state === 'error' && last
    })
    expect(status.description).toBe('Review failed: Its worker was lost too often.')
    second.signal('SIGTERM')
    await second.exited
    expect(await readDatabase(site, (db) => runsOf({ db }, number))).toMatchObject([
      {
        status: 'failed',
        attempts: 1,
        errorCode: 'attempts_exhausted',
        error: expect.stringMatching(/\w/),
      },
    ])
    expect(ownComments(forge.pullRequest(repo, number)).summaries).toEqual([])
  })

  it.for([
    ['before it posts', false],
    ['between a write and its response', true],
  ] as const)(
    'case 59: a worker that is paused past its lease %s writes nothing more',
    async ([_when, applied], context) => {
      needsServer(context)
      await using site = await createServiceStorage()
      await using first = await start(site)
      listen(first.url)
      const held = hold({ applied })
      const method = applied ? 'POST' : 'GET'
      forge.faults.add({
        match: (request) =>
          request.method === method && /\/issues\/\d+\/comments/.test(request.path),
        times: 1,
        action: held,
      })
      const number = await openPullRequest()
      await held.arrived
      first.signal('SIGSTOP')
      await using second = await start(site, {}, '--worker-only')
      await forge.waitFor(finished(number), { description: 'the review of the second worker' })
      await second.waitForLog('The review is done')
      const written = listWrites()
      // The response is pending until the process resumes.
      held.release()
      first.signal('SIGCONT')
      await first.waitForLog('The review was taken over by another worker')
      expect(listWrites()).toEqual(written)
      expectOneReview(number)
      expect(finished(number)()).toBe(true)
      const runs = await readDatabase(site, (db) => runsOf({ db }, number))
      expect(runs).toMatchObject([{ status: 'completed', attempts: 2 }])
      first.signal('SIGTERM')
      expect(await first.exited).toMatchObject({ code: 0 })
    },
  )

  it('case 62: a lease holds across clock skew and expires with its worker', async (context) => {
    needsServer(context)
    await using site = await createServiceStorage()
    const clock = fileURLToPath(new URL('../fakes/shifted-clock.ts', import.meta.url))
    const shifted = (hours: number) => ({
      NODE_OPTIONS: `--import ${clock}`,
      CLOCK_SHIFT_MS: String(hours * 3_600_000),
    })
    await using ahead = await start(site, shifted(1))
    listen(ahead.url)
    const held = hold()
    forge.faults.add({ match: isComparison, times: 1, action: held })
    const number = await openPullRequest()
    await held.arrived
    await using behind = await start(site, shifted(-1), '--worker-only')
    const times = [ahead, behind].map((one) =>
      Date.parse(String(one.logLines('The worker is ready')[0]?.time)),
    )
    expect(Math.round(((times[0] ?? 0) - (times[1] ?? 0)) / 3_600_000)).toBe(2)

    // The wait outlasts the lease: the worker renewed it, and no other one took the run.
    await using open = await openDatabase(site.database, silentLog)
    const readItem = () => findWorkItem(open.db, { kind: 'review', repo, number })
    const begun = await readItem()
    const later = await waitFor('a prolonged lease', async () => {
      const item = await readItem()
      return Number(item?.dueAt) > Number(begun?.dueAt) + 3000 && item
    })
    const { fence, worker } = begun!
    expect(later).toMatchObject({ status: 'processing', attempts: 1, fence, worker })

    ahead.signal('SIGKILL')
    await ahead.exited
    await behind.waitForLog('The review is done')
    expectOneReview(number)
    expect(await runsOf(open, number)).toMatchObject([{ status: 'completed', attempts: 2 }])
    held.release()
  })
})

describe('several processes on one database', () => {
  it('case 60: only one of two notified workers reviews a pull request', async (context) => {
    needsServer(context)
    const database = await createTestDatabase()
    const env = { ...forgeEnvironment(forge), REVIEW_LEASE_SECONDS: '2', REVIEW_CONCURRENCY: '1' }
    {
      await using receiver = await startTestApp({
        database,
        env,
        parts: { web: true, worker: false },
      })
      listen(receiver.url)
      const before = forge.requests.length
      const numbers = [
        await openPullRequest(),
        await openPullRequest(),
        await openPullRequest(),
        await openPullRequest(),
      ]
      await forge.waitForDelivery((one) => one.payload.number === numbers.at(-1))
      // With a concurrency of 1, both workers are busy once two reviews are held. Each was notified
      // of more runs than it could start.
      const held = hold()
      forge.faults.add({ match: isComparison, times: 2, action: held })
      await using _one = await startTestApp({ database, env, parts: { web: false, worker: true } })
      await using _two = await startTestApp({ database, env, parts: { web: false, worker: true } })
      const isHeld = (request: SeenRequest) => isComparison(request) && request.status === null
      const heldNow = () => forge.requests.slice(before).filter(isHeld)
      await forge.waitFor(() => heldNow().length === 2, { description: 'two reviews at once' })
      const items = await receiver.db.selectFrom('workItems').select('worker').execute()
      expect(new Set(items.map(({ worker }) => worker).filter(Boolean)).size).toBe(2)
      held.release()
      await waitUntilSettled(receiver)
      const runs = (await Promise.all(numbers.map((number) => runsOf(receiver, number)))).flat()
      expect(runs).toMatchObject(numbers.map(() => ({ status: 'completed', attempts: 1 })))
      for (const number of numbers) expectOneReview(number)
    }
    await database.dispose()
  })

  it('case 61: retries recording after a deadlock without a second review', async (context) => {
    needsServer(context)
    const database = await createTestDatabase()
    {
      // PostgreSQL looks for deadlocks once, this long after a wait began. The test must have
      // arranged its locks by then.
      await using setting = await openDatabase(database.config, silentLog)
      const name = sql.id(databaseName(database))
      await sql`alter database ${name} set deadlock_timeout = '3s'`.execute(setting.db)
    }
    {
      await using app = await startTestApp({ database, env: forgeEnvironment(forge) })
      listen(app.url)
      const held = hold({ applied: true })
      forge.faults.add({
        match: (request) =>
          request.path.includes('/statuses/') && request.body.includes('"failure"'),
        times: 1,
        action: held,
      })
      const number = await openPullRequest()
      await held.arrived
      // This locks the two rows in reverse order and waits until the other transaction gives up.
      await app.db.transaction().execute(async (tx) => {
        await sql`set local deadlock_timeout = '1min'`.execute(tx)
        await tx
          .selectFrom('workflowRuns')
          .select('id')
          .where('prNumber', '=', number)
          .forUpdate()
          .execute()
        held.release()
        await waitFor('the record to wait for its row', async () => {
          const { rows } = await sql`
            select 1 from pg_locks waiting join pg_locks holding using (pid)
            where not waiting.granted and holding.granted
              and holding.relation = 'pull_requests'::regclass`.execute(tx)
          return rows.length > 0
        })
        await tx
          .selectFrom('pullRequests')
          .select('number')
          .where('number', '=', number)
          .forUpdate()
          .execute()
      })
      await waitUntilSettled(app)
      expect(await runsOf(app, number)).toMatchObject([
        { status: 'completed', attempts: 1, error: null },
      ])
      const deadlocks = await sql<{ deadlocks: number }>`
        select deadlocks::int from pg_stat_database where datname = current_database()`.execute(
        app.db,
      )
      expect(deadlocks.rows[0]?.deadlocks).toBeGreaterThan(0)
      expectOneReview(number)
    }
    await database.dispose()
  })

  it('case 64: two processes that start on an empty database migrate it once', async (context) => {
    needsServer(context)
    await using site = await createServiceStorage({ migrated: false })
    const [one, two] = await Promise.all([start(site), start(site)])
    await using _one = one
    await using _two = two
    for (const umpire of [one, two]) {
      expect((await fetch(`${umpire.url}/readyz`)).status).toBe(200)
      listen(umpire.url)
    }
    const message = 'The schema was brought up to date'
    expect([...one.logLines(message), ...two.logLines(message)]).toHaveLength(
      Object.keys(migrations).length,
    )
    const number = await openPullRequest()
    await forge.waitFor(finished(number))
    expectOneReview(number)
  })

  it('case 64: refuses a database of a newer version with exit code 3', async () => {
    await using site = await createServiceStorage()
    await readDatabase(site, (db) =>
      sql`insert into kysely_migration (name, timestamp)
        values ('9999-from-the-future', 'now')`.execute(db),
    )
    await using umpire = await start(site)
    const { code, stderr } = await umpire.exited
    expect(code).toBe(3)
    expect(stderr).toMatch(
      /umpire: The database was written by a newer version .*9999-from-the-future/,
    )
  })
})

describe('restoring a backup', () => {
  it('case 66: posts nothing twice', async (context) => {
    context.skip(
      testEngine !== 'embedded',
      'a copy of the folder is a backup of the embedded database only',
    )
    await using site = await createServiceStorage()
    const backup = `${site.dataDir}/backup`
    await using receiver = await start(site, {}, '--no-worker')
    listen(receiver.url)
    const number = await openPullRequest()
    await forge.waitForDelivery((one) => one.payload.number === number)
    await stop(receiver)
    cpSync(`${site.dataDir}/database`, backup, { recursive: true })

    await using first = await start(site)
    await first.waitForLog('The review is done')
    await stop(first)
    rmSync(`${site.dataDir}/database`, { recursive: true })
    renameSync(backup, `${site.dataDir}/database`)

    // The restored state is older than what is posted on the pull request.
    await using second = await start(site)
    await second.waitForLog('The review is done')
    await stop(second)
    expectOneReview(number)
    expect(forge.pullRequest(repo, number).reviews).toHaveLength(1)
  })
})

describe('a database outage', () => {
  it('case 17: deliveries get a 503, readiness fails, and work resumes', async (context) => {
    needsServer(context)
    const programs = findPostgresql()
    context.skip(
      programs === null,
      'PostgreSQL is not installed, so the test cannot start a server',
    )
    await using server = await startPostgresql(programs!)
    const config = { engine: 'postgresql', url: server.url, poolSize: 5 } as const
    const env = { ...forgeEnvironment(forge), REVIEW_LEASE_SECONDS: '2' }
    await using app = await startTestApp({ database: { config, dispose: async () => {} }, env })
    listen(app.url)
    const statusOf = async (path: string) => (await fetch(`${app.url}${path}`)).status
    expect(await statusOf('/readyz')).toBe(200)

    const held = hold()
    forge.faults.add({ match: isComparison, times: 1, action: held })
    const number = await openPullRequest()
    await held.arrived
    await server.kill()
    const lost = await app.deliver(pullRequestPayload({ repo: 'acme/other' }))
    expect(lost).toEqual({ status: 503, body: { detail: expect.stringMatching(/database/) } })
    expect([await statusOf('/healthz'), await statusOf('/readyz')]).toEqual([200, 503])

    // The held review now runs into the outage.
    held.release()
    await forge.waitFor(() => forge.requests.findLast(isComparison)?.status !== null)
    await server.start()
    await waitFor('readiness', async () => (await statusOf('/readyz')) === 200)
    const next = await openPullRequest()
    await forge.waitForDelivery((one) => one.payload.number === next && one.status === 200)
    await waitUntilSettled(app)
    for (const one of [number, next]) expectOneReview(one)
    const events = (await app.events()).map((event) => [event.repo, event.status])
    expect(events).toEqual([
      [repo, 'completed'],
      [repo, 'completed'],
    ])
  })
})
