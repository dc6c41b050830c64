// Tests the App of a deployment: its creation, its installations, its deliveries and its reviews.
import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { readAppWebhookSecrets } from '../../src/accounts/webhook-secrets.ts'
import type { Config } from '../../src/context.ts'
import { checkApp } from '../../src/workflows/diagnose/check-app.ts'
import { readDatabaseFacts } from '../../src/workflows/diagnose/database-facts.ts'
import { syncAppInstallations } from '../../src/workflows/sync-app-installations.ts'
import { createAppAtForge, requestWithCookie } from '../app-scenario.ts'
import { type ConnectScenario, startConnectScenario, tokenOf } from '../connect-scenario.ts'
import { hold, replyWith } from '../fakes/forge/forge.ts'
import { waitUntilSettled } from '../review-scenario.ts'
import { type SignedInUser, signInWithToken } from '../sign-in.ts'
import { sign } from '../start-app.ts'

let scene: ConnectScenario
let root: SignedInUser
beforeAll(async () => {
  // Deliveries to the App are signed in every environment.
  const env = { APP_ENV: 'development', MEMORY: 'on', GRAPH: 'off', PLATFORM_TOKEN: '' }
  scene = await startConnectScenario({ env })
  root = await signInWithToken(scene.app, tokenOf('root'))
  await scene.createRepository()
})
afterAll(() => scene[Symbol.asyncDispose]())
afterEach(async () => {
  if (!isCreated) return
  for (const { id } of scene.forge.installations(slug)) scene.forge.uninstallApp(id)
  await answered()
})

const ask = (path: string, init?: Parameters<typeof requestWithCookie>[3]) =>
  requestWithCookie(scene.app, root, path, init)

/** The slug of the App that the tests create for the organization. */
const slug = 'umpire-acme'
const bot = `${slug}[bot]`
let isCreated = false

async function ensureApp(): Promise<void> {
  if ((await ask('/api/v1/app')).body.app !== null) return
  const options = { organization: 'acme', as: 'alice' }
  const back = await createAppAtForge(scene.forge, scene.app, root, options)
  expect(await ask(back)).toMatchObject({
    status: 302,
    location: '/settings?tab=set-up&app=created',
  })
}

async function answered(): Promise<void> {
  const { forge } = scene
  await forge.waitFor(() => forge.deliveries.every(({ status }) => status !== null))
}

/** Installs the App in repositories and waits for the answer to the delivery. */
async function install(repositories: readonly string[], by = 'alice'): Promise<number> {
  await ensureApp()
  isCreated = true
  const id = scene.forge.installApp(slug, 'acme', { repositories, by })
  await answered()
  return id
}

/** The active connections of a repository. */
async function connections(repo: string) {
  return scene.app.db
    .selectFrom('installations')
    .innerJoin('users', 'users.id', 'installations.userId')
    .select(['login', 'webhookId', 'repoFullName', 'appInstallationId'])
    .where('isActive', '=', true)
    .where('repoFullName', '=', repo)
    .orderBy('installations.id')
    .execute()
}

/** Opens a pull request with a problem, and waits for its review. */
async function review(repo: string): Promise<number> {
  const { forge } = scene
  await forge.push(repo, 'main', { 'README.md': `# ${repo}\n` }, { author: 'alice' })
  const file = { 'src/start.ts': 'export function start() {\n  debugger\n}\n' }
  await forge.push(repo, 'topic', file, { author: 'alice', message: `Change ${repo}` })
  const number = await forge.openPullRequest({ repo, head: 'topic', author: 'alice' })
  await answered()
  await waitUntilSettled(scene.app)
  return number
}

function authorsOf(repo: string, number: number): string[] {
  const { comments, inlineComments } = scene.forge.pullRequest(repo, number)
  return [...comments, ...inlineComments].map(({ author }) => author)
}

describe('creating the App', () => {
  it('is for administrators with a session of this site only', async () => {
    const alice = await signInWithToken(scene.app, tokenOf('alice'))
    const body = { organization: null }
    for (const [path, method] of [
      ['/api/v1/app', 'GET'],
      ['/api/v1/app', 'POST'],
      ['/api/v1/app', 'DELETE'],
      ['/api/v1/app/callback?code=a&state=b', 'GET'],
    ] as const) {
      const options = { method, ...(method === 'POST' && { body }) }
      const denied = await requestWithCookie(scene.app, alice, path, options)
      expect(denied.status, `${method} ${path}`).toBe(403)
      const nobody = await requestWithCookie(scene.app, { cookie: { cookie: '' } }, path, options)
      expect(nobody.status, `${method} ${path}`).toBe(401)
    }
    const headers = { origin: 'https://evil.example' }
    const foreign = await ask('/api/v1/app', { method: 'POST', body, headers })
    expect(foreign).toMatchObject({ status: 403, body: { detail: 'Cross-site request refused' } })
    const malformed = await ask('/api/v1/app', { method: 'POST', body: { organization: 'a/b' } })
    expect(malformed.status).toBe(422)
  })

  it('accepts a state once, in the session that started it, for ten minutes', async () => {
    const start = () =>
      createAppAtForge(scene.forge, scene.app, root, { organization: 'acme', as: 'alice' })
    const back = await start()
    const other = await signInWithToken(scene.app, tokenOf('root'))
    const inOther = await requestWithCookie(scene.app, other, back)
    expect(inOther).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(/not started in this session/) },
    })
    for (const state of ['', 'made-up', back.slice(-40)]) {
      expect((await ask(`/api/v1/app/callback?code=x&state=${state}`)).status).toBe(400)
    }
    expect((await ask('/api/v1/app')).body).toEqual({ supported: true, app: null })
    expect(await ask(back)).toMatchObject({
      status: 302,
      location: '/settings?tab=set-up&app=created',
    })
    expect((await ask(back)).status).toBe(400)
    expect((await ask('/api/v1/app')).body).toMatchObject({
      supported: true,
      app: { slug, owner: 'acme', installations: [] },
    })
    const second = await ask('/api/v1/app', { method: 'POST', body: { organization: null } })
    expect(second.status).toBe(409)
  })

  it('stores the secrets encrypted and shows none of them', async () => {
    await ensureApp()
    const row = await scene.app.db.selectFrom('platformApps').selectAll().executeTakeFirstOrThrow()
    expect(row.encryptedSecrets.toString('latin1')).not.toMatch(/PRIVATE KEY|clientSecret/)
    const shown = JSON.stringify([(await ask('/api/v1/app')).body, { ...row, encryptedSecrets: 0 }])
    expect(shown).not.toMatch(/secret"|PRIVATE KEY/)
  })
})

describe('an installation of the App', () => {
  it('connects its repositories to the account that installed it, and requests scans', async () => {
    const [repo, later] = [await scene.createRepository(), await scene.createRepository()]
    const id = await install([repo])
    expect(await connections(repo)).toMatchObject([{ login: 'alice', webhookId: 0 }])
    expect(await connections(later)).toEqual([])
    scene.forge.selectRepositories(id, [repo, later], 'bob')
    await answered()
    expect(await connections(later)).toMatchObject([{ login: 'bob', webhookId: 0 }])
    const scans = await scene.app.db.selectFrom('scans').select('repo').execute()
    expect(scans.map((scan) => scan.repo)).toEqual(expect.arrayContaining([repo, later]))
    expect((await ask('/api/v1/app')).body.app.installations).toMatchObject([
      { account: 'acme', account_type: 'organization', suspended: false, repositories: 2 },
    ])
    expect(scene.forge.webhooks(repo)).toEqual([])

    scene.forge.selectRepositories(id, [repo], 'bob')
    await answered()
    expect(await connections(later)).toEqual([])
    scene.forge.uninstallApp(id, 'alice')
    await answered()
    expect(await connections(repo)).toEqual([])
    expect((await ask('/api/v1/app')).body.app.installations).toEqual([])
  })

  it("belongs to the operator if the installer never signed in, and needs nobody's token", async () => {
    const repo = await scene.createRepository()
    scene.forge.createUser('dora', { token: 'ghp_token_of_dora' })
    scene.forge.setPermission(repo, 'dora', 'admin')
    await install([repo], 'dora')
    expect(await connections(repo)).toMatchObject([{ login: 'operator', webhookId: 0 }])
    const number = await review(repo)
    expect(new Set(authorsOf(repo, number))).toEqual(new Set([bot]))
  })

  it('is shared by people who connect the repository, without a webhook', async () => {
    const repo = await scene.createRepository()
    const id = await install([repo])
    expect(await scene.connect('bob', repo)).toMatchObject({ status: 200 })
    expect(await scene.connect('alice', repo)).toMatchObject({ status: 400 })
    expect(scene.forge.webhooks(repo)).toEqual([])
    expect(await connections(repo)).toMatchObject([
      { login: 'alice', webhookId: 0 },
      { login: 'bob', webhookId: 0 },
    ])
    expect(await scene.disconnect('bob', repo)).toMatchObject({ status: 200 })
    const deletions = scene.forge.requests.filter(({ path }) => /\/hooks\/0$/.test(path))
    expect(deletions).toEqual([])
    scene.forge.uninstallApp(id)
    await answered()
    expect(await connections(repo)).toEqual([])
  })

  it('joins a connection with a webhook, which stays when the App is uninstalled', async () => {
    const repo = await scene.createRepository()
    expect(await scene.connect('alice', repo)).toMatchObject({ status: 200 })
    const id = await install([repo])
    expect(await connections(repo)).toMatchObject([
      { login: 'alice', webhookId: expect.any(Number), appInstallationId: expect.any(Number) },
    ])
    const number = await review(repo)
    expect(new Set(authorsOf(repo, number))).toEqual(new Set([bot]))
    // Both the webhook and the App delivered the same head.
    const runs = await scene.app.db
      .selectFrom('workflowRuns')
      .select('id')
      .where('repo', '=', repo)
      .execute()
    expect(scene.forge.pullRequest(repo, number).comments).toHaveLength(1)
    expect(runs.length).toBeLessThanOrEqual(2)
    scene.forge.uninstallApp(id)
    await answered()
    expect(await connections(repo)).toMatchObject([{ login: 'alice', appInstallationId: null }])
    expect((await connections(repo))[0]!.webhookId).toBeGreaterThan(0)
  })

  it('follows a renamed repository', async () => {
    const repo = await scene.createRepository()
    await install([repo])
    scene.forge.renameRepository(repo, 'acme/renamed')
    await answered()
    expect(await connections(repo)).toEqual([])
    expect(await connections('acme/renamed')).toMatchObject([{ login: 'alice', webhookId: 0 }])
  })
})

describe('installations whose deliveries were lost', () => {
  const sync = () => syncAppInstallations(scene.app.app.context, AbortSignal.timeout(20_000))

  it('leave alone what a person disconnected', async () => {
    const repo = await scene.createRepository()
    await install([repo])
    expect(await scene.disconnect('alice', repo)).toMatchObject({ status: 200 })
    await sync()
    expect(await connections(repo)).toEqual([])
  })

  it('are found by the sync', async () => {
    const { forge } = scene
    const [repo, other] = [await scene.createRepository(), await scene.createRepository()]
    await ensureApp()
    forge.faultyDeliveries({ seed: 1, drop: 1 })
    isCreated = true
    const id = forge.installApp(slug, 'acme', { repositories: [repo], by: 'alice' })
    expect(await connections(repo)).toEqual([])
    await sync()
    expect(await connections(repo)).toMatchObject([{ login: 'operator', webhookId: 0 }])
    forge.selectRepositories(id, [other], 'alice')
    await sync()
    expect(await connections(repo)).toEqual([])
    expect(await connections(other)).toMatchObject([{ login: 'operator', webhookId: 0 }])
    expect(await scene.connect('bob', other)).toMatchObject({ status: 200 })
    forge.selectRepositories(id, [repo, other], 'alice')
    await sync()
    expect(await connections(repo)).toMatchObject([{ login: 'operator', webhookId: 0 }])
    forge.suspendInstallation(id, 'alice')
    await sync()
    expect((await ask('/api/v1/app')).body.app.installations).toMatchObject([
      { suspended: true, repositories: 2 },
    ])
    forge.unsuspendInstallation(id, 'alice')
    await sync()
    expect(await connections(other)).toHaveLength(2)
    forge.uninstallApp(id, 'alice')
    await sync()
    expect(await connections(other)).toEqual([])
    expect((await ask('/api/v1/app')).body.app.installations).toEqual([])
    forge.faultyDeliveries(null)
  })
})

describe('a review with the App', () => {
  it('takes over the comments of a person, and ends with the suspension', async () => {
    const repo = await scene.createRepository()
    expect(await scene.connect('alice', repo)).toMatchObject({ status: 200 })
    const number = await review(repo)
    expect(new Set(authorsOf(repo, number))).toEqual(new Set(['alice']))
    const id = await install([repo])
    const sha = await scene.forge.push(repo, 'topic', { 'src/other.ts': 'export const a = 1\n' })
    await answered()
    await waitUntilSettled(scene.app)
    const { comments } = scene.forge.pullRequest(repo, number)
    expect(comments).toMatchObject([{ author: 'alice', edits: expect.any(Number) }])
    expect(comments[0]!.edits).toBeGreaterThan(0)
    expect(scene.forge.checkRuns(repo, sha)).toMatchObject([{ name: 'umpire/review', app: slug }])

    scene.forge.suspendInstallation(id)
    await answered()
    expect((await ask('/api/v1/app')).body.app.installations).toMatchObject([{ suspended: true }])
    const before = scene.forge.requests.length
    await scene.forge.push(repo, 'topic', { 'src/other.ts': 'export const a = 2\n' })
    await answered()
    await waitUntilSettled(scene.app)
    const writers = scene.forge.requests.slice(before).map(({ login }) => login)
    expect(writers).toContain('alice')
    expect(writers).not.toContain(bot)
    scene.forge.unsuspendInstallation(id)
    await answered()
    expect((await ask('/api/v1/app')).body.app.installations).toMatchObject([{ suspended: false }])
  })

  it('uses a token for this repository alone, and another one if it was revoked', async () => {
    const [repo, other] = [await scene.createRepository(), await scene.createRepository()]
    await install([repo, other])
    const number = await review(repo)
    const createdTokens = () =>
      scene.forge.requests.filter(({ path }) => path.endsWith('/access_tokens')).length
    const before = createdTokens()
    scene.forge.faults.add({
      match: ({ login, path }) => login === bot && path.endsWith(`/repos/${repo}`),
      times: 1,
      action: replyWith(401, { message: 'Bad credentials' }),
    })
    const sha = await scene.forge.push(repo, 'topic', { 'src/other.ts': 'export const a = 1\n' })
    await answered()
    await waitUntilSettled(scene.app)
    expect(createdTokens()).toBe(before + 1)
    expect(scene.forge.pullRequest(repo, number).comments).toMatchObject([{ author: bot }])
    expect(scene.forge.checkRuns(repo, sha)).toMatchObject([
      { name: 'umpire/review', conclusion: 'success' },
    ])
  })

  it('is repeated with a new token where its own has ended meanwhile', async () => {
    const { forge } = scene
    const repo = await scene.createRepository()
    await install([repo])
    const held = hold()
    const isComparison = ({ path }: { path: string }) =>
      path.includes(repo) && path.includes('/compare/')
    forge.faults.add({ match: isComparison, times: 1, action: held })
    const opening = review(repo)
    await held.arrived
    const { authorization } = forge.requests.find(isComparison)!.headers
    forge.revokeToken(String(authorization).replace('Bearer ', ''))
    held.release()
    const number = await opening
    expect(forge.pullRequest(repo, number).comments).toMatchObject([{ author: bot }])
    const runs = scene.app.db.selectFrom('workflowRuns').where('repo', '=', repo)
    expect(await runs.select(['status', 'attempts']).execute()).toEqual([
      { status: 'completed', attempts: 2 },
    ])
    expect(forge.checkRuns(repo, forge.pullRequest(repo, number).headSha)).toMatchObject([
      { status: 'completed', conclusion: 'success' },
    ])
  })
})

describe('POST /api/v1/webhooks/app', () => {
  /** Posts a delivery as GitHub does. */
  async function deliver(payload: unknown, secret: string | null, headers = {}) {
    const body = JSON.stringify(payload)
    const response = await fetch(`${scene.app.url}/api/v1/webhooks/app`, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'x-github-event': 'installation',
        'x-github-delivery': randomUUID(),
        'x-github-hook-installation-target-type': 'integration',
        ...(secret === null ? {} : { 'x-hub-signature-256': sign(body, secret) }),
        ...headers,
      },
    })
    return { status: response.status, body: (await response.json()) as { detail?: string } }
  }

  const payload = { action: 'deleted', installation: { id: 1, account: { id: 1, login: 'acme' } } }

  it('refuses an unsigned or wrongly signed delivery in every environment', async () => {
    await ensureApp()
    for (const secret of [null, 'another secret', 'a secret of the tests', '']) {
      expect(await deliver(payload, secret)).toEqual({
        status: 403,
        body: { detail: 'Invalid webhook signature' },
      })
    }
    const malformed = await deliver(payload, null, { 'x-hub-signature-256': 'sha256=' })
    expect(malformed.status).toBe(403)
  })

  it('stores no delivery that nothing uses, which Apps of earlier versions get', async () => {
    await ensureApp()
    const { db, keys } = scene.app.app.context
    const [secret] = (await readAppWebhookSecrets(db, keys, 'github'))!
    const push = { ref: 'refs/heads/main', repository: { full_name: 'acme/pushed' } }
    const answer = await deliver(push, secret!, { 'x-github-event': 'push' })
    expect(answer).toMatchObject({ status: 200, body: { status: 'ignored' } })
    const stored = db.selectFrom('events').select('id').where('repo', '=', 'acme/pushed')
    expect(await stored.execute()).toEqual([])
  })

  it('refuses every delivery where there is no App, before it parses the body', async () => {
    await ensureApp()
    expect(await ask('/api/v1/app', { method: 'DELETE' })).toMatchObject({ status: 200 })
    expect((await deliver(payload, null)).status).toBe(403)
    expect((await deliver('not an object', '')).status).toBe(403)
    expect((await ask('/api/v1/app', { method: 'DELETE' })).status).toBe(404)
  })

  it("leaves the interface's receiver ignoring deliveries to Apps", async () => {
    const headers = { 'x-github-hook-installation-target-type': 'integration' }
    const ignored = await scene.app.deliver(payload, { event: 'installation', headers })
    expect(ignored).toMatchObject({ status: 200, body: { status: 'ignored' } })
  })
})

describe('the check of the App', () => {
  /** Runs the check as `umpire doctor` does; `change` is of the configuration. */
  async function check(change: Partial<Config> = {}) {
    const { config, platform, db } = scene.app.app.context
    const facts = await readDatabaseFacts({ db, engine: config.database.engine })
    const database = { answer: { facts, heldBy: null }, askedAt: 0, answeredAt: 0 }
    const evidence = { database: Promise.resolve(database), platforms: [] }
    const signal = AbortSignal.timeout(20_000)
    const results = await checkApp({ ...config, ...change }, platform, evidence, signal)
    return results.map(({ state, message }) => `${state}: ${message}`)
  }

  it('reports key, address, permissions, events and installations', async () => {
    const { forge } = scene
    await ask('/api/v1/app', { method: 'DELETE' })
    expect(await check()).toEqual([expect.stringMatching(/^ok: There is no App/)])
    const site = 'alice/checked'
    await forge.createRepository(site, { admins: ['alice'] })
    const back = await createAppAtForge(forge, scene.app, root, { as: 'alice' })
    expect(await ask(back)).toMatchObject({ status: 302 })
    expect(await check()).toEqual([expect.stringMatching(/^warning: .* not installed anywhere/)])
    const empty = forge.installApp('umpire-root', 'alice', { repositories: [], by: 'alice' })
    await answered()
    expect(await check()).toEqual([
      expect.stringMatching(/^ok: .* installed in 1 account/),
      'warning: No repository of alice is connected through the App.',
    ])
    forge.uninstallApp(empty, 'alice')
    await answered()
    const id = forge.installApp('umpire-root', 'alice', { repositories: 'all', by: 'alice' })
    await answered()
    expect(await check()).toEqual([
      expect.stringMatching(/^ok: .* installed in 1 account\. .* needs actions: read and security/),
    ])

    const { http, secrets } = scene.app.app.context.config
    const moved = { http: { ...http, publicUrl: 'https://elsewhere.example' } }
    expect(await check(moved)).toEqual([expect.stringMatching(/^problem: .* another address/)])
    const lost = { secrets: { ...secrets, current: 'another secret key of the tests, 40 letters' } }
    expect(await check(lost)).toEqual([expect.stringMatching(/^problem: .* another key/)])
    forge.suspendInstallation(id, 'alice')
    await answered()
    expect(await check()).toEqual([
      expect.stringMatching(/^ok/),
      "warning: alice suspended the App: reviews there use people's tokens.",
    ])
    forge.askForPermissions('umpire-root', { contents: 'read', checks: 'read' }, ['push'])
    expect((await check())[0]).toMatch(
      /^warning: .* lacks .*checks: write, .*pull_requests: write.* pull_request,/,
    )
    forge.uninstallApp(id, 'alice')
    await answered()
    expect(await ask('/api/v1/app', { method: 'DELETE' })).toMatchObject({ status: 200 })
  })
})

it('runs the checks again after the App changed', async () => {
  await ask('/api/v1/app', { method: 'DELETE' })
  const read = async () => {
    const { checks } = (await ask('/api/v1/settings/checks')).body
    return checks.find(({ name }: { name: string }) => name === 'App').message
  }
  expect(await read()).toMatch(/^There is no App/)
  const back = await createAppAtForge(scene.forge, scene.app, root, { as: 'alice', name: 'again' })
  expect(await ask(back)).toMatchObject({ status: 302 })
  expect(await read()).toMatch(/ is not installed anywhere/)
  scene.forge.installApp('again', 'alice', { repositories: 'all', by: 'alice' })
  await answered()
  expect(await read()).toMatch(/ is installed in 1 account/)
  await ask('/api/v1/app', { method: 'DELETE' })
  expect(await read()).toMatch(/^There is no App/)
})

describe('removing the App', () => {
  it('disconnects what only the App connected', async () => {
    const { forge, app } = scene
    const site = 'alice/site'
    const both = 'alice/blog'
    await ask('/api/v1/app', { method: 'DELETE' })
    for (const repo of [site, both]) await forge.createRepository(repo, { admins: ['alice'] })
    expect(await scene.connect('alice', both)).toMatchObject({ status: 200 })
    const back = await createAppAtForge(forge, app, root, { as: 'alice', name: 'umpire-removed' })
    expect(await ask(back)).toMatchObject({ status: 302 })
    const created = (await ask('/api/v1/app')).body.app
    expect(created).toMatchObject({ slug: 'umpire-removed', owner: 'alice' })
    expect(created.install_url).toBe(`${created.url}/installations/new`)
    forge.installApp('umpire-removed', 'alice', { repositories: 'all', by: 'alice' })
    await answered()
    expect(await connections(site)).toMatchObject([{ login: 'alice', webhookId: 0 }])
    expect(await ask('/api/v1/app', { method: 'DELETE' })).toMatchObject({ status: 200 })
    expect(await connections(site)).toEqual([])
    expect(await connections(both)).toMatchObject([{ login: 'alice', appInstallationId: null }])
    expect((await ask('/api/v1/app')).body.app).toBe(null)
  })
})
