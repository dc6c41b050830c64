// Measures the cost of reviews without the model: CPU per review, memory with many concurrent
// reviews, and the time from the delivery to the posted review.
import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { findPostgresql, startPostgresql } from '../test/fakes/postgresql-server.ts'
import { type RealChange, readMainlineChanges, takeRoundRobin } from './overhead-changes.ts'
import { type BenchForge, startBenchForge } from './overhead-forge.ts'
import { type BenchModel, startBenchModel } from './overhead-model.ts'
import { startBenchProcess } from './overhead-process.ts'
import {
  type ConcurrentReviewCost,
  type ReviewCost,
  reviewConcurrently,
  reviewSequentially,
} from './overhead-reviews.ts'

const { values } = parseArgs({
  options: {
    repositories: { type: 'string' },
    changes: { type: 'string', default: '60' },
    delay: { type: 'string', default: '45' },
    'in-flight': { type: 'string', default: '1000' },
    profiles: { type: 'string' },
  },
})
const delayMs = Number(values.delay) * 1000
const [changeCount, inFlight] = [Number(values.changes), Number(values['in-flight'])]
/** Warm-up reviews per repository: the first one fetches it and compiles code. */
const warmUpsPerRepository = 2

interface BenchEnvironment {
  readonly forge: BenchForge
  readonly model: BenchModel
  /** URL of a database server; null for the embedded database. */
  readonly databaseUrl: string | null
  readonly signal: AbortSignal
}

const interruption = new AbortController()
// Each pending review adds a listener.
setMaxListeners(0, interruption.signal)
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => interruption.abort(new Error(`The benchmark was stopped by ${name}.`)))
}
if (values.repositories === undefined)
  throw new Error('No repositories. Pass -- --repositories <folder of git repositories>.')
try {
  await measure(values.repositories, interruption.signal)
} catch (error) {
  console.error(interruption.signal.aborted ? interruption.signal.reason.message : error)
  process.exitCode = 1
}
// Aborted connections would delay the exit.
setTimeout(() => process.exit(), 5_000).unref()

async function measure(folder: string, signal: AbortSignal): Promise<void> {
  const lists = await readMainlineChanges(folder)
  const uncounted = warmUpsPerRepository * lists.length
  const programs = findPostgresql()
  await using model = await startBenchModel()
  await using forge = await startBenchForge(lists.map(([change]) => change!.source))
  await using server = programs ? await startPostgresql(programs, { durable: true }) : null
  console.error(`${cpus()[0]?.model.trim()}, ${cpus().length} cores, Node ${process.version}`)
  if (server === null) console.error('SKIPPED: reviews on PostgreSQL (no server programs found)')
  const site = { forge, model, signal }
  const embedded = { ...site, databaseUrl: null }
  const sites = server === null ? [embedded] : [{ ...site, databaseUrl: server.url }, embedded]
  for (const one of sites)
    await measureCost(one, takeRoundRobin(lists, uncounted + changeCount), uncounted)
  if (inFlight > 0) await measureConcurrent(sites[0]!, takeRoundRobin(lists, inFlight))
}

/** Measures reviews one at a time, then the same changes at once with a slow model. */
async function measureCost(
  site: BenchEnvironment,
  changes: readonly RealChange[],
  uncounted: number,
): Promise<void> {
  const { forge, model, signal } = site
  const pulls = await forge.openPullRequests(changes, signal)
  const later = await forge.openPullRequests(changes.slice(uncounted), signal)
  await using umpire = await startUmpire(site)
  const scene = { forge, model, umpire, signal }
  model.delayMs = 0
  await reviewSequentially(scene, pulls.slice(0, uncounted))
  const samples = await reviewSequentially(scene, pulls.slice(uncounted))
  printCost(nameDatabase(site), samples)
  printProblems(umpire.problems)
  model.delayMs = delayMs
  printConcurrentCost(nameDatabase(site), later.length, await reviewConcurrently(scene, later))
  printProblems(umpire.problems)
}

/** Measures memory and time with the maximum number of concurrent reviews. */
async function measureConcurrent(
  site: BenchEnvironment,
  changes: readonly RealChange[],
): Promise<void> {
  const { forge, model, signal } = site
  const pulls = await forge.openPullRequests(changes, signal)
  await using umpire = await startUmpire(site)
  model.delayMs = delayMs
  printConcurrentCost(
    nameDatabase(site),
    pulls.length,
    await reviewConcurrently({ forge, model, umpire, signal }, pulls),
  )
  printProblems(umpire.problems)
}

/** Starts a process with a new database. */
async function startUmpire({ forge, model, databaseUrl }: BenchEnvironment) {
  const environment: Record<string, string> = { ...forge.environment, ...model.environment }
  if (databaseUrl !== null) {
    const name = `overhead_${randomUUID().replaceAll('-', '')}`
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    await client.query(`create database ${name}`)
    await client.end()
    const address = new URL(databaseUrl)
    address.pathname = `/${name}`
    Object.assign(environment, { DATABASE_URL: address.href, SECRET_KEY: 'k'.repeat(32) })
  }
  return startBenchProcess(environment, values.profiles)
}

function nameDatabase({ databaseUrl }: BenchEnvironment): string {
  return databaseUrl === null ? 'embedded' : 'PostgreSQL'
}

function printCost(database: string, samples: readonly ReviewCost[]): void {
  console.log(`\n${samples.length} reviews one at a time, ${database}, without model delay\n`)
  console.log('| of one review | median | 90th of 100 | mean |\n|---|---|---|---|')
  const row = (name: string, pick: (sample: ReviewCost) => number) => {
    const all = samples.map(pick)
    const mean = all.reduce((sum, each) => sum + each, 0) / all.length
    console.log(
      `| ${name} | ${[quantile(all, 0.5), quantile(all, 0.9), mean].map(round).join(' | ')} |`,
    )
  }
  row('own CPU, ms', ({ ownCpuMs: own }) => own)
  row('CPU of children, ms', ({ childrenCpuMs: children }) => children)
  row('calls of the API', ({ apiCalls: calls }) => calls)
  row('delivery to posted, less the model, ms', ({ overheadMs: overhead }) => overhead)
}

function printConcurrentCost(database: string, count: number, flight: ConcurrentReviewCost): void {
  const { memory, overheadsMs: overheads } = flight
  const megabytes = (bytes: number) => `${Math.round(bytes / 1024 ** 2)} MB`
  const delay = `the model responds after ${delayMs / 1000} s and all requests`
  console.log(`\n${count} reviews at once, ${database}, ${delay}\n`)
  console.log('| metric | |\n|---|---|')
  console.log(`| own CPU of a review, mean, ms | ${round(flight.ownCpuMs)} |`)
  console.log(`| CPU of children of a review, mean, ms | ${round(flight.childrenCpuMs)} |`)
  const processMemory = `${megabytes(memory.now)}, ${megabytes(flight.peakBytes)}`
  console.log(`| memory of the process when all wait for the model, peak | ${processMemory} |`)
  console.log(
    `| its children then | ${memory.children.count}, ${megabytes(memory.children.bytes)} |`,
  )
  const times = [quantile(overheads, 0.5), quantile(overheads, 0.9)].map(
    (each) => `${(each / 1000).toFixed(1)} s`,
  )
  console.log(`| delivery to posted, less the model: median, 90th of 100 | ${times.join(', ')} |`)
}

function printProblems(complaints: readonly string[]): void {
  for (const [complaint, list] of Map.groupBy(complaints, String))
    console.log(`\nLogged ${list.length} times: ${complaint}`)
}

function round(value: number): string {
  return value.toFixed(value < 100 ? 1 : 0)
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other)
  const at = (sorted.length - 1) * share
  const [low, high] = [sorted[Math.floor(at)] ?? Number.NaN, sorted[Math.ceil(at)] ?? Number.NaN]
  return low + (high - low) * (at - Math.floor(at))
}
