// Tests concurrent connects and disconnects, and failures of the platform or database in between.
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  type ApiResponse,
  type ConnectScenario,
  startConnectScenario,
} from '../connect-scenario.ts'
import {
  applyThenDrop,
  closeMidBody,
  drop,
  hold,
  htmlPage,
  replyWith,
  type SeenRequest,
  startForge,
  truncateBody,
} from '../fakes/forge/forge.ts'
import type { Delivery } from '../fakes/forge/state.ts'
import { signInWithToken } from '../sign-in.ts'
import { createServiceStorage, startUmpireProcess } from '../start-umpire-process.ts'

let scene: ConnectScenario
beforeAll(async () => {
  scene = await startConnectScenario({
    parts: { web: true, worker: false },
    env: { PLATFORM_TIMEOUT_SECONDS: '5' },
  })
})
afterAll(() => scene[Symbol.asyncDispose]())
afterEach(() => scene.forge.faults.clear())

const isCreation = ({ method, path }: SeenRequest) => method === 'POST' && path.endsWith('/hooks')
const isRemoval = ({ method, path }: SeenRequest) => method === 'DELETE' && path.includes('/hooks/')
const hookUrl = () => `${scene.app.app.context.config.http.publicUrl}/api/v1/webhooks/host`

function countStatuses(answers: readonly ApiResponse[]) {
  return Object.fromEntries(
    [...Map.groupBy(answers, ({ status }) => status)].map(([status, group]) => [
      status,
      group.length,
    ]),
  )
}

/** Checks the invariant: all active installations share the one webhook on the platform. */
async function expectOneSharedWebhook(repo: string): Promise<void> {
  const active = (await scene.readInstallations(repo)).filter((record) => record.isActive)
  const known = new Set(
    active.map(({ webhookId, webhookSecret }) => `${webhookId} ${webhookSecret}`),
  )
  expect(scene.forge.webhooks(repo).map(({ id, secret }) => `${id} ${secret}`)).toEqual([...known])
}

describe('concurrent requests', () => {
  it('let one of 20 connects of one person succeed and refuse the others', async () => {
    const repo = await scene.createRepository()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => scene.connect('alice', repo)),
    )
    expect(countStatuses(answers)).toEqual({ 200: 1, 400: 19 })
    expect(answers.filter(({ status }) => status === 400).map(({ body }) => body.detail)).toEqual(
      Array(19).fill('Repo already connected'),
    )
    expect(await scene.readInstallations(repo)).toHaveLength(1)
    expect(scene.forge.webhooks(repo)).toHaveLength(1)
    await expectOneSharedWebhook(repo)
  })

  it('let one of 20 disconnects of one person succeed; the others get 404', async () => {
    const repo = await scene.createRepository()
    await scene.connect('alice', repo)
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => scene.disconnect('alice', repo)),
    )
    expect(countStatuses(answers)).toEqual({ 200: 1, 404: 19 })
    expect(scene.forge.webhooks(repo)).toEqual([])
  })

  it('of two people who connect create one shared webhook', async () => {
    const repo = await scene.createRepository()
    const answers = await Promise.all([scene.connect('alice', repo), scene.connect('bob', repo)])
    expect(countStatuses(answers)).toEqual({ 200: 2 })
    expect(scene.forge.webhooks(repo)).toHaveLength(1)
    await expectOneSharedWebhook(repo)
  })

  it('of a disconnect and a connect leave the webhook of the connected person', async () => {
    for (let round = 0; round < 5; round++) {
      const repo = await scene.createRepository()
      await scene.connect('alice', repo)
      const answers = await Promise.all([
        scene.disconnect('alice', repo),
        scene.connect('bob', repo),
      ])
      expect(countStatuses(answers)).toEqual({ 200: 2 })
      expect(scene.forge.webhooks(repo)).toHaveLength(1)
      await expectOneSharedWebhook(repo)
    }
  })

  it('hold no transaction open during requests to the platform', async () => {
    const { forge, app } = scene
    const [repo, other] = [await scene.createRepository(), await scene.createRepository()]
    const held = hold()
    forge.faults.add({ match: isCreation, times: 1, action: held })
    const connecting = scene.connect('alice', repo)
    await held.arrived
    const { rows: clock } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(
      app.db,
    )
    expect(await scene.connect('alice', other)).toMatchObject({ status: 200 })
    // Only transactions from before the platform request count; others come and go.
    const { rows } = await sql`select from pg_stat_activity where state = 'idle in transaction'
      and datname = current_database() and xact_start < ${clock[0]!.now}`.execute(app.db)
    expect(rows).toEqual([])
    held.release()
    expect(await connecting).toMatchObject({ status: 200 })
  })

  it('wait until the reservation of a dead process expires', async () => {
    const repo = await scene.createRepository()
    await scene.app.db
      .insertInto('repositoryReservations')
      .values({
        repo,
        holder: randomUUID(),
        expiresAt: sql<Date>`now() + interval '500 milliseconds'`,
      })
      .execute()
    expect(await scene.connect('alice', repo)).toMatchObject({ status: 200 })
    const rows = await scene.app.db
      .selectFrom('repositoryReservations')
      .where('repo', '=', repo)
      .execute()
    expect(rows).toEqual([])
  })

  it('are refused after the reservation is lost, and the webhook is removed', async () => {
    const { forge, app } = scene
    const repo = await scene.createRepository()
    const held = hold({ applied: true })
    forge.faults.add({ match: isCreation, times: 1, action: held })
    const connecting = scene.connect('alice', repo)
    await held.arrived
    await app.db
      .updateTable('repositoryReservations')
      .set({ expiresAt: new Date(0) })
      .where('repo', '=', repo)
      .execute()
    held.release()
    expect(await connecting).toMatchObject({ status: 409 })
    expect(await scene.readInstallations(repo)).toEqual([])
    expect(forge.webhooks(repo)).toEqual([])
  })
})

describe('the first delivery of a webhook', () => {
  it('is accepted before the webhook is stored', async () => {
    const { forge } = scene
    const repo = await scene.createRepository()
    const held = hold({ applied: true })
    forge.faults.add({ match: isCreation, times: 1, action: held })
    const connecting = scene.connect('alice', repo)
    await held.arrived
    const isPing = ({ event, hookId, status }: Delivery) =>
      event === 'ping' && status !== null && forge.webhooks(repo).some(({ id }) => id === hookId)
    expect(await forge.waitForDelivery(isPing)).toMatchObject({ status: 200 })
    held.release()
    expect(await connecting).toMatchObject({ status: 200 })
  })
})

describe('a platform failure', () => {
  it.each([
    ['an error', replyWith(502, 'Bad Gateway'), 0],
    [
      'a rate limit',
      replyWith(403, { message: 'API rate limit exceeded' }, { 'x-ratelimit-remaining': '0' }),
      0,
    ],
    ['a page', htmlPage(), 0],
    ['a connection that breaks', drop(), 0],
    ['a connection that breaks after the webhook was created', applyThenDrop(), 1],
    ['half a response', truncateBody(), 1],
    ['a response that is cut off', closeMidBody(), 1],
  ])('(%s) answers 502, and the next connect creates one webhook', async (_name, action, left) => {
    const { forge } = scene
    const repo = await scene.createRepository()
    forge.faults.add({ match: isCreation, times: 1, action })
    const refused = await scene.connect('alice', repo)
    expect(refused).toEqual({
      status: 502,
      body: { detail: expect.stringMatching(/^Failed to install webhook: \S[^/]*$/) },
    })
    expect(await scene.readInstallations(repo)).toEqual([])
    expect(forge.webhooks(repo)).toHaveLength(left)
    expect(await scene.connect('alice', repo)).toMatchObject({ status: 200 })
    expect(forge.webhooks(repo)).toHaveLength(1)
    await expectOneSharedWebhook(repo)
  })

  it('is not mistaken for a deleted webhook', async () => {
    const { forge } = scene
    const repo = await scene.createRepository()
    await scene.connect('alice', repo)
    const isLook = ({ method, path }: SeenRequest) => method === 'GET' && path.includes('/hooks/')
    forge.faults.add({ match: isLook, times: 1, action: replyWith(503, 'no') })
    expect(await scene.connect('bob', repo)).toMatchObject({ status: 502 })
    await expectOneSharedWebhook(repo)
    expect(await scene.readInstallations(repo)).toHaveLength(1)
  })

  it('(no response) lets connecting end with 502 and disconnecting succeed', async () => {
    await using impatient = await startConnectScenario({
      parts: { web: true, worker: false },
      env: { PLATFORM_TIMEOUT_SECONDS: '1' },
    })
    const { forge } = impatient
    const repo = await impatient.createRepository()
    const silence = [hold({ applied: true }), hold()] as const
    forge.faults.add({ match: isCreation, times: 1, action: silence[0] })
    const detail = 'Failed to install webhook: The platform did not answer in time.'
    expect(await impatient.connect('alice', repo)).toEqual({ status: 502, body: { detail } })
    expect(await impatient.connect('alice', repo)).toMatchObject({ status: 200 })
    forge.faults.add({ match: isRemoval, times: 1, action: silence[1] })
    expect(await impatient.disconnect('alice', repo)).toMatchObject({ status: 200 })
    expect(await impatient.readInstallations(repo)).toMatchObject([{ isActive: false }])
    // The next connect replaces the webhook that was left behind.
    expect(await impatient.connect('alice', repo)).toMatchObject({ status: 200 })
    expect(forge.webhooks(repo)).toHaveLength(1)
  })
})

describe('leftovers of earlier connections', () => {
  it('replaces our webhook with an unknown secret, and no other webhook', async () => {
    const { forge } = scene
    const repo = await scene.createRepository()
    const old = forge.addWebhook(repo, { url: hookUrl(), secret: 'unknown' })
    const foreign = forge.addWebhook(repo, { url: `${hookUrl()}/elsewhere`, secret: 'foreign' })
    expect(await scene.connect('alice', repo)).toMatchObject({ status: 200 })
    const [record] = await scene.readInstallations(repo)
    const ids = forge.webhooks(repo).map(({ id }) => id)
    expect(ids).not.toContain(old)
    expect(ids.sort()).toEqual([foreign, record!.webhookId].sort())
  })

  it('disconnects a record whose webhook is already gone', async () => {
    const repo = await scene.createRepository()
    await scene.connect('alice', repo)
    scene.forge.removeWebhook(repo, scene.forge.webhooks(repo)[0]!.id)
    expect(await scene.disconnect('alice', repo)).toMatchObject({ status: 200 })
    expect(await scene.connect('alice', repo)).toMatchObject({ status: 200 })
    await expectOneSharedWebhook(repo)
  })
})

describe('a process killed while connecting', () => {
  it.each([
    ['before the webhook is created', hold(), 0],
    ['between the webhook and the record', hold({ applied: true }), 1],
  ])('(%s) leaves nothing that stops the next connect', async (_name, held, left) => {
    await using forge = await startForge()
    forge.createUser('alice', { token: 'ghp_token_of_alice' })
    await forge.createRepository('alice/shop')
    await using site = await createServiceStorage()
    const env = {
      PLATFORM_URL: forge.url,
      PLATFORM_API_URL: forge.apiUrl,
      PUBLIC_URL: 'https://umpire.example',
    }
    const requestInstall = async (url: string, bearer: Record<string, string>, method: string) =>
      (await fetch(`${url}/api/v1/repos/alice/shop/install`, { method, headers: bearer })).status

    await using killed = await startUmpireProcess(site, { env })
    const { bearer } = await signInWithToken({ url: killed.url! }, 'ghp_token_of_alice')
    forge.faults.add({ match: isCreation, times: 1, action: held })
    const pending = requestInstall(killed.url!, bearer, 'POST')
    pending.catch(() => {})
    await held.arrived
    killed.signal('SIGKILL')
    await killed.exited
    await expect(pending).rejects.toThrow()
    held.release('drop')
    expect(forge.webhooks('alice/shop')).toHaveLength(left)

    await using next = await startUmpireProcess(site, { env })
    if (site.database.engine === 'postgresql') await expireReservations(site.database.url)
    expect(await requestInstall(next.url!, bearer, 'POST')).toBe(200)
    expect(forge.webhooks('alice/shop')).toHaveLength(1)
    expect(await requestInstall(next.url!, bearer, 'DELETE')).toBe(200)
    expect(forge.webhooks('alice/shop')).toEqual([])
  })

  /** Expires all reservations so that another process can reserve the repository at once. */
  async function expireReservations(url: string): Promise<void> {
    const client = new pg.Client(url)
    await client.connect()
    await client.query(
      `update repository_reservations set expires_at = now() - interval '1 second'`,
    )
    await client.end()
  }
})

describe('the person who connects', () => {
  it('can hang up: the repository is still connected', async () => {
    const { forge, app } = scene
    const repo = await scene.createRepository()
    const { bearer } = await scene.signIn('alice')
    const held = hold()
    forge.faults.add({ match: isCreation, times: 1, action: held })
    const hangUp = new AbortController()
    const pending = fetch(`${app.url}/api/v1/repos/${repo}/install`, {
      method: 'POST',
      headers: bearer,
      signal: hangUp.signal,
    })
    await held.arrived
    hangUp.abort()
    await expect(pending).rejects.toThrow()
    held.release()
    // This request waits for the first one, which goes on.
    expect(await scene.connect('alice', repo)).toMatchObject({ status: 400 })
    await expectOneSharedWebhook(repo)
    expect(forge.webhooks(repo)).toHaveLength(1)
  })

  it('can be deleted meanwhile: the webhook is removed from the platform', async () => {
    const { forge, app } = scene
    const repo = await scene.createRepository()
    await scene.signIn('carol')
    forge.setPermission(repo, 'carol', 'admin')
    const held = hold({ applied: true })
    forge.faults.add({ match: isCreation, times: 1, action: held })
    const connecting = scene.connect('carol', repo)
    await held.arrived
    expect(forge.webhooks(repo)).toHaveLength(1)
    await app.db.deleteFrom('users').where('login', '=', 'carol').execute()
    held.release()
    expect(await connecting).toEqual({ status: 401, body: { detail: 'Unauthorized' } })
    expect(forge.webhooks(repo)).toEqual([])
    expect(await scene.readInstallations(repo)).toEqual([])
  })
})
