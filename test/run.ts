// Runs all tests: finds or starts a PostgreSQL server, then Vitest, and says at the end what ran and what did not.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findPostgresql, startPostgresql } from './fakes/postgresql-server.ts'

/** What Vitest's JSON reporter counts. */
interface Counts {
  numPassedTests: number
  numFailedTests: number
  numPendingTests: number
  numTodoTests: number
}

async function runVitest(environment: Record<string, string>, report: string): Promise<number> {
  const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url))
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const child = spawn(process.execPath, [vitest, 'run', ...reporters, ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  })
  // Ctrl-C reaches Vitest by itself; we wait for it, and clean up.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  const [code] = (await once(child, 'exit')) as [number | null]
  return code ?? 1
}

function countTests(report: string): string {
  try {
    const counts = JSON.parse(readFileSync(report, 'utf8')) as Counts
    const skipped = counts.numPendingTests + counts.numTodoTests
    return `tests: ${counts.numPassedTests} passed, ${counts.numFailedTests} failed, ${skipped} skipped`
  } catch {
    return 'tests: 0 passed, 0 failed, 0 skipped (there is no report: see above)'
  }
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'umpire-tests-'))
  const given = process.env.TEST_DATABASE_URL
  const found = given ? null : findPostgresql()
  await using server = found ? await startPostgresql(found) : null
  const url = given ?? server?.url
  if (given) console.error('PostgreSQL: the server at TEST_DATABASE_URL')
  else if (found) console.error(`PostgreSQL: a server of its own, with the programs in ${found}`)
  try {
    const environment: Record<string, string> = { TEST_ENGINES: url ? 'embedded,postgresql' : 'embedded' }
    if (url) environment.TEST_DATABASE_URL = url
    const report = join(folder, 'report.json')
    process.exitCode = await runVitest(environment, report)
    if (!url) {
      console.log(
        'SKIPPED: everything on PostgreSQL. No server programs were found (Debian: apt-get install postgresql), ' +
          'and TEST_DATABASE_URL is not set. All tests ran on the embedded database only.',
      )
    }
    console.log(countTests(report))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

await main()
