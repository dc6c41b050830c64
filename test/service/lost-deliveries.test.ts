// Tests what makes up for lost deliveries: comparisons with the platform, and redelivery.
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Db, openDatabase } from '../../src/db/database.ts'
import { claimAppRedelivery } from '../../src/events/failed-deliveries.ts'
import { claimReconciliations } from '../../src/events/reconciliations.ts'
import { createKeyRing, seal } from '../../src/lib/key-ring.ts'
import { reconcileRepositories } from '../../src/workflows/reconcile-repositories.ts'
import { redeliverToApp } from '../../src/workflows/redeliver-failed.ts'
import { replyWith } from '../fakes/forge/forge.ts'
import { createTestDatabase, silentLog } from '../fakes/test-database.ts'
import {
  type InstalledScenario,
  type Reviewed,
  startInstalledScenario,
} from '../installed-app-scenario.ts'

let scene: InstalledScenario
beforeAll(async () => {
  // The tests start each look themselves, so those of the worker come late.
  scene = await startInstalledScenario({ REVIEW_LEASE_SECONDS: '600' })
})
afterAll(() => scene[Symbol.asyncDispose]())
afterEach(() => scene.forge.faults.clear())

const clean = { 'src/a.ts': 'export const a = 1\n' }
const signal = () => AbortSignal.timeout(30_000)

/** Compares all repositories with the platform now. */
async function reconcile(): Promise<void> {
  const { app } = scene.app
  await app.context.db
    .updateTable('reconciliations')
    .set({ dueAt: new Date(0) })
    .execute()
  await reconcileRepositories(app.context, signal())
  await arrived()
}

/** Looks at the failed deliveries to the App now. */
async function redeliver(): Promise<void> {
  const { app } = scene.app
  await app.context.db
    .updateTable('platformApps')
    .set({ redeliveryDueAt: new Date(0) })
    .execute()
  await redeliverToApp(app.context, signal())
  await arrived()
}

/** Waits until all deliveries that were asked for again were sent, and nothing is left to do. */
async function arrived(): Promise<void> {
  const { forge } = scene
  const asked = forge.requests.filter(
    ({ path, status }) => path.endsWith('/attempts') && status === 202,
  ).length
  const isSent = () =>
    forge.deliveries.reduce((sum, { attempts }) => sum + attempts.length - 1, 0) - byHand === asked
  await forge.waitFor(isSent)
  await scene.settled()
  // Outside production, those to webhooks of repositories aren't verified, and are only counted.
  const answered = forge.deliveries.filter(
    ({ status, installationId }) => status === 200 && installationId !== null,
  )
  const missing = async () => {
    const recorded = await recordedDeliveries()
    return answered.filter(({ guid }) => !recorded.has(guid)).length
  }
  await expect.poll(missing).toBe(0)
}

async function recordedDeliveries(): Promise<Set<string | null>> {
  const { db } = scene.app
  const events = await db.selectFrom('events').select('deliveryId').execute()
  const unused = await db.selectFrom('unusedDeliveries').select('deliveryId').execute()
  return new Set([...events, ...unused].map(({ deliveryId }) => deliveryId))
}

/** Attempts that nobody asked for through the API. */
let byHand = 0

/** Loses all deliveries about what `act` does. */
async function lose<T>(act: () => T | Promise<T>): Promise<T> {
  scene.forge.faultyDeliveries({ seed: 1, drop: 1 })
  try {
    return await act()
  } finally {
    scene.forge.faultyDeliveries(null)
  }
}

/** Creates a repository with a branch for a pull request. */
async function createRepository({ isInstalled = true } = {}): Promise<string> {
  const repo = await scene.createRepository()
  await scene.forge.push(repo, 'main', { 'README.md': `# ${repo}\n` }, { author: 'alice' })
  if (isInstalled) {
    scene.install(repo)
    await scene.settled()
  }
  return repo
}

async function open(
  repo: string,
  { branch = 'topic', ...options }: { draft?: boolean; branch?: string } = {},
): Promise<Reviewed> {
  const sha = await scene.forge.push(repo, branch, clean, { author: 'alice', message: branch })
  const head = { repo, head: branch, author: 'alice' }
  const number = await scene.forge.openPullRequest({ ...head, ...options })
  return { repo, number, sha }
}

const eventsOf = ({ repo, number }: Reviewed) =>
  scene.app.db
    .selectFrom('events')
    .select(['eventType', 'deliveryId', 'status'])
    .where('repo', '=', repo)
    .where('prNumber', '=', number)
    .orderBy('id')
    .execute()

const isReconciled = (id: string | null) => id?.startsWith('reconciled:')

const event = (action: string, change: string) => ({
  eventType: `pull_request.${action}`,
  deliveryId: `reconciled:${change}`,
  status: 'completed',
})

const stateOf = async ({ repo, number }: Reviewed) =>
  (
    await scene.app.db
      .selectFrom('pullRequests')
      .select('state')
      .where('repo', '=', repo)
      .where('number', '=', number)
      .executeTakeFirst()
  )?.state

describe('a comparison with the platform', () => {
  it('reviews a pull request and a push whose deliveries were lost, once each', async () => {
    const { forge } = scene
    const repo = await createRepository()
    const opened = await lose(() => open(repo))
    await scene.settled()
    expect(scene.checksOf(opened)).toEqual([])
    await reconcile()
    expect(scene.checkOf(opened)).toMatchObject({ conclusion: 'success' })
    const sha = await lose(() => forge.push(repo, 'topic', { 'src/a.ts': 'export const a = 2\n' }))
    await reconcile()
    await reconcile()
    expect(scene.checkOf({ repo, sha })).toMatchObject({ conclusion: 'success' })
    expect(await eventsOf(opened)).toEqual([
      {
        eventType: 'pull_request.opened',
        deliveryId: `reconciled:${opened.sha}:main`,
        status: 'completed',
      },
      {
        eventType: 'pull_request.synchronize',
        deliveryId: `reconciled:${sha}:main`,
        status: 'completed',
      },
    ])
    expect(await scene.runsOf(opened)).toHaveLength(2)
    expect(forge.pullRequest(repo, opened.number).comments).toHaveLength(1)
  })

  it('does not repeat the review when the delivery arrives after all', async () => {
    const { forge } = scene
    const repo = await createRepository()
    const opened = await lose(() => open(repo))
    await reconcile()
    const { guid } = forge.deliveries.findLast(({ action }) => action === 'opened')!
    await forge.redeliver(guid)
    byHand += 1
    await scene.settled()
    const [review] = await scene.app.db
      .selectFrom('pullRequests')
      .innerJoin('workflowRuns', 'workflowRuns.id', 'reviewedRunId')
      .select(['startedAt', 'publishedUrl'])
      .where('pullRequests.repo', '=', repo)
      .execute()
    expect(review).toMatchObject({ publishedUrl: expect.any(String) })
    expect(forge.pullRequest(repo, opened.number).comments).toHaveLength(1)
    expect(scene.checkOf(opened)).toMatchObject({ conclusion: 'success' })
  })

  it('does not review what was open before the repository was connected, until a push', async () => {
    const { forge } = scene
    const repo = await createRepository({ isInstalled: false })
    const yesterday = new Date(Date.now() - 86_400_000)
    const sha = await forge.push(repo, 'topic', clean, { author: 'alice', date: yesterday })
    const number = await forge.openPullRequest({ repo, head: 'topic', author: 'alice' })
    const old = { repo, number, sha }
    // The platform's times have whole seconds.
    await scene.app.db
      .updateTable('installations')
      .set({ createdAt: new Date(Date.now() + 2000) })
      .where('repoFullName', '=', repo)
      .execute()
    scene.install(repo)
    await scene.settled()
    await scene.app.db
      .updateTable('installations')
      .set({ createdAt: new Date(Date.now() + 2000) })
      .where('repoFullName', '=', repo)
      .execute()
    forge.addLabel(repo, number, 'help wanted', 'alice')
    await scene.settled()
    await reconcile()
    expect(scene.checksOf(old)).toEqual([])
    expect(await scene.runsOf(old)).toEqual([])
    const pushed = await lose(() =>
      forge.push(repo, 'topic', { 'src/a.ts': 'export const a = 2\n' }, { author: 'alice' }),
    )
    await reconcile()
    expect(scene.checkOf({ repo, sha: pushed })).toMatchObject({ conclusion: 'success' })
  })

  it('finds out that pull requests were closed, merged and reopened', async () => {
    const { forge } = scene
    const repo = await createRepository()
    const reviewed = await open(repo)
    await scene.settled()
    await lose(() => forge.closePullRequest(repo, reviewed.number))
    await reconcile()
    expect(await stateOf(reviewed)).toBe('closed')
    await lose(() => forge.reopenPullRequest(repo, reviewed.number))
    await reconcile()
    expect(await stateOf(reviewed)).toBe('open')
    await lose(() => forge.mergePullRequest(repo, reviewed.number))
    await reconcile()
    expect(await stateOf(reviewed)).toBe('merged')
    expect(await scene.runsOf(reviewed)).toHaveLength(1)
  })

  it('respects that drafts and pauses skip, and finds a draft that became ready', async () => {
    const { forge } = scene
    const repo = await createRepository()
    await forge.push(repo, 'main', { '.umpire.yml': 'reviews: { drafts: skip }\n' })
    const draft = await lose(() => open(repo, { draft: true }))
    await reconcile()
    expect(scene.checkOf(draft)).toMatchObject({ conclusion: 'action_required' })
    expect(forge.pullRequest(repo, draft.number).comments).toEqual([])
    await lose(() => forge.markReadyForReview(repo, draft.number))
    await reconcile()
    expect(scene.checkOf(draft)).toMatchObject({ conclusion: 'success' })
    await reconcile()
    expect((await eventsOf(draft)).map(({ eventType }) => eventType)).toEqual([
      'pull_request.opened',
      'pull_request.ready_for_review',
    ])
  })

  it('finds a lost change although a later delivery arrived that requests nothing', async () => {
    const { forge } = scene
    const settings = 'reviews: { drafts: skip }\n'
    const draft = await scene.review(clean, { settings, draft: true })
    const { repo, number, sha } = draft
    await lose(() => forge.markReadyForReview(repo, number))
    forge.addLabel(repo, number, 'docs', 'carol')
    await scene.settled()
    await reconcile()
    expect(scene.checkOf(draft)).toMatchObject({ conclusion: 'success' })
    await lose(() => forge.editPullRequest(repo, number, { title: 'Another title' }))
    forge.addLabel(repo, number, 'tests', 'carol')
    await scene.settled()
    await reconcile()
    await reconcile()
    expect((await eventsOf(draft)).filter(({ deliveryId }) => isReconciled(deliveryId))).toEqual([
      event('ready_for_review', `${sha}:main`),
      event('edited', `${sha}:main`),
    ])
  })

  it('finds another base branch, and the former one again', async () => {
    const { forge } = scene
    const reviewed = await scene.review(clean)
    const { repo, number, sha } = reviewed
    await forge.push(repo, 'next', { 'src/b.ts': 'export const b = 1\n' }, { author: 'alice' })
    for (const base of ['next', 'main', 'next']) {
      await lose(() => forge.editPullRequest(repo, number, { base }))
      forge.addLabel(repo, number, `for ${base}`, 'carol')
      await scene.settled()
      for (let round = 0; round < 2; round++) await reconcile()
    }
    expect((await eventsOf(reviewed)).filter(({ deliveryId }) => isReconciled(deliveryId))).toEqual(
      [
        event('edited', `${sha}:next`),
        event('edited', `${sha}:main`),
        event('edited', `${sha}:next`),
      ],
    )
    expect(await scene.runsOf(reviewed)).toHaveLength(4)
  })

  it('finds another base branch without the App, whose deliveries request no review', async () => {
    const { forge } = scene
    const repo = await createRepository({ isInstalled: false })
    expect(await scene.connect('alice', repo)).toMatchObject({ status: 200 })
    const opened = await open(repo)
    await scene.settled()
    await forge.push(repo, 'next', { 'src/b.ts': 'export const b = 1\n' }, { author: 'alice' })
    await forge.editPullRequest(repo, opened.number, { base: 'next' })
    await scene.settled()
    expect(await scene.runsOf(opened)).toHaveLength(1)
    await reconcile()
    await reconcile()
    expect(await scene.runsOf(opened)).toHaveLength(2)
    expect((await eventsOf(opened)).at(-1)).toEqual(event('edited', `${opened.sha}:next`))
  })

  it('does not take a failed review for a lost delivery, but reviews the next head', async () => {
    const { forge } = scene
    const failing = [
      { method: 'POST', pattern: /\/issues\/\d+\/comments$/ },
      // It fails before it shows that it began.
      { method: 'GET', pattern: /\/contents\// },
    ]
    for (const { method, pattern } of failing) {
      const repo = await createRepository()
      const reply = replyWith(403, { message: 'Resource not accessible by integration' })
      const isFailing = (one: { method: string; path: string }) =>
        one.method === method && one.path.includes(repo) && pattern.test(one.path)
      forge.faults.add({ match: isFailing, action: reply })
      const opened = await open(repo)
      await scene.settled()
      expect(await scene.runsOf(opened)).toMatchObject([{ status: 'failed' }])
      forge.faults.clear()
      for (let round = 0; round < 2; round++) await reconcile()
      expect(await scene.runsOf(opened)).toHaveLength(1)
      await lose(() => forge.push(repo, 'topic', { 'src/a.ts': 'export const a = 2\n' }))
      await reconcile()
      expect(await scene.runsOf(opened)).toMatchObject([{}, { status: 'completed' }])
    }
  })

  it('makes up for other pull requests if one cannot be read, and gives it up in a day', async () => {
    const { forge } = scene
    const repo = await createRepository()
    await scene.app.db
      .updateTable('installations')
      .set({ createdAt: new Date(Date.now() - 48 * 3600_000) })
      .where('repoFullName', '=', repo)
      .execute()
    const openEarlier = async (branch: string, hours: number) => {
      forge.shiftClock(-hours * 3600_000)
      const opened = await lose(() => open(repo, { branch }))
      forge.shiftClock(hours * 3600_000)
      return opened
    }
    const old = await openEarlier('old', 25)
    const readable = await openEarlier('readable', 3)
    const failing = await openEarlier('failing', 2)
    const newest = await openEarlier('newest', 0)
    const isOf = (reviewed: Reviewed) => (one: { method: string; path: string }) =>
      one.method === 'GET' && one.path.endsWith(`/repos/${repo}/pulls/${reviewed.number}`)
    for (const one of [old, failing])
      forge.faults.add({ match: isOf(one), action: replyWith(500, { message: 'Error' }) })
    const gone = { match: isOf(newest), action: replyWith(404, { message: 'Not Found' }) }
    forge.faults.add(gone)
    await reconcile()
    expect(scene.checkOf(readable)).toMatchObject({ conclusion: 'success' })
    const seen = forge.requests.length
    await reconcile()
    const requests = forge.requests.slice(seen)
    expect([old, failing].map((one) => requests.some(isOf(one)))).toEqual([false, true])
    forge.faults.clear()
    await reconcile()
    expect(scene.checkOf(failing)).toMatchObject({ conclusion: 'success' })
  })

  it('asks the platform only for what changed since the last one', async () => {
    const { forge } = scene
    await reconcile()
    const seen = forge.requests.length
    await reconcile()
    const requests = forge.requests.slice(seen).map(({ method, path }) => `${method} ${path}`)
    const lists = requests.filter((line) => line.endsWith('/pulls'))
    expect(new Set(lists).size).toBe(lists.length)
    expect(requests.filter((line) => /\/pulls\/\d+/.test(line))).toEqual([])
  })
})

describe('failed deliveries', () => {
  it('to the App are asked for again, until they arrive', async () => {
    const { forge } = scene
    const settings = 'reviews: { start: on_request }\n'
    const skipped = await scene.review(clean, { settings })
    await lose(() => forge.addLabel(skipped.repo, skipped.number, 'umpire-review', 'carol'))
    await redeliver()
    expect(scene.checkOf(skipped)).toMatchObject({ conclusion: 'success' })
    const labeled = forge.deliveries.findLast(({ action }) => action === 'labeled')!
    expect(labeled.attempts.map(({ status }) => status)).toEqual([0, 200])
    const before = forge.deliveries.flatMap(({ attempts }) => attempts).length
    await redeliver()
    expect(forge.deliveries.flatMap(({ attempts }) => attempts)).toHaveLength(before)
  })

  it('are not asked for again if they arrived, were refused, or failed four times', async () => {
    const { forge } = scene
    const repo = await createRepository()
    const reviewed = await open(repo)
    await scene.settled()
    const arrived = forge.deliveries.findLast(({ action }) => action === 'opened')!
    // Its answer was lost on the way.
    const answered = arrived.attempts as { status: number }[]
    answered[0] = { ...answered[0]!, status: 0 }
    const failing = await lose(async () => {
      forge.addLabel(repo, reviewed.number, 'one', 'carol')
      return forge.deliveries.at(-1)!
    })
    const attempts = failing.attempts as { id: number }[]
    for (const more of [1, 2, 3]) attempts.push({ ...attempts[0]!, id: 1e9 + more })
    byHand += 3
    await redeliver()
    expect(arrived.attempts).toHaveLength(1)
    expect(failing.attempts).toHaveLength(4)
  })

  it('are asked for again although more than a thousand attempts failed since', async () => {
    const { forge } = scene
    const { repo, number } = await scene.review(clean)
    const lost = await lose(async () => {
      forge.addLabel(repo, number, 'one', 'carol')
      return forge.deliveries.at(-1)!
    })
    const failing = await lose(async () => {
      forge.addLabel(repo, number, 'two', 'carol')
      return forge.deliveries.at(-1)!
    })
    const attempts = failing.attempts as { id: number }[]
    for (let more = 1; more <= 1000; more++) attempts.push({ ...attempts[0]!, id: 2e9 + more })
    byHand += 1000
    await redeliver()
    expect(lost.attempts.map(({ status }) => status)).toEqual([0, 200])
  })

  it('are asked for again although the platform refuses to send others', async () => {
    const { forge } = scene
    const { repo, number } = await scene.review(clean)
    const [refused, unavailable, later] = await lose(async () =>
      ['one', 'two', 'three'].map((label) => {
        forge.addLabel(repo, number, label, 'carol')
        forge.shiftClock(2000)
        return forge.deliveries.at(-1)!
      }),
    )
    const fail = ({ id }: { id: number }, status: number) =>
      forge.faults.add({
        match: ({ path }) => path.endsWith(`/app/hook/deliveries/${id}/attempts`),
        action: replyWith(status, { message: 'Error' }),
      })
    fail(refused!, 422)
    fail(unavailable!, 500)
    await redeliver()
    expect(later!.attempts.map(({ status }) => status)).toEqual([0, 200])
    forge.faults.clear()
    await redeliver()
    expect(unavailable!.attempts.map(({ status }) => status)).toEqual([0, 200])
  })

  it('are asked for again that arrived while the secret key was missing', async () => {
    const { forge } = scene
    const { db } = scene.app
    const reviewed = await scene.review(clean)
    const app = db.selectFrom('platformApps').select('encryptedSecrets')
    const { encryptedSecrets } = await app.executeTakeFirstOrThrow()
    const otherKeys = createKeyRing('another key of more than 32 characters', [])
    const sealed = seal(otherKeys, '{}', 'app of github')
    await db.updateTable('platformApps').set({ encryptedSecrets: sealed }).execute()
    forge.addLabel(reviewed.repo, reviewed.number, 'one', 'carol')
    await scene.settled()
    const refused = forge.deliveries.at(-1)!
    expect(refused.status).toBe(503)
    expect((await fetch(`${scene.app.url}/readyz`)).status).toBe(503)
    await redeliver()
    await db.updateTable('platformApps').set({ encryptedSecrets }).execute()
    await redeliver()
    expect(refused.attempts.map(({ status }) => status)).toEqual([503, 200])
    expect((await fetch(`${scene.app.url}/readyz`)).status).toBe(200)
  })

  it("to a person's webhook are asked for again with that person's token", async () => {
    const { forge } = scene
    const repo = await createRepository({ isInstalled: false })
    expect(await scene.connect('alice', repo)).toMatchObject({ status: 200 })
    const opened = await lose(() => open(repo))
    await lose(() => forge.openIssue(repo, { title: 'A question', author: 'carol' }))
    await reconcile()
    const issue = forge.deliveries.findLast(({ event }) => event === 'issues')!
    expect(issue.attempts.map(({ status }) => status)).toEqual([0, 200])
    expect(await scene.runsOf(opened)).toHaveLength(1)
  })
})

describe('two processes', () => {
  it('make each comparison and each look at failed deliveries once', async (test) => {
    const database = await createTestDatabase()
    test.onTestFinished(() => database.dispose())
    await using first = await openDatabase(database.config, silentLog)
    if (first.exclusive) return test.skip('Only one process can have this database open.')
    await using second = await openDatabase(database.config, silentLog)
    await sql`
      with person as (
        insert into users (platform, platform_user_id, login) values ('github', '1', 'alice')
        returning id)
      insert into installations (user_id, repo_full_name, webhook_id, webhook_secret, is_active)
      select id, 'acme/shop', 1, ${'a'.repeat(64)}, true from person`.execute(first.db)
    await sql`
      insert into platform_apps (source, app_id, slug, name, owner, html_url, client_id,
        encrypted_secrets) values ('github', '1', 'a', 'a', 'a', '', '', '')`.execute(first.db)
    const claim = async (db: Db) => ({
      comparisons: await claimReconciliations(db, { limit: 50, everySeconds: 300 }),
      look: await claimAppRedelivery(db, 'github', 300),
    })
    const claims = await first.db.transaction().execute(async (tx) => {
      // This process began its statement a moment earlier, and is overtaken.
      await sql`select now()`.execute(tx)
      return [await claim(second.db), await claim(tx)]
    })
    expect(claims).toMatchObject([
      { comparisons: [{ repo: 'acme/shop' }], look: { redeliveredUntil: null } },
      { comparisons: [], look: undefined },
    ])
  })
})
