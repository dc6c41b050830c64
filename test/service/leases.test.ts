// Tests leases of runs after lost workers, cut connections and clock changes.
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Db } from '../../src/db/database.ts'
import { requeueRun } from '../../src/work/runs.ts'
import { claimReview, claimWork, findWorkItem } from '../claim-work.ts'
import { hold, replyWith, type SeenRequest } from '../fakes/forge/forge.ts'
import { hourMs, stepDatabaseClockBack } from '../fakes/step-database-clock-back.ts'
import { createTestDatabase, testEngine } from '../fakes/test-database.ts'
import {
  forgeEnvironment,
  ownComments,
  repo,
  runsOf,
  type Scenario,
  startScenario,
  waitUntilSettled,
} from '../review-scenario.ts'
import { pullRequestPayload, startTestApp } from '../start-app.ts'

let scenario: Scenario
/** How far the platform's clock is ahead of the database's. */
let aheadMs = 0
beforeAll(async () => {
  // With a short lease the worker looks for stranded reviews often.
  scenario = await startScenario({
    env: { REVIEW_LEASE_SECONDS: '2' },
    clock: () => new Date(Date.now() + aheadMs),
  })
})
afterAll(() => scenario[Symbol.asyncDispose]())
afterEach(() => scenario.forge.faults.clear())

const leak = (letter: string) =>
  `export const key = 'sk_${'live'}_51Hq2eKLmV9wXyZ8rT4uBnC7dPfGjA3s${letter}'\n`

/** Polls until `read` returns a truthy value. */
async function waitFor<T>(what: string, read: () => Promise<T | undefined | false>): Promise<T> {
  const deadline = performance.now() + 30_000
  for (;;) {
    const value = await read()
    if (value) return value
    if (performance.now() > deadline) throw new Error(`Waited in vain for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Ends connections that wait for a lock on `table`. Returns undefined if there is none. */
async function cutWaitingConnections(db: Db, table: string): Promise<true | undefined> {
  const { rows } = await sql`
    select pg_terminate_backend(pid) from pg_locks
    where relation = ${table}::regclass and not granted`.execute(db)
  return rows.length > 0 || undefined
}

/** Moves the clock of the database back, so that stored times are in the future. */
async function stepBack(db: Db): Promise<void> {
  aheadMs += hourMs
  await stepDatabaseClockBack(db)
}

describe('a clock that goes back', () => {
  it('case 62: does not delay reviews of earlier and later deliveries', async () => {
    const database = await createTestDatabase()
    const env = {
      ...forgeEnvironment(scenario.forge),
      MEMORY: 'off',
      GRAPH: 'off',
      REVIEW_LEASE_SECONDS: '2',
    }
    {
      await using receiver = await startTestApp({
        database,
        env,
        parts: { web: true, worker: false },
      })
      for (const number of [901, 902])
        await receiver.deliver(pullRequestPayload({ repo: 'acme/gone', number }))
      await stepBack(receiver.db)
    }
    {
      await using app = await startTestApp({ database, env })
      await waitUntilSettled(app)
      await app.deliver(
        pullRequestPayload({ repo: 'acme/gone', number: 901, action: 'synchronize' }),
      )
      await waitUntilSettled(app)
      expect((await app.events()).map(({ status }) => status)).toEqual([
        'failed',
        'failed',
        'failed',
      ])
    }
    await database.dispose()
  })

  it('case 62: does not extend the lease of a dead worker or a retry delay', async () => {
    const database = await createTestDatabase()
    const env = {
      ...forgeEnvironment(scenario.forge),
      MEMORY: 'off',
      GRAPH: 'off',
      REVIEW_LEASE_SECONDS: '2',
    }
    const [held, waiting] = [
      { repo: 'acme/gone', number: 903 } as const,
      { repo: 'acme/gone', number: 904 } as const,
    ]
    {
      await using receiver = await startTestApp({
        database,
        env,
        parts: { web: true, worker: false },
      })
      const { db } = receiver
      for (const { repo, number } of [held, waiting])
        await receiver.deliver(pullRequestPayload({ repo, number }))
      const options = { worker: 'dead', leaseSeconds: 2 }
      await claimReview(db, held, options)
      const run = await claimReview(db, waiting, options)
      await db
        .transaction()
        .execute((tx) => requeueRun(tx, run, { delaySeconds: 2, countsAsAttempt: true }))
      await stepBack(db)
    }
    {
      await using app = await startTestApp({ database, env })
      await waitUntilSettled(app)
    }
    await database.dispose()
  })

  it('case 62: does not lose a push that was skipped as a duplicate', async () => {
    const { forge, app } = scenario
    const number = await scenario.openPullRequest(
      { 'src/ahead.ts': leak('b') },
      { branch: 'ahead' },
    )
    await scenario.waitUntilSettled()
    const held = hold()
    const isVerdict = (request: SeenRequest) =>
      request.path.includes('/statuses/') && request.body.includes('failure')
    forge.faults.add({ match: isVerdict, times: 1, action: held })
    await forge.push(repo, 'ahead', { 'src/ahead.ts': leak('c') }, { author: 'alice' })
    await held.arrived
    await stepBack(app.db)
    const head = await forge.push(repo, 'ahead', { 'src/ahead.ts': leak('d') }, { author: 'alice' })
    const { attempts } = await forge.waitForDelivery((one) => one.payload.after === head)
    expect(attempts.map(({ responseBody }) => JSON.parse(responseBody).status)).toEqual([
      'duplicate_skipped',
    ])
    held.release()
    await scenario.waitUntilSettled()
    expect((await runsOf(app, number)).at(-1)).toMatchObject({
      status: 'completed',
      headSha: head,
    })
  })
})

describe('lost workers', () => {
  it('case 58: count neither as failed attempts nor for the retry delay', async () => {
    const { forge } = scenario
    const number = await scenario.openPullRequest({ 'src/lost.ts': leak('e') }, { branch: 'lost' })
    await scenario.waitUntilSettled()
    const database = await createTestDatabase()
    const limits = {
      REVIEW_MAX_ATTEMPTS: '2',
      REVIEW_RETRY_SECONDS: '2',
      REVIEW_LEASE_SECONDS: '2',
    }
    const env = { ...forgeEnvironment(forge), MEMORY: 'off', GRAPH: 'off', ...limits }
    {
      await using receiver = await startTestApp({
        database,
        env,
        parts: { web: true, worker: false },
      })
      await receiver.deliver(pullRequestPayload({ repo, number }))
      for (const worker of ['one', 'two', 'three']) {
        const options = { worker, leaseSeconds: 0 }
        await claimWork(receiver.db, { kind: 'review', repo, number }, options)
      }
    }
    forge.faults.add({
      match: ({ path }) => path.includes('/compare/'),
      times: 1,
      action: replyWith(502),
    })
    {
      await using app = await startTestApp({ database, env })
      const waiting = await waitFor('the failed attempt', async () => {
        const item = await findWorkItem(app.db, { kind: 'review', repo, number })
        return item?.status === 'pending' && item.error !== null && item
      })
      expect(waiting.losses).toBe(3)
      expect(Number(waiting.dueAt) - Number(waiting.scheduledAt)).toBe(2000)
      await waitUntilSettled(app)
      expect(await runsOf(app, number)).toMatchObject([
        { status: 'completed', attempts: 5, error: null },
      ])
    }
    await database.dispose()
  })
})

describe('a connection that is cut', () => {
  it('does not strand a review whose first query fails', async (context) => {
    context.skip(
      testEngine === 'embedded',
      'the embedded database has no connections that can be cut',
    )
    const { app } = scenario
    const opening = app.db.transaction().execute(async (tx) => {
      await sql`lock table model_reservations in access exclusive mode`.execute(tx)
      const number = await scenario.openPullRequest({ 'src/cut.ts': leak('a') }, { branch: 'cut' })
      await waitFor('the first query of the review', () =>
        cutWaitingConnections(tx, 'model_reservations'),
      )
      return number
    })
    const number = await opening
    await scenario.waitUntilSettled()
    expect(await runsOf(app, number)).toMatchObject([{ status: 'completed', attempts: 2 }])
    expect(ownComments(scenario.forge.pullRequest(repo, number)).summaries).toHaveLength(1)
  })
})
