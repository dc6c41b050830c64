// Tests MCP streams: subscriptions, keep-alives, limits and shutdown, on each database engine.
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

it('sends the message endpoint first, with the headers that proxies need', async () => {
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

it('sends a message endpoint below the path of PUBLIC_URL', async () => {
  const env = { ...forgeEnvironment(scenario.forge), PUBLIC_URL: 'https://umpire.example/reviews/' }
  await using site = await createServiceStorage()
  await using umpire = await startUmpireProcess(site, { args: ['--no-worker'], env })
  using stream = await openMcpStream(umpire.url!)
  expect(new URL(stream.address).pathname).toBe('/reviews/mcp/messages')
  const warned =
    'MCP_ACCESS is open: anyone who can connect can query the MCP server about every repository'
  expect(umpire.logLines(warned), 'warns that it may be reachable from elsewhere').toHaveLength(1)
})

const openMcp =
  'MCP_ACCESS is open: anyone who can connect can query the MCP server about every repository'
const openSignIn =
  'SIGN_IN_ALLOWED is not set: anyone with an account on the platform may sign in; ' +
  'the first to sign in becomes the administrator'

it.each([
  ['0.0.0.0', 'open', '', [openMcp, openSignIn]],
  ['0.0.0.0', 'token', 'alice', []],
  ['127.0.0.1', 'open', '', []],
])(
  'case 86: with HOST=%s, MCP_ACCESS=%s and SIGN_IN_ALLOWED=%j it logs the warnings %j',
  async (host, access, allowed, warnings) => {
    const settings = { HOST: host, MCP_ACCESS: access, SIGN_IN_ALLOWED: allowed }
    const env = {
      ...forgeEnvironment(scenario.forge),
      PUBLIC_URL: 'http://localhost:8484',
      ...settings,
    }
    await using site = await createServiceStorage()
    await using umpire = await startUmpireProcess(site, { args: ['--no-worker'], env })
    expect([openMcp, openSignIn].filter((warning) => umpire.logLines(warning).length > 0)).toEqual(
      warnings,
    )
  },
)

it('disconnects a client that does not read its responses, and serves others', async () => {
  const slow = openSocket(url, openStream)
  const [begun] = (await once(slow, 'data')) as [string]
  const text = begun.includes('sessionId=') ? begun : begun + (await once(slow, 'data'))[0]
  slow.pause()
  const session = `${url}/mcp/messages?sessionId=${/sessionId=([\da-f-]+)/.exec(text)?.[1]}`
  // Responses repeat the id, which makes them large.
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

it('answers parallel calls on the stream, each with its id', async () => {
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

it('sends responses only on the stream of their session', async () => {
  using first = await openMcpStream(url)
  using second = await openMcpStream(url)
  await first.post({ ...makeRequest('ping'), id: 'of the first' })
  await second.post({ ...makeRequest('ping'), id: 'of the second' })
  expect([await first.next(), await second.next()].map(({ id }) => id)).toEqual([
    'of the first',
    'of the second',
  ])
})

it('notifies subscribers of changed reviews in the spelling of their address', async () => {
  using exact = await openMcpStream(url)
  using upperCase = await openMcpStream(url)
  using other = await openMcpStream(url)
  const upperCaseAddress = 'umpire://repos/ACME/Shop/reviews'
  // The first review stores the spelling of the name.
  const first = await scenario.openPullRequest(
    { 'src/one.ts': 'export const one = 1\n' },
    { branch: 'first' },
  )
  await scenario.waitUntilSettled()
  expect(await exact.request('resources/subscribe', { uri: address })).toMatchObject({ result: {} })
  expect(await upperCase.request('resources/subscribe', { uri: upperCaseAddress })).toMatchObject({
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
  expect(await upperCase.next()).toEqual(updated(upperCaseAddress))
  const [record] = await callTool(url, 'get_pr_verdict', { repo, pr_number: number })
  expect(record).toMatchObject({ verdict: 'APPROVED' })
  // No notification arrived before this response.
  expect(await other.request('ping')).toMatchObject({ result: {} })
})

it('sends no notifications after the end of a subscription', async () => {
  using remaining = await openMcpStream(url)
  using leaving = await openMcpStream(url)
  for (const stream of [remaining, leaving])
    await stream.request('resources/subscribe', { uri: address })
  expect(
    await leaving.request('resources/unsubscribe', {
      uri: address.toUpperCase().replace(/^[^/]*/, 'umpire:'),
    }),
  ).toMatchObject({})
  expect(await leaving.request('resources/unsubscribe', { uri: address })).toMatchObject({
    result: {},
  })
  await scenario.openPullRequest(
    { 'src/three.ts': 'export const three = 3\n' },
    { branch: 'third' },
  )
  await scenario.waitUntilSettled()
  expect(await remaining.next()).toEqual(updated(address))
  expect(await leaving.request('ping')).toMatchObject({ id: 1, result: {} })
})

it("notifies the SDK's client of the newest revision on a separate stream", async () => {
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: 'auto' } },
  )
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)))
  const notified = new Promise<unknown>((resolve) => {
    client.setNotificationHandler('notifications/resources/updated', async ({ params }) =>
      resolve(params),
    )
  })
  const subscription = await client.listen({
    resourceSubscriptions: [address.replace('acme', 'Acme')],
  })
  await scenario.openPullRequest({ 'src/four.ts': 'export const four = 4\n' }, { branch: 'fourth' })
  expect(await notified).toMatchObject({ uri: address })
  await subscription.close()
  await client.close()
})

it('refuses malformed subscriptions, and too many', async () => {
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

it('sends keep-alive comments on streams', async () => {
  const socket = openSocket(url, openStream)
  await once(socket, 'data')
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  using counted = await openMcpStream(url)
  const raw = openSocket(url, openStream)
  await once(raw, 'data')
  const keepAlive = new Promise<string>((resolve) => {
    raw.on('data', (text) => String(text).includes(': ') && resolve(String(text)))
  })
  vi.advanceTimersByTime(15_000)
  expect(await keepAlive).toContain(': still here')
  expect(await counted.request('ping')).toMatchObject({ result: {} })
  for (const one of [socket, raw]) one.destroy()
})

it('limits an address to 200 streams, and answers 429 to more', async () => {
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

it('case 63: ends streams when the service stops', async () => {
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
  // The final chunk shows that the stream ended cleanly.
  expect(text).toMatch(/event: endpoint[\s\S]*\r\n0\r\n\r\n$/)
  expect(await umpire.exited).toMatchObject({ code: 0, signal: null })
  await subscription.close().catch(() => undefined)
  await client.close()
})
