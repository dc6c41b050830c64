// Runs all tests: finds or starts PostgreSQL, runs Vitest, and prints what ran and what did not.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findPostgresql, startPostgresql } from './fakes/postgresql-server.ts'

/** The counts of Vitest's JSON reporter. */
interface Counts {
  numPassedTests: number
  numFailedTests: number
  numPendingTests: number
  numTodoTests: number
}

/** With less memory than this, temporary files go to disk. */
const minSharedMemoryBytes = 4 * 1024 ** 3

/**
 * Returns the folder for temporary files of a run: in memory if there is enough for hundreds of
 * databases. Not on a `noexec` mount, where tests couldn't detect that a repository's hook was run.
 */
function makeTemporaryFolder(): string {
  const folder = mkdtempSync(
    join(hasEnoughSharedMemory('/dev/shm') ? '/dev/shm' : tmpdir(), 'umpire-tests-'),
  )
  // PostgreSQL doesn't run as root, and needs access to its folder in there.
  chmodSync(folder, 0o711)
  return folder
}

function hasEnoughSharedMemory(folder: string): boolean {
  try {
    const mounts = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .map((line) => line.split(' '))
    const [, , kind, options] = mounts.findLast(([, place]) => place === folder) ?? []
    const { bavail, bsize } = statfsSync(folder)
    return (
      kind === 'tmpfs' &&
      !options!.split(',').includes('noexec') &&
      bavail * bsize >= minSharedMemoryBytes
    )
  } catch {
    return false
  }
}

async function runVitest(environment: Record<string, string>, report: string): Promise<number> {
  const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url))
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const child = spawn(process.execPath, [vitest, 'run', ...reporters, ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  })
  // Ctrl-C reaches Vitest directly; we wait for it, and clean up.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  const [code] = (await once(child, 'exit')) as [number | null]
  return code ?? 1
}

function countTests(report: string): string {
  try {
    const counts = JSON.parse(readFileSync(report, 'utf8')) as Counts
    const skipped = counts.numPendingTests + counts.numTodoTests
    const { numPassedTests: passed, numFailedTests: failed } = counts
    return `tests: ${passed} passed, ${failed} failed, ${skipped} skipped`
  } catch {
    return 'tests: 0 passed, 0 failed, 0 skipped (there is no report: see above)'
  }
}

async function main(): Promise<void> {
  const folder = makeTemporaryFolder()
  // The PostgreSQL server uses this folder too.
  process.env.TMPDIR = folder
  process.env.NODE_COMPILE_CACHE = join(folder, 'compiled')
  const given = process.env.TEST_DATABASE_URL
  const found = given ? null : findPostgresql()
  await using server = found ? await startPostgresql(found) : null
  const url = given ?? server?.url
  if (given) console.error('PostgreSQL: the server at TEST_DATABASE_URL')
  else if (found) console.error(`PostgreSQL: a server of its own, with the programs in ${found}`)
  try {
    const environment: Record<string, string> = {
      TEST_ENGINES: url ? 'embedded,postgresql' : 'embedded',
    }
    if (url) environment.TEST_DATABASE_URL = url
    const report = join(folder, 'report.json')
    process.exitCode = await runVitest(environment, report)
    if (!url) {
      console.log(
        'SKIPPED: everything on PostgreSQL. No server programs were found ' +
          '(Debian: apt-get install postgresql), ' +
          'and TEST_DATABASE_URL is not set. All tests ran on the embedded database only.',
      )
    }
    console.log(countTests(report))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

await main()
