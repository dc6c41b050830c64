// Tests the notifications of critical findings: who gets them, when, and what they contain.
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import {
  type ApiResponse,
  type ConnectScenario,
  type Person,
  startConnectScenario,
  tokenOf,
} from '../connect-scenario.ts'
import { startChatServer } from '../fakes/chat-server.ts'
import { startMailServer } from '../fakes/mail-server.ts'
import { waitUntilSettled } from '../review-scenario.ts'
import { type SignedInUser, signInWithToken } from '../sign-in.ts'

const alwaysTrue = `export function mayRefund(role: string): boolean {
  return role !== 'admin' || role !== 'support'
}
`
const patience = { timeout: 20_000, interval: 20 }

let chat: Awaited<ReturnType<typeof startChatServer>>
let mail: Awaited<ReturnType<typeof startMailServer>>
let scene: ConnectScenario
const people = new Map<Person | 'root', SignedInUser>()
beforeAll(async () => {
  chat = await startChatServer()
  mail = await startMailServer()
  // The worker looks for notifications every third of a lease.
  const env = {
    MEMORY: 'off',
    GRAPH: 'off',
    REVIEW_LEASE_SECONDS: '3',
    SMTP_URL: mail.url,
    SMTP_FROM: 'Umpire <umpire@example.com>',
    NOTIFICATION_HOSTS: '127.0.0.1',
  }
  scene = await startConnectScenario({ env })
  for (const person of ['root', 'alice', 'bob', 'carol'] as const)
    people.set(person, await signInWithToken(scene.app, tokenOf(person)))
})
afterAll(async () => {
  await scene?.[Symbol.asyncDispose]()
  await mail?.[Symbol.asyncDispose]()
  await chat?.[Symbol.asyncDispose]()
})

afterEach(async () => {
  for (const person of people.keys()) {
    const { body } = await call(person, 'GET')
    for (const { id } of body.channels) await call(person, 'DELETE', `/${id}`)
  }
})

async function call(
  person: Person | 'root',
  method: string,
  path = '',
  body?: object,
  headers: Record<string, string> = {},
): Promise<ApiResponse> {
  const response = await fetch(`${scene.app.url}/api/v1/notifications${path}`, {
    method,
    headers: {
      ...people.get(person)!.cookie,
      ...(body && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: await response.json() }
}

const chatUrl = (name = '') => `http://127.0.0.1:${chat.port}/services/${name}`

async function waitForReviews() {
  const { forge, app } = scene
  await forge.waitFor(() => forge.deliveries.every(({ status }) => status !== null), {
    description: 'the answers to all deliveries',
  })
  await waitUntilSettled(app)
}

async function openCritical(repo: string, title = 'Refunds') {
  const branch = `topic-${title.length}`
  await scene.forge.push(repo, 'main', { 'README.md': 'A shop\n' }, { author: 'alice' })
  await scene.forge.push(repo, branch, { 'src/refunds.ts': alwaysTrue }, { author: 'alice' })
  const number = await scene.forge.openPullRequest({ repo, head: branch, title, author: 'alice' })
  await waitForReviews()
  return number
}

const messagesAbout = (repo: string) => chat.messages.filter((text) => text.includes(`${repo}#`))

/** Waits until nothing is left to send. */
async function waitUntilSent() {
  await vi.waitFor(async () => {
    expect(await scene.app.db.selectFrom('notifications').select('id').execute()).toEqual([])
  }, patience)
}

it('posts new critical findings once, to those who see the repository', async () => {
  const repo = await scene.createRepository()
  const foreign = await scene.createRepository()
  await scene.connect('alice', repo)
  await scene.connect('bob', foreign)
  const hello = chat.messages.length
  const added = await call('alice', 'POST', '', { kind: 'chat', target: chatUrl('alice') })
  expect(added).toMatchObject({
    status: 200,
    body: { kind: 'chat', label: '127.0.0.1', repo: null, digest_hour: null, failure: null },
  })
  expect(chat.messages.slice(hello)).toEqual(['umpire will post new critical findings here.'])
  expect(JSON.stringify(added.body)).not.toContain('services')

  await openCritical(foreign)
  const number = await openCritical(repo, 'Refunds <!channel> @here [free](https://evil.example)')
  await waitUntilSent()
  expect(messagesAbout(foreign)).toEqual([])
  const [message, ...more] = messagesAbout(repo)
  expect(more).toEqual([])
  expect(message).toMatch(/^\*1 critical finding\* in <http:[^|>]+\/reviews\/\d+\|/)
  expect(message).toContain(`|${repo}#${number}: Refunds &lt;!channel&gt; @\u2060here`)
  expect(message).toContain('(src/refunds.ts:2)')
  // Neither Slack nor Markdown makes a link of it.
  expect(message).not.toContain('](')
  expect(message).not.toContain('https://evil')

  await scene.forge.push(repo, 'topic-55', { 'src/more.ts': 'export const more = 1\n' }, {})
  await waitForReviews()
  await waitUntilSent()
  expect(messagesAbout(repo)).toHaveLength(1)
})

it('repeats a message that the chat refuses for now, and shows why one failed', async () => {
  const repo = await scene.createRepository()
  await scene.connect('bob', repo)
  await call('bob', 'POST', '', { kind: 'chat', target: chatUrl(), repo })
  const failure = async () => (await call('bob', 'GET')).body.channels[0].failure
  const makeDue = () =>
    scene.app.db.updateTable('notifications').set({ dueAt: sql<Date>`now()` }).execute()

  chat.nextStatuses.push(503)
  await openCritical(repo)
  await vi.waitFor(
    async () => expect(await failure()).toBe('The chat answered with HTTP status 503'),
    patience,
  )
  expect(messagesAbout(repo)).toEqual([])
  await makeDue()
  await waitUntilSent()
  expect(messagesAbout(repo)).toHaveLength(1)
  await vi.waitFor(async () => expect(await failure()).toBeNull(), patience)

  chat.nextStatuses.push(404)
  await openCritical(repo, 'Refunds again')
  await waitUntilSent()
  await vi.waitFor(
    async () => expect(await failure()).toBe('The chat answered with HTTP status 404'),
    patience,
  )
})

it('sends nothing after the repository was disconnected', async () => {
  const repo = await scene.createRepository()
  await scene.connect('alice', repo)
  await scene.connect('bob', repo)
  const target = chatUrl()
  await call('bob', 'POST', '', { kind: 'chat', target, digest_hour: 5 })
  await openCritical(repo)
  expect(await scene.app.db.selectFrom('notifications').select('id').execute()).toHaveLength(1)
  await scene.disconnect('bob', repo)
  await scene.app.db.updateTable('notifications').set({ dueAt: sql<Date>`now()` }).execute()
  await waitUntilSent()
  expect(messagesAbout(repo)).toEqual([])
})

it('sends a digest by email once the address is confirmed', async () => {
  const repo = await scene.createRepository()
  await scene.connect('carol', repo)
  await scene.connect('alice', repo)
  const channel = { kind: 'email', target: 'carol@example.com', digest_hour: 7 }
  // Carol may write but not connect: she sees nothing.
  const dave = await call('carol', 'POST', '', { ...channel, repo })
  expect(dave).toEqual({ status: 403, body: { detail: 'Repo not connected' } })

  const { body: added } = await call('alice', 'POST', '', channel)
  expect(added).toMatchObject({ label: 'carol@example.com', confirmed_at: null })
  const code = /(\d{8})/.exec(mail.mails.at(-1)!.subject)![1]!
  await openCritical(repo, 'Before the address is confirmed')
  expect(await scene.app.db.selectFrom('notifications').select('id').execute()).toEqual([])

  const confirm = (tried: string) => call('alice', 'POST', `/${added.id}/confirm`, { code: tried })
  expect(await confirm('00000000')).toEqual({ status: 422, body: { detail: 'The code is wrong' } })
  expect((await call('bob', 'POST', `/${added.id}/confirm`, { code })).status).toBe(404)
  expect(await confirm(code)).toEqual({ status: 200, body: { status: 'confirmed' } })

  const first = await openCritical(repo, 'Refunds')
  const second = await openCritical(repo, 'Refunds for all')
  const { rows } = await sql<{ hour: number; isNext: boolean }>`
    select extract(hour from due_at at time zone 'UTC')::int as hour,
      due_at > now() and due_at <= now() + interval '1 day' as is_next
    from notifications`.execute(scene.app.db)
  expect(rows).toEqual(Array(2).fill({ hour: 7, isNext: true }))
  await scene.app.db.updateTable('notifications').set({ dueAt: sql<Date>`now()` }).execute()
  await waitUntilSent()
  const { to, subject, body } = mail.mails.at(-1)!
  expect(to).toEqual(['carol@example.com'])
  expect(subject).toBe('[umpire] 2 critical findings in 2 pull requests')
  for (const number of [first, second]) expect(body).toContain(`${repo}#${number}: Refunds`)
  expect(body).toContain('/settings?tab=3Dnotifications')
})

it('accepts five wrong codes at most', async () => {
  const { body } = await call('bob', 'POST', '', { kind: 'email', target: 'bob@example.com' })
  const code = /(\d{8})/.exec(mail.mails.at(-1)!.subject)![1]!
  const confirm = (tried: string) => call('bob', 'POST', `/${body.id}/confirm`, { code: tried })
  for (let tries = 0; tries < 5; tries++) expect((await confirm('wrong')).status).toBe(422)
  expect(await confirm(code)).toEqual({
    status: 409,
    body: { detail: 'Too many wrong codes: remove the address and add it again' },
  })
})

const privateNetwork =
  'The chat has an address in a private network: ask an administrator to add its host to ' +
  'NOTIFICATION_HOSTS'

it.each([
  ['https://localhost:PORT/x', privateNetwork],
  ['https://10.0.0.1/x', privateNetwork],
  ['https://169.254.169.254/latest', privateNetwork],
  ['https://[::1]:PORT/x', privateNetwork],
  ['https://[::ffff:127.0.0.1]:PORT/x', privateNetwork],
  ['https://2130706434/x', privateNetwork],
  ['http://localhost:PORT/x', 'The URL must begin with https://'],
  ['file:///etc/passwd', 'The URL must begin with https://'],
  ['hooks.slack.com/services', 'The address must be a URL: https://…'],
  ['https://me:pw@example.com/x', 'The URL must not contain a username or password'],
])('refuses the webhook %s', async (address, detail) => {
  const before = chat.requests
  const target = address.replace('PORT', String(chat.port))
  const added = await call('alice', 'POST', '', { kind: 'chat', target })
  expect(added).toEqual({ status: 422, body: { detail } })
  expect(chat.requests).toBe(before)
  expect((await call('alice', 'GET')).body).toEqual({ email: true, channels: [] })
})

it('removes a channel whose first message fails', async () => {
  chat.nextStatuses.push(404)
  const refused = await call('alice', 'POST', '', { kind: 'chat', target: chatUrl() })
  expect(refused).toEqual({
    status: 422,
    body: { detail: 'The chat answered with HTTP status 404' },
  })
  const target = 'nobody@example.com'
  expect(await call('alice', 'POST', '', { kind: 'email', target })).toEqual({
    status: 422,
    body: { detail: 'The mail server rejected the email (SMTP status 550)' },
  })
  const several = 'a@example.com,b@example.com'
  expect(await call('alice', 'POST', '', { kind: 'email', target: several })).toEqual({
    status: 422,
    body: { detail: 'The address must be an email address' },
  })
  expect((await call('alice', 'GET')).body.channels).toEqual([])
})

it('limits how many channels a person adds within an hour', async () => {
  const mails = mail.mails.length
  const target = 'victim@example.com'
  const statuses: number[] = []
  for (let tries = 0; tries < 22; tries++) {
    const { status, body } = await call('carol', 'POST', '', { kind: 'email', target })
    statuses.push(status)
    if (status === 200) await call('carol', 'DELETE', `/${body.id}`)
    else expect(body.detail).toContain('within an hour: try again later')
  }
  const added = statuses.filter((status) => status === 200).length
  expect(added).toBeLessThanOrEqual(20)
  expect(statuses.slice(added)).toEqual(Array(22 - added).fill(429))
  expect(mail.mails.length).toBe(mails + added)
})

it('belongs to one person, and accepts no request from another site', async () => {
  const { body } = await call('alice', 'POST', '', { kind: 'chat', target: chatUrl() })
  expect((await call('root', 'GET')).body.channels).toEqual([])
  expect(await call('bob', 'DELETE', `/${body.id}`)).toEqual({
    status: 404,
    body: { detail: 'Notification channel not found' },
  })
  const foreign = { origin: 'https://evil.example' }
  expect((await call('alice', 'DELETE', `/${body.id}`, undefined, foreign)).status).toBe(403)
  expect(await call('alice', 'DELETE', `/${body.id}`)).toEqual({
    status: 200,
    body: { status: 'removed' },
  })
})
