// Umpire as a separate process, for tests of signals, crashes and several processes.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { checkResponses } from './check-responses.ts'
import { compileCache } from './compile-cache.ts'
import { createTestDatabase, type TestDatabase } from './fakes/test-database.ts'
import { webhookSecret } from './start-app.ts'

const command = fileURLToPath(new URL('../src/cli/cli.ts', import.meta.url))

/** The data folder and the database that the processes on one machine share. */
export interface ServiceStorage extends AsyncDisposable {
  readonly dataDir: string
  /** Direct access to the database; to an embedded one only while no process has it open. */
  readonly database: TestDatabase['config']
  readonly env: Readonly<Record<string, string>>
}

/** Creates a site with a database of this run's engine. */
export async function createServiceStorage(
  options: Parameters<typeof createTestDatabase>[0] = {},
): Promise<ServiceStorage> {
  const made = await createTestDatabase(options)
  const dataDir = mkdtempSync(join(tmpdir(), 'umpire-site-'))
  let database = made.config
  if (database.engine === 'embedded') {
    mkdirSync(dataDir, { recursive: true })
    renameSync(database.directory, join(dataDir, 'database'))
    database = { ...database, directory: join(dataDir, 'database') }
  }
  const server: Record<string, string> =
    database.engine === 'postgresql'
      ? { DATABASE_URL: database.url, SECRET_KEY: 'k'.repeat(32) }
      : {}
  return {
    dataDir,
    database,
    env: { DATA_DIR: dataDir, ...server },
    async [Symbol.asyncDispose]() {
      await made.dispose()
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

export interface UmpireProcess extends AsyncDisposable {
  /** The address that it listens on; null for a worker alone. */
  readonly url: string | null
  /** The lines of its log with this message so far. */
  logLines(message: string): readonly Record<string, unknown>[]
  /** Waits for a line of its log with this message. */
  waitForLog(message: string): Promise<Record<string, unknown>>
  signal(name: NodeJS.Signals): void
  /** Waits for its end. */
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null; stderr: string }>
}

/** Starts `umpire serve`, and waits until it is ready or has ended. */
export async function startUmpireProcess(
  site: ServiceStorage,
  options: { args?: readonly string[]; env?: Record<string, string> } = {},
): Promise<UmpireProcess> {
  const { args = [] } = options
  const child = spawn(process.execPath, [command, 'serve', ...args], {
    // This folder has no `.env` file.
    cwd: site.dataDir,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      PATH: process.env.PATH ?? '',
      APP_ENV: 'production',
      PORT: '0',
      WEBHOOK_SECRET: webhookSecret,
      REVIEW_RETRY_SECONDS: '0',
      NODE_COMPILE_CACHE: compileCache,
      ...site.env,
      ...options.env,
    },
  })
  const log = followLog(child)
  const exited = new Promise<Awaited<UmpireProcess['exited']>>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal, stderr: log.text() }))
  })
  const listens = args.includes('--worker-only') ? null : log.logged('Umpire listens')
  const works = args.includes('--no-worker') ? null : log.logged('The worker is ready')
  await Promise.race([exited, Promise.all([listens, works])])
  const url =
    ((await Promise.race([exited.then(() => null), listens]))?.url as string | undefined) ?? null
  if (url !== null) void exited.then(await checkResponses(url, site.env?.PLATFORMS ?? ''))
  return {
    url,
    logLines: log.lines,
    waitForLog: log.logged,
    signal: (name) => void child.kill(name),
    exited,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

function followLog(child: ChildProcess) {
  const entries: Record<string, unknown>[] = []
  const raw: string[] = []
  const waiting = new Map<string, PromiseWithResolvers<Record<string, unknown>>>()
  createInterface({ input: child.stderr! }).on('line', (line) => {
    raw.push(line)
    if (!line.startsWith('{')) return
    const entry = JSON.parse(line) as Record<string, unknown>
    entries.push(entry)
    waiting.get(String(entry.msg))?.resolve(entry)
  })
  const lines = (message: string) => entries.filter((entry) => entry.msg === message)
  return {
    lines,
    text: () => raw.join('\n'),
    logged(message: string): Promise<Record<string, unknown>> {
      const known = lines(message)[0]
      if (known) return Promise.resolve(known)
      const waiter = waiting.get(message) ?? Promise.withResolvers()
      waiting.set(message, waiter)
      return waiter.promise
    },
  }
}
