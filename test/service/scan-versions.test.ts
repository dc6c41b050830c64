// Graphs that change so much that they are rebuilt next to the one that readers see.
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Db, openDatabase } from '../../src/db/database.ts'
import { findGraph, readInOneSnapshot } from '../../src/knowledge/graph/read-graph.ts'
import { tokenOf } from '../connect-scenario.ts'
import type { SeenRequest } from '../fakes/forge/forge.ts'
import { silentLog, testEngine } from '../fakes/test-database.ts'
import { forgeEnvironment } from '../review-scenario.ts'
import {
  readGraphRows,
  type ScanScenario,
  startScanScenario,
  waitForScan,
} from '../scan-scenario.ts'
import { signInWithToken } from '../sign-in.ts'
import { createServiceStorage, startUmpireProcess } from '../start-umpire-process.ts'

let scene: ScanScenario
let db: Db
beforeAll(async () => {
  scene = await startScanScenario()
  db = scene.app.db
})
afterAll(() => scene[Symbol.asyncDispose]())
afterEach(() => scene.forge.faults.clear())

/** Returns files with more than 8,000 symbols, whose names start with the version. */
const writeVersion = (version: string): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: 300 }, (_, file) => [
      `src/m${file}.ts`,
      [
        `import { ${version}_0 as next } from './m${(file + 1) % 300}.ts'`,
        ...Array.from(
          { length: 30 },
          (_, index) => `export function ${version}_${index}() { return ${file} }`,
        ),
        'next()\n',
      ].join('\n'),
    ]),
  )

/** Returns what readers see: versions of symbols, and numbers of symbols, files and edges. */
async function readView(db: Db, repo: string) {
  return readInOneSnapshot(db, 30_000, async (tx) => {
    const graph = await findGraph(tx, repo)
    const { rows } = await sql<{ seen: string }>`
      select concat_ws(' ',
        (select string_agg(distinct split_part(name, '_', 1), ',')
          from code_symbols where graph_id = ${graph?.id}),
        (select count(*) from code_symbols where graph_id = ${graph?.id}),
        (select count(*) from code_files where graph_id = ${graph?.id}),
        (select count(*) from code_edges where graph_id = ${graph?.id})) as seen`.execute(tx)
    const { buildingId: building } = await tx
      .selectFrom('codeGraphs')
      .select('buildingId')
      .where('repo', '=', repo)
      .executeTakeFirstOrThrow()
    return { seen: rows[0]!.seen, isBuilding: building !== null }
  })
}

/** Counts rows that belong to no graph. */
async function countStrays(db: Db) {
  const { rows } = await sql<{ files: number; symbols: number; edges: number }>`
    select
      (select count(*) from code_files
        where graph_id not in (select id from code_graphs))::int as files,
      (select count(*) from code_symbols
        where graph_id not in (select id from code_graphs))::int as symbols,
      (select count(*) from code_edges
        where graph_id not in (select id from code_graphs))::int as edges
  `.execute(db)
  return rows[0]
}

describe('a change of most of a repository', () => {
  it('is built while readers see the old or the new graph, as from scratch', async () => {
    const repo = await scene.createScannedRepository(writeVersion('old'))
    let isOver = false
    const views: Awaited<ReturnType<typeof readView>>[] = []
    const reading = (async () => {
      while (!isOver) views.push(await readView(db, repo))
    })()
    await scene.forge.push(repo, 'main', writeVersion('new'))
    await scene.rescan(repo)
    isOver = true
    await reading
    const whole = (version: string) => `${version} 9000 300 600`
    expect((await readView(db, repo)).seen).toBe(whole('new'))
    expect(views.filter(({ seen }) => seen !== whole('old') && seen !== whole('new'))).toEqual([])
    // The build was observed while it ran.
    expect(views.filter(({ isBuilding }) => isBuilding).length).toBeGreaterThan(2)
    const fresh = await scene.createScannedRepository(writeVersion('new'))
    expect(await readGraphRows(db, repo)).toEqual(await readGraphRows(db, fresh))
    expect(await countStrays(db)).toEqual({ files: 0, symbols: 0, edges: 0 })
    // The planner's statistics were updated after the tables were filled.
    const { rows } = await sql<{ symbols: number }>`
      select reltuples::float8 as symbols from pg_class
      where oid = 'code_symbols'::regclass`.execute(db)
    expect(rows[0]!.symbols).toBeGreaterThan(8000)
  }, 180_000)
})

describe('processes that share a database', () => {
  const environment = () => ({ ...forgeEnvironment(scene.forge), REVIEW_LEASE_SECONDS: '2' })
  const connect = async (url: string, repo: string) => {
    const { bearer, cookie } = await signInWithToken({ url }, tokenOf('alice'))
    await fetch(`${url}/api/v1/repos/${repo}/install`, { method: 'POST', headers: bearer })
    return cookie
  }
  const rescan = (url: string, repo: string, cookie: Record<string, string>) =>
    fetch(`${url}/api/v1/memory/rescan?repo=${encodeURIComponent(repo)}`, {
      method: 'POST',
      headers: cookie,
    })

  it('case 58: a killed rebuild leaves the old graph until another completes', async (context) => {
    context.skip(testEngine === 'embedded', 'only one process can open the embedded database')
    await using site = await createServiceStorage()
    await using database = await openDatabase(site.database, silentLog)
    const repo = await scene.createRepositoryWith(writeVersion('old'))
    const release = Promise.withResolvers<void>()
    using _free = { [Symbol.dispose]: () => release.resolve() }
    let lock: Promise<void>
    {
      await using killed = await startUmpireProcess(site, { env: environment() })
      const cookie = await connect(killed.url!, repo)
      await waitForScan(database.db, repo, 'completed')
      // Edges cannot be written until the lock is released, but files and symbols can.
      const locked = Promise.withResolvers<void>()
      lock = database.db.transaction().execute(async (tx) => {
        await sql`lock table code_edges in share row exclusive mode`.execute(tx)
        locked.resolve()
        await release.promise
      })
      await locked.promise
      await scene.forge.push(repo, 'main', writeVersion('new'))
      await rescan(killed.url!, repo, cookie)
      await expect
        .poll(async () => (await countStrays(database.db))?.symbols, {
          timeout: 60_000,
          interval: 100,
        })
        .toBe(9000)
      killed.signal('SIGKILL')
      await killed.exited
    }
    expect(await readView(database.db, repo)).toEqual({
      seen: 'old 9000 300 600',
      isBuilding: true,
    })
    release.resolve()
    await lock
    {
      await using next = await startUmpireProcess(site, { env: environment() })
      await waitForScan(database.db, repo, 'completed')
      next.signal('SIGTERM')
      await next.exited
    }
    expect(await readView(database.db, repo)).toEqual({
      seen: 'new 9000 300 600',
      isBuilding: false,
    })
    expect(await countStrays(database.db)).toEqual({ files: 0, symbols: 0, edges: 0 })
  }, 180_000)

  it('two processes that are notified at once scan a repository once', async (context) => {
    context.skip(testEngine === 'embedded', 'the embedded database has one process')
    await using site = await createServiceStorage()
    await using database = await openDatabase(site.database, silentLog)
    const repo = await scene.createRepositoryWith(writeVersion('only'))
    await using one = await startUmpireProcess(site, { env: environment() })
    await using other = await startUmpireProcess(site, { env: environment() })
    const isFetch = ({ path, method }: SeenRequest) =>
      path === `/${repo}.git/git-upload-pack` && method === 'POST'
    await Promise.all([connect(one.url!, repo), connect(other.url!, repo)])
    await waitForScan(database.db, repo, 'completed')
    const row = await database.db
      .selectFrom('scans')
      .selectAll()
      .where('repo', '=', repo)
      .executeTakeFirst()
    expect(row).toMatchObject({ status: 'completed', error: null })
    // One request is for the head and one for the commit.
    expect(scene.forge.requests.filter(isFetch).length).toBeLessThanOrEqual(2)
    expect(await readView(database.db, repo)).toEqual({
      seen: 'only 9000 300 600',
      isBuilding: false,
    })
    for (const process of [one, other]) {
      process.signal('SIGTERM')
      await process.exited
    }
  }, 180_000)
})
