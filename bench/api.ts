// Measures the latency of the reviews list and insights for databases of several sizes.
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { findScope } from '../src/accounts/scope.ts'
import { readInsights } from '../src/analytics/insights.ts'
import { readReviewMetrics } from '../src/analytics/review-metrics.ts'
import { openDatabase } from '../src/db/database.ts'
import { runMigrations } from '../src/db/run-migrations.ts'
import { listReviews, type ReviewFilter } from '../src/events/list-reviews.ts'
import { findPostgresql, startPostgresql } from '../test/fakes/postgresql-server.ts'
import { issueCredentials } from './issue-credentials.ts'
import { type LoadResult, sendRequests } from './load-generator.ts'
import { readCpuTime } from './processes.ts'
import { explainStatements } from './query-plans.ts'
import { seedDatabase, type Viewers } from './seed-database.ts'
import { startUmpireServer } from './start-umpire-server.ts'

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '10000,100000,1000000' },
    repositories: { type: 'string', default: '1000' },
    requests: { type: 'string', default: '200' },
    only: { type: 'string', default: '' },
    explain: { type: 'boolean', default: false },
  },
})
const requests = Number(values.requests)

const secretKey = 'k'.repeat(32)
const publicUrl = 'http://umpire.example'
const quietLog = {
  info() {},
  warn() {},
  error: (fields: object, message: string) => console.error(message, fields),
}

interface ApiQuery {
  readonly name: string
  readonly path: string
  readonly credential: 'bearer' | 'cookie'
}

interface QueryMeasurement extends LoadResult {
  /** CPU ms per request of the service and its database; 0 if unknown. */
  readonly cpu: number
}

/** Search terms for the list, by name. */
const searchTerms = {
  'search: one in twelve': 'fix',
  'search: one in 5,000': 'quasar',
  'search: nothing': 'zebra',
  'search: two letters of many': 'ca',
  'search: two letters of none': 'qz',
  'search: a repository': 'repo-77',
  'search: a number': '31',
}
const eventStatuses = ['completed', 'failed', 'processing', 'pending'] as const
const states = ['open', 'merged', 'closed'] as const

const queries: readonly ApiQuery[] = [
  ...[20, 100].flatMap((limit) =>
    [
      { name: 'all', query: '' },
      ...[...eventStatuses, ...states].map((status) => ({
        name: status,
        query: `&status=${status}`,
      })),
      ...Object.entries(searchTerms).map(([name, search]) => ({
        name,
        query: `&search=${search}`,
      })),
    ].map(({ name, query }) => ({
      name: `list of ${limit}, ${name}`,
      path: `/api/v1/reviews?limit=${limit}${query}`,
      credential: 'bearer' as const,
    })),
  ),
  ...['attention', 'in_progress', 'passed', 'merged', 'all'].flatMap((tab) => [
    { name: `inbox, ${tab}`, path: `/api/v1/inbox?tab=${tab}`, credential: 'bearer' as const },
    {
      name: `inbox counts, ${tab}`,
      path: `/api/v1/inbox/counts?tab=${tab}`,
      credential: 'bearer' as const,
    },
  ]),
  {
    name: 'inbox, a rare author',
    path: '/api/v1/inbox?tab=merged&author=dev-1999',
    credential: 'bearer',
  },
  {
    name: 'inbox counts, search: one in twelve',
    path: '/api/v1/inbox/counts?search=fix',
    credential: 'bearer',
  },
  { name: 'insights, 90 days', path: '/api/v1/analytics/insights?days=90', credential: 'cookie' },
  {
    name: 'insights into the reviewing, 90 days',
    path: '/api/v1/analytics/reviewing?days=90',
    credential: 'cookie',
  },
  ...[7, 90].map((days) => ({
    name: `outcomes, ${days} days`,
    path: `/api/v1/analytics/outcomes?days=${days}`,
    credential: 'cookie' as const,
  })),
  ...Object.entries({
    all: '',
    'most severe': '?sort=severity',
    'open and critical': '?severity=critical&outcome=open,suppressed',
    'a rule': '?rule=rule-59',
    'no match': '?rule=none',
    'a text': '?search=parser',
    'merged in 30 days': '?merged_days=30&outcome=open,suppressed',
  }).map(([name, query]) => ({
    name: `findings, ${name}`,
    path: `/api/v1/findings${query}`,
    credential: 'cookie' as const,
  })),
]

const folder = mkdtempSync(join(tmpdir(), 'umpire-bench-'))
try {
  await run()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function run(): Promise<void> {
  const programs = findPostgresql()
  const configuredUrl = process.env.DATABASE_URL
  if (configuredUrl === undefined && programs === null)
    throw new Error('No database. Set DATABASE_URL or install PostgreSQL.')
  // Uses the default durability.
  await using server =
    configuredUrl === undefined
      ? await startPostgresql(programs as string, { durable: true })
      : null
  for (const events of values.events.split(',').map(Number)) {
    await using database = await createDatabase(configuredUrl ?? (server?.url as string))
    const viewers = await fillDatabase(database.url, events)
    if (values.explain) await explainQueries(database.url, viewers)
    else await measure(database.url, viewers, events)
  }
}

/** Creates a temporary database on a server. */
async function createDatabase(serverUrl: string): Promise<{ url: string } & AsyncDisposable> {
  const name = `umpire_bench_${process.pid}`
  const execute = async (statement: string) => {
    const client = new pg.Client({ connectionString: serverUrl })
    await client.connect()
    await client.query(statement).finally(() => client.end())
  }
  await execute(`create database ${name}`)
  const address = new URL(serverUrl)
  address.pathname = `/${name}`
  return {
    url: address.href,
    [Symbol.asyncDispose]: () => execute(`drop database ${name} with (force)`),
  }
}

async function fillDatabase(url: string, events: number): Promise<Viewers> {
  await using database = await openDatabase({ engine: 'postgresql', url, poolSize: 2 }, quietLog)
  await runMigrations(database, quietLog)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const start = performance.now()
  const viewers = await seedDatabase(client, { events, repositories: Number(values.repositories) })
  await client.end()
  console.error(`${events} events written in ${((performance.now() - start) / 1000).toFixed(0)} s`)
  return viewers
}

async function measure(url: string, viewers: Viewers, events: number): Promise<void> {
  await using umpire = await startUmpireServer({
    DATABASE_URL: url,
    SECRET_KEY: secretKey,
    PUBLIC_URL: publicUrl,
    DATA_DIR: folder,
    LOG_LEVEL: 'info',
    RATE_LIMIT_PER_MINUTE: '1000000',
    // Nothing listens there, so requests to the platform fail at once.
    PLATFORM_URL: 'http://127.0.0.1:9',
    PLATFORM_API_URL: 'http://127.0.0.1:9',
  })
  const results = new Map<string, Map<string, QueryMeasurement>>()
  await using backends = await watchBackends(url)
  for (const [viewer, userId] of viewers) {
    const headers = await issueHeaders(url, userId)
    for (const query of queries.filter(({ name }) => name.startsWith(values.only))) {
      const request = composeRequest(query, headers[query.credential])
      const target = { host: '127.0.0.1', port: umpire.port }
      await sendRequests(target, Array(20).fill(request), 1)
      const processes = [umpire.pid, ...(await backends.list())]
      const cpuSoFar = () => processes.reduce((sum, pid) => sum + readCpuTime(pid), 0)
      const before = cpuSoFar()
      const result = await sendRequests(target, Array(requests).fill(request), 1)
      const row = results.get(query.name) ?? new Map<string, QueryMeasurement>()
      results.set(query.name, row.set(viewer, { ...result, cpu: (cpuSoFar() - before) / requests }))
    }
  }
  printResults(results, [...viewers.keys()], events)
}

/** Lists the server processes of the database connections, if the server is local. */
async function watchBackends(
  url: string,
): Promise<{ list(): Promise<number[]> } & AsyncDisposable> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return {
    async list() {
      const { rows } = await client.query(
        'select pid from pg_stat_activity ' +
          'where datname = current_database() and pid <> pg_backend_pid()',
      )
      return rows.map((row: { pid: number }) => row.pid)
    },
    [Symbol.asyncDispose]: () => client.end(),
  }
}

async function issueHeaders(
  url: string,
  userId: number,
): Promise<Record<ApiQuery['credential'], string>> {
  const { bearer, cookie } = await issueCredentials({ url, secretKey, publicUrl }, userId)
  return { bearer: `authorization: Bearer ${bearer}`, cookie: `cookie: access_token=${cookie}` }
}

function composeRequest({ path }: ApiQuery, credential: string): Buffer {
  return Buffer.from(`GET ${path} HTTP/1.1\r\nhost: umpire.example\r\n${credential}\r\n\r\n`)
}

function printResults(
  results: ReadonlyMap<string, ReadonlyMap<string, QueryMeasurement>>,
  viewers: string[],
  events: number,
): void {
  const load = loadavg()[0]?.toFixed(1)
  const machine = `${cpus().length} cores, load ${load}`
  console.log(`\n${events} events, ${requests} requests each; ${machine}; milliseconds\n`)
  console.log(`| | ${viewers.map((viewer) => `${viewer}, p50 | p99 | CPU`).join(' | ')} |`)
  console.log(`|---|${'---|---|---|'.repeat(viewers.length)}`)
  for (const [name, row] of results) {
    const cells = viewers.flatMap((viewer) => {
      const { p50, p99, cpu } = row.get(viewer) as QueryMeasurement
      return [p50, p99, cpu].map((value) => value.toFixed(1))
    })
    console.log(`| ${name} | ${cells.join(' | ')} |`)
  }
  const measured = [...results].flatMap(([name, row]) =>
    [...row.values()].map((each) => ({ name, ...each })),
  )
  for (const [kind, targetMs] of [
    ['list', 20],
    ['inbox', 100],
    ['insights', 200],
    ['outcomes', 1000],
    ['findings', 500],
  ] as const) {
    const own = measured.filter(({ name }) => name.startsWith(kind))
    if (own.length === 0) continue
    const worst = Math.max(...own.map(({ p99 }) => p99)).toFixed(1)
    const maxCpu = Math.max(...own.map(({ cpu }) => cpu)).toFixed(1)
    const latency = `Worst p99 of ${kind}: ${worst} (target: under ${targetMs})`
    console.log(`\n${latency}; max CPU: ${maxCpu}`)
  }
}

/** Prints the plans of all queries. Fails if one of them scans all events. */
async function explainQueries(url: string, viewers: Viewers): Promise<void> {
  const filters: (ReviewFilter | undefined)[] = [
    undefined,
    ...eventStatuses.map((status) => ({ column: 'listedStatus' as const, values: [status] })),
    ...states.map((state) => ({ column: 'state' as const, values: [state] })),
  ]
  const lists = [
    ...filters.map((filter) => ({
      name: `list, ${filter?.values[0] ?? 'all'}`,
      filter,
      search: '',
    })),
    ...Object.entries(searchTerms).map(([name, search]) => ({
      name: `list, ${name}`,
      filter: undefined,
      search,
    })),
  ]
  for (const [viewer, userId] of viewers) {
    const scopeOf = (db: Parameters<typeof findScope>[0]) =>
      findScope(db, { userId, isAdmin: userId === 1 })
    for (const { name, filter, search } of lists) {
      await printPlans(`${name}, ${viewer}`, url, async (db) =>
        listReviews(db, { scope: await scopeOf(db), filter, search, limit: 100 }),
      )
    }
    await printPlans(`insights, ${viewer}`, url, async (db) =>
      readInsights(db, await scopeOf(db), 90),
    )
    await printPlans(`reviewing, ${viewer}`, url, async (db) =>
      readReviewMetrics(db, await scopeOf(db), 90),
    )
  }
}

async function printPlans(
  title: string,
  url: string,
  work: Parameters<typeof explainStatements>[1],
): Promise<void> {
  for (const { nodes, readsAllEvents } of await explainStatements(url, work)) {
    console.log(`${title}: ${nodes.join(' > ')}`)
    if (!readsAllEvents) continue
    console.error(`${title} scans all events`)
    process.exitCode = 1
  }
}
