// Tests that all processes together write no faster than the platform accepts.
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Db, type OpenDatabase, openDatabase } from '../../src/db/database.ts'
import { createPlatform } from '../../src/platforms/index.ts'
import type { Platform } from '../../src/platforms/platform.ts'
import type { WritePacer } from '../../src/platforms/write-pacer.ts'
import { createWritePacer } from '../../src/work/write-budgets.ts'
import { type Forge, replyWith, startForge } from '../fakes/forge/forge.ts'
import { createTestDatabase, silentLog, type TestDatabase } from '../fakes/test-database.ts'

const repo = 'octo/hello'
const access = { repo, token: 'token-octo' }
const log = { debug() {}, warn() {} }
const unlimited = { perMinute: 0, noticesPerHour: 0 }

let forge: Forge
let number: number
let database: TestDatabase
/** Two processes; both are the same where only one can have the database open. */
let processes: readonly [OpenDatabase, OpenDatabase]

beforeEach(async () => {
  forge = await startForge()
  forge.createUser('octo', { token: access.token })
  await forge.createRepository(repo)
  await forge.push(repo, 'main', { 'a.txt': 'one\n' })
  await forge.push(repo, 'change', { 'a.txt': 'two\n' })
  number = await forge.openPullRequest({ repo, author: 'octo', head: 'change', title: 'Change' })
  database = await createTestDatabase()
  const first = await openDatabase(database.config, silentLog)
  processes = [first, first.exclusive ? first : await openDatabase(database.config, silentLog)]
})
afterEach(async () => {
  await Promise.all([...new Set(processes)].map((one) => one.close()))
  await Promise.all([database.dispose(), forge[Symbol.asyncDispose]()])
})

function createProcess(writePacer?: WritePacer): Platform {
  const { url, apiUrl } = forge
  const config = { id: 'github', url, apiUrl, oauth: null, userAgent: 'umpire-test' } as const
  return createPlatform(config, writePacer === undefined ? {} : { writePacer })
}

/** Posts summaries, each of which is a new comment. */
async function postSummaries(platform: Platform, name: string, count: number): Promise<void> {
  for (let index = 0; index < count; index++) await postSummary(platform, `${name} ${index}`)
}

function postSummary(platform: Platform, name: string, beforeWrite = async () => {}) {
  const marker = `<!-- ${name} -->`
  return platform.ensureReview(access, {
    number,
    headSha: '0'.repeat(40),
    summary: { marker, body: `${marker} Summary`, url: null },
    comments: [],
    updateOnly: [],
    formerMarkers: [],
    postedUrls: [],
    decision: null,
    beforeWrite,
  })
}

const refusals = () => forge.requests.filter(({ status }) => status === 403).length
const posted = () => forge.pullRequest(repo, number).comments.length

/** Lets time pass for the forge and for what the database stores. */
async function letTimePass(db: Db, milliseconds: number): Promise<void> {
  forge.shiftClock(milliseconds)
  const passed = sql`make_interval(secs => ${milliseconds / 1000})`
  await sql`
    update write_budgets set
      writes_full_at = writes_full_at - ${passed}, notices_full_at = notices_full_at - ${passed},
      next_write_at = next_write_at - ${passed}, refused_until = refused_until - ${passed}`.execute(
    db,
  )
}

/** A clock for some workers, which goes ahead to the next end of a wait when all of them wait. */
function createClock(db: Db, workers: number) {
  let [now, working] = [0, workers]
  const waits: { until: number; end: () => void }[] = []
  async function passIfAllWait(): Promise<void> {
    if (waits.length === 0 || waits.length < working) return
    waits.sort((one, other) => one.until - other.until)
    const { until, end } = waits.shift()!
    await letTimePass(db, until - now)
    now = until
    end()
  }
  return {
    elapsedMs: () => now,
    async delay(milliseconds: number): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>()
      waits.push({ until: now + milliseconds, end: resolve })
      await passIfAllWait()
      await promise
    },
    async run(work: () => Promise<void>): Promise<void> {
      await work()
      working -= 1
      await passIfAllWait()
    },
  }
}

it('two processes together never reach the limits of the platform', async () => {
  Object.assign(forge.secondaryLimit, { perMinute: 10, perHour: 60 })
  const clock = createClock(processes[0].db, 2)
  const limits = { perMinute: 8, noticesPerHour: 50 }
  const work = processes.map(({ db }, index) => {
    const platform = createProcess(createWritePacer({ db, log }, limits, clock.delay))
    return clock.run(() => postSummaries(platform, `Process ${index}`, 35))
  })
  await Promise.all(work)
  expect([posted(), refusals()]).toEqual([70, 0])
  // The platform itself would have accepted them no faster.
  expect(clock.elapsedMs()).toBeGreaterThan(10 * 60_000)
})

it('two processes reach the limits without the budget', async () => {
  Object.assign(forge.secondaryLimit, { perMinute: 10, perHour: 60 })
  const work = [0, 1].map((index) => postSummaries(createProcess(), `Process ${index}`, 6))
  const results = await Promise.allSettled(work)
  expect(results.map(({ status }) => status)).toContain('rejected')
  expect([posted(), refusals() > 0]).toEqual([10, true])
})

it('a write costs one statement while the platform accepts it at once', async () => {
  const { db } = processes[0]
  const statements: string[] = []
  const counted = db.withPlugin({
    transformQuery({ node }) {
      statements.push(node.kind)
      return node
    },
    transformResult: async ({ result }) => result,
  })
  const limits = { perMinute: 80, noticesPerHour: 500 }
  const pacer = createWritePacer({ db: counted, log }, limits)
  const write = { account: 'token x', repository: repo, notifies: true }
  await pacer.waitForTurn(write, undefined)
  statements.length = 0
  await pacer.waitForTurn(write, undefined)
  expect(statements).toEqual(['RawNode'])
})

it('a refusal stops the writes of all processes, and no reads', async () => {
  const waits: number[] = []
  const delay = async (milliseconds: number) => {
    waits.push(milliseconds)
    await letTimePass(processes[1].db, milliseconds)
  }
  const [first, second] = processes.map(({ db }) =>
    createProcess(createWritePacer({ db, log }, unlimited, delay)),
  ) as [Platform, Platform]
  const message = 'You have exceeded a secondary rate limit.'
  const refuse = (seconds: number) =>
    forge.faults.add({
      match: ({ method }) => method === 'POST',
      times: 1,
      action: replyWith(403, { message }, { 'retry-after': String(seconds) }),
    })
  refuse(30)
  await expect(postSummary(first, 'first')).rejects.toMatchObject({ retryAfterMs: 30_000 })
  await second.getPullRequest(access, number)
  expect(waits).toEqual([])
  await postSummary(second, 'second')
  expect(waits).toEqual([expect.closeTo(30_000, -4)])

  refuse(3000)
  await expect(postSummary(first, 'first')).rejects.toThrow()
  const error = { code: 'platform_rate_limited', retryAfterMs: expect.closeTo(3_000_000, -5) }
  await expect(postSummary(second, 'third')).rejects.toMatchObject(error)
  await second.getPullRequest(access, number)
  expect([waits.length, posted()]).toEqual([1, 1])
})

it('a refusal for a short time does not end one for a longer time', async () => {
  const { db } = processes[0]
  const delay = (milliseconds: number) => letTimePass(db, milliseconds)
  const pacer = createWritePacer({ db, log }, unlimited, delay)
  await pacer.recordRefusal('token x', 3_600_000)
  // The platform refused a write that was under way too, and named no time.
  await pacer.recordRefusal('token x', 60_000)
  const write = { account: 'token x', repository: repo, notifies: false }
  await expect(pacer.waitForTurn(write, undefined)).rejects.toMatchObject({
    code: 'platform_rate_limited',
    retryAfterMs: expect.closeTo(3_600_000, -5),
  })
})

it('checks whether it may still write after it waited', async () => {
  const order: string[] = []
  const { db } = processes[0]
  const delay = async (milliseconds: number) => {
    order.push('wait')
    await letTimePass(db, milliseconds)
  }
  const limits = { perMinute: 4, noticesPerHour: 0 }
  const platform = createProcess(createWritePacer({ db, log }, limits, delay))
  const check = async () => void order.push('check')
  await postSummary(platform, 'one', check)
  await postSummary(platform, 'two', check)
  expect(order).toEqual(['check', 'wait', 'check'])
})

it('the repositories of an account take turns', async () => {
  const { db } = processes[0]
  const limits = { perMinute: 4, noticesPerHour: 0 }
  const delay = (milliseconds: number) => letTimePass(db, milliseconds)
  const pacer = createWritePacer({ db, log }, limits, delay)
  const order: string[] = []
  const write = async (repository: string) => {
    await pacer.waitForTurn({ account: 'token x', repository, notifies: true }, undefined)
    order.push(repository)
  }
  const busy = Array.from({ length: 5 }, () => write('octo/busy'))
  await Promise.all([...busy, write('octo/calm')])
  expect(order.indexOf('octo/calm')).toBeLessThan(2)
})

it('an aborted write stops waiting with the reason of its signal', async () => {
  const { db } = processes[0]
  const pacer = createWritePacer({ db, log }, { perMinute: 4, noticesPerHour: 0 })
  const write = { account: 'token x', repository: repo, notifies: true }
  await pacer.waitForTurn(write, undefined)
  const lost = new AbortController()
  const waiting = [1, 2].map(() => pacer.waitForTurn(write, lost.signal))
  lost.abort(new Error('The lease is lost'))
  const results = await Promise.allSettled(waiting)
  const reason = expect.objectContaining({ message: 'The lease is lost' })
  expect(results).toEqual([1, 2].map(() => ({ status: 'rejected', reason })))
})

it.each([
  { perMinute: 60, noticesPerHour: 400 },
  // A worker that was killed right after its write leaves its row behind.
  unlimited,
])('a database clock that was set back holds no writes up: %o', async (limits) => {
  const { db } = processes[0]
  const waits: number[] = []
  const delay = async (milliseconds: number) => void waits.push(milliseconds)
  const pacer = createWritePacer({ db, log }, limits, delay)
  const write = { account: 'token x', repository: repo, notifies: true }
  const future = sql<Date>`now() + interval '1 hour'`
  const times = { writesFullAt: future, noticesFullAt: future, nextWriteAt: future }
  await db
    .insertInto('writeBudgets')
    .values({ account: 'token x', ...times })
    .execute()
  await pacer.waitForTurn(write, undefined)
  expect(waits).toEqual([])
})

it('a write that notifies nobody does not wait behind those that wait for their budget', async () => {
  const { db } = processes[0]
  const waiting = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  const delay = async () => {
    waiting.resolve()
    await end.promise
  }
  // After three comments, the fourth has to wait for minutes.
  const pacer = createWritePacer({ db, log }, { perMinute: 60, noticesPerHour: 12 }, delay)
  const write = (repository: string, notifies: boolean) =>
    pacer.waitForTurn({ account: 'app umpire octo', repository, notifies }, undefined)
  for (let index = 0; index < 3; index++) await write('octo/busy', true)
  const comment = write('octo/busy', true)
  await waiting.promise
  await write('octo/calm', false)
  const isWaiting = Symbol('waiting')
  expect(await Promise.race([comment, Promise.resolve(isWaiting)])).toBe(isWaiting)
  end.resolve()
  await comment
})
