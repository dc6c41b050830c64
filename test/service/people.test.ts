// Tests who is an administrator, signing people out, and the deletion of people.
import { zstdDecompressSync } from 'node:zlib'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ConnectScenario, startConnectScenario, tokenOf } from '../connect-scenario.ts'
import { slug, startInstalledScenario } from '../installed-app-scenario.ts'
import { waitUntilSettled } from '../review-scenario.ts'
import { type SignedInUser, signInWithToken } from '../sign-in.ts'

let scene: ConnectScenario
let root: SignedInUser
let alice: SignedInUser
let bob: SignedInUser
beforeAll(async () => {
  scene = await startConnectScenario()
  root = await signInWithToken(scene.app, tokenOf('root'))
  alice = await scene.signIn('alice')
  bob = await scene.signIn('bob')
})
afterAll(() => scene[Symbol.asyncDispose]())

interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: looked at by tests
  readonly body: any
}

async function call(
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: unknown,
): Promise<Answer> {
  const json: Record<string, string> =
    body === undefined ? {} : { 'content-type': 'application/json' }
  const response = await fetch(`${scene.app.url}/api/v1/people${path}`, {
    method,
    headers: { ...headers, ...json },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: await response.json() }
}

async function idOf(login: string): Promise<number> {
  const { body } = await call('GET', '', root.cookie)
  return body.people.find((person: { login: string }) => person.login === login)?.id
}

const setAdmin = async (login: string, isAdmin: boolean, by = root) =>
  call('PATCH', `/${await idOf(login)}`, by.cookie, { is_admin: isAdmin })

async function readAudit(): Promise<string[]> {
  const response = await fetch(`${scene.app.url}/api/v1/audit?limit=100`, { headers: root.cookie })
  const { entries } = (await response.json()) as {
    entries: { login: string; action: string; subject: string }[]
  }
  return entries.map(({ login, action, subject }) => `${login} ${action} ${subject}`)
}

describe('the list of people', () => {
  it('shows administrators everyone, and why someone is an administrator', async () => {
    const { status, body } = await call('GET', '', root.bearer)
    expect(status).toBe(200)
    expect(body.sign_in).toEqual({ allowed: null })
    expect(body.people.map(({ login }: { login: string }) => login)).toEqual([
      'root',
      'alice',
      'bob',
      'carol',
    ])
    expect(body.people[0]).toMatchObject({
      host: 'github',
      is_admin: true,
      admin_reason: 'first_account',
      may_sign_in: true,
      sessions: 2,
      api_tokens: 0,
      repositories: 0,
    })
    expect(body.people[1]).toMatchObject({ is_admin: false, admin_reason: null })
  })

  it('shows others only themselves', async () => {
    const { body } = await call('GET', '', alice.bearer)
    expect(body.people.map(({ login }: { login: string }) => login)).toEqual(['alice'])
    expect(body.sign_in).toBeNull()
    expect((await call('GET', '', {})).status).toBe(401)
  })
})

describe('the rights to change people', () => {
  it('are those of administrators with a cookie from the same site', async () => {
    const id = await idOf('bob')
    const requests = [
      ['PATCH', `/${id}`, { is_admin: true }],
      ['POST', `/${id}/sign-out`, undefined],
      ['GET', `/${id}/deletion`, undefined],
      ['DELETE', `/${id}`, undefined],
    ] as const
    for (const [method, path, body] of requests) {
      expect(await call(method, path, alice.cookie, body)).toEqual({
        status: 403,
        body: { detail: 'For administrators only' },
      })
      expect((await call(method, path, root.bearer, body)).status).toBe(401)
      if (method === 'GET') continue
      const crossSite = { ...root.cookie, origin: 'https://evil.example' }
      expect(await call(method, path, crossSite, body)).toEqual({
        status: 403,
        body: { detail: 'Cross-site request refused' },
      })
    }
    expect((await call('GET', '', bob.cookie)).status).toBe(200)
    for (const path of ['/999999', '/x', '/0']) {
      expect((await call('DELETE', path, root.cookie)).status).toBe(path === '/999999' ? 404 : 422)
    }
  })

  it('always remain with one administrator', async () => {
    expect(await setAdmin('root', false)).toEqual({
      status: 409,
      body: {
        detail:
          'root is the only administrator who may sign in: ' +
          'make someone else an administrator first.',
      },
    })
    expect((await call('DELETE', `/${await idOf('root')}`, root.cookie)).status).toBe(409)
    expect(await setAdmin('alice', true)).toMatchObject({ status: 200, body: { is_admin: true } })
    const { body } = await call('GET', '', root.cookie)
    expect(body.people[0]).toMatchObject({
      login: 'alice',
      admin_reason: 'granted',
      admin_granted_by: 'root',
    })
    // Both remove the other at once: one of them stays.
    const answers = await Promise.all([
      setAdmin('alice', false, root),
      setAdmin('root', false, alice),
    ])
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses[0]).toBe(200)
    expect([403, 409]).toContain(statuses[1])
    const isRootLeft = answers[0]!.status === 200
    if (!isRootLeft) {
      const { body: all } = await call('GET', '', alice.cookie)
      const { id } = all.people.find(({ login }: { login: string }) => login === 'root')
      await call('PATCH', `/${id}`, alice.cookie, { is_admin: true })
      await setAdmin('alice', false)
    }
    const aliceId = await idOf('alice')
    expect(await readAudit()).toEqual(
      expect.arrayContaining([
        `root administrator_added alice (account ${aliceId})`,
        `root administrator_removed alice (account ${aliceId})`,
      ]),
    )
  })

  it('sign a person out everywhere, and people do it themselves', async () => {
    const made = await fetch(`${scene.app.url}/api/v1/tokens`, {
      method: 'POST',
      headers: { ...bob.cookie, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'of bob' }),
    })
    const { token } = (await made.json()) as { token: string }
    const id = await idOf('bob')
    const { status, body } = await call('POST', `/${id}/sign-out`, root.cookie)
    expect({ status, id: body.id }).toEqual({ status: 200, id })
    expect(body.revoked).toBeGreaterThanOrEqual(2)
    for (const headers of [bob.cookie, bob.bearer, { authorization: `Bearer ${token}` }])
      expect((await call('GET', '', headers)).status).toBe(401)
    expect(await readAudit()).toContain(`root signed_out_everywhere bob (account ${id})`)

    bob = await scene.signIn('bob')
    expect((await call('POST', `/${id}/sign-out`, bob.cookie)).status).toBe(200)
    expect((await call('GET', '', bob.cookie)).status).toBe(401)
    bob = await scene.signIn('bob')
  })
})

describe('the deletion of a person', () => {
  /** All text of the database in which the person could be found. */
  async function findName(name: string): Promise<string[]> {
    const { db } = scene.app
    const tables = [
      ...(['users', 'auditLog', 'installations', 'pullRequests', 'pullRequestFiles'] as const),
      ...(['memories', 'dismissals', 'answers', 'findings', 'workflowRuns', 'events'] as const),
      ...(['scans', 'tokens', 'platformRequests', 'modelAnswers'] as const),
    ]
    const found: string[] = []
    for (const table of tables) {
      const rows = await db.selectFrom(table).selectAll().execute()
      for (const row of rows) {
        const values = Object.entries(row).map(([key, value]) =>
          key === 'payload' ? zstdDecompressSync(value as Buffer).toString() : value,
        )
        if (JSON.stringify(values).toLowerCase().includes(name)) found.push(table)
      }
    }
    return found
  }

  it('removes account, credentials, knowledge and names, and keeps reviews', async () => {
    const login = 'dagobert'
    const token = 'ghp_token_of_dagobert'
    scene.forge.createUser(login, { token })
    const own = await scene.createRepository()
    const shared = await scene.createRepository()
    for (const repo of [own, shared]) scene.forge.setPermission(repo, login, 'admin')
    const person = await signInWithToken(scene.app, token)
    const install = (repo: string) =>
      fetch(`${scene.app.url}/api/v1/repos/${repo}/install`, {
        method: 'POST',
        headers: person.bearer,
      })
    for (const repo of [own, shared]) {
      await scene.forge.push(repo, 'main', { 'a.ts': 'export const a = 1\n' }, { author: 'alice' })
      expect((await install(repo)).status).toBe(200)
    }
    expect((await scene.connect('alice', shared)).status).toBe(200)
    const flaw = 'export const isBad = (one: number) => one === NaN\n'
    await scene.forge.push(own, 'topic', { 'src/bad.ts': flaw }, { author: login })
    const number = await scene.forge.openPullRequest({ repo: own, head: 'topic', author: login })
    await scene.forge.waitForDelivery(({ repo, action }) => repo === own && action === 'opened')
    await waitUntilSettled(scene.app)
    const memory = { type: 'decision', text: 'Money is in cents.' }
    const written = await fetch(`${scene.app.url}/api/v1/memory?repo=${own}`, {
      method: 'POST',
      headers: { ...person.bearer, 'content-type': 'application/json' },
      body: JSON.stringify(memory),
    })
    expect(written.status).toBe(200)
    const { db } = scene.app
    // More runs than a batch has.
    const memories = JSON.stringify([{ user: login }])
    const basis = sql<string>`jsonb_build_object('memories', ${memories}::jsonb)`
    await sql`
      insert into workflow_runs (workflow_type, repo, pr_number, status, created_at, basis)
      select 'pr_review', ${own}, ${number}, 'completed', now() - interval '1 day', ${basis}
      from generate_series(1, 450)`.execute(db)
    await expect.poll(() => findName(login)).toContain('memories')
    expect(await findName(login)).toEqual(expect.arrayContaining(['pullRequestFiles', 'events']))

    const id = await idOf(login)
    const plan = await call('GET', `/${id}/deletion`, root.cookie)
    expect(plan).toMatchObject({
      status: 200,
      body: {
        repositories: [
          { repo: own, outcome: 'ends' },
          { repo: shared, outcome: 'continues' },
        ],
        pull_requests: 1,
        files: 1,
        written: 1,
      },
    })
    expect(plan.body.memories).toBeGreaterThan(0)
    // It fails half-way, and is repeated.
    await sql`
      alter table events add constraint refused check (octet_length(payload) > 40) not valid
    `.execute(db)
    expect((await call('DELETE', `/${id}`, root.cookie)).status).toBe(500)
    await sql`alter table events drop constraint refused`.execute(db)
    const damaged = db.updateTable('events').where('repo', '=', own)
    await damaged.set({ payload: Buffer.from('damaged') }).execute()
    const deleted = await call('DELETE', `/${id}`, root.cookie)
    expect(deleted).toMatchObject({ status: 200, body: { left_webhooks: [] } })
    expect(deleted.body.payloads).toBeGreaterThan(0)

    expect(await findName(login)).toEqual([])
    expect((await call('GET', '', person.bearer)).status).toBe(401)
    expect(scene.forge.webhooks(own)).toEqual([])
    expect(scene.forge.webhooks(shared)).toHaveLength(1)
    expect(await readAudit()).toEqual(
      expect.arrayContaining([
        `root person_deleted ghost (account ${id})`,
        `ghost repository_connected ${own}`,
      ]),
    )
    const reviews = await fetch(`${scene.app.url}/api/v1/reviews`, { headers: root.bearer })
    expect(await reviews.json()).toContainEqual(
      expect.objectContaining({ repo_name: own, pr_number: number, author: 'ghost' }),
    )
    expect((await call('DELETE', `/${id}`, root.cookie)).status).toBe(404)
  })
})

it('hands repositories of the App over, and forgets what the person requested', async () => {
  await using installed = await startInstalledScenario()
  const administrator = await signInWithToken(installed.app, tokenOf('root'))
  const before = await installed.review({ 'a.ts': 'export const a = 1\n' })
  const send = async (method: string, path = '') => {
    const url = `${installed.app.url}/api/v1/people${path}`
    const response = await fetch(url, { method, headers: administrator.cookie })
    // biome-ignore lint/suspicious/noExplicitAny: looked at by tests
    return (await response.json()) as any
  }
  const paused = await installed.review({ 'c.ts': 'export const c = 1\n' })
  installed.forge.comment(paused.repo, paused.number, 'alice', `@${slug} pause`)
  installed.forge.comment(paused.repo, paused.number, 'alice', `@${slug} configuration`)
  await installed.settled()
  await installed.forge.push(paused.repo, 'topic', { 'd.ts': 'export const d = 1\n' })
  await installed.settled()
  const { db } = installed.app
  const readStored = async () => ({
    runs: await db.selectFrom('workflowRuns').select('summary').orderBy('id').execute(),
    requests: await db.selectFrom('platformRequests').select('request').execute(),
  })
  const stored = await readStored()
  expect(stored.runs.at(-1)!.summary).toContain('Skipped: `alice` paused its reviews.')
  expect(JSON.stringify(stored.requests)).toContain('alice')
  const { people } = await send('GET')
  const { id } = people.find((person: { login: string }) => person.login === 'alice')
  const { repositories, left_webhooks } = await send('DELETE', `/${id}`)
  expect(repositories).toContainEqual({ repo: before.repo, outcome: 'handed_over' })
  expect(left_webhooks).toEqual([])
  const kept = await readStored()
  expect(kept.runs.at(-1)!.summary).toContain('Skipped: `ghost` paused its reviews.')
  expect(JSON.stringify(kept)).not.toContain('alice')
  expect(kept.requests).toHaveLength(stored.requests.length)

  // The App goes on reviewing without the person.
  const sha = await installed.forge.push(before.repo, 'topic', { 'b.ts': 'export const b = 1\n' })
  await installed.settled()
  expect(installed.checkOf({ ...before, sha }).conclusion).not.toBeNull()
  const [connection] = await installed.readInstallations(before.repo)
  const { people: left } = await send('GET')
  const owner = left.find((person: { id: number }) => person.id === connection!.userId)
  expect(owner).toMatchObject({ login: 'operator', host: null, repositories: expect.any(Number) })
})
