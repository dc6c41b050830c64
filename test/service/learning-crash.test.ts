// A worker that is killed between recording a review and learning from it: on each database engine.
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Db, openDatabase } from '../../src/db/database.ts'
import { lockMemories } from '../../src/knowledge/memory/save-memories.ts'
import type { Forge } from '../fakes/forge/forge.ts'
import { silentLog, testEngine } from '../fakes/test-database.ts'
import { forgeEnvironment, repo, startShopForge } from '../review-scenario.ts'
import { startTestApp, webhookSecret } from '../start-app.ts'
import {
  createServiceStorage,
  type ServiceStorage,
  startUmpireProcess,
  type UmpireProcess,
} from '../start-umpire-process.ts'

let forge: Forge
beforeAll(async () => {
  forge = await startShopForge()
})
afterAll(() => forge[Symbol.asyncDispose]())

const learnedLater = 'A review was learned from whose worker was lost'

const environment = () => ({
  ...forgeEnvironment(forge),
  REVIEW_LEASE_SECONDS: '2',
  MEMORY: 'on',
  GRAPH: 'on',
})

function listen(url: string | null): void {
  for (const hook of forge.webhooks(repo)) forge.removeWebhook(repo, hook.id)
  forge.addWebhook(repo, { url: `${url}/api/v1/webhooks/host`, secret: webhookSecret })
}

async function start(site: ServiceStorage): Promise<UmpireProcess> {
  const umpire = await startUmpireProcess(site, { env: environment() })
  listen(umpire.url)
  return umpire
}

async function propose(branch: string): Promise<void> {
  await forge.push(
    repo,
    branch,
    { [`src/${branch}.ts`]: 'export const one = 1\n' },
    { author: 'alice' },
  )
  await forge.openPullRequest({ repo, head: branch, author: 'alice' })
}

/** All that was ever remembered of alice, ended ones too. */
const ofAlice = (db: Db) =>
  db
    .selectFrom('memories')
    .select(['memory_type', 'text', 'ended_at'])
    .where('subject', '=', 'alice')
    .orderBy('memory_type')
    .execute()

const countUnlearned = async (db: Db) => {
  const { rows } = await sql<{
    n: number
  }>`select count(*) as n from workflow_runs where not is_learned`.execute(db)
  return rows[0]!.n
}

/** Brings a service to the moment after the record of a review and before learning from it, and kills it there. */
async function killBetween(site: ServiceStorage): Promise<void> {
  await using open = await openDatabase(site.database, silentLog)
  const umpire = await start(site)
  const [locked, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const locking = open.db.transaction().execute(async (tx) => {
    await lockMemories(tx, repo)
    locked.resolve()
    await over.promise
  })
  await locked.promise
  await propose('one')
  await expect.poll(() => countUnlearned(open.db), { timeout: 30_000 }).toBe(1)
  umpire.signal('SIGKILL')
  await umpire.exited
  over.resolve()
  await locking
  expect(await ofAlice(open.db)).toEqual([])
}

const once = [
  {
    memory_type: 'contributor_profile',
    text: expect.stringContaining('1 reviewed pull request'),
    ended_at: null,
  },
]

it('case 58: what was recorded and not learned is learned by the next worker, once', async (context) => {
  context.skip(
    testEngine === 'embedded',
    'nobody but the process itself can hold it up in its own database',
  )
  await using site = await createServiceStorage()
  await killBetween(site)
  {
    await using umpire = await start(site)
    await umpire.waitForLog(learnedLater)
    umpire.signal('SIGTERM')
    await umpire.exited
    expect(umpire.logLines(learnedLater)).toHaveLength(1)
  }
  await using open = await openDatabase(site.database, silentLog)
  expect(await ofAlice(open.db)).toEqual(once)
  expect(await countUnlearned(open.db)).toBe(0)
}, 120_000)

it('what such a kill leaves behind is found by workers that run', async () => {
  await using app = await startTestApp({ env: environment() })
  listen(app.url)
  await propose('two')
  await expect.poll(() => ofAlice(app.db), { timeout: 30_000 }).toEqual(once)
  // It is noted a moment later.
  await expect.poll(() => countUnlearned(app.db), { timeout: 30_000 }).toBe(0)
  await app.db.transaction().execute(async (tx) => {
    await sql`delete from memories where subject = 'alice'`.execute(tx)
    await sql`update workflow_runs set is_learned = false`.execute(tx)
  })
  await expect.poll(() => countUnlearned(app.db), { timeout: 30_000 }).toBe(0)
  expect(await ofAlice(app.db)).toEqual(once)
})
