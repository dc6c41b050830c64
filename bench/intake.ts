// Measures the webhook receiver under load, compared to Probot, which stores nothing.
// Each delivery has 21 KB and another pull request. Umpire responds after committing the event.
import { spawn } from 'node:child_process'
import { createHmac, generateKeyPairSync, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { findPostgresql, startPostgresql } from '../test/fakes/postgresql-server.ts'
import { type LoadResult, sendRequests } from './load-generator.ts'
import { readListeningPort, startUmpireServer, stopServer } from './start-umpire-server.ts'

const secret = 'secret of the benchmark'
const payloadBytes = 21 * 1024

interface Target extends AsyncDisposable {
  readonly name: string
  readonly port: number
}

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    requests: { type: 'string', default: '2000' },
  },
})
const rounds = Number(values.rounds)
const requestsPerRun = Number(values.requests)
const concurrencies = [1, 16, 64, 256]

const folder = mkdtempSync(join(tmpdir(), 'umpire-bench-'))
try {
  await measure()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function measure(): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const programs = findPostgresql()
  // Uses the default durability with fsync.
  const server = programs ? stack.use(await startPostgresql(programs, { durable: true })) : null
  const targets = [
    stack.use(await startProbot()),
    stack.use(await startUmpire('umpire, embedded', {})),
  ]
  if (server) targets.push(stack.use(await startUmpireOnServer(server.url)))
  else console.error('SKIPPED: Umpire on PostgreSQL (no server programs found)')
  const machine = `${cpus()[0]?.model.trim()}, ${cpus().length} cores, Node ${process.version}`
  console.error(`${machine}, ${rounds} rounds of ${requestsPerRun} requests`)
  const results = new Map<string, LoadResult[]>()
  let number = 1
  for (let round = 0; round <= rounds; round++) {
    for (const concurrency of concurrencies) {
      const count = concurrency === 1 ? Math.ceil(requestsPerRun / 4) : requestsPerRun
      const requests = Array.from({ length: count }, () => prepareRequest(number++))
      for (const target of targets) {
        const result = await sendRequests(
          { host: '127.0.0.1', port: target.port },
          requests,
          concurrency,
        )
        // The first round is a warm-up.
        if (round === 0) continue
        const key = `${target.name}/${concurrency}`
        results.set(key, [...(results.get(key) ?? []), result])
      }
    }
  }
  printResults(targets, results)
}

function printResults(
  targets: readonly Target[],
  results: ReadonlyMap<string, LoadResult[]>,
): void {
  console.log(
    '| at once | receiver | requests/s | of Probot | p50 ms | p99 ms |\n|---|---|---|---|---|---|',
  )
  for (const concurrency of concurrencies) {
    const baseline = results.get(`${targets[0]?.name}/${concurrency}`) ?? []
    for (const { name } of targets) {
      const runs = results.get(`${name}/${concurrency}`) ?? []
      // Compares runs of the same round, so that changing machine load affects both.
      const ratio = median(
        runs.map((run, index) => run.rate / (baseline[index]?.rate ?? Number.NaN)),
      )
      const cells = [
        median(runs.map((run) => run.rate)).toFixed(0),
        ratio.toFixed(2),
        median(runs.map((run) => run.p50)).toFixed(1),
        median(runs.map((run) => run.p99)).toFixed(1),
      ]
      console.log(`| ${concurrency} | ${name} | ${cells.join(' | ')} |`)
    }
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length / 2
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle) - 1] ?? 0)) / 2
}

/** A signed HTTP request for a new pull request. */
function prepareRequest(number: number): Buffer {
  const frame = {
    action: 'opened',
    number,
    repository: { full_name: `acme/shop-${number % 50}` },
    pull_request: {
      number,
      title: `Change ${number}`,
      state: 'open',
      merged: false,
      draft: false,
      html_url: 'https://forge.example/pull',
      user: { login: 'alice' },
      head: { ref: 'topic', sha: 'a'.repeat(40) },
      base: { ref: 'main', sha: 'b'.repeat(40) },
      created_at: '2026-01-01T00:00:00Z',
      updated_at: '2026-01-01T00:00:00Z',
      body: '',
      links: [] as object[],
    },
  }
  // Fills the payload with many URLs, like real payloads.
  while (JSON.stringify(frame).length < payloadBytes) {
    for (let index = 0; index < 10; index++) {
      frame.pull_request.links.push({
        id: number * 1000 + index,
        href: `https://forge.example/api/v3/repos/acme/shop/pulls/${number}/comments/${index}`,
      })
    }
  }
  const body = JSON.stringify(frame)
  const head = [
    'POST /api/v1/webhooks/host HTTP/1.1',
    'host: 127.0.0.1',
    'content-type: application/json',
    'user-agent: GitHub-Hookshot/1',
    'x-github-event: pull_request',
    `x-github-delivery: ${randomUUID()}`,
    `x-hub-signature-256: sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    `content-length: ${Buffer.byteLength(body)}`,
    '',
    '',
  ].join('\r\n')
  return Buffer.from(head + body)
}

async function startProbot(): Promise<Target> {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  const script = fileURLToPath(new URL('probot-server.js', import.meta.url))
  const child = spawn(process.execPath, [script], {
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      WEBHOOK_SECRET: secret,
      PRIVATE_KEY: privateKey,
      LOG_LEVEL: 'fatal',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const port = await readListeningPort(
    child,
    child.stdout as NodeJS.ReadableStream,
    /^listening (\d+)/,
  )
  return { name: 'Probot, stores nothing', port, [Symbol.asyncDispose]: () => stopServer(child) }
}

async function startUmpireOnServer(url: string): Promise<Target> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('create database bench_intake')
  await client.end()
  const address = new URL(url)
  address.pathname = '/bench_intake'
  return startUmpire('umpire, PostgreSQL', {
    DATABASE_URL: address.href,
    SECRET_KEY: 'k'.repeat(32),
  })
}

async function startUmpire(name: string, environment: Record<string, string>): Promise<Target> {
  const dataDir = join(folder, name.replace(/\W+/g, '-'))
  return {
    name,
    ...(await startUmpireServer({ DATA_DIR: dataDir, WEBHOOK_SECRET: secret, ...environment })),
  }
}
