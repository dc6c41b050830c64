// Scans as durable jobs: triggers, deduplication, resumption after a stop, and outcomes.
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Db, openDatabase } from '../../src/db/database.ts'
import { toJson } from '../../src/db/sql-values.ts'
import { findGraph, readInOneSnapshot } from '../../src/knowledge/graph/read-graph.ts'
import { findWorkItem } from '../claim-work.ts'
import { startConnectScenario, tokenOf } from '../connect-scenario.ts'
import { hold, replyWith, type SeenRequest } from '../fakes/forge/forge.ts'
import { createTestDatabase, silentLog, testEngine } from '../fakes/test-database.ts'
import { followLive } from '../live-events.ts'
import { forgeEnvironment, reviewerLogin, waitUntilSettled } from '../review-scenario.ts'
import {
  readGraphRows,
  type ScanScenario,
  startScanScenario,
  waitForScan,
} from '../scan-scenario.ts'
import { signInWithToken } from '../sign-in.ts'
import { startTestApp } from '../start-app.ts'
import { createServiceStorage, startUmpireProcess } from '../start-umpire-process.ts'

let scene: ScanScenario
let db: Db
beforeAll(async () => {
  scene = await startScanScenario()
  db = scene.app.db
})
afterAll(() => scene[Symbol.asyncDispose]())
afterEach(() => scene.forge.faults.clear())

const files = { 'src/a.ts': 'export const a = 1\n', 'README.md': '# Shop\n\nSells things.\n' }

/** Matches git requests for the refs of a repository. Each scan begins with one. */
const isHeadRequest = (repo: string) => (request: SeenRequest) =>
  request.path === `/${repo}.git/info/refs` && request.query.includes('upload-pack')
const countScans = (repo: string) => {
  // A fetch sends them as well.
  const fetched = scene.forge.requests.filter(
    ({ path, method }) => path === `/${repo}.git/git-upload-pack` && method === 'POST',
  )
  return {
    headRequests: scene.forge.requests.filter(isHeadRequest(repo)).length,
    packs: fetched.length,
  }
}

/** Returns a function that sends requests with a person's cookie. */
async function withCookie(person: 'alice' | 'carol') {
  const { cookie } = await scene.signIn(person)
  return async (path: string, method = 'GET') => {
    const response = await fetch(`${scene.app.url}${path}`, { method, headers: cookie })
    return { status: response.status, body: await response.json() }
  }
}
const rescanPath = (repo: string) => `/api/v1/memory/rescan?repo=${encodeURIComponent(repo)}`
const scanPath = (repo: string) => `/api/v1/memory/scan?repo=${encodeURIComponent(repo)}`
const scanRow = (repo: string) =>
  db.selectFrom('scans').selectAll().where('repo', '=', repo).executeTakeFirst()

/** Holds the next scan of a repository until it is released. */
function holdScan(repo: string) {
  const held = hold()
  scene.forge.faults.add({ match: isHeadRequest(repo), action: held })
  return held
}

/** Replaces a repository by another one of the same name, which bob administers. */
async function replaceRepository(repo: string): Promise<void> {
  await scene.forge.removeRepository(repo)
  await scene.forge.createRepository(repo, { admins: ['bob'], writers: ['alice', reviewerLogin] })
}

/** Reads the subjects of the memories that a repository has. */
async function subjectsOf(repo: string): Promise<string[]> {
  const rows = await db.selectFrom('memories').select('subject').where('repo', '=', repo).execute()
  return rows.map(({ subject }) => subject)
}

/** Opens a pull request by alice and waits for its review. */
async function propose(repo: string): Promise<void> {
  await scene.forge.push(repo, 'topic', { 'src/a.ts': 'export const a = 2\n' }, { author: 'alice' })
  await scene.forge.openPullRequest({ repo, head: 'topic', author: 'alice' })
  await scene.forge.waitForDelivery(
    (delivery) => delivery.repo === repo && delivery.action === 'opened',
  )
  await waitUntilSettled(scene.app)
}

describe('connecting', () => {
  it('scans the repository and shows the status to connected people', async () => {
    const repo = await scene.createRepositoryWith(files)
    const held = holdScan(repo)
    await scene.connect('alice', repo)
    await held.arrived
    const request = await withCookie('alice')
    expect(await request(scanPath(repo))).toMatchObject({
      status: 200,
      body: { repo, status: 'processing', commit: null, finished_at: null, error: null },
    })
    held.release()
    await scene.waitForScan(repo)
    const head = (await scene.forge.branches(repo)).get('main')
    const { status, body } = await scene.request('alice', scanPath(repo))
    expect([status, body]).toEqual([
      200,
      {
        repo,
        status: 'completed',
        step: '',
        done: 0,
        total: 0,
        commit: head,
        requested_at: expect.stringMatching(/Z$/),
        started_at: expect.stringMatching(/Z$/),
        finished_at: expect.stringMatching(/Z$/),
        error: null,
      },
    ])
    expect((await findGraph(db, repo))?.commit).toBe(head)
    expect(await scene.request('carol', scanPath(repo))).toEqual({
      status: 403,
      body: { detail: 'Repo not connected or access denied' },
    })
    expect((await scene.request('alice', '/api/v1/memory/scan?repo=shop')).status).toBe(400)
    expect((await scene.request('alice', '/api/v1/memory/scan')).status).toBe(422)
  })

  it('notifies the live streams of people who see the repository', async () => {
    const repo = await scene.createRepositoryWith(files)
    const { cookie } = await scene.signIn('alice')
    using live = await followLive(scene.app.url, cookie, ['ready', 'repository', 'scan'])
    await scene.connect('alice', repo)
    await scene.waitForScan(repo)
    expect(await live.next()).toMatchObject({ type: 'repository' })
    const seen: string[] = []
    while (seen.at(-1) !== 'completed') {
      const { data } = await live.next()
      expect(data).toEqual({
        repo_name: repo,
        status: expect.any(String),
        step: expect.any(String),
        done: expect.any(Number),
        total: expect.any(Number),
      })
      seen.push((data as { status: string }).status)
    }
    expect([...new Set(seen)]).toEqual(['pending', 'processing', 'completed'])
  })

  it('scans an empty repository, and what is pushed to it later', async () => {
    const repo = await scene.createRepository()
    await scene.connect('alice', repo)
    await scene.waitForScan(repo)
    expect((await scanRow(repo))?.commitSha).toBeNull()
    await scene.forge.push(repo, 'main', files)
    await scene.rescan(repo)
    expect((await readGraphRows(db, repo)).files).toHaveLength(2)
  })

  it('deletes data of another repository that had the name', async () => {
    const repo = await scene.createScannedRepository(files)
    const map = `/api/v1/memory/project-map?repo=${encodeURIComponent(repo)}`
    const before = await findGraph(db, repo)
    await scene.disconnect('alice', repo)
    await scene.forge.removeRepository(repo)
    await scene.forge.createRepository(repo, { admins: ['bob'] })
    const held = holdScan(repo)
    await scene.connect('bob', repo)
    await held.arrived
    expect(await findGraph(db, repo)).toBeNull()
    expect(await db.selectFrom('memories').select('id').where('repo', '=', repo).execute()).toEqual(
      [],
    )
    expect((await scene.request('bob', map)).body).toEqual({ memories: [], count: 0 })
    held.release()
    await scene.waitForScan(repo)
    // A scan deletes rows that are no longer readable.
    const other = await scene.createScannedRepository(files)
    expect(await findGraph(db, other)).not.toBeNull()
    const left = await db
      .selectFrom('codeFiles')
      .select('id')
      .where('graphId', '=', before!.id)
      .execute()
    expect(left).toEqual([])
  })

  it('deletes data of another repository that nobody had connected', async () => {
    const repo = await scene.createRepositoryWith(files)
    await scene.rescan(repo)
    expect(await subjectsOf(repo)).toContain('src')
    await replaceRepository(repo)
    const held = holdScan(repo)
    await scene.connect('bob', repo)
    await held.arrived
    expect([await findGraph(db, repo), await subjectsOf(repo)]).toEqual([null, []])
    held.release()
    await scene.waitForScan(repo)
  })

  it('is not needed: a scan deletes the data of another repository too', async () => {
    const repo = await scene.createRepositoryWith(files)
    await scene.rescan(repo)
    await replaceRepository(repo)
    const held = holdScan(repo)
    const scanned = scene.rescan(repo)
    await held.arrived
    expect([await findGraph(db, repo), await subjectsOf(repo)]).toEqual([null, []])
    held.release()
    await scanned
    await scene.forge.push(repo, 'main', { 'other.ts': 'export const b = 1\n' })
    await scene.rescan(repo)
    expect((await readGraphRows(db, repo)).files.map(({ path }) => path)).toEqual(['other.ts'])
    // The graph stays while the repository is the same.
    const graph = await findGraph(db, repo)
    await scene.connect('bob', repo)
    await scene.waitForScan(repo)
    expect((await findGraph(db, repo))?.id).toBe(graph?.id)
  })

  it('builds profiles from reviews of the current repository of that name', async () => {
    const repo = await scene.createScannedRepository(files)
    const profile = async () =>
      (await scene.request('bob', `/api/v1/analytics/contributors?repo=${repo}`)).body.contributors
    await propose(repo)
    await scene.disconnect('alice', repo)
    await replaceRepository(repo)
    await scene.forge.push(repo, 'main', files)
    await scene.connect('bob', repo)
    await scene.waitForScan(repo)
    expect(await profile()).toEqual([])
    await propose(repo)
    await expect.poll(profile, { interval: 50 }).toMatchObject([{ username: 'alice', pr_count: 1 }])
    const [{ profile_summary: summary }] = await profile()
    expect(summary).toContain('1 reviewed pull request')
  })

  it('keeps data when a repository is disconnected and connected again', async () => {
    const repo = await scene.createScannedRepository(files)
    const known = await readGraphRows(db, repo)
    await scene.disconnect('alice', repo)
    expect(await readGraphRows(db, repo)).toEqual(known)
    await scene.connect('alice', repo)
    await scene.waitForScan(repo)
    expect(await readGraphRows(db, repo)).toEqual(known)
  })
})

describe('a rescan', () => {
  it('responds as specified, writes to the audit log and repairs the graph', async () => {
    const repo = await scene.createScannedRepository(files)
    await db.updateTable('codeFiles').set({ lines: 99 }).where('path', '=', 'README.md').execute()
    const request = await withCookie('alice')
    expect(await request(rescanPath(repo), 'POST')).toEqual({
      status: 200,
      body: { status: 'rescan_started', repo },
    })
    await scene.waitForScan(repo)
    const { files: rows } = await readGraphRows(db, repo)
    expect(rows.map(({ path, lines }) => [path, lines])).toEqual([
      ['README.md', 3],
      ['src/a.ts', 1],
    ])
    const audit = await scene.request('alice', '/api/v1/audit?limit=1')
    expect(audit.body.entries).toMatchObject([
      { action: 'repository_rescanned', subject: repo, login: 'alice' },
    ])
  })

  it('case 30: a hundred requests are one job, also during a scan', async () => {
    const repo = await scene.createRepositoryWith(files)
    const held = holdScan(repo)
    await scene.connect('alice', repo)
    await held.arrived
    const before = countScans(repo)
    const request = await withCookie('alice')
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => request(rescanPath(repo), 'POST')),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await scanRow(repo)).toMatchObject({ status: 'processing', wantedAgain: false })
    held.release()
    await scene.waitForScan(repo)
    expect(await findWorkItem(db, { kind: 'scan', repo, number: 0 })).toBeUndefined()
    expect(before).toEqual({ headRequests: 1, packs: 0 })
    // The head was requested and fetched as often as by one scan.
    expect(countScans(repo)).toEqual(countScans(await scene.createScannedRepository(files)))
  })

  it('case 30: a hundred requests for an idle repository are one job', async () => {
    const quiet = await startConnectScenario({ parts: { web: true, worker: false } })
    await using _quiet = quiet
    const repo = await quiet.createRepository()
    await quiet.connect('alice', repo)
    const { cookie } = await quiet.signIn('alice')
    const request = () =>
      fetch(`${quiet.app.url}${rescanPath(repo)}`, { method: 'POST', headers: cookie })
    const answers = await Promise.all(Array.from({ length: 100 }, request))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    const items = await quiet.app.db.selectFrom('workItems').select(['kind', 'repo']).execute()
    expect(items).toEqual([{ kind: 'scan', repo }])
    expect(await quiet.app.db.selectFrom('scans').select(['repo', 'status']).execute()).toEqual([
      { repo, status: 'pending' },
    ])
  })
})

describe('a merge', () => {
  it('starts a scan of the repository', async () => {
    const repo = await scene.createScannedRepository(files)
    await scene.forge.push(repo, 'topic', {
      'src/b.ts': "import { a } from './a.ts'\nexport const b = a\n",
    })
    const number = await scene.forge.openPullRequest({ repo, head: 'topic', author: 'alice' })
    const merged = await scene.forge.mergePullRequest(repo, number)
    await scene.forge.waitFor(() => scene.forge.deliveries.every(({ status }) => status !== null))
    await scene.waitForScan(repo)
    expect((await findGraph(db, repo))?.commit).toBe(merged)
    const { edges } = await readGraphRows(db, repo)
    expect(edges.map(({ source, target }) => [source, target])).toContainEqual([
      'src/b.ts',
      'src/a.ts',
    ])
  })

  it('describes the project if the scan before it could not', async () => {
    const repo = await scene.createScannedRepository(files)
    const { rows } = await sql<{ describedSha: string }>`
      update scans set described_sha = 'older' where repo = ${repo}
      returning described_sha`.execute(db)
    expect(rows).toHaveLength(1)
    await sql`delete from memories where repo = ${repo}`.execute(db)
    // A change this small does not lead to a new description.
    await scene.forge.push(repo, 'main', { 'src/a.ts': 'export const a = 2\n' })
    await scene.rescan(repo)
    const memories = await db
      .selectFrom('memories')
      .select('path')
      .where('repo', '=', repo)
      .execute()
    expect(memories.map(({ path }) => path)).toContain('src')
  })

  it('describes the project again unless only code changed that was known', async () => {
    const repo = await scene.createScannedRepository({ ...files, 'docs/guide.md': '# Guide\n' })
    const isDescribedAfter = async (change: Readonly<Record<string, string>>) => {
      await sql`delete from memories where repo = ${repo}`.execute(db)
      await scene.forge.push(repo, 'main', change)
      await scene.rescan(repo)
      const stored = db.selectFrom('memories').select('path').where('repo', '=', repo)
      return (await stored.execute()).some(({ path }) => path === 'src')
    }
    expect(await isDescribedAfter({ 'src/a.ts': 'export const a = 2\n' })).toBe(false)
    expect(await isDescribedAfter({ 'docs/guide.md': '# The guide\n' })).toBe(true)
    expect(await isDescribedAfter({ 'src/a.ts': 'export const a = 3\n' })).toBe(false)
    expect(await isDescribedAfter({ 'src/new.ts': 'export const b = 1\n' })).toBe(true)
  })

  it('starts another scan after the one that was running', async () => {
    const repo = await scene.createScannedRepository(files)
    const once = countScans(repo).headRequests
    await scene.forge.push(repo, 'topic', { 'src/c.ts': 'export const c = 1\n' })
    const number = await scene.forge.openPullRequest({ repo, head: 'topic', author: 'alice' })
    const held = holdScan(repo)
    const request = await withCookie('alice')
    await request(rescanPath(repo), 'POST')
    await held.arrived
    const merged = await scene.forge.mergePullRequest(repo, number)
    await scene.forge.waitFor(() => scene.forge.deliveries.every(({ status }) => status !== null))
    expect(await scanRow(repo)).toMatchObject({ status: 'processing', wantedAgain: true })
    held.release()
    await scene.waitForScan(repo)
    expect(countScans(repo).headRequests).toBe(3 * once)
    expect((await findGraph(db, repo))?.commit).toBe(merged)
  })
})

describe('the end of a scan', () => {
  it('case 65: is a failure with a reason after the last attempt; a rescan retries', async () => {
    const repo = await scene.createRepositoryWith(files)
    scene.forge.faults.add({ match: isHeadRequest(repo), action: replyWith(500, 'out of order') })
    await scene.connect('alice', repo)
    await scene.waitForScan(repo, 'failed')
    const { maxAttempts } = scene.app.app.context.config.review
    expect(await scanRow(repo)).toMatchObject({ errorCode: 'git_failed' })
    expect(countScans(repo).headRequests).toBe(maxAttempts)
    expect(await findWorkItem(db, { kind: 'scan', repo, number: 0 })).toBeUndefined()
    expect((await scene.request('alice', scanPath(repo))).body).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/^git ls-remote failed/),
    })
    scene.forge.faults.clear()
    const request = await withCookie('alice')
    await request(rescanPath(repo), 'POST')
    await scene.waitForScan(repo)
    expect((await scene.request('alice', scanPath(repo))).body).toMatchObject({
      status: 'completed',
      error: null,
    })
  })

  it('is silent when the repository was disconnected meanwhile', async () => {
    const repo = await scene.createScannedRepository(files)
    await scene.forge.push(repo, 'main', { 'src/a.ts': null })
    await scene.disconnect('alice', repo)
    await scene.rescan(repo)
    expect(await scanRow(repo)).toMatchObject({
      status: 'completed',
      errorCode: 'disconnected',
    })
    expect((await readGraphRows(db, repo)).files).toHaveLength(2)
  })
})

describe('a stop', () => {
  it('requeues a running scan, and the next start resumes it', async () => {
    const database = await createTestDatabase()
    const held = hold()
    const env = forgeEnvironment(scene.forge)
    let repo: string
    {
      await using app = await startTestApp({
        database,
        env: { ...env, SECRET_KEY: 'k'.repeat(32) },
      })
      const { bearer } = await signInWithToken(app, tokenOf('alice'))
      repo = await scene.createRepositoryWith(files)
      scene.forge.faults.add({ match: isHeadRequest(repo), action: held, times: 1 })
      await fetch(`${app.url}/api/v1/repos/${repo}/install`, { method: 'POST', headers: bearer })
      await held.arrived
    }
    {
      await using between = await openDatabase(database.config, silentLog)
      // The interrupted attempt does not count.
      expect(await findWorkItem(between.db, { kind: 'scan', repo, number: 0 })).toMatchObject({
        status: 'pending',
        attempts: 0,
      })
    }
    {
      await using app = await startTestApp({
        database,
        env: { ...env, SECRET_KEY: 'k'.repeat(32) },
      })
      await waitForScan(app.db, repo, 'completed')
      expect((await readGraphRows(app.db, repo)).files).toHaveLength(2)
    }
    held.release('drop')
    await database.dispose()
  })
})

describe('a kill', () => {
  it('case 58: during a first scan loses nothing that was read', async (context) => {
    context.skip(testEngine === 'embedded', 'only one process can open the embedded database')
    await using site = await createServiceStorage()
    const env = { ...forgeEnvironment(scene.forge), REVIEW_LEASE_SECONDS: '2' }
    await using database = await openDatabase(site.database, silentLog)
    const repo = await scene.createRepositoryWith(files)
    // Files cannot be written until the lock is released, but the code index can.
    const release = Promise.withResolvers<void>()
    const locked = Promise.withResolvers<void>()
    const lock = database.db.transaction().execute(async (tx) => {
      await sql`lock table code_files in share row exclusive mode`.execute(tx)
      locked.resolve()
      await release.promise
    })
    using _free = { [Symbol.dispose]: () => release.resolve() }
    await locked.promise
    {
      await using killed = await startUmpireProcess(site, { env })
      const { bearer } = await signInWithToken({ url: killed.url! }, tokenOf('alice'))
      await fetch(`${killed.url}/api/v1/repos/${repo}/install`, { method: 'POST', headers: bearer })
      await expect
        .poll(() => database.db.selectFrom('codeFacts').select('oid').execute(), {
          timeout: 30_000,
        })
        .toHaveLength(2)
      killed.signal('SIGKILL')
      await killed.exited
    }
    release.resolve()
    await lock
    expect(await findWorkItem(database.db, { kind: 'scan', repo, number: 0 })).toMatchObject({
      status: 'processing',
      attempts: 1,
    })
    // Reading the file again would overwrite this mark.
    await database.db
      .updateTable('codeFacts')
      .set({ lines: 77 })
      .where('grammar', '=', '')
      .execute()
    {
      await using next = await startUmpireProcess(site, { env })
      await waitForScan(database.db, repo, 'completed')
      next.signal('SIGTERM')
      await next.exited
    }
    const { files: rows } = await readGraphRows(database.db, repo)
    expect(rows.map(({ path, lines }) => [path, lines])).toEqual([
      ['README.md', 77],
      ['src/a.ts', 1],
    ])
  }, 120_000)
})

describe('readers', () => {
  it('see the old graph or the new one, never a mix', async () => {
    const version = (number: number) =>
      Object.fromEntries(
        Array.from({ length: 30 }, (_, index) => [
          `src/m${index}.ts`,
          `export const version_${number} = ${index}\n`,
        ]),
      )
    const repo = await scene.createScannedRepository(version(0))
    let isOver = false
    const seen = new Set<string>()
    const read = async () => {
      while (!isOver) {
        const state = await readInOneSnapshot(db, 5000, async (tx) => {
          const graph = await findGraph(tx, repo)
          const names = await sql<{ name: string; count: number }>`
            select name, count(*)::int as count from code_symbols
            where graph_id = ${graph!.id} group by name`.execute(tx)
          return names.rows.map(({ name, count }) => `${name} ${count}`).join()
        })
        seen.add(state)
      }
    }
    const reading = read()
    for (const number of [1, 2, 3]) {
      // Every other version adds a file, which rebuilds the whole graph.
      const more =
        number % 2 === 0 ? { [`src/more${number}.ts`]: `export const version_${number} = 0\n` } : {}
      const fewer: Record<string, null> = number === 3 ? { 'src/more2.ts': null } : {}
      await scene.forge.push(repo, 'main', { ...version(number), ...more, ...fewer })
      await scene.rescan(repo)
    }
    isOver = true
    await reading
    const whole = ['version_0 30', 'version_1 30', 'version_2 31', 'version_3 30']
    expect([...seen].filter((state) => !whole.includes(state))).toEqual([])
  })
})

describe('renames', () => {
  it('update memories about a file', async () => {
    const text = [
      'export function total(prices: number[]) {',
      '  return prices.reduce((sum, price) => sum + price, 0)',
      '}',
      '',
    ].join('\n')
    const repo = await scene.createScannedRepository({
      'src/old.ts': text,
      'src/other.ts': '// something else altogether\n',
    })
    const memory = {
      repo,
      memoryType: 'risk_module' as const,
      subject: 'src/old.ts',
      text: 'Breaks often.',
      path: 'src/old.ts',
      componentType: null,
      trust: 'derived' as const,
      provenance: toJson({ source: 'review' as const }),
      terms: [],
      weights: [],
    }
    await db.insertInto('memories').values(memory).execute()
    await scene.forge.push(repo, 'main', { 'src/old.ts': null, 'src/new.ts': text })
    await scene.rescan(repo)
    const moved = await db
      .selectFrom('memories')
      .select(['subject', 'path'])
      .where('repo', '=', repo)
      .where('memoryType', '=', 'risk_module')
      .execute()
    expect(moved).toEqual([{ subject: 'src/new.ts', path: 'src/new.ts' }])
  })
})

describe('with a layer turned off', () => {
  it.each([
    ['GRAPH=off', { GRAPH: 'off' }, { graphs: 0, memories: true, rescan: 200 }],
    ['MEMORY=off', { MEMORY: 'off' }, { graphs: 1, memories: false, rescan: 503 }],
  ])('%s skips its part', async (_name, env, expected) => {
    await using other = await startScanScenario({ env })
    const repo = await other.createScannedRepository(files)
    const graphs = await other.app.db.selectFrom('codeGraphs').select('id').execute()
    const memories = await other.app.db.selectFrom('memories').select('id').execute()
    expect({ graphs: graphs.length, memories: memories.length > 0 }).toEqual({
      graphs: expected.graphs,
      memories: expected.memories,
    })
    const { cookie } = await other.signIn('alice')
    const response = await fetch(`${other.app.url}${rescanPath(repo)}`, {
      method: 'POST',
      headers: cookie,
    })
    expect(response.status).toBe(expected.rescan)
  })

  it('turning layers on again scans what is missing at the next start', async () => {
    const database = await createTestDatabase()
    const env = { ...forgeEnvironment(scene.forge), SECRET_KEY: 'k'.repeat(32) }
    const connect = async (layers: Record<string, string>) => {
      await using app = await startTestApp({ database, env: { ...env, ...layers } })
      const { bearer } = await signInWithToken(app, tokenOf('alice'))
      const repo = await scene.createRepositoryWith(files)
      await fetch(`${app.url}/api/v1/repos/${repo}/install`, { method: 'POST', headers: bearer })
      if (layers.GRAPH !== 'off') await waitForScan(app.db, repo, 'completed')
      return repo
    }
    const repos = [await connect({ MEMORY: 'off' }), await connect({ MEMORY: 'off', GRAPH: 'off' })]
    await using app = await startTestApp({ database, env })
    for (const repo of repos) {
      await waitForScan(app.db, repo, 'completed')
      const memories = await app.db
        .selectFrom('memories')
        .select('path')
        .where('repo', '=', repo)
        .execute()
      expect(memories.map(({ path }) => path)).toContain('src')
      expect((await readGraphRows(app.db, repo)).files).toHaveLength(2)
    }
    await app[Symbol.asyncDispose]()
    await database.dispose()
  })

  it('MEMORY=off and GRAPH=off start no scan', async () => {
    await using other = await startConnectScenario({ env: { MEMORY: 'off', GRAPH: 'off' } })
    const repo = await other.createRepository()
    expect((await other.connect('alice', repo)).status).toBe(200)
    expect(await other.app.db.selectFrom('scans').select('repo').execute()).toEqual([])
    expect((await other.request('alice', scanPath(repo))).body).toMatchObject({
      status: 'none',
      requested_at: null,
    })
  })
})
