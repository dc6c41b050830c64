// MCP on streams: subscriptions, signs of life, limits, and how streams end; on each engine.
import { once } from 'node:events'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { callTool, makeRequest, openMcpStream, postMessage } from '../mcp-client.ts'
import { openSocket } from '../raw-request.ts'
import { forgeEnvironment, repo, type Scenario, startScenario } from '../review-scenario.ts'
import { createServiceStorage, startUmpireProcess } from '../start-umpire-process.ts'

let scenario: Scenario
let url: string
beforeAll(async () => {
  scenario = await startScenario()
  url = scenario.app.url
})
afterAll(() => scenario[Symbol.asyncDispose]())
afterEach(() => {
  vi.useRealTimers()
})

const address = `umpire://repos/${repo}/reviews`
const openStream = ['GET /mcp/sse HTTP/1.1', 'host: localhost', '', '']
const updated = (uri: string) => ({
  jsonrpc: '2.0',
  method: 'notifications/resources/updated',
  params: { uri },
})

it('names the address for messages first, and is told of by the headers that proxies need', async () => {
  const cut = new AbortController()
  const response = await fetch(`${url}/mcp/sse`, { signal: cut.signal })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  expect(response.headers.get('x-accel-buffering')).toBe('no')
  expect(response.headers.get('access-control-allow-origin')).toBeNull()
  let text = ''
  for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
    text += part
    if (text.includes('event')) break
  }
  expect(text).toMatch(
    /^retry: 2000\n\nevent: endpoint\ndata: \/mcp\/messages\?sessionId=[\da-f-]{36}\n\n$/,
  )
  cut.abort()
})

it('leads to the messages below the path at which people reach it', async () => {
  const env = { ...forgeEnvironment(scenario.forge), PUBLIC_URL: 'https://umpire.example/reviews/' }
  await using site = await createServiceStorage()
  await using umpire = await startUmpireProcess(site, { args: ['--no-worker'], env })
  using stream = await openMcpStream(umpire.url!)
  expect(new URL(stream.address).pathname).toBe('/reviews/mcp/messages')
  const warned =
    'MCP_ACCESS is open: the MCP server answers everybody who reaches it, about every repository'
  expect(umpire.logLines(warned), 'that it may be reached from elsewhere').toHaveLength(1)
})

const openMcp =
  'MCP_ACCESS is open: the MCP server answers everybody who reaches it, about every repository'
const openSignIn =
  'SIGN_IN_ALLOWED is not set: everybody with an account at the platform may sign in; the first administers'

it.each([
  ['0.0.0.0', 'open', '', [openMcp, openSignIn]],
  ['0.0.0.0', 'token', 'alice', []],
  ['127.0.0.1', 'open', '', []],
])(
  'case 86: with HOST=%s, MCP_ACCESS=%s and SIGN_IN_ALLOWED=%j a start warns of %j',
  async (host, access, allowed, said) => {
    const settings = { HOST: host, MCP_ACCESS: access, SIGN_IN_ALLOWED: allowed }
    const env = {
      ...forgeEnvironment(scenario.forge),
      PUBLIC_URL: 'http://localhost:8484',
      ...settings,
    }
    await using site = await createServiceStorage()
    await using umpire = await startUmpireProcess(site, { args: ['--no-worker'], env })
    expect([openMcp, openSignIn].filter((warning) => umpire.logLines(warning).length > 0)).toEqual(
      said,
    )
  },
)

it('cuts off a client that asks and does not read, says so, and goes on with the others', async () => {
  const slow = openSocket(url, openStream)
  const [begun] = (await once(slow, 'data')) as [string]
  const text = begun.includes('sessionId=') ? begun : begun + (await once(slow, 'data'))[0]
  slow.pause()
  const session = `${url}/mcp/messages?sessionId=${/sessionId=([\da-f-]+)/.exec(text)?.[1]}`
  // The answer has the id in it.
  const id = 'x'.repeat(200_000)
  let answer = await postMessage(session, { ...makeRequest('ping'), id })
  for (let sent = 1; sent < 80 && answer.status === 202; sent++) {
    answer = await postMessage(session, { ...makeRequest('ping'), id })
  }
  expect(answer.status).toBe(404)
  const { error } = (await answer.json()) as { error: { message: string } }
  expect(error.message).toMatch(
    /^This session is closed: its client left more than 1 MB of answers unread\./,
  )
  using other = await openMcpStream(url)
  expect(await other.request('ping')).toMatchObject({ result: {} })
  slow.resume()
  await once(slow, 'close')
})

it('answers on the stream, in parallel, each with its id', async () => {
  using stream = await openMcpStream(url)
  const ids = Array.from({ length: 20 }, (_, index) => index + 100)
  const call = {
    method: 'tools/call',
    params: { name: 'get_repo_health', arguments: { repo: 'acme/none' } },
  }
  const statuses = await Promise.all(ids.map((id) => stream.post({ jsonrpc: '2.0', id, ...call })))
  expect(new Set(statuses)).toEqual(new Set([202]))
  const answers = []
  for (const _ of ids) answers.push(await stream.next())
  expect(answers.map(({ id }) => id).sort()).toEqual(ids)
  for (const { result } of answers)
    expect(result.structuredContent).toMatchObject({ repo: 'acme/none' })
})

it('keeps two streams apart', async () => {
  using first = await openMcpStream(url)
  using second = await openMcpStream(url)
  await first.post({ ...makeRequest('ping'), id: 'of the first' })
  await second.post({ ...makeRequest('ping'), id: 'of the second' })
  expect([await first.next(), await second.next()].map(({ id }) => id)).toEqual([
    'of the first',
    'of the second',
  ])
})

it('tells those who subscribed that reviews changed, in whatever spelling they asked', async () => {
  using exact = await openMcpStream(url)
  using loud = await openMcpStream(url)
  using other = await openMcpStream(url)
  const loudAddress = 'umpire://repos/ACME/Shop/reviews'
  // The first review tells how the name is spelled.
  const first = await scenario.openPullRequest(
    { 'src/one.ts': 'export const one = 1\n' },
    { branch: 'first' },
  )
  await scenario.waitUntilSettled()
  expect(await exact.request('resources/subscribe', { uri: address })).toMatchObject({ result: {} })
  expect(await loud.request('resources/subscribe', { uri: loudAddress })).toMatchObject({
    result: {},
  })
  expect(
    await other.request('resources/subscribe', { uri: 'umpire://repos/acme/other/reviews' }),
  ).toMatchObject({
    result: {},
  })
  expect(await other.request('resources/subscribe', { uri: 'umpire://nothing' })).toMatchObject({
    error: { code: -32602 },
  })
  const number = await scenario.openPullRequest(
    { 'src/two.ts': 'export const two = 2\n' },
    { branch: 'second' },
  )
  await scenario.waitUntilSettled()
  expect(number).not.toBe(first)
  expect(await exact.next()).toEqual(updated(address))
  expect(await loud.next()).toEqual(updated(loudAddress))
  const [record] = await callTool(url, 'get_pr_verdict', { repo, pr_number: number })
  expect(record).toMatchObject({ verdict: 'APPROVED' })
  // Nothing came before this answer.
  expect(await other.request('ping')).toMatchObject({ result: {} })
})

it('tells no more after the end of a subscription', async () => {
  using stays = await openMcpStream(url)
  using leaves = await openMcpStream(url)
  for (const stream of [stays, leaves])
    await stream.request('resources/subscribe', { uri: address })
  expect(
    await leaves.request('resources/unsubscribe', {
      uri: address.toUpperCase().replace(/^[^/]*/, 'umpire:'),
    }),
  ).toMatchObject({})
  expect(await leaves.request('resources/unsubscribe', { uri: address })).toMatchObject({
    result: {},
  })
  await scenario.openPullRequest(
    { 'src/three.ts': 'export const three = 3\n' },
    { branch: 'third' },
  )
  await scenario.waitUntilSettled()
  expect(await stays.next()).toEqual(updated(address))
  expect(await leaves.request('ping')).toMatchObject({ id: 1, result: {} })
})

it("tells the SDK's client of the newest revision by a stream of its own", async () => {
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: 'auto' } },
  )
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)))
  const told = new Promise<unknown>((resolve) => {
    client.setNotificationHandler('notifications/resources/updated', async ({ params }) =>
      resolve(params),
    )
  })
  const subscription = await client.listen({
    resourceSubscriptions: [address.replace('acme', 'Acme')],
  })
  await scenario.openPullRequest({ 'src/four.ts': 'export const four = 4\n' }, { branch: 'fourth' })
  expect(await told).toMatchObject({ uri: address })
  await subscription.close()
  await client.close()
})

it('refuses subscriptions that are none, or too many', async () => {
  const params = (notifications: unknown) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'subscriptions/listen',
    params: { notifications },
  })
  for (const notifications of [
    undefined,
    7,
    { resourceSubscriptions: 'all' },
    { resourceSubscriptions: Array(201).fill(address) },
  ]) {
    const response = await postMessage(`${url}/mcp`, params(notifications))
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { code: -32602 } },
    ])
  }
})

it('shows on both transports that it lives', async () => {
  const socket = openSocket(url, openStream)
  await once(socket, 'data')
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  using counted = await openMcpStream(url)
  const raw = openSocket(url, openStream)
  await once(raw, 'data')
  const sign = new Promise<string>((resolve) => {
    raw.on('data', (text) => String(text).includes(': ') && resolve(String(text)))
  })
  vi.advanceTimersByTime(15_000)
  expect(await sign).toContain(': still here')
  expect(await counted.request('ping')).toMatchObject({ result: {} })
  for (const one of [socket, raw]) one.destroy()
})

it('has 200 streams for one address; the next is a 429, until a client drops one', async () => {
  const sockets = Array.from({ length: 200 }, () => openSocket(url, openStream))
  await vi.waitFor(
    async () => {
      const refused = await fetch(`${url}/mcp/sse`)
      const { status } = refused
      await refused.body?.cancel()
      expect(status).toBe(429)
    },
    { timeout: 20_000, interval: 50 },
  )
  const listen = { notifications: { resourceSubscriptions: [address] } }
  const refused = await postMessage(`${url}/mcp`, makeRequest('subscriptions/listen', listen))
  expect([refused.status, await refused.json()]).toEqual([
    429,
    { detail: 'Too many MCP streams are open: close some first' },
  ])
  sockets[0]!.destroy()
  using next = await vi.waitFor(() => openMcpStream(url), { timeout: 10_000, interval: 20 })
  expect(await next.request('ping')).toMatchObject({ result: {} })
  for (const socket of sockets) socket.destroy()
})

it('case 63: streams are ended when the service stops', async () => {
  await using site = await createServiceStorage()
  await using umpire = await startUmpireProcess(site, {
    args: ['--no-worker'],
    env: forgeEnvironment(scenario.forge),
  })
  using stream = await openMcpStream(umpire.url!)
  const raw = openSocket(umpire.url!, openStream)
  let text = ''
  raw.on('data', (part) => {
    text += part
  })
  await once(raw, 'data')
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: 'auto' } },
  )
  await client.connect(new StreamableHTTPClientTransport(new URL(`${umpire.url}/mcp`)))
  const subscription = await client.listen({ resourceSubscriptions: [address] })
  const closed = once(raw, 'close')
  umpire.signal('SIGTERM')
  await stream.ended
  await closed
  // The last chunk is there: it was not torn off.
  expect(text).toMatch(/event: endpoint[\s\S]*\r\n0\r\n\r\n$/)
  expect(await umpire.exited).toMatchObject({ code: 0, signal: null })
  await subscription.close().catch(() => undefined)
  await client.close()
})
