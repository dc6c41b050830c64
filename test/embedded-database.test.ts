// The embedded database: its lock, durability after crashes, and errors when it can't open.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { PGlite } from '@electric-sql/pglite'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDatabase } from '../src/db/database.ts'
import { isDatabaseUnavailable } from '../src/db/database-errors.ts'
import { DurableFiles } from '../src/db/embedded/durable-files.ts'
import { openEmbedded } from '../src/db/embedded/embedded-database.ts'
import { durableStartParameters, openEngine } from '../src/db/embedded/engine.ts'
import { startMaintenance } from '../src/db/embedded/maintenance.ts'
import type { QueryResult } from '../src/db/embedded/query-result.ts'
import { createTestDatabase, silentLog, type TestDatabase } from './fakes/test-database.ts'

let database: TestDatabase
let directory: string

beforeEach(async () => {
  database = await createTestDatabase({ engine: 'embedded' })
  directory = (database.config as { directory: string }).directory
})

afterEach(() => database.dispose())

const writer = fileURLToPath(new URL('./fakes/database-writer.ts', import.meta.url))

/** Starts a process that writes into the folder. Returns its lines as they are printed. */
function startWriter(): { child: ChildProcess; lines: AsyncIterator<string> } {
  const child = spawn(process.execPath, [writer, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return { child, lines: createInterface({ input: child.stdout! })[Symbol.asyncIterator]() }
}

describe('data folder', () => {
  it('is locked against a second process until the first one ends, even by kill', async () => {
    const { child, lines } = startWriter()
    expect((await lines.next()).value).toBe('ready')
    await expect(openDatabase(database.config, silentLog)).rejects.toMatchObject({
      code: 'database_locked',
      message: expect.stringMatching(
        new RegExp(`in use by the process ${child.pid}\\b.*DATABASE_URL`),
      ),
    })
    child.kill('SIGKILL')
    await once(child, 'exit')
    await (await openDatabase(database.config, silentLog)).close()
  })

  it('is locked against the same process until it is closed', async () => {
    const first = await openDatabase(database.config, silentLog)
    await expect(openDatabase(database.config, silentLog)).rejects.toMatchObject({
      code: 'database_locked',
    })
    await first.close()
    await (await openDatabase(database.config, silentLog)).close()
  })

  it('is refused and left unchanged when of another PostgreSQL version', async () => {
    const version = join(directory, 'data/PG_VERSION')
    writeFileSync(version, '17\n')
    await expect(openDatabase(database.config, silentLog)).rejects.toMatchObject({
      code: 'database_version',
      message: expect.stringMatching(/PostgreSQL 17.*has PostgreSQL 18.*DATA_DIR/),
    })
    expect(readFileSync(version, 'utf8')).toBe('17\n')
  })

  it('is left unchanged when foreign files replace the database', async () => {
    rmSync(join(directory, 'data'), { recursive: true })
    mkdirSync(join(directory, 'data'))
    writeFileSync(join(directory, 'data/precious'), 'x')
    await expect(openDatabase(database.config, silentLog)).rejects.toMatchObject({
      code: 'database_version',
    })
    expect(existsSync(join(directory, 'data/precious'))).toBe(true)
  })

  it('is created again when a process died while creating it', async () => {
    const data = join(directory, 'data')
    cpSync(data, `${data}.new`, { recursive: true })
    rmSync(join(`${data}.new`, 'global'), { recursive: true })
    rmSync(data, { recursive: true })
    await using open = await openDatabase(database.config, silentLog)
    await open.ping(10_000)
    expect(existsSync(`${data}.new`)).toBe(false)
  })
})

describe('committed data', () => {
  it('survives kill -9 in the middle of writing', async () => {
    for (const rows of [1, 40, 150]) {
      const { child, lines } = startWriter()
      expect((await lines.next()).value).toBe('ready')
      const acknowledged: number[] = []
      while (acknowledged.length < rows) acknowledged.push(Number((await lines.next()).value))
      child.kill('SIGKILL')
      // Rows acknowledged before the process ended must exist too.
      for (let line = await lines.next(); !line.done; line = await lines.next())
        acknowledged.push(Number(line.value))

      await using open = await openDatabase(database.config, silentLog)
      const found = await sql<{
        id: number
        size: number
      }>`select id, length(filler) as size from written`.execute(open.db)
      const sizes = new Map(found.rows.map(({ id, size }) => [id, size]))
      expect(acknowledged.filter((id) => sizes.get(id) !== String(id).length * 500)).toEqual([])
      await sql`drop table written`.execute(open.db)
    }
  })

  it('needs durable files: an engine without them is refused', async () => {
    const events = { onNotification() {}, onBroken() {} }
    await expect(openEngine(directory, events, PGlite.defaultStartParams)).rejects.toMatchObject({
      code: 'database_unsafe',
    })
  })

  it('is synced to disk with its folders, and no failed sync is ignored', async () => {
    const failures: Error[] = []
    const files = new DurableFiles(join(directory, 'data'), (error) => failures.push(error))
    const postgres = await PGlite.create({ fs: files, startParams: [...durableStartParameters] })
    const { FS } = (postgres as unknown as { Module: { FS: EngineFiles } }).Module
    const folder = FS.open('/pglite/data/pg_wal', 0)
    const before = files.syncs
    expect(folder.stream_ops.fsync(folder)).toBe(0)
    expect(files.syncs).toBe(before + 1)
    expect(failures).toEqual([])
    expect(folder.stream_ops.fsync({ ...folder, nfd: undefined })).not.toBe(0)
    expect(failures).toHaveLength(1)
    await postgres.close()
  })

  /** These are the calls of the engine's C library. */
  interface EngineFiles {
    open(
      path: string,
      flags: number,
    ): { nfd?: number; stream_ops: { fsync(stream: object): number } }
  }

  it('is acknowledged when the database is closed right after', async () => {
    const embedded = await openEmbedded(directory)
    await embedded.query('create table rows (id int)')
    const inserts = Promise.allSettled(
      [1, 2, 3].map((id) => embedded.query('insert into rows values ($1)', [id])),
    )
    await embedded.close()
    expect((await inserts).map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
    ])
    const again = await openEmbedded(directory)
    expect(await again.query('select count(*)::int as n from rows')).toMatchObject({
      rows: [{ n: 3 }],
    })
    await again.close()
  })

  it('is acknowledged while the next client holds an idle connection', async () => {
    const { embedded, committed, next } = await commitBeforeNext()
    await next.query('begin')
    await committed
    await next.query('insert into rows values (2)')
    await next.query('commit')
    next.release()
    expect(await embedded.query('select id from rows order by id')).toMatchObject({
      rows: [{ id: 1 }, { id: 2 }],
    })
    await embedded.close()
  })

  it('is acknowledged while the next client idles in an open transaction', async () => {
    const { embedded, committed, next } = await commitBeforeNext()
    await next.query('begin')
    await next.query('insert into rows values (2)')
    await committed
    await next.query('rollback')
    next.release()
    expect(await embedded.query('select id from rows')).toMatchObject({ rows: [{ id: 1 }] })
    await embedded.close()
  })

  it('is acknowledged while the next client idles in a failed transaction', async () => {
    const { embedded, committed, next } = await commitBeforeNext()
    await next.query('begin')
    await expect(next.query('select 1 / 0')).rejects.toMatchObject({ code: '22012' })
    await committed
    await expect(next.query('select 1')).rejects.toMatchObject({
      code: 'database_transaction_idle',
    })
    next.release()
    await embedded.close()
  })

  /** Commits a transaction that shares its sync with the next one, which holds the connection. */
  async function commitBeforeNext() {
    const embedded = await openEmbedded(directory, { watchMs: 10 })
    await embedded.query('create table rows (id int)')
    const first = await embedded.connect()
    await first.query('begin')
    await first.query('insert into rows values (1)')
    const waiting = embedded.connect()
    const committed = first.query('commit').then(() => first.release())
    return { embedded, committed, next: await waiting }
  }
})

describe('connection', () => {
  for (const [device, what] of [
    ['/dev/full', 'no room for the log'],
    ['/dev/null', 'a log that cannot be brought to the disk'],
  ] as const) {
    it.skipIf(process.platform !== 'linux')(
      `fails at once instead of hanging: ${what}`,
      async () => {
        const open = await openDatabase(database.config, silentLog)
        await sql`create table rows (id int primary key)`.execute(open.db)
        await sql`insert into rows values (1)`.execute(open.db)
        replaceLog(device)
        const insert = (id: number) => sql`insert into rows values (${id})`.execute(open.db)
        const several = await Promise.allSettled([2, 3, 4].map(insert))
        for (const result of several) {
          expect(result).toMatchObject({ status: 'rejected', reason: { code: 'database_stopped' } })
        }
        await expect(open.ping(10_000)).rejects.toSatisfy(isDatabaseUnavailable)
        await open.close()

        await using again = await openDatabase(database.config, silentLog)
        expect((await sql`select id from rows where id = 1`.execute(again.db)).rows).toEqual([
          { id: 1 },
        ])
      },
    )
  }

  /** Redirects the descriptor of the open log in this process to a device. */
  function replaceLog(device: string): void {
    const log = readdirSync('/proc/self/fd').find((name) => {
      const target = existsSync(`/proc/self/fd/${name}`)
        ? readlinkSync(`/proc/self/fd/${name}`)
        : ''
      return target.startsWith(join(directory, 'data/pg_wal/0'))
    })
    closeSync(Number(log))
    // The system assigns the lowest free descriptor.
    for (let opened = -1; opened !== Number(log); opened = openSync(device, 'r+'))
      expect(opened).toBeLessThan(Number(log))
  }

  it('survives statements that are nested too deep', async () => {
    await using open = await openDatabase(database.config, silentLog)
    await sql`
      create function dive(n int) returns int language plpgsql
      as 'begin return dive(n + 1); end'
    `.execute(open.db)
    await expect(sql`select dive(${1})`.execute(open.db)).rejects.toMatchObject({ code: '54001' })
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    await expect(sql`select ${deep}::jsonb`.execute(open.db)).rejects.toMatchObject({
      code: '54001',
    })
    expect((await sql`select 1 as n`.execute(open.db)).rows).toEqual([{ n: 1 }])
  })

  it('is taken from a transaction that idles too long', async () => {
    const embedded = await openEmbedded(directory, { idleLimitMs: 50, watchMs: 10 })
    const forgotten = await embedded.connect()
    await forgotten.query('begin')
    await forgotten.query('create table half_done (id int)')
    const { rows } = (await embedded.query(
      `select to_regclass('half_done') as found`,
    )) as QueryResult
    expect(rows).toEqual([{ found: null }])
    await expect(forgotten.query('select 1')).rejects.toMatchObject({
      code: 'database_transaction_idle',
    })
    forgotten.release()
    await embedded.close()
  })

  it('serves waiting clients before it closes and none afterwards', async () => {
    const open = await openDatabase(database.config, silentLog)
    const waiting = Array.from({ length: 20 }, (_, index) =>
      sql<{ n: number }>`select ${index}::int as n`.execute(open.db),
    )
    const closed = open.close()
    const results = await Promise.all(waiting)
    expect(results.map(({ rows }) => rows[0]!.n)).toEqual(
      Array.from({ length: 20 }, (_, index) => index),
    )
    await closed
    await expect(sql`select 1`.execute(open.db)).rejects.toSatisfy(isDatabaseUnavailable)
  })

  it('closes during an endless statement and keeps committed data', async () => {
    const embedded = await openEmbedded(directory)
    await embedded.query('create table rows as select 1 as id')
    const [endless] = await Promise.all([
      outcomeOf(embedded.query(endlessStatement)),
      embedded.close(50),
    ])
    expect(endless).toMatchObject({ code: 'database_stopped' })
    const again = await openEmbedded(directory)
    expect(await again.query('select id from rows')).toMatchObject({ rows: [{ id: 1 }] })
    await again.close()
  })

  it('closes during an endless transaction and rolls it back', async () => {
    const embedded = await openEmbedded(directory)
    const forgotten = await embedded.connect()
    await forgotten.query('begin')
    await forgotten.query('create table half_done (id int)')
    await embedded.close(1000)
    const again = await openEmbedded(directory)
    expect(await again.query(`select to_regclass('half_done') as found`)).toMatchObject({
      rows: [{ found: null }],
    })
    await again.close()
  })

  it('stops the engine after a statement timeout, so that the process restarts', async () => {
    const embedded = await openEmbedded(directory, { statementLimitMs: 100 })
    const [endless, fault] = await Promise.all([
      outcomeOf(embedded.query(endlessStatement)),
      embedded.broken,
    ])
    expect(fault).toMatchObject({
      code: 'database_stopped',
      message: expect.stringContaining('a statement took longer than 0.1 s'),
    })
    expect(endless).toBe(fault)
    await embedded.close()
    await (await openDatabase(database.config, silentLog)).close()
  })

  const endlessStatement =
    'with recursive numbers(n) as (select 1 union all select n from numbers) ' +
    'select count(*) from numbers where n = 0'

  const outcomeOf = (answer: Promise<unknown>): Promise<unknown> =>
    answer.catch((error: unknown) => error)
})

describe('the process', () => {
  // Because of a V8 bug, freeing the code crashes the process: see src/lib/wasm-code.ts.
  it('frees no WebAssembly code', async () => {
    const source = new URL('../src/db/embedded/embedded-database.ts', import.meta.url)
    const program = `
      import { openEmbedded } from ${JSON.stringify(source)}
      const embedded = await openEmbedded(${JSON.stringify(directory)})
      await embedded.query('create table rows (id int primary key)')
      for (let id = 0; id < 1000; id++) await embedded.query('insert into rows values ($1)', [id])
      console.log((await embedded.query('select count(*)::int as n from rows')).rows[0].n)
      await embedded.close()`
    const run = promisify(execFile)
    const options = ['--trace-wasm-code-gc', '--eval', program]
    expect((await run(process.execPath, options)).stdout).toBe('1000\n')
  })
})

describe('maintenance', () => {
  it('checkpoints the log and vacuums changed tables on schedule', async () => {
    const embedded = await openEmbedded(directory)
    const read = async (text: string) => ((await embedded.query(text)) as QueryResult).rows[0]!
    await embedded.query('create table filled (id int)')
    const checkpoint = 'select redo_lsn as position from pg_control_checkpoint()'
    const before = await read(checkpoint)
    await embedded.query('insert into filled select generate_series(1, 10000)')
    const plan = {
      checkIntervalMs: 5,
      checkpointIntervalMs: 0,
      checkpointBytes: 0,
      vacuumIntervalMs: 0,
    }
    const stop = startMaintenance(embedded, silentLog, plan)
    const vacuumed = () =>
      read(`select vacuum_count > 0 as done from pg_stat_user_tables where relname = 'filled'`)
    while (!(await vacuumed()).done) await new Promise((resolve) => setImmediate(resolve))
    await stop()
    expect((await read(checkpoint)).position).not.toBe(before.position)
    await embedded.close()
  })
})
