// Tests of a PostgreSQL server that fails and returns: clear errors, no crash, and recovery.
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OpenDatabase, openDatabase } from '../src/db/database.ts'
import { isDatabaseUnavailable } from '../src/db/database-errors.ts'
import {
  findPostgresql,
  type PostgresqlServer,
  startPostgresql,
} from './fakes/postgresql-server.ts'
import { startSilentProxy } from './fakes/silent-proxy.ts'
import { silentLog } from './fakes/test-database.ts'

const programs = findPostgresql()

describe.skipIf(programs === null)('a PostgreSQL server', () => {
  let server: PostgresqlServer
  let open: OpenDatabase

  beforeAll(async () => {
    server = await startPostgresql(programs!)
    open = await openDatabase({ engine: 'postgresql', url: server.url, poolSize: 4 }, silentLog)
  })

  afterAll(async () => {
    await open?.close()
    await server?.[Symbol.asyncDispose]()
  })

  it('prepares the statements that are run often, except those with long arrays', async () => {
    const config = { engine: 'postgresql', url: server.url, poolSize: 1 } as const
    await using prepared = await openDatabase(config, silentLog)
    const countFrom = (list: readonly number[]) =>
      sql<{ n: bigint }>`select count(*) as n from unnest(${list}::int[])`.execute(prepared.db)
    const listPrepared = async () => {
      const all = sql<{ statement: string }>`select statement from pg_prepared_statements`
      return (await all.execute(prepared.db)).rows.map(({ statement }) => statement)
    }
    const long = Array.from({ length: 1_000 }, (_, index) => index)
    for (let use = 0; use < 10; use++) await countFrom(long)
    for (let use = 0; use < 4; use++) await countFrom([1, 2])
    expect(await listPrepared()).toEqual([])
    for (let use = 0; use < 4; use++) await countFrom([1, 2])
    expect(await listPrepared()).toEqual(['select count(*) as n from unnest($1::int[])'])
    expect((await countFrom(long)).rows).toEqual([{ n: 1_000 }])
  })

  it('prepares a limited number of statements', async () => {
    const config = { engine: 'postgresql', url: server.url, poolSize: 1 } as const
    await using prepared = await openDatabase(config, silentLog)
    for (let statement = 0; statement < 400; statement++) {
      const text = sql.raw(`n${statement}`)
      for (let use = 0; use < 5; use++)
        await sql`select ${use}::int as ${text}`.execute(prepared.db)
    }
    const { rows } = await sql`select count(*) as n from pg_prepared_statements`.execute(
      prepared.db,
    )
    expect(rows).toEqual([{ n: 300 }])
  })

  it('replaces a connection whose prepared statement a migration changed', async () => {
    const config = { engine: 'postgresql', url: server.url, poolSize: 1 } as const
    await using prepared = await openDatabase(config, silentLog)
    await sql`create table plans (id int)`.execute(prepared.db)
    const read = () => sql`select * from plans where id > ${0}`.execute(prepared.db)
    for (let use = 0; use < 8; use++) await read()
    await sql`alter table plans add column name text`.execute(open.db)
    await expect(read()).rejects.toSatisfy(isDatabaseUnavailable)
    expect((await read()).rows).toEqual([])
  })

  it('is reported as unavailable in each query and reused after a crash (case 17)', async () => {
    const heard: string[] = []
    let connected = Promise.withResolvers<void>()
    let notified = Promise.withResolvers<void>()
    const listening = await open.listen(
      'news',
      (payload) => {
        heard.push(payload)
        notified.resolve()
      },
      () => connected.resolve(),
    )
    await connected.promise
    connected = Promise.withResolvers()
    await Promise.all(Array.from({ length: 4 }, () => sql`select 1`.execute(open.db)))

    const inTransaction = open.db.transaction().execute(async (tx) => {
      await sql`select 1`.execute(tx)
      await server.kill()
      await sql`select 1`.execute(tx)
    })
    await expect(inTransaction).rejects.toSatisfy(isDatabaseUnavailable)
    await expect(sql`select 1`.execute(open.db)).rejects.toSatisfy(isDatabaseUnavailable)
    await expect(open.ping(10_000)).rejects.toSatisfy(isDatabaseUnavailable)

    await server.start()
    await open.ping(10_000)
    expect((await sql`select 1 as n`.execute(open.db)).rows).toEqual([{ n: 1 }])
    await connected.promise
    notified = Promise.withResolvers()
    await sql`select pg_notify('news', 'back')`.execute(open.db)
    await notified.promise
    expect(heard).toEqual(['back'])
    await listening.close()
  })

  it('counts as unavailable while it is a read-only standby', async () => {
    const writing = open.db.transaction().execute(async (tx) => {
      await sql`set transaction read only`.execute(tx)
      await sql`create table written ()`.execute(tx)
    })
    await expect(writing).rejects.toSatisfy(isDatabaseUnavailable)
  })

  it('does not end the program when it ends a connection', async () => {
    await Promise.all(Array.from({ length: 4 }, () => sql`select 1`.execute(open.db)))
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()`.execute(
      open.db,
    )
    // A query may still get one of the dead connections; later ones get new connections.
    await expect.poll(() => open.ping(10_000).then(() => 'fine', String)).toBe('fine')
  })

  it('fails pending queries when it vanishes, and later queries reconnect', async () => {
    await using proxy = await startSilentProxy(server.url)
    await using far = await openDatabase(
      { engine: 'postgresql', url: proxy.url, poolSize: 1 },
      silentLog,
      {
        answerTimeoutMs: 500,
      },
    )
    const uses: (() => Promise<unknown>)[] = [
      () => sql`select 1`.execute(far.db),
      () => far.db.transaction().execute((tx) => sql`select 1`.execute(tx)),
    ]
    for (const use of uses) {
      await use()
      proxy.silence()
      await expect(use()).rejects.toSatisfy(isDatabaseUnavailable)
      expect((await sql`select 1 as n`.execute(far.db)).rows).toEqual([{ n: 1 }])
    }
    const broken = far.db.transaction().execute(async (tx) => {
      await sql`select 1`.execute(tx)
      proxy.silence()
      await sql`select 1`.execute(tx)
    })
    await expect(broken).rejects.toSatisfy(isDatabaseUnavailable)
    await far.ping(10_000)
  })

  it('waits for its disk on each of our connections even if configured not to', async () => {
    await sql`alter role postgres set synchronous_commit = off`.execute(open.db)
    await using fresh = await openDatabase(
      { engine: 'postgresql', url: server.url, poolSize: 2 },
      silentLog,
    )
    const { rows } = await sql`select current_setting('synchronous_commit') as setting`.execute(
      fresh.db,
    )
    expect(rows).toEqual([{ setting: 'on' }])
  })

  it('stops the start with a reason without the password when it is unreachable', async () => {
    const url = 'postgresql://someone:secret-word@127.0.0.1:1/none'
    const start = openDatabase({ engine: 'postgresql', url, poolSize: 1 }, silentLog)
    await expect(start).rejects.toMatchObject({
      code: 'database_unavailable',
      retryable: true,
      message: expect.stringMatching(/^((?!secret-word).)*$/),
    })
  })

  it('reports the required setting when it limits the length of transactions', async () => {
    const { rows } = await sql`
      select current_setting('application_name') as name, current_setting('statement_timeout') as statement,
        current_setting('lock_timeout') as lock, current_setting('idle_in_transaction_session_timeout') as idle`.execute(
      open.db,
    )
    expect(rows).toEqual([{ name: 'umpire', statement: '2min', lock: '30s', idle: '1min' }])
  })
})
