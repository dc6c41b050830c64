// Measures a full scan of a tree by `umpire serve` and incremental scans after changed files.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type Forge, startForge } from '../test/fakes/forge/forge.ts'
import { signInWithToken } from '../test/sign-in.ts'
import type { BenchTree } from './graph-trees.ts'
import { readPeakMemory, resetPeakMemory } from './measure-command.ts'
import { readCpuTime, readDescendantsCpuTime } from './processes.ts'

export interface ScanMeasurement {
  /** From the claim of the job to its end, including fetch, graph and memory. */
  readonly fullScanMs: number
  /** Duration per changed file, without fetch and memory, which incremental scans skip. */
  readonly incrementalScanMs: readonly number[]
  /** Peak memory of the service and its children. */
  readonly peakBytes: number
  /** Memory before the scan. */
  readonly idleBytes: number
  /** CPU of the service and its children during the scan. Other load hardly affects it. */
  readonly cpuMs: number
  /** Durations of the steps as text. */
  readonly summary: string
}

/** The log entry at the end of a scan. */
interface ScanLogEntry {
  readonly timings: Readonly<Record<string, number>>
  readonly statistics: Readonly<Record<string, unknown>>
}

const umpire = fileURLToPath(new URL('../bin/umpire', import.meta.url))
const repo = 'bench/repository'
const token = 'ghp_token_of_alice'
const scanTimeoutMs = 20 * 60_000

/** Scans a tree with a new service and database. */
export async function measureScans(
  tree: BenchTree,
  environment: Readonly<Record<string, string>>,
  changedPaths: readonly string[],
): Promise<ScanMeasurement> {
  await using stack = new AsyncDisposableStack()
  const forgeFolder = mkdtempSync(join(tmpdir(), 'umpire-bench-forge-'))
  stack.defer(() => rmSync(forgeFolder, { recursive: true, force: true, maxRetries: 3 }))
  const forge = stack.use(await startForge({ dataDir: forgeFolder }))
  const directory = await hostTree(forge, forgeFolder, tree)
  const service = stack.use(await startService(forge, environment))
  const { bearer, cookie } = await signInWithToken(service, token)
  resetPeakMemory(service.pid)
  const restBytes = readPeakMemory(service.pid)
  const readTime = () => readCpuTime(service.pid) + readDescendantsCpuTime(service.pid)
  const cpuBefore = readTime()
  const first = service.nextScan()
  await post(`${service.url}/api/v1/repos/${repo}/install`, bearer)
  const whole = await first
  const cpuMs = readTime() - cpuBefore
  const ones: ScanLogEntry['timings'][] = []
  for (const path of changedPaths) {
    commitChange(tree, directory, path)
    const next = service.nextScan()
    await post(`${service.url}/api/v1/memory/rescan?repo=${encodeURIComponent(repo)}`, cookie)
    ones.push((await next).timings)
  }
  return {
    fullScanMs: sumTimings(whole.timings),
    incrementalScanMs: ones.map((timings) =>
      sumTimings({ ...timings, ask: 0, fetch: 0, memory: 0 }),
    ),
    peakBytes: readPeakMemory(service.pid),
    idleBytes: restBytes,
    cpuMs,
    summary:
      [whole.timings, ...ones.slice(-1)].map(formatTimings).join('; after the last file ') +
      `; ${JSON.stringify(whole.statistics)}`,
  }
}

function sumTimings(timings: Readonly<Record<string, number>>): number {
  return Object.values(timings).reduce((total, milliseconds) => total + milliseconds, 0)
}

function formatTimings(timings: Readonly<Record<string, number>>): string {
  return Object.entries(timings)
    .map(([step, milliseconds]) => `${step} ${Math.round(milliseconds)}`)
    .join(', ')
}

/** Hosts the commit of the tree on a forge that borrows its objects. */
async function hostTree(forge: Forge, folder: string, tree: BenchTree): Promise<string> {
  forge.createUser('alice', { token })
  const before = new Set(readdirSync(folder))
  await forge.createRepository(repo, { admins: ['alice'] })
  const directory = join(folder, readdirSync(folder).find((name) => !before.has(name))!)
  writeFileSync(
    join(directory, 'objects', 'info', 'alternates'),
    `${join(tree.gitDirectory, 'objects')}\n`,
  )
  const head = execFileSync('git', ['-C', tree.folder, 'rev-parse', 'HEAD'], {
    encoding: 'utf8',
  }).trim()
  execFileSync('git', ['--git-dir', directory, 'update-ref', 'refs/heads/main', head])
  return directory
}

/** Appends a comment to a file and commits it to the hosted branch. */
function commitChange(tree: BenchTree, directory: string, path: string): void {
  const index = join(directory, 'bench-index')
  const git = (args: readonly string[], input?: string) =>
    execFileSync('git', ['--git-dir', directory, ...args], {
      input,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
      env: { ...process.env, GIT_INDEX_FILE: index, ...identity },
    }).trim()
  const text = execFileSync('git', ['-C', tree.folder, 'show', `HEAD:${path}`], {
    maxBuffer: 2 ** 28,
  }).toString()
  const oid = git(['hash-object', '-w', '--stdin'], `${text}\n\n`)
  git(['read-tree', 'main'])
  git(['update-index', '--add', '--cacheinfo', `100644,${oid},${path}`])
  const commit = git(['commit-tree', git(['write-tree']), '-p', 'main', '-m', 'Change a file'])
  git(['update-ref', 'refs/heads/main', commit])
  rmSync(index, { force: true })
}

const identity = {
  GIT_AUTHOR_NAME: 'Bench',
  GIT_AUTHOR_EMAIL: 'bench@example.org',
  GIT_COMMITTER_NAME: 'Bench',
  GIT_COMMITTER_EMAIL: 'bench@example.org',
}

async function post(url: string, headers: Readonly<Record<string, string>>): Promise<void> {
  const response = await fetch(url, { method: 'POST', headers })
  if (response.status !== 200)
    throw new Error(`${url}: ${response.status} ${await response.text()}`)
}

async function startService(forge: Forge, environment: Readonly<Record<string, string>>) {
  const dataDir = mkdtempSync(join(tmpdir(), 'umpire-bench-data-'))
  const child = spawn(umpire, ['serve'], {
    cwd: dataDir,
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      DATA_DIR: dataDir,
      PLATFORM_URL: forge.url,
      PLATFORM_API_URL: forge.apiUrl,
      WEBHOOK_SECRET: 'secret of the benchmark',
      SHUTDOWN_GRACE_SECONDS: '0',
      ...environment,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const listens = Promise.withResolvers<string>()
  let scan = Promise.withResolvers<ScanLogEntry>()
  const newest: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => {
    newest.push(line)
    if (newest.length > 30) newest.shift()
    const entry = line.startsWith('{') ? JSON.parse(line) : {}
    if (entry.msg === 'Umpire listens') listens.resolve(entry.url)
    if (entry.msg === 'The scan is done') scan.resolve(entry)
  })
  const exited = once(child, 'exit')
  const failed = exited.then((): never => {
    throw new Error(`Umpire exited unexpectedly:\n${newest.join('\n')}`)
  })
  failed.catch(() => {})
  const url = await Promise.race([listens.promise, failed])
  return {
    url,
    pid: child.pid!,
    /** Resolves when the next scan ends. */
    async nextScan(): Promise<ScanLogEntry> {
      scan = Promise.withResolvers<ScanLogEntry>()
      const timer = setTimeout(
        () => scan.reject(new Error(`Timed out waiting for a scan:\n${newest.join('\n')}`)),
        scanTimeoutMs,
      )
      return Promise.race([scan.promise, failed]).finally(() => clearTimeout(timer))
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await exited
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}
