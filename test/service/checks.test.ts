// Tests the check run of an App: what it shows, what people request at it, and the merge queue.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Db } from '../../src/db/database.ts'
import { toJson } from '../../src/db/sql-values.ts'
import { hold, replyWith } from '../fakes/forge/forge.ts'
import { createTestDatabase } from '../fakes/test-database.ts'
import { type InstalledScenario, slug, startInstalledScenario } from '../installed-app-scenario.ts'
import { forgeEnvironment } from '../review-scenario.ts'
import { startTestApp } from '../start-app.ts'

let scene: InstalledScenario
beforeAll(async () => {
  scene = await startInstalledScenario({ PLATFORM_TOKEN: '' })
})
afterAll(() => scene[Symbol.asyncDispose]())

const minor = 'export function start() {\n  debugger\n}\n'
const moderate = 'export const ports = { http: 80, admin: 81, http: 8080 }\n'

describe('the check run of a review', () => {
  it('shows the end, the summary and all findings on the head, and no status beside it', async () => {
    const reviewed = await scene.review({ 'src/ports.ts': moderate, 'src/start.ts': minor })
    const { repo, number, sha } = reviewed
    const { comments, statuses } = scene.forge.pullRequest(repo, number)
    const check = scene.checkOf(reviewed)
    expect(check).toMatchObject({
      ...{ name: 'umpire/review', app: slug, status: 'completed', conclusion: 'failure' },
      title: expect.stringMatching(/^Needs a person: 1 moderate, 1 minor/),
      summary: comments[0]!.body,
      detailsUrl: expect.stringContaining(`#issuecomment-${comments[0]!.id}`),
    })
    expect(check.annotations).toMatchObject([
      { path: 'src/ports.ts', start_line: 1, annotation_level: 'warning' },
      { path: 'src/start.ts', start_line: 2, annotation_level: 'notice' },
    ])
    expect(check.actions).toMatchObject([
      { label: 'Review again', identifier: 'review' },
      { label: 'Dismiss all minor', identifier: 'dismiss_minor' },
    ])
    expect(statuses[sha] ?? []).toEqual([])
    // It was in progress before.
    expect(check.edits).toBeGreaterThan(0)
  })

  it('passes where nothing is to be said, and has no button to dismiss then', async () => {
    const check = scene.checkOf(await scene.review({ 'src/other.ts': 'export const a = 1\n' }))
    expect(check).toMatchObject({ conclusion: 'success', annotations: [] })
    expect(check.actions.map(({ identifier }) => identifier)).toEqual(['review'])
  })

  it('is neutral for an end that the settings of the base branch let pass', async () => {
    const settings = 'gate: [changes_requested, incomplete, skipped]\n'
    const check = scene.checkOf(await scene.review({ 'src/ports.ts': moderate }, { settings }))
    expect(check).toMatchObject({
      conclusion: 'neutral',
      title: expect.stringMatching(/^Needs a person, which this repository lets pass/),
    })
  })

  it('requires an action where the review failed', async () => {
    const refusal = { message: 'Resource not accessible by integration' }
    scene.forge.faults.add({
      match: ({ method, path }) => method === 'POST' && /\/issues\/\d+\/comments$/.test(path),
      times: 1,
      action: replyWith(403, refusal),
    })
    expect(scene.checkOf(await scene.review({ 'src/start.ts': minor }))).toMatchObject({
      ...{ status: 'completed', conclusion: 'action_required', annotations: [] },
      title: expect.stringMatching(/^Review failed: /),
      actions: [{ identifier: 'review' }],
    })
  })
})

it('stores no delivery about a check that requests nothing', async () => {
  const { repo } = await scene.review({ 'src/start.ts': minor })
  const stored = await scene.app.db
    .selectFrom('events')
    .select('eventType')
    .where('repo', '=', repo)
    .execute()
  expect(scene.forge.deliveries.map(({ event }) => event)).toContain('check_run')
  expect(stored.map(({ eventType }) => eventType)).toContain('pull_request.opened')
  expect(stored.map(({ eventType }) => eventType).join(' ')).not.toContain('check_')
})

describe('a request at the check', () => {
  it('reviews again on "Re-run", with one check run and no annotation twice', async () => {
    const reviewed = await scene.review({ 'src/start.ts': minor })
    const { repo, sha } = reviewed
    const before = scene.checkOf(reviewed)
    // Carol never connected the repository, and may write to it.
    scene.forge.rerunCheck(repo, before.id, 'carol')
    await scene.settled()
    expect(await scene.runsOf(reviewed)).toMatchObject([
      { status: 'completed' },
      { status: 'completed' },
    ])
    expect(scene.checkOf(reviewed)).toMatchObject({ id: before.id, conclusion: before.conclusion })
    expect(scene.checkOf(reviewed).annotations).toEqual(before.annotations)
    await scene.forge.rerunAllChecks(repo, sha, slug, 'carol')
    await scene.settled()
    expect(await scene.runsOf(reviewed)).toHaveLength(3)
    scene.forge.pressCheckButton(repo, before.id, 'review', 'carol')
    await scene.settled()
    expect(await scene.runsOf(reviewed)).toHaveLength(4)
    expect(await scene.auditOf(reviewed)).toEqual([
      { login: 'carol', action: 'review_retried' },
      { login: 'carol', action: 'review_retried' },
      { login: 'carol', action: 'review_retried' },
    ])
  })

  it('dismisses all minor findings in the name of the sender, and decides again', async () => {
    const files = { 'src/ports.ts': moderate, 'src/start.ts': minor, 'src/stop.ts': minor }
    const reviewed = await scene.review(files)
    const { repo, number } = reviewed
    scene.forge.pressCheckButton(repo, scene.checkOf(reviewed).id, 'dismiss_minor', 'carol')
    await scene.settled()
    const { db } = scene.app
    const dismissals = await db
      .selectFrom('dismissals')
      .select(['login', 'via', 'reason', 'kind'])
      .where('repo', '=', repo)
      .execute()
    const dismissal = { login: 'carol', via: 'api', reason: 'Dismissed from the check', kind: null }
    expect(dismissals).toEqual([dismissal, dismissal])
    const check = scene.checkOf(reviewed)
    expect(check).toMatchObject({
      conclusion: 'failure',
      title: expect.stringMatching(/1 moderate/),
    })
    expect(check.title).not.toMatch(/minor/)
    expect(check.summary).toMatch(/Dismissed by `carol`: 2 minor/)
    expect(check.actions.map(({ identifier }) => identifier)).toEqual(['review'])
    expect(scene.forge.pullRequest(repo, number).comments[0]!.body).toBe(check.summary)
    expect(await scene.auditOf(reviewed)).toEqual([
      { login: 'carol', action: 'finding_dismissed' },
      { login: 'carol', action: 'finding_dismissed' },
    ])
  })

  it('reviews on "Re-run", also while a run is under way that ends skipped', async () => {
    const { forge } = scene
    const { repo, number } = await scene.review({ 'src/other.ts': 'export const a = 1\n' })
    forge.comment(repo, number, 'carol', `@${slug} pause`)
    await scene.settled()
    const held = hold()
    forge.faults.add({
      match: ({ path }) => path.includes(repo) && path.includes('/contents/'),
      times: 1,
      action: held,
    })
    const sha = await forge.push(repo, 'topic', { 'src/other.ts': 'export const a = 2\n' })
    await held.arrived
    await forge.rerunAllChecks(repo, sha, slug, 'carol')
    const reviewed = { repo, number, sha }
    const requests = async () =>
      (await scene.auditOf(reviewed)).filter(({ action }) => action === 'review_retried')
    await expect.poll(requests).toHaveLength(1)
    held.release()
    await scene.settled()
    expect(scene.checkOf(reviewed)).toMatchObject({ conclusion: 'success' })
  })

  it('is refused and recorded where the sender may not write any more', async () => {
    const reviewed = await scene.review({ 'src/start.ts': minor })
    const { repo } = reviewed
    const { id } = scene.checkOf(reviewed)
    scene.forge.faults.add({
      match: ({ path }) => path.endsWith(`/repos/${repo}/collaborators/carol/permission`),
      times: 2,
      action: replyWith(200, { permission: 'read', user: null, role_name: 'read' }),
    })
    scene.forge.pressCheckButton(repo, id, 'dismiss_minor', 'carol')
    scene.forge.pressCheckButton(repo, id, 'review', 'carol')
    await scene.settled()
    expect(await scene.runsOf(reviewed)).toHaveLength(1)
    const refused = { login: 'carol', action: 'request_refused' }
    expect(await scene.auditOf(reviewed)).toEqual([refused, refused])
    expect(scene.checkOf(reviewed).actions).toHaveLength(2)
  })

  it('is answered later where the platform fails, and once if it is delivered twice', async () => {
    const reviewed = await scene.review({ 'src/start.ts': minor })
    const { repo } = reviewed
    scene.forge.faults.add({
      match: ({ path }) => path.endsWith(`/repos/${repo}/collaborators/carol/permission`),
      times: 2,
      action: replyWith(502, { message: 'Bad gateway' }),
    })
    scene.forge.rerunCheck(repo, scene.checkOf(reviewed).id, 'carol')
    await scene.settled()
    expect(await scene.runsOf(reviewed)).toHaveLength(2)
    const { id } = scene.forge.deliveries.findLast(({ action }) => action === 'rerequested')!
    await scene.forge.redeliver(id)
    await scene.settled()
    expect(await scene.runsOf(reviewed)).toHaveLength(2)
  })

  it("is read from deliveries to the App alone, not to a repository's webhook", async () => {
    const reviewed = await scene.review({ 'src/start.ts': minor })
    const { repo } = reviewed
    scene.forge.rerunCheck(repo, scene.checkOf(reviewed).id, 'carol')
    await scene.settled()
    const runs = await scene.runsOf(reviewed)
    const { payload } = scene.forge.deliveries.findLast(({ action }) => action === 'rerequested')!
    const answer = await scene.app.deliver(payload, { event: 'check_run' })
    expect(answer).toMatchObject({ status: 200, body: { event_type: 'check_run.rerequested' } })
    await scene.settled()
    expect(await scene.runsOf(reviewed)).toEqual(runs)
  })

  it('does nothing at a commit that is not the head any more', async () => {
    const reviewed = await scene.review({ 'src/start.ts': minor })
    const { repo, number } = reviewed
    const { id } = scene.checkOf(reviewed)
    const sha = await scene.forge.push(repo, 'topic', { 'src/start.ts': 'export const a = 1\n' })
    await scene.settled()
    expect(scene.checkOf({ repo, sha })).toMatchObject({ conclusion: 'success' })
    const runs = await scene.runsOf(reviewed)
    scene.forge.rerunCheck(repo, id, 'alice')
    await scene.settled()
    expect(await scene.runsOf(reviewed)).toEqual(runs)
    expect(await scene.auditOf({ repo, number, sha })).toEqual([])
  })
})

describe('the merge queue', () => {
  it('gets the verdict of the head that a group was made of', async () => {
    const [passed, blocked] = [
      await scene.review({ 'src/other.ts': 'export const a = 1\n' }),
      await scene.review({ 'src/ports.ts': moderate }),
    ]
    for (const { repo } of [passed, blocked])
      scene.forge.requireChecks(repo, 'main', ['umpire/review'])
    const { forge } = scene
    const group = await forge.enqueue(passed.repo, passed.number, 'alice')
    await scene.settled()
    expect(scene.checkOf({ repo: passed.repo, sha: group })).toMatchObject({
      ...{ name: 'umpire/review', status: 'completed', conclusion: 'success' },
      title: `Passed: the review of #${passed.number} at ${passed.sha.slice(0, 7)}`,
      ...{ annotations: [], actions: [] },
    })
    expect(await forge.settleMergeGroup(passed.repo, group, 'alice')).toBe(true)

    const other = await forge.enqueue(blocked.repo, blocked.number, 'alice')
    await scene.settled()
    expect(scene.checkOf({ repo: blocked.repo, sha: other })).toMatchObject({
      conclusion: 'failure',
    })
    expect(await forge.settleMergeGroup(blocked.repo, other, 'alice')).toBe(false)
  })

  it('gets an incomplete check where only an earlier head was reviewed', async () => {
    const { forge } = scene
    const { repo, number } = await scene.review({ 'src/other.ts': 'export const a = 1\n' })
    forge.faults.add({
      match: ({ method, path }) => method === 'PATCH' && /\/issues\/comments\/\d+$/.test(path),
      times: 1,
      action: replyWith(403, { message: 'Resource not accessible by integration' }),
    })
    const sha = await forge.push(repo, 'topic', { 'src/ports.ts': moderate })
    await scene.settled()
    expect(scene.checkOf({ repo, sha }).title).toMatch(/^Review failed/)
    const group = await forge.enqueue(repo, number, 'alice')
    await scene.settled()
    expect(scene.checkOf({ repo, sha: group })).toMatchObject({
      conclusion: 'action_required',
      title: `Incomplete: no review of #${number} at ${sha.slice(0, 7)}`,
    })
  })

  const skipping = 'gate: [changes_requested, incomplete]\nreviews: { start: on_request }\n'

  it('waits for a review that is under way', async () => {
    const { forge } = scene
    const { repo, number } = await scene.review({ 'src/other.ts': 'export const a = 1\n' })
    const held = hold()
    const remove = forge.faults.add({
      match: ({ path }) => path.includes(repo) && path.includes('/compare/'),
      action: held,
    })
    await forge.push(repo, 'topic', { 'src/ports.ts': moderate })
    await held.arrived
    const group = await forge.enqueue(repo, number, 'alice')
    const findCheck = () => forge.checkRuns(repo, group)[0]
    await forge.waitFor(() => findCheck()?.status === 'in_progress')
    remove()
    held.release()
    await scene.settled()
    expect(scene.checkOf({ repo, sha: group })).toMatchObject({
      status: 'completed',
      conclusion: 'failure',
      title: expect.stringMatching(/^Needs a person: the review of #/),
    })
  })

  it('follows what the review of the head ends with later', async () => {
    const { forge } = scene
    const reviewed = await scene.review({ 'src/start.ts': minor, 'src/ports.ts': moderate })
    const { repo, number } = reviewed
    const group = await forge.enqueue(repo, number, 'alice')
    await scene.settled()
    expect(scene.checkOf({ repo, sha: group })).toMatchObject({ conclusion: 'failure' })
    const blocking = forge
      .pullRequest(repo, number)
      .inlineComments.find(({ path }) => path === 'src/ports.ts')!
    forge.resolveThread(repo, number, blocking.id, 'carol')
    forge.pressCheckButton(repo, scene.checkOf(reviewed).id, 'dismiss_minor', 'carol')
    await scene.settled()
    expect(scene.checkOf(reviewed)).toMatchObject({ conclusion: 'success' })
    expect(scene.checkOf({ repo, sha: group })).toMatchObject({ conclusion: 'success' })
  })

  it('has the head reviewed again by "Re-run" at the commit of a group', async () => {
    const { forge } = scene
    const reviewed = await scene.review({ 'src/other.ts': 'export const a = 1\n' })
    const { repo, number } = reviewed
    const group = await forge.enqueue(repo, number, 'alice')
    await scene.settled()
    forge.rerunCheck(repo, scene.checkOf({ repo, sha: group }).id, 'carol')
    await scene.settled()
    expect(await scene.runsOf(reviewed)).toHaveLength(2)
    expect(await scene.auditOf(reviewed)).toEqual([{ login: 'carol', action: 'review_retried' }])
    expect(scene.checkOf({ repo, sha: group })).toMatchObject({ conclusion: 'success' })
  })

  it('gets the end of a head that the settings skip', async () => {
    const { forge } = scene
    const reviewed = await scene.review(
      { 'src/other.ts': 'export const a = 1\n' },
      { settings: skipping },
    )
    expect(scene.checkOf(reviewed)).toMatchObject({ conclusion: 'neutral' })
    const { repo, number } = reviewed
    const group = await forge.enqueue(repo, number, 'alice')
    await scene.settled()
    expect(scene.checkOf({ repo, sha: group })).toMatchObject({
      conclusion: 'neutral',
      title: `Skipped: the review of #${number} at ${reviewed.sha.slice(0, 7)}`,
    })
  })

  it('gets an incomplete check where the latest review of the head failed', async () => {
    const { forge } = scene
    const reviewed = await scene.review({ 'src/other.ts': 'export const a = 1\n' })
    const { repo, number } = reviewed
    const group = await forge.enqueue(repo, number, 'alice')
    await scene.settled()
    expect(scene.checkOf({ repo, sha: group })).toMatchObject({ conclusion: 'success' })
    const remove = forge.faults.add({
      match: ({ path }) => path.includes(repo) && path.includes('/compare/'),
      action: replyWith(403, { message: 'Resource not accessible by integration' }),
    })
    forge.rerunCheck(repo, scene.checkOf(reviewed).id, 'carol')
    await scene.settled()
    remove()
    expect(scene.checkOf({ repo, sha: group })).toMatchObject({ conclusion: 'action_required' })
  })

  it('gets an incomplete check where the head has no review', async () => {
    const { forge } = scene
    const repo = await scene.createRepository()
    await forge.push(repo, 'main', { 'README.md': `# ${repo}\n` }, { author: 'alice' })
    await forge.push(repo, 'topic', { 'src/a.ts': 'export const a = 1\n' }, { author: 'alice' })
    const number = await forge.openPullRequest({ repo, head: 'topic', author: 'alice' })
    scene.install(repo)
    const group = await forge.enqueue(repo, number, 'alice')
    await scene.settled()
    expect(scene.checkOf({ repo, sha: group })).toMatchObject({
      conclusion: 'action_required',
      title: expect.stringMatching(/^Incomplete: no review of #/),
    })
  })
})

it('requests are deleted two weeks after they were answered', async () => {
  const database = await createTestDatabase()
  const env = forgeEnvironment(scene.forge)
  {
    await using receiver = await startTestApp({
      database,
      env,
      parts: { web: true, worker: false },
    })
    await insertRequests(receiver.db)
  }
  await using worker = await startTestApp({ database, env })
  const left = async () => {
    const found = await worker.db.selectFrom('platformRequests').select('deliveryId').execute()
    return found.map(({ deliveryId }) => deliveryId).sort()
  }
  await expect.poll(left).toEqual(['recent', 'waiting'])
})

async function insertRequests(db: Db): Promise<void> {
  const request = toJson({ kind: 'merge_group', headSha: 'a'.repeat(40), number: 1 } as const)
  const row = { source: 'github', repo: 'acme/gone', request }
  const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 60 * 60_000)
  const saved = await db
    .insertInto('platformRequests')
    .values([
      { ...row, deliveryId: 'answered', createdAt: daysAgo(15) },
      { ...row, deliveryId: 'waiting', createdAt: daysAgo(15) },
      { ...row, deliveryId: 'recent', createdAt: daysAgo(13) },
    ])
    .returning(['id', 'deliveryId'])
    .execute()
  const { id: number } = saved.find(({ deliveryId }) => deliveryId === 'waiting')!
  await db
    .insertInto('workItems')
    .values({ kind: 'request', repo: 'acme/gone', number, dueAt: daysAgo(-1) })
    .execute()
}
