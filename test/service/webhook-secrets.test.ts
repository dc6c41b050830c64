// Tests that secrets of webhooks are replaced without losing a delivery, wherever this stops.
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { readApp } from '../../src/accounts/platform-apps.ts'
import { createAppAtForge, requestWithCookie } from '../app-scenario.ts'
import { type ConnectScenario, startConnectScenario, tokenOf } from '../connect-scenario.ts'
import { applyThenDrop, drop, replyWith, type SeenRequest } from '../fakes/forge/forge.ts'
import { createTestDatabase } from '../fakes/test-database.ts'
import { type SignedInUser, signInWithToken } from '../sign-in.ts'
import { pullRequestPayload, startTestApp, webhookSecret } from '../start-app.ts'

let scene: ConnectScenario
let root: SignedInUser
let alice: SignedInUser
beforeAll(async () => {
  scene = await startConnectScenario({ env: { MEMORY: 'off', GRAPH: 'off', PLATFORM_TOKEN: '' } })
  root = await signInWithToken(scene.app, tokenOf('root'))
  alice = await scene.signIn('alice')
})
afterAll(() => scene[Symbol.asyncDispose]())
afterEach(() => scene.forge.faults.clear())

const post = (who: SignedInUser, path: string, body: object = {}) =>
  requestWithCookie(scene.app, who, path, { method: 'POST', body })

async function listActions(who: SignedInUser): Promise<[string, string][]> {
  const { body } = await requestWithCookie(scene.app, who, '/api/v1/audit')
  return body.entries.map(({ action, subject }: Record<string, string>) => [action, subject])
}

describe('the secret of a repository', () => {
  const rotate = (repo: string, body?: object, who = alice) =>
    post(who, `/api/v1/repos/${repo}/webhook-secret`, body)
  const secretAtForge = (repo: string) => scene.forge.webhooks(repo)[0]!.secret
  const deliver = async (repo: string, secret: string) =>
    (await scene.app.deliver(pullRequestPayload({ repo, action: 'closed' }), { secret })).status
  const isChange = ({ method, path }: SeenRequest) => method === 'PATCH' && path.endsWith('/config')

  async function connect(): Promise<{ repo: string; former: string }> {
    const repo = await scene.createRepository()
    expect(await scene.connect('alice', repo)).toMatchObject({ status: 200 })
    return { repo, former: secretAtForge(repo) }
  }

  it('is new, and the former one is accepted for three days', async () => {
    const { repo, former } = await connect()
    expect(await rotate(repo.toUpperCase())).toMatchObject({ body: { status: 'rotated', repo } })
    const current = secretAtForge(repo)
    expect(current).toMatch(/^[0-9a-f]{64}$/)
    expect(current).not.toBe(former)
    expect([await deliver(repo, current), await deliver(repo, former)]).toEqual([200, 200])
    const wait = (days: number) =>
      sql`update spare_webhook_secrets
        set accepted_until = accepted_until - make_interval(hours => ${days * 24 - 1})`.execute(
        scene.app.db,
      )
    await wait(3)
    expect(await deliver(repo, former)).toBe(200)
    await wait(1)
    expect([await deliver(repo, former), await deliver(repo, current)]).toEqual([403, 200])
    expect(await listActions(alice)).toContainEqual(['webhook_secret_rotated', repo])
    const [record] = await scene.readInstallations(repo)
    expect(record!.webhookSecret).toBe(current)
  })

  it('refuses the former one at once after a leak, and those before it', async () => {
    const { repo, former } = await connect()
    await rotate(repo)
    const second = secretAtForge(repo)
    expect(await rotate(repo, { leaked: true })).toMatchObject({ status: 200 })
    const statuses = [former, second, secretAtForge(repo)].map((secret) => deliver(repo, secret))
    expect(await Promise.all(statuses)).toEqual([403, 403, 200])
  })

  it('accepts both when it stops before the platform has the new one, and goes on', async () => {
    const { repo, former } = await connect()
    scene.forge.faults.add({ match: isChange, times: 1, action: drop() })
    expect(await rotate(repo)).toMatchObject({
      status: 502,
      body: { detail: expect.stringContaining('Failed to rotate webhook secret') },
    })
    expect(secretAtForge(repo)).toBe(former)
    expect(await deliver(repo, former)).toBe(200)
    expect((await rotate(repo)).status).toBe(200)
    const statuses = [former, secretAtForge(repo)].map((secret) => deliver(repo, secret))
    expect(await Promise.all(statuses)).toEqual([200, 200])
  })

  it('accepts both when it stops after the platform has the new one, and goes on', async () => {
    const { repo, former } = await connect()
    scene.forge.faults.add({ match: isChange, times: 1, action: applyThenDrop() })
    expect((await rotate(repo)).status).toBe(502)
    const next = secretAtForge(repo)
    expect(next).not.toBe(former)
    expect([await deliver(repo, former), await deliver(repo, next)]).toEqual([200, 200])
    // A later attempt may be refused; the platform still has what the first one sent.
    const refusal = replyWith(403, { message: 'Resource not accessible by integration' })
    scene.forge.faults.add({ match: isChange, times: 1, action: refusal })
    expect((await rotate(repo)).status).toBe(502)
    expect(await deliver(repo, next)).toBe(200)
    expect((await rotate(repo)).status).toBe(200)
    expect(secretAtForge(repo)).toBe(next)
  })

  it('stays when the platform refuses to change it', async () => {
    const { repo, former } = await connect()
    scene.forge.faults.add({ match: isChange, times: 1, action: replyWith(404, { message: 'No' }) })
    expect(await rotate(repo)).toMatchObject({ status: 502 })
    const spare = await scene.app.db
      .selectFrom('spareWebhookSecrets')
      .selectAll()
      .where('acceptedUntil', 'is', null)
      .execute()
    expect(spare).toEqual([])
    expect([secretAtForge(repo), await deliver(repo, former)]).toEqual([former, 200])
  })

  it('is shared by all who connected the repository, and is changed by nobody else', async () => {
    const { repo } = await connect()
    const bob = await scene.signIn('bob')
    expect(await rotate(repo, {}, bob)).toMatchObject({ status: 404 })
    await scene.connect('bob', repo)
    expect((await rotate(repo, {}, bob)).status).toBe(200)
    const records = await scene.readInstallations(repo)
    const current = secretAtForge(repo)
    expect(records.map((record) => record.webhookSecret)).toEqual([current, current])
  })

  it('can be rotated where the list says that there is a webhook', async () => {
    const { repo } = await connect()
    const list = await scene.request('alice', '/api/v1/repos?connected=true')
    expect(list.body.repositories).toContainEqual(
      expect.objectContaining({ repo, has_webhook: true }),
    )
  })
})

describe('the secret of the App', () => {
  const rotate = (body?: object, who = root) => post(who, '/api/v1/app/webhook-secret', body)
  const isChange = ({ method, path }: SeenRequest) =>
    method === 'PATCH' && path.endsWith('/app/hook/config')

  /** Lets the forge send a new delivery. Returns its id and the status of the answer. */
  async function deliver(): Promise<{ id: number; status: number | null }> {
    const { forge } = scene
    const repo = await scene.createRepository()
    forge.installApp('umpire-acme', 'acme', { repositories: [repo], by: 'alice' })
    await forge.waitFor(() => forge.deliveries.every(({ status }) => status !== null))
    for (const { id } of forge.installations('umpire-acme')) forge.uninstallApp(id)
    await forge.waitFor(() => forge.deliveries.every(({ status }) => status !== null))
    const { id, status } = forge.deliveries.findLast(({ action }) => action === 'created')!
    return { id, status }
  }
  const redeliver = async (id: number) => (await scene.forge.redeliver(id)).status

  it('is replaced like that of a repository', async () => {
    expect(await rotate()).toMatchObject({ status: 404 })
    const options = { organization: 'acme', as: 'alice' }
    await requestWithCookie(
      scene.app,
      root,
      await createAppAtForge(scene.forge, scene.app, root, options),
    )
    const first = await deliver()
    expect(first.status).toBe(200)
    expect(await rotate({}, alice)).toMatchObject({ status: 403 })

    expect(await rotate()).toMatchObject({ status: 200, body: { status: 'rotated' } })
    const second = await deliver()
    // What is sent again has the signature of the first time.
    expect([second.status, await redeliver(first.id)]).toEqual([200, 200])

    scene.forge.faults.add({ match: isChange, times: 1, action: applyThenDrop() })
    expect(await rotate()).toMatchObject({ status: 502 })
    expect([(await deliver()).status, await redeliver(second.id)]).toEqual([200, 200])

    expect(await rotate({ leaked: true })).toMatchObject({ status: 200 })
    expect(await redeliver(first.id)).toBe(403)
    expect(await redeliver(second.id)).toBe(403)
    expect((await deliver()).status).toBe(200)
    const ofApp = (await listActions(root)).filter(([, subject]) => subject === 'umpire-acme')
    expect(ofApp.map(([action]) => action)).toEqual([
      'webhook_secret_rotated',
      'webhook_secret_rotated',
      'app_created',
    ])
  })

  it('is redacted in logs and posts like those of the configuration', async () => {
    const { db, keys, platform, secrets } = scene.app.app.context
    const { clientSecret, privateKey, webhookSecret } = (await readApp(db, keys, platform.id))!
    expect(secrets).toEqual(expect.arrayContaining([clientSecret, privateKey, webhookSecret]))
    expect(new Set(secrets).size).toBe(secrets.length)
  })
})

describe('WEBHOOK_SECRETS_OLD', () => {
  it('verifies deliveries of unconnected repositories too, and needs a new secret', async () => {
    const database = await createTestDatabase()
    const env = { WEBHOOK_SECRETS_OLD: 'an old secret, an older secret', PLATFORM_TOKEN: '' }
    const app = await startTestApp({ env, database })
    const deliver = async (secret: string) =>
      (await app.deliver(pullRequestPayload({ action: 'closed' }), { secret })).status
    const statuses = [webhookSecret, 'an old secret', 'an older secret', 'another'].map(deliver)
    expect(await Promise.all(statuses)).toEqual([200, 200, 200, 403])
    expect(app.app.context.secrets).toContain('an older secret')
    await app[Symbol.asyncDispose]()
    await database.dispose()
    await expect(startTestApp({ env: { ...env, WEBHOOK_SECRET: '' } })).rejects.toThrow(
      'WEBHOOK_SECRETS_OLD needs WEBHOOK_SECRET',
    )
  })
})
