// Tests that the service refuses a data folder it cannot write to, on each database engine.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it, type TestContext } from 'vitest'
import { openDatabase } from '../../src/db/database.ts'
import { runMigrations } from '../../src/db/run-migrations.ts'
import { compileCache } from '../compile-cache.ts'
import { silentLog, testEngine } from '../fakes/test-database.ts'
import { waitForExit } from '../local-test-repository.ts'
import { runUmpire } from '../run-umpire.ts'
import { createServiceStorage, type ServiceStorage } from '../start-umpire-process.ts'

const command = fileURLToPath(new URL('../../src/cli/cli.ts', import.meta.url))

let site: ServiceStorage
let file: string
let mount: string
beforeAll(async () => {
  site = await createServiceStorage()
  file = join(site.dataDir, 'a-file')
  writeFileSync(file, '')
  mount = mkdtempSync(join(tmpdir(), 'umpire-mount-'))
})
afterAll(async () => {
  rmSync(mount, { recursive: true })
  await site[Symbol.asyncDispose]()
})

/** Processes to kill after each test, since one that hangs would go on. */
const started: ChildProcess[] = []
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
})

const environment = (dataDir: string) => ({
  ...site.env,
  PORT: '0',
  WEBHOOK_SECRET: 'a secret',
  DATA_DIR: dataDir,
})

/** Starts `umpire serve`, optionally through a wrapper program. */
function startServe(dataDir: string, wrapper: readonly string[] = []) {
  const [program = '', ...args] = [...wrapper, process.execPath, command, 'serve', '--no-worker']
  const child = spawn(program, args, {
    cwd: site.dataDir,
    env: {
      PATH: process.env.PATH ?? '',
      NODE_COMPILE_CACHE: compileCache,
      ...environment(dataDir),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  started.push(child)
  return child
}

const serve = (...given: Parameters<typeof startServe>) => waitForExit(startServe(...given))

/** A wrapper that mounts a disk at `mount` which only the started process sees. */
function withDisk(options: string, then = 'true'): string[] {
  const script = 'mount -t tmpfs -o "$0" none "$1" && eval "$2" && shift 2 && exec "$@"'
  return ['unshare', '--mount', 'sh', '-c', script, options, mount, then]
}

function needsMounts(context: TestContext): void {
  const { status } = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', mount], {
    stdio: 'ignore',
  })
  context.skip(status !== 0, 'this machine does not allow mounting a disk')
}

describe('DATA_DIR', () => {
  it.each([
    ['/proc/umpire', "can't be made (ENOENT)"],
    ['/proc/umpire/data', "can't be made (ENOENT)"],
    ['/proc', "can't be written to (ENOENT)"],
  ])('case 87: is refused in %s', async (dataDir, reason) => {
    const { code, stderr } = await serve(dataDir)
    expect([code, stderr]).toEqual([
      3,
      expect.stringContaining(`The data folder ${dataDir} ${reason}`),
    ])
    const doctor = await runUmpire(['doctor'], { cwd: site.dataDir, env: environment(dataDir) })
    expect(doctor.stdout).toContain('problem  data folder: ')
  })

  it('case 87: is refused if it is a file or below one', async () => {
    for (const dataDir of [file, join(file, 'below')]) {
      const { code, stderr } = await serve(dataDir)
      expect([code, stderr]).toEqual([
        3,
        expect.stringContaining(`The data folder ${dataDir} can't be made`),
      ])
    }
  })

  it('case 87: is refused in /proc by other commands too', async (context) => {
    context.skip(
      testEngine === 'postgresql',
      'other commands need no data folder with a database server',
    )
    const env = environment('/proc/umpire')
    const { code, stderr } = await runUmpire(['migrate'], { cwd: site.dataDir, env })
    expect([code, stderr]).toEqual([3, expect.stringContaining('The data folder /proc/umpire')])
  })

  it('case 87: is refused on a read-only disk', async (context) => {
    needsMounts(context)
    const { code, stderr } = await serve(
      join(mount, 'data'),
      withDisk('size=1m', 'mount -o remount,ro "$1"'),
    )
    expect([code, stderr]).toEqual([3, expect.stringContaining("can't be made (EROFS)")])
    const existing = await serve(mount, withDisk('size=1m', 'mount -o remount,ro "$1"'))
    expect([existing.code, existing.stderr]).toEqual([
      3,
      expect.stringContaining("can't be written to (EROFS)"),
    ])
  })

  it('case 87: is refused on a full disk', async (context) => {
    needsMounts(context)
    const full = await serve(mount, withDisk('size=4k', 'head -c 4096 /dev/zero >"$1/filled"'))
    expect([full.code, full.stderr]).toEqual([
      3,
      expect.stringContaining("can't be written to (ENOSPC)"),
    ])
  })

  it('case 87: is refused by the embedded database on a small disk', async (context) => {
    needsMounts(context)
    context.skip(testEngine === 'postgresql', 'the database is elsewhere')
    for (const size of ['1m', '40m', '63m']) {
      const { code, stderr } = await serve(mount, withDisk(`size=${size}`))
      expect([code, stderr], size).toEqual([
        3,
        expect.stringContaining('Less than 64 MB are free where'),
      ])
    }
  })

  it('case 87: makes the service not ready once its disk is full', async (context) => {
    needsMounts(context)
    context.skip(testEngine === 'postgresql', 'the database is elsewhere')
    const child = startServe(mount, withDisk('size=200m'))
    const ended = waitForExit(child)
    const url = await new Promise<string>((resolve, reject) => {
      let text = ''
      child.stderr?.on('data', (chunk) => {
        text += chunk
        const found = /"url":"([^"]+)"/.exec(text)?.[1]
        if (found) resolve(found)
      })
      void ended.then(({ stderr }) => reject(new Error(stderr)))
    })
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
    // Only the process sees the disk, so the path leads through its root.
    const filling = `/proc/${child.pid}/root${mount}/filling`
    spawnSync('dd', ['if=/dev/zero', `of=${filling}`, 'bs=1M', 'count=300'], { stdio: 'ignore' })
    expect((await fetch(`${url}/readyz`)).status).toBe(503)
    child.kill('SIGTERM')
    expect(await ended).toMatchObject({ code: 0 })
  })
})

it('ends a start that waits for the database on SIGTERM', async (context) => {
  context.skip(testEngine === 'embedded', 'no other process can lock the embedded database')
  await using database = await openDatabase(site.database, silentLog)
  await runMigrations(database, silentLog)
  const released = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const transaction = database.db.transaction().execute(async (tx) => {
    await sql`lock table kysely_migration in access exclusive mode`.execute(tx)
    locked.resolve()
    await released.promise
  })
  await locked.promise
  const child = startServe(site.dataDir)
  const ended = waitForExit(child)
  await using other = await openDatabase(site.database, silentLog)
  for (;;) {
    const { rows } = await sql`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(other.db)
    if (rows.length > 0) break
  }
  child.kill('SIGTERM')
  // The signal ended it, not an error of the lock it waited for.
  expect(await ended).toMatchObject({ code: null })
  expect(child.signalCode).toBe('SIGTERM')
  released.resolve()
  await transaction
})
