// Measures MCP tool calls per second, compared to a bare server with the same SDK.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import { type DatabaseConfig, openDatabase } from '../src/db/database.ts'
import { runMigrations } from '../src/db/run-migrations.ts'
import { findPostgresql, startPostgresql } from '../test/fakes/postgresql-server.ts'
import type { LoadResult } from './load-generator.ts'
import { type ToolCall, type ToolCalls, transports } from './mcp-load.ts'
import { readCpuTime } from './processes.ts'
import {
  type RunningServer,
  readListeningPort,
  startUmpireServer,
  stopServer,
} from './start-umpire-server.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    calls: { type: 'string', default: '1000' },
    reviews: { type: 'string', default: '1000' },
    /** Runs only rows that contain each of these words. */
    only: { type: 'string', multiple: true, default: [] },
  },
})
const repo = 'acme/busy'
/** Calls rotate over these repositories, so that few calls repeat within a second. */
const quietRepositories = 40
const verdict = {
  name: 'get_pr_verdict',
  arguments: { repo, pr_number: Number(values.reviews) - 50 },
}
const scenarios: readonly {
  readonly title: string
  readonly example: ToolCall
  readonly calls: ToolCalls
}[] = [
  ...[{ name: 'get_recent_reviews', arguments: { repo } }, verdict].map((call) => ({
    title: `${call.name}, the same`,
    example: call,
    calls: () => call,
  })),
  {
    title: 'get_pr_verdict, always another',
    example: verdict,
    calls: (index) => ({
      name: verdict.name,
      arguments: {
        repo: `acme/quiet-${index % quietRepositories}`,
        pr_number: 1 + (Math.floor(index / quietRepositories) % 90),
      },
    }),
  },
]
const concurrencies = [1, 16]
const quietLog = {
  info() {},
  warn() {},
  error: (fields: object, message: string) => console.error(message, fields),
}

/** One run, with the CPU of the server in milliseconds per call. */
interface RunMeasurement extends LoadResult {
  readonly cpu: number
}

const folder = mkdtempSync(join(tmpdir(), 'umpire-bench-'))
try {
  await measure()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function measure(): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const umpires = new Map([['embedded', stack.use(await startEmbedded())]])
  const programs = findPostgresql()
  if (programs) {
    const server = stack.use(await startPostgresql(programs, { durable: true }))
    umpires.set('PostgreSQL', stack.use(await startOnPostgresql(server.url)))
  } else console.error('SKIPPED: Umpire on PostgreSQL (no server programs found)')
  const load = loadavg()[0]?.toFixed(1)
  console.log(
    `${cpus().length} cores, Node ${process.version}, load ${load}, ${values.rounds} rounds\n`,
  )
  console.log(
    '| question | transport | at once | database | calls/s | of bare | CPU ms/call | of bare |',
  )
  console.log('|---|---|---|---|---|---|---|---|')
  for (const { title, example: call, calls } of scenarios) {
    const example = umpires.get('embedded') as RunningServer
    await using bare = await startBareServer(example.port, call)
    for (const transport of Object.keys(transports) as (keyof typeof transports)[]) {
      for (const concurrency of concurrencies) {
        const row = [title, transport, String(concurrency)]
        if (!values.only.every((words) => row.some((cell) => cell.includes(words)))) continue
        const results = await compareServers(new Map([['bare', bare], ...umpires]), (port, count) =>
          transports[transport](port, calls, count, concurrency),
        )
        printRow(row, results)
      }
    }
  }
}

/** Alternates between servers, so that changing machine load affects all of them. */
async function compareServers(
  servers: ReadonlyMap<string, RunningServer>,
  run: (port: number, count: number) => Promise<LoadResult>,
): Promise<ReadonlyMap<string, readonly RunMeasurement[]>> {
  const results = new Map<string, RunMeasurement[]>([...servers.keys()].map((name) => [name, []]))
  const count = Number(values.calls)
  for (let round = 0; round <= Number(values.rounds); round++) {
    for (const [name, { port, pid }] of servers) {
      const before = readCpuTime(pid)
      const result = await run(port, count)
      // The first round is a warm-up.
      if (round > 0)
        results.get(name)?.push({ ...result, cpu: (readCpuTime(pid) - before) / count })
    }
  }
  return results
}

function printRow(
  names: readonly string[],
  results: ReadonlyMap<string, readonly RunMeasurement[]>,
): void {
  const bare = results.get('bare') ?? []
  for (const [database, runs] of results) {
    const against = (metric: 'rate' | 'cpu') =>
      median(runs.map((run, index) => run[metric] / (bare[index]?.[metric] ?? Number.NaN))).toFixed(
        2,
      )
    const rate = median(runs.map((run) => run.rate)).toFixed(0)
    const cpu = median(runs.map((run) => run.cpu)).toFixed(2)
    console.log(
      `| ${[...names, database, rate, against('rate'), cpu, against('cpu')].join(' | ')} |`,
    )
  }
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = sorted.length / 2
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle) - 1] ?? 0)) / 2
}

async function startEmbedded(): Promise<RunningServer> {
  const dataDir = join(folder, 'embedded')
  mkdirSync(dataDir)
  await fillDatabase({ engine: 'embedded', directory: join(dataDir, 'database') })
  return startUmpireServer({ DATA_DIR: dataDir, LOG_LEVEL: 'info' })
}

async function startOnPostgresql(url: string): Promise<RunningServer> {
  await fillDatabase({ engine: 'postgresql', url, poolSize: 2 })
  const secrets = { SECRET_KEY: 'k'.repeat(32), DATA_DIR: join(folder, 'beside') }
  return startUmpireServer({ DATABASE_URL: url, LOG_LEVEL: 'info', ...secrets })
}

/** Inserts completed reviews of a busy repository and of many quiet ones. */
async function fillDatabase(config: DatabaseConfig): Promise<void> {
  await using database = await openDatabase(config, quietLog)
  await runMigrations(database, quietLog)
  const { db } = database
  const count = Number(values.reviews)
  await sql`
    insert into pull_requests
      (repo, number, title, author, branch, base_branch, url, state, head_sha, updated_at)
    select name, i, 'Change ' || i, 'alice', 'topic', 'main', '', 'open', '', now()
    from generate_series(1, ${count}::int) i, unnest(array[${repo}, 'acme/other']) name
    union all
    select 'acme/quiet-' || n, i, 'Change ' || i, 'alice', 'topic', 'main', '', 'open', '', now()
    from generate_series(1, 90) i, generate_series(0, ${quietRepositories - 1}::int) n`.execute(db)
  await sql`
    insert into workflow_runs (workflow_type, repo, pr_number, status, verdict, summary, created_at)
    select 'pr_review', repo, number, 'completed',
      (array['APPROVE', 'REQUEST_CHANGES', 'NEEDS_DISCUSSION'])[1 + number % 3],
      'Reviewed 12 files. ' || repeat('What was changed in number ' || number || ' holds. ', 4),
      now() - interval '1 minute' * (${count}::int - number)
    from pull_requests order by number`.execute(db)
  await sql`analyze`.execute(db)
}

/** Starts a bare server that returns the same response as Umpire. */
async function startBareServer(port: number, call: ToolCall): Promise<RunningServer> {
  const ask = async (method: string, params: object) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`http://127.0.0.1:${port}/mcp/messages`, {
      method: 'POST',
      headers,
      body,
    })
    return ((await response.json()) as { result: Record<string, unknown> }).result
  }
  const { tools } = (await ask('tools/list', {})) as { tools: { name: string }[] }
  const definition = tools.find(({ name }) => name === call.name)
  const file = join(folder, `${call.name}.json`)
  writeFileSync(file, JSON.stringify({ definition, result: await ask('tools/call', call) }))
  const script = fileURLToPath(new URL('mcp-bare-server.js', import.meta.url))
  const child = spawn(process.execPath, [script, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, NODE_ENV: 'production' },
  })
  const own = await readListeningPort(
    child,
    child.stdout as NodeJS.ReadableStream,
    /^listening (\d+)/,
  )
  return { port: own, pid: child.pid as number, [Symbol.asyncDispose]: () => stopServer(child) }
}
