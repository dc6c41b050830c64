// Tests values, transactions, notifications and migrations on each database engine.
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Db, type OpenDatabase, openDatabase } from '../../src/db/database.ts'
import { isDatabaseUnavailable } from '../../src/db/database-errors.ts'
import { migrations } from '../../src/db/migrations/index.ts'
import { runMigrations } from '../../src/db/run-migrations.ts'
import { transactionWithRetry } from '../../src/db/transaction.ts'
import { createTestDatabase, silentLog, type TestDatabase } from '../fakes/test-database.ts'

let database: TestDatabase
let open: OpenDatabase
let db: Db

beforeAll(async () => {
  database = await createTestDatabase()
  open = await openDatabase(database.config, silentLog)
  db = open.db
  await sql`create table counters (name text primary key, value bigint not null)`.execute(db)
  await sql`insert into counters values ('shared', 0), ('left', 0), ('right', 0)`.execute(db)
})

afterAll(async () => {
  await open?.close()
  await database?.dispose()
})

const add = (handle: Kysely<never> | Db, name: string, amount = 1) =>
  sql`update counters set value = value + ${amount} where name = ${name}`.execute(handle as Db)

const readCounter = async (name: string, handle: Db = db): Promise<number> => {
  const { rows } = await sql<{
    value: number
  }>`select value from counters where name = ${name}`.execute(handle)
  return rows[0]!.value
}

/** `reached` resolves after `count` calls of `arrive`. */
function countdown(count: number): { arrive(): void; reached: Promise<void> } {
  const reached = Promise.withResolvers<void>()
  let left = count
  return { arrive: () => void (--left === 0 && reached.resolve()), reached: reached.promise }
}

describe('queries', () => {
  it('return the same values on both engines, with columns in camelCase', async () => {
    const instant = new Date('2026-03-29T01:30:00.123Z')
    const { rows } = await sql`
      select 9007199254740991::bigint as big, 1.25::numeric as exact, count(*) as counted,
        sum(2) as summed, ${instant}::timestamptz as instant,
        '2026-03-29 01:30:00.123'::timestamp as local, '2026-03-29'::date as day,
        ${{ a_key: [1, null, 'ü'] }}::jsonb as document, '"text"'::json as text_document,
        ${['a"b', 'c\\d', null, '', 'NULL', 'e,f']}::text[] as texts,
        ${[1, 2]}::bigint[] as bigs, ${[instant]}::timestamptz[] as instants,
        array[array[1, 2], array[3, 4]]::int8[] as matrix,
        ${Buffer.from([0, 255, 92])}::bytea as bytes, ${true}::boolean as yes,
        ${null}::text as nothing, ${'ünï "quoted" \\ 🙂'}::text as text,
        ${1.5}::float8 as fraction, ${'4'}::int as small`.execute(db)
    expect(rows[0]).toEqual({
      big: 9007199254740991,
      exact: 1.25,
      counted: 1,
      summed: 2,
      instant,
      local: instant,
      day: '2026-03-29',
      document: { a_key: [1, null, 'ü'] },
      textDocument: 'text',
      texts: ['a"b', 'c\\d', null, '', 'NULL', 'e,f'],
      bigs: [1, 2],
      instants: [instant],
      matrix: [
        [1, 2],
        [3, 4],
      ],
      bytes: Buffer.from([0, 255, 92]),
      yes: true,
      nothing: null,
      text: 'ünï "quoted" \\ 🙂',
      fraction: 1.5,
      small: 4,
    })
  })

  it('refuse integers that a JavaScript number cannot hold', async () => {
    await expect(sql`select 9007199254740993::bigint as big`.execute(db)).rejects.toMatchObject({
      code: 'database_number_too_large',
    })
  })

  it('count the rows that a statement changed', async () => {
    const updated =
      await sql`update counters set value = value where name in ('left', 'right')`.execute(db)
    expect(updated.numAffectedRows).toBe(2n)
  })

  it('name the broken constraint in the error', async () => {
    const duplicate = sql`insert into counters values (${'left'}, 1)`.execute(db)
    await expect(duplicate).rejects.toMatchObject({
      code: '23505',
      constraint: 'counters_pkey',
      table: 'counters',
    })
    await expect(duplicate).rejects.not.toSatisfy(isDatabaseUnavailable)
  })

  it('return new columns after the schema of a repeated statement changed', async () => {
    await sql`create table shapes (id int)`.execute(db)
    const read = () => sql`select * from shapes where id = ${1}`.execute(db)
    await sql`insert into shapes values (1)`.execute(db)
    expect((await read()).rows).toEqual([{ id: 1 }])
    await sql`alter table shapes add column name text default 'new'`.execute(db)
    expect((await read()).rows).toEqual([{ id: 1, name: 'new' }])
  })
})

describe('transactions', () => {
  it('do not lose an increment when 100 run at once', async () => {
    await sql`update counters set value = 0 where name = 'shared'`.execute(db)
    const increment = () =>
      db.transaction().execute(async (tx) => {
        const { rows } = await sql<{ value: number }>`
          select value from counters where name = 'shared' for update`.execute(tx)
        await sql`update counters set value = ${rows[0]!.value + 1} where name = 'shared'`.execute(
          tx,
        )
      })
    await Promise.all(Array.from({ length: 100 }, increment))
    expect(await readCounter('shared')).toBe(100)
  })

  it('are invisible to other queries and leave nothing when they fail', async () => {
    const before = await readCounter('left')
    const wrote = countdown(1)
    const readMeanwhile = wrote.reached.then(() => readCounter('left'))
    const failing = db.transaction().execute(async (tx) => {
      await add(tx, 'left', 1000)
      wrote.arrive()
      // With one connection the other query waits for the end of this transaction instead.
      if (!open.exclusive) await readMeanwhile
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow('changed my mind')
    expect(await readMeanwhile).toBe(before)
    expect(await readCounter('left')).toBe(before)
  })

  it('leave a usable connection after a failure', async () => {
    const failing = db.transaction().execute(async (tx) => {
      await add(tx, 'left')
      await sql`select 1 / ${0}::int`.execute(tx)
    })
    await expect(failing).rejects.toMatchObject({ code: '22012' })
    const { rows } = await sql`select txid_current_if_assigned() as id`.execute(db)
    expect(rows).toEqual([{ id: null }])
  })

  it('report an error for a nested query outside the transaction', async () => {
    const nested = db.transaction().execute(async (tx) => {
      await add(tx, 'left')
      await readCounter('left')
    })
    await expect(nested).rejects.toMatchObject({ code: 'database_nested' })
    expect(await readCounter('left')).toBeTypeOf('number')
  })

  it('case 61: retry a serialization failure until it succeeds', async () => {
    await sql`update counters set value = 0 where name = 'shared'`.execute(db)
    let attempts = 0
    const increment = () =>
      transactionWithRetry(
        db,
        async (tx) => {
          attempts++
          const value = await readCounter('shared', tx)
          // The engine with one connection has no conflicts, so the test raises one.
          if (open.exclusive && attempts === 1)
            await sql`do $$ begin raise sqlstate '40001'; end $$`.execute(tx)
          await sql`update counters set value = ${value + 1} where name = 'shared'`.execute(tx)
        },
        { isolation: 'repeatable read', maxAttempts: 50 },
      )
    await Promise.all(Array.from({ length: 8 }, increment))
    expect(await readCounter('shared')).toBe(8)
    expect(attempts).toBeGreaterThan(8)
  })

  it('case 61: both succeed after a deadlock', async () => {
    await sql`update counters set value = 0 where name in ('left', 'right')`.execute(db)
    const bothHold = countdown(2)
    const take = (first: string, second: string) => {
      let attempts = 0
      return transactionWithRetry(db, async (tx) => {
        await add(tx, first)
        // They deadlock on the first attempt, if two transactions can be open at once.
        if (attempts++ === 0 && !open.exclusive) {
          bothHold.arrive()
          await bothHold.reached
        }
        await add(tx, second)
      })
    }
    await Promise.all([take('left', 'right'), take('right', 'left')])
    expect([await readCounter('left'), await readCounter('right')]).toEqual([2, 2])
  })

  it('are not retried after a permanent error', async () => {
    let attempts = 0
    const failing = transactionWithRetry(db, async (tx) => {
      attempts++
      await sql`select 1 / ${0}::int`.execute(tx)
    })
    await expect(failing).rejects.toMatchObject({ code: '22012' })
    expect(attempts).toBe(1)
  })

  it('run in order on one connection while others are served in between', async () => {
    await sql`update counters set value = 0 where name = 'shared'`.execute(db)
    const work = () =>
      db.connection().execute(async (connection) => {
        for (let round = 0; round < 10; round++) {
          await connection.transaction().execute((tx) => add(tx, 'shared'))
          const both = await Promise.all([
            readCounter('shared', connection),
            readCounter('shared', connection),
          ])
          expect(Math.min(...both)).toBeGreaterThan(round)
          await add(connection, 'shared')
        }
      })
    await Promise.all([1, 2, 3, 4, 5].map(work))
    expect(await readCounter('shared')).toBe(100)
  })

  it('release the connection when the caller aborts', async () => {
    const stop = new AbortController()
    const slow = sql`select pg_sleep(0.3)`.execute(db, { signal: stop.signal })
    stop.abort(new Error('too slow'))
    await expect(slow).rejects.toThrow()
    expect(await readCounter('left')).toBeTypeOf('number')
  })
})

describe('notifications', () => {
  it('arrive with their payload after the commit until the listener closes', async () => {
    const received: string[] = []
    const two = countdown(2)
    let connected = 0
    const listening = await open.listen(
      'Mixed "case"',
      (payload) => {
        received.push(payload)
        two.arrive()
      },
      () => void connected++,
    )
    expect(connected).toBe(1)
    await sql`select pg_notify('Mixed "case"', ${'one'})`.execute(db)
    await expect(
      db.transaction().execute(async (tx) => {
        await sql`select pg_notify('Mixed "case"', 'never')`.execute(tx)
        throw new Error('rolled back')
      }),
    ).rejects.toThrow('rolled back')
    await db.transaction().execute((tx) => sql`select pg_notify('Mixed "case"', 'two')`.execute(tx))
    await two.reached
    expect(received).toEqual(['one', 'two'])

    await listening.close()
    const last = countdown(1)
    const other = await open.listen('Mixed "case"', last.arrive, () => {})
    await sql`select pg_notify('Mixed "case"', 'three')`.execute(db)
    await last.reached
    await other.close()
    expect(received).toEqual(['one', 'two'])
  })
})

describe('migrations', () => {
  it('case 64: run only once when two processes start', async () => {
    await using empty = await openEmpty()
    const later: Record<string, Migration> = {
      ...migrations,
      '9999-only-once': {
        up: (handle) => sql`create table only_once (id int)`.execute(handle).then(() => {}),
      },
    }
    await Promise.all([
      runMigrations(empty, silentLog, later),
      runMigrations(empty.second, silentLog, later),
    ])
    const names = await sql<{
      name: string
    }>`select name from kysely_migration order by name`.execute(empty.db)
    expect(names.rows.map(({ name }) => name)).toEqual([
      ...Object.keys(migrations),
      '9999-only-once',
    ])
  })

  it('case 64: refuse a database with a newer schema', async () => {
    await using empty = await openEmpty()
    const newer = { '9999-of-the-future': { up: async () => {} } }
    await runMigrations(empty, silentLog, { ...migrations, ...newer })
    const start = runMigrations(empty, silentLog)
    await expect(start).rejects.toMatchObject({
      code: 'database_newer',
      message: expect.stringMatching(/newer version.*9999-of-the-future/),
    })
  })

  /** A database without a schema, opened twice where that is possible. */
  async function openEmpty(): Promise<OpenDatabase & { second: OpenDatabase }> {
    const empty = await createTestDatabase({ migrated: false })
    const first = await openDatabase(empty.config, silentLog)
    const second = first.exclusive ? first : await openDatabase(empty.config, silentLog)
    const dispose = async () => {
      await Promise.all([first.close(), second.close()])
      await empty.dispose()
    }
    return { ...first, second, [Symbol.asyncDispose]: dispose }
  }
})

describe('an unavailable database', () => {
  it('is recognized by its ping and query errors after it was closed', async () => {
    const own = await createTestDatabase()
    const mine = await openDatabase(own.config, silentLog)
    await mine.ping(10_000)
    await mine.close()
    await expect(mine.ping(10_000)).rejects.toSatisfy(isDatabaseUnavailable)
    await expect(sql`select 1`.execute(mine.db)).rejects.toSatisfy(isDatabaseUnavailable)
    await own.dispose()
  })
})
