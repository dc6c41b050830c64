// Tests the live stream with a third-party client and plain sockets, on each database engine.
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { saveToken } from '../../src/accounts/tokens.ts'
import { changesChannel } from '../../src/events/listing.ts'
import { type ConnectScenario, startConnectScenario, tokenOf } from '../connect-scenario.ts'
import { createTestDatabase, testEngine } from '../fakes/test-database.ts'
import { followLive } from '../live-events.ts'
import { openSocket } from '../raw-request.ts'
import { forgeEnvironment } from '../review-scenario.ts'
import { signInWithToken } from '../sign-in.ts'
import { pullRequestPayload, startTestApp } from '../start-app.ts'
import { createServiceStorage, startUmpireProcess } from '../start-umpire-process.ts'

let scene: ConnectScenario
beforeAll(async () => {
  scene = await startConnectScenario({ parts: { web: true, worker: false } })
})
afterAll(() => scene[Symbol.asyncDispose]())
afterEach(() => {
  vi.useRealTimers()
})

async function connectRepository(person: 'alice' | 'bob'): Promise<string> {
  const repo = await scene.createRepository()
  expect(await scene.connect(person, repo)).toMatchObject({ status: 200 })
  return repo
}

/** Delivers a pull request of a connected repository. Returns the id of the event. */
async function deliver(repo: string, number: number, url?: string): Promise<number> {
  const record = (await scene.readInstallations(repo)).at(-1)
  const app = url === undefined ? scene.app : { ...scene.app, url }
  const { status, body } = await app.deliver(pullRequestPayload({ repo, number }), {
    secret: record!.webhookSecret,
  })
  expect(status).toBe(200)
  return Number(body.event_id)
}

const review = (repo: string, number: number, id: number) => ({
  type: 'review',
  data: { id, repo_name: repo, pr_number: number, status: 'pending' },
})

it('sends events as they arrive, with the cookie or the bearer token', async () => {
  const repo = await connectRepository('alice')
  const alice = await scene.signIn('alice')
  using first = await followLive(scene.app.url, alice.cookie)
  using second = await followLive(scene.app.url, alice.bearer)
  const id = await deliver(repo, 1)
  expect(await first.next()).toEqual(review(repo, 1, id))
  expect(await second.next()).toEqual(review(repo, 1, id))
})

it('sends the headers that proxies need', async () => {
  const alice = await scene.signIn('alice')
  const cut = new AbortController()
  const response = await fetch(`${scene.app.url}/api/v1/live`, {
    headers: alice.cookie,
    signal: cut.signal,
  })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  expect(response.headers.get('x-accel-buffering')).toBe('no')
  expect(response.headers.get('access-control-allow-origin')).toBeNull()
  const { value } = await response.body!.pipeThrough(new TextDecoderStream()).getReader().read()
  expect(value).toMatch(/^retry: 2000\n\n/)
  cut.abort()
})

it('refuses anonymous requests and HEAD', async () => {
  const anonymous = await fetch(`${scene.app.url}/api/v1/live`)
  expect([anonymous.status, await anonymous.json()]).toEqual([401, { detail: 'Not authenticated' }])
  const head = await fetch(`${scene.app.url}/api/v1/live`, { method: 'HEAD' })
  expect([head.status, head.headers.get('allow')]).toEqual([405, 'GET'])
})

it('announces a connected repository, and its events from then on', async () => {
  const { cookie } = await scene.signIn('bob')
  using bob = await followLive(scene.app.url, cookie)
  const repo = await connectRepository('bob')
  expect(await bob.next()).toEqual({
    type: 'repository',
    data: { repo_name: repo, connected: true },
  })
  const id = await deliver(repo, 7)
  expect(await bob.next()).toEqual(review(repo, 7, id))
  await scene.disconnect('bob', repo)
  expect(await bob.next()).toEqual({
    type: 'repository',
    data: { repo_name: repo, connected: false },
  })
})

it('case 26: sends nothing to other users, but all events to an administrator', async () => {
  const theirs = await connectRepository('alice')
  const own = await connectRepository('bob')
  using bob = await followLive(scene.app.url, (await scene.signIn('bob')).cookie)
  using root = await followLive(
    scene.app.url,
    (await signInWithToken(scene.app, tokenOf('root'))).cookie,
  )
  const another = await connectRepository('alice')
  const ids = [await deliver(theirs, 1), await deliver(another, 2), await deliver(own, 3)]
  // Events arrive in order, so one that bob must not see would come first.
  expect(await bob.next()).toEqual(review(own, 3, ids[2]!))
  expect(await root.next()).toEqual({
    type: 'repository',
    data: { repo_name: another, connected: true },
  })
  expect(await root.next()).toEqual(review(theirs, 1, ids[0]!))
  expect(await root.next()).toEqual(review(another, 2, ids[1]!))
})

it('case 26: sends no later events to a person who disconnected', async () => {
  const repo = await connectRepository('alice')
  await scene.disconnect('alice', repo)
  const { cookie } = await scene.signIn('alice')
  using alice = await followLive(scene.app.url, cookie)
  await scene.connect('bob', repo)
  await deliver(repo, 1)
  const own = await connectRepository('alice')
  expect(await alice.next()).toEqual({
    type: 'repository',
    data: { repo_name: own, connected: true },
  })
})

it('ends a stream within a minute after sign-out', async () => {
  const session = await scene.signIn('alice')
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  using stream = await followLive(scene.app.url, session.cookie)
  using other = await followLive(scene.app.url, (await scene.signIn('alice')).cookie)
  await fetch(`${scene.app.url}/auth/logout`, { method: 'POST', headers: session.cookie })
  vi.advanceTimersByTime(60_000)
  await stream.ended
  const repo = await connectRepository('alice')
  expect(await other.next()).toEqual({
    type: 'repository',
    data: { repo_name: repo, connected: true },
  })
})

it('ends a stream when its token expires, even if the session continues', async () => {
  const { credentials } = scene.app.app.context
  const session = await scene.signIn('alice')
  const claims = await credentials.verify('cookie', session.session)
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] })
  const jwt = await credentials.issue('bearer', claims!, new Date(Date.now() + 30_000))
  using stream = await followLive(scene.app.url, { authorization: `Bearer ${jwt}` })
  vi.advanceTimersByTime(60_000)
  await stream.ended
})

it('case 32: limits a caller to ten streams, and answers 429 to more', async () => {
  const { cookie } = await scene.signIn('carol')
  const request = [
    'GET /api/v1/live HTTP/1.1',
    'host: localhost',
    `cookie: ${cookie.cookie}`,
    '',
    '',
  ]
  const sockets = Array.from({ length: 10 }, () => openSocket(scene.app.url, request))
  await Promise.all(sockets.map((socket) => once(socket, 'data')))
  const refused = await fetch(`${scene.app.url}/api/v1/live`, { headers: cookie })
  expect([refused.status, await refused.json()]).toEqual([
    429,
    { detail: 'You already have 10 live streams open: close one first' },
  ])
  sockets[0]!.destroy()
  using next = await vi.waitFor(() => followLive(scene.app.url, cookie), {
    timeout: 10_000,
    interval: 20,
  })
  expect(next).toBeDefined()
  for (const socket of sockets) socket.destroy()
})

it('case 32: limits a process to 1,000 streams', async () => {
  const { app, db } = scene.app
  const jwts: string[] = []
  for (let index = 0; index < 100; index++) {
    const { id: userId } = await db
      .insertInto('users')
      .values({
        platform: 'github',
        platformUserId: `crowd-${index}`,
        login: `crowd-${index}`,
        name: '',
        avatarUrl: '',
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    const expiresAt = new Date(Date.now() + 3_600_000)
    const tokenId = await saveToken(db, { userId, kind: 'session', expiresAt })
    jwts.push(await app.context.credentials.issue('bearer', { userId, tokenId }, expiresAt))
  }
  const requestOf = (jwt: string) => [
    'GET /api/v1/live HTTP/1.1',
    'host: localhost',
    `authorization: Bearer ${jwt}`,
    '',
    '',
  ]
  const crowd = Array.from({ length: 1000 }, (_, index) =>
    openSocket(scene.app.url, requestOf(jwts[index % 100]!)),
  )
  const answers = await Promise.all(
    crowd.map((socket) => once(socket, 'data').then(([text]) => String(text).slice(9, 12))),
  )
  expect(new Set(answers)).toEqual(new Set(['200']))
  const { cookie } = await scene.signIn('bob')
  const refused = await fetch(`${scene.app.url}/api/v1/live`, { headers: cookie })
  expect([refused.status, await refused.json()]).toEqual([
    429,
    { detail: 'Too many live streams are open: try again later' },
  ])
  for (const socket of crowd) socket.destroy()
  using next = await vi.waitFor(() => followLive(scene.app.url, cookie), {
    timeout: 10_000,
    interval: 20,
  })
  expect(next).toBeDefined()
})

it('case 32: disconnects a slow reader without affecting others', async () => {
  const root = await signInWithToken(scene.app, tokenOf('root'))
  using fast = await followLive(scene.app.url, root.cookie)
  const request = [
    'GET /api/v1/live HTTP/1.1',
    'host: localhost',
    `cookie: ${root.cookie.cookie}`,
    '',
    '',
  ]
  const slow = openSocket(scene.app.url, request)
  await once(slow, 'data')
  slow.pause()
  const [bytes, batch, batches] = [7000, 20, 200]
  for (let round = 0; round < batches; round++) {
    await sql`
      select pg_notify(
        ${changesChannel},
        json_build_object('repo', repeat('x', ${bytes}), 'number', n, 'event', 1,
          'status', 'failed')::text)
      from generate_series(${round * batch + 1}::int, ${(round + 1) * batch}::int) n`.execute(
      scene.app.db,
    )
    for (let index = 1; index <= batch; index++) {
      expect(await fast.next()).toMatchObject({
        type: 'review',
        data: { pr_number: round * batch + index },
      })
    }
  }
  // The content of the system's buffers still arrives before the end.
  let arrived = 0
  slow.on('data', (text) => {
    arrived += text.length
  })
  slow.resume()
  await once(slow, 'close')
  expect(arrived).toBeLessThan((bytes * batch * batches) / 2)
})

it('case 63: ends streams and answers earlier requests at shutdown', async () => {
  await using site = await createServiceStorage()
  await using umpire = await startUmpireProcess(site, {
    args: ['--no-worker'],
    env: forgeEnvironment(scene.forge),
  })
  const url = umpire.url!
  const { cookie } = await signInWithToken({ url }, tokenOf('root'))
  using stream = await followLive(url, cookie)
  const read = readAll(
    openSocket(url, [
      'GET /api/v1/live HTTP/1.1',
      'host: localhost',
      `cookie: ${cookie.cookie}`,
      '',
      '',
    ]),
  )
  await read.begun
  // Browsers open connections ahead of their requests.
  const unused = openSocket(url, [''])
  await once(unused, 'connect')
  const closed = once(unused.resume(), 'close')
  const half = openSocket(url, [
    'POST /auth/login HTTP/1.1',
    'host: localhost',
    'content-type: application/json',
  ])
  half.write('\r\ncontent-length: 2\r\nexpect: 100-continue\r\n\r\n')
  const answer = readAll(half)
  await answer.begun
  umpire.signal('SIGTERM')
  await stream.ended
  // The final chunk shows that the stream ended cleanly.
  expect(await read.all).toMatch(/event: ready[\s\S]*\r\n0\r\n\r\n$/)
  await closed
  half.write('{}')
  expect(await answer.all).toContain('HTTP/1.1 422 ')
  expect(await umpire.exited).toMatchObject({ code: 0, signal: null })
})

it('works across processes, and reports when events may be missing', async (context) => {
  context.skip(testEngine === 'embedded', 'the embedded database is one process only')
  const database = await createTestDatabase()
  await using stack = new AsyncDisposableStack()
  stack.defer(() => database.dispose())
  const env = { ...forgeEnvironment(scene.forge), SECRET_KEY: 'k'.repeat(32) }
  const options = { database, env, parts: { web: true, worker: false } }
  const here = stack.use(await startTestApp(options))
  const there = stack.use(await startTestApp(options))
  const { cookie } = await signInWithToken(here, tokenOf('root'))
  using stream = await followLive(there.url, cookie)
  const { body } = await here.deliver(pullRequestPayload({ repo: 'acme/elsewhere', number: 4 }))
  expect(await stream.next()).toEqual(review('acme/elsewhere', 4, Number(body.event_id)))
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
      and query ilike 'listen %'`.execute(here.db)
  expect(await stream.next()).toEqual({ type: 'resync', data: {} })
  const later = await here.deliver(pullRequestPayload({ repo: 'acme/elsewhere', number: 5 }))
  expect(await stream.next()).toEqual(review('acme/elsewhere', 5, Number(later.body.event_id)))
})

function readAll(socket: Socket): { begun: Promise<unknown>; all: Promise<string> } {
  let text = ''
  socket.on('data', (part) => {
    text += part
  })
  return { begun: once(socket, 'data'), all: once(socket, 'close').then(() => text) }
}
