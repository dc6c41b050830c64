// Leases: work is held for as long as somebody does it, whatever fails, however often workers are lost, and however clocks move.
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Db } from '../../src/db/database.ts'
import { testEngine } from '../fakes/test-database.ts'
import { ownWords, repo, runsOf, type Scenario, startScenario } from '../review-scenario.ts'

let scenario: Scenario
beforeAll(async () => {
  // A short lease makes the look for stranded reviews frequent.
  scenario = await startScenario({ env: { REVIEW_LEASE_SECONDS: '2' } })
})
afterAll(() => scenario[Symbol.asyncDispose]())
afterEach(() => scenario.forge.faults.clear())

const leak = (letter: string) => `export const key = 'sk_${'live'}_51Hq2eKLmV9wXyZ8rT4uBnC7dPfGjA3s${letter}'\n`

/** Polls until `read` gives something. */
async function waitFor<T>(what: string, read: () => Promise<T | undefined | false>): Promise<T> {
  const deadline = performance.now() + 30_000
  for (;;) {
    const value = await read()
    if (value) return value
    if (performance.now() > deadline) throw new Error(`Waited in vain for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Ends the connection of whoever waits for a lock on `table`; undefined where nobody does. */
async function cutWaiting(db: Db, table: string): Promise<true | undefined> {
  const { rows } = await sql`
    select pg_terminate_backend(pid) from pg_locks
    where relation = ${table}::regclass and not granted`.execute(db)
  return rows.length > 0 || undefined
}

describe('a connection that is cut', () => {
  it('a review whose first query fails is taken up again, and not held for ever', async (context) => {
    context.skip(testEngine === 'embedded', 'the embedded database has no connections that can be cut')
    const { app } = scenario
    const opening = app.db.transaction().execute(async (tx) => {
      await sql`lock table model_spend in access exclusive mode`.execute(tx)
      const number = await scenario.openPullRequest({ 'src/cut.ts': leak('a') }, { branch: 'cut' })
      await waitFor('the first query of the review', () => cutWaiting(tx, 'model_spend'))
      return number
    })
    const number = await opening
    await scenario.settled()
    expect(await runsOf(app, number)).toMatchObject([{ status: 'completed', fence: 2, lease_until: null }])
    expect(ownWords(scenario.forge.pullRequest(repo, number)).summaries).toHaveLength(1)
  })
})
