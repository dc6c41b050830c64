// Tests a worker killed between storing a review and updating memory, on each database engine.
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

const learnedLater = 'The memory was updated for a review whose worker was lost'

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

/** All memories about alice, including ended ones. */
const ofAlice = (db: Db) =>
  db
    .selectFrom('memories')
    .select(['memoryType', 'text', 'endedAt'])
    .where('subject', '=', 'alice')
    .orderBy('memoryType')
    .execute()

const countUnlearned = async (db: Db) => {
  const { rows } = await sql<{
    n: number
  }>`select count(*) as n from workflow_runs where not is_learned`.execute(db)
  return rows[0]!.n
}

/** Kills a service after it stored a review and before it updated memory from it. */
async function killBeforeLearning(site: ServiceStorage): Promise<void> {
  await using open = await openDatabase(site.database, silentLog)
  const umpire = await start(site)
  const [locked, killed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const locking = open.db.transaction().execute(async (tx) => {
    await lockMemories(tx, repo)
    locked.resolve()
    await killed.promise
  })
  await locked.promise
  await propose('one')
  await expect.poll(() => countUnlearned(open.db)).toBe(1)
  umpire.signal('SIGKILL')
  await umpire.exited
  killed.resolve()
  await locking
  expect(await ofAlice(open.db)).toEqual([])
}

const once = [
  {
    memoryType: 'contributor_profile',
    text: expect.stringContaining('1 reviewed pull request'),
    endedAt: null,
  },
]

it('case 58: updates memory exactly once by the next worker', async (context) => {
  context.skip(testEngine === 'embedded', 'no other process can lock the embedded database')
  await using site = await createServiceStorage()
  await killBeforeLearning(site)
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

it('updates memory from unlearned runs while the worker runs', async () => {
  await using app = await startTestApp({ env: environment() })
  listen(app.url)
  await propose('two')
  await expect.poll(() => ofAlice(app.db)).toEqual(once)
  // The run is marked as learned a moment later.
  await expect.poll(() => countUnlearned(app.db)).toBe(0)
  await app.db.transaction().execute(async (tx) => {
    await sql`delete from memories where subject = 'alice'`.execute(tx)
    await sql`update workflow_runs set is_learned = false`.execute(tx)
  })
  await expect.poll(() => countUnlearned(app.db)).toBe(0)
  expect(await ofAlice(app.db)).toEqual(once)
})
