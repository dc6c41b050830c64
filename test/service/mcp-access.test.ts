// Tests access to the MCP server for each value of MCP_ACCESS, on each database engine.
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { type ConnectScenario, startConnectScenario } from '../connect-scenario.ts'
import { callTool, makeRequest, openMcpStream, postMessage, sendRequest } from '../mcp-client.ts'
import { forgeEnvironment } from '../review-scenario.ts'
import type { SignedInUser } from '../sign-in.ts'
import { pullRequestPayload, startTestApp } from '../start-app.ts'

let scene: ConnectScenario
let url: string
let alice: SignedInUser
let bob: SignedInUser
/** A repository that only alice connected. */
let hers: string
beforeAll(async () => {
  scene = await startConnectScenario({
    env: { MCP_ACCESS: 'token' },
    parts: { web: true, worker: false },
  })
  url = scene.app.url
  alice = await scene.signIn('alice')
  bob = await scene.signIn('bob')
  hers = await scene.createRepository()
  expect(await scene.connect('alice', hers)).toMatchObject({ status: 200 })
  await saveReview(hers, 1)
})
afterAll(() => scene[Symbol.asyncDispose]())
afterEach(() => {
  vi.useRealTimers()
})

/** Saves a pull request with a completed review. */
async function saveReview(repo: string, number: number): Promise<void> {
  const { webhookSecret: secret } = (await scene.readInstallations(repo)).at(-1)!
  expect(await scene.app.deliver(pullRequestPayload({ repo, number }), { secret })).toMatchObject({
    status: 200,
  })
  const run = {
    workflowType: 'pr_review',
    repo,
    prNumber: number,
    status: 'completed',
    attempts: 1,
  } as const
  await scene.app.db
    .insertInto('workflowRuns')
    .values({ ...run, verdict: 'APPROVE', summary: 'All is well' })
    .execute()
}

const addressOf = (repo: string) => `umpire://repos/${repo}/reviews`

describe('MCP_ACCESS=token', () => {
  it.each(['/mcp', '/mcp/messages', '/mcp/sse'])('requires a valid token at %s', async (path) => {
    const credentials: Record<string, string>[] = [
      {},
      alice.cookie,
      { authorization: 'Bearer nothing' },
      { authorization: `Bearer ${alice.session}` },
    ]
    for (const headers of credentials) {
      const response =
        path === '/mcp/sse'
          ? await fetch(`${url}${path}`, { headers })
          : await postMessage(`${url}${path}`, makeRequest('tools/list'), headers)
      expect([response.status, await response.json()]).toEqual([401, { detail: 'Unauthorized' }])
    }
  })

  it('answers only about repositories that the caller connected', async () => {
    expect(await callTool(url, 'get_recent_reviews', { repo: hers }, alice.bearer)).toHaveLength(1)
    expect(
      await callTool(url, 'get_recent_reviews', { repo: hers.toUpperCase() }, alice.bearer),
    ).toHaveLength(1)
    expect(
      await callTool(url, 'get_pr_verdict', { repo: hers, pr_number: 1 }, alice.bearer),
    ).toMatchObject([{ repo: hers, verdict: 'APPROVED' }])
    const denied = 'Repo not connected or access denied'
    for (const repo of [hers, 'acme/nothing']) {
      expect(await callTool(url, 'get_recent_reviews', { repo }, bob.bearer)).toEqual([])
      expect(await callTool(url, 'get_contributor_stats', { repo }, bob.bearer)).toEqual([])
      expect(await callTool(url, 'get_pr_verdict', { repo, pr_number: 1 }, bob.bearer)).toEqual([
        { error: denied },
      ])
      expect(await callTool(url, 'get_repo_health', { repo }, bob.bearer)).toMatchObject([
        { error: denied, open_prs_indexed: 0 },
      ])
      const { result } = await sendRequest(
        url,
        'resources/read',
        { uri: addressOf(repo) },
        bob.bearer,
      )
      expect(result.contents).toMatchObject([{ text: '[]' }])
    }
  })

  it('lists connected repositories as resources until access is lost', async () => {
    const own = await scene.createRepository()
    await scene.connect('bob', own)
    const listed = async (person: SignedInUser) =>
      (await sendRequest(url, 'resources/list', {}, person.bearer)).result.resources.map(
        ({ uri }: { uri: string }) => uri,
      )
    expect(await listed(alice)).toEqual([addressOf(hers)])
    expect(await listed(bob)).toEqual([addressOf(own)])
    await scene.app.db
      .updateTable('installations')
      .set({ accessLostAt: new Date() })
      .where('repoFullName', '=', own)
      .execute()
    expect(await listed(bob)).toEqual([])
  })

  it('refuses messages for the session of another person', async () => {
    using stream = await openMcpStream(url, alice.bearer)
    expect(await stream.post(makeRequest('ping'), bob.bearer)).toBe(404)
    expect(await stream.request('ping')).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
  })

  it('sends changes only to people who may see them', async () => {
    using owner = await openMcpStream(url, alice.bearer)
    using outsider = await openMcpStream(url, bob.bearer)
    const uri = addressOf(hers)
    expect(await owner.request('resources/subscribe', { uri })).toMatchObject({ result: {} })
    expect(await outsider.request('resources/subscribe', { uri })).toMatchObject({
      error: { code: -32602 },
    })
    await saveReview(hers, 2)
    expect(await owner.next()).toMatchObject({
      method: 'notifications/resources/updated',
      params: { uri },
    })
    expect(await outsider.request('ping')).toMatchObject({ result: {} })
  })

  it('accepts subscriptions of the newest revision only to visible resources', async () => {
    const listen = async (person: SignedInUser) => {
      const meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      }
      const params = { notifications: { resourceSubscriptions: [addressOf(hers)] }, _meta: meta }
      const response = await postMessage(
        `${url}/mcp`,
        makeRequest('subscriptions/listen', params),
        {
          ...person.bearer,
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'subscriptions/listen',
        },
      )
      expect(response.status).toBe(200)
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
      const { value } = await reader.read()
      await reader.cancel()
      return JSON.parse(/data: (.*)/.exec(value!)![1]!).params.notifications
    }
    expect(await listen(alice)).toEqual({ resourceSubscriptions: [addressOf(hers)] })
    expect(await listen(bob)).toEqual({})
  })

  it('ends a stream within a minute after sign-out', async () => {
    const session = await scene.signIn('carol')
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    using stream = await openMcpStream(url, session.bearer)
    using other = await openMcpStream(url, alice.bearer)
    await fetch(`${url}/auth/logout`, { method: 'POST', headers: session.cookie })
    vi.advanceTimersByTime(60_000)
    await stream.ended
    expect(await other.request('ping')).toMatchObject({ result: {} })
  })
})

it('answers 404 with MCP_ACCESS=off', async () => {
  const env = { ...forgeEnvironment(scene.forge), MCP_ACCESS: 'off' }
  await using app = await startTestApp({ env, parts: { web: true, worker: false } })
  for (const path of ['/mcp', '/mcp/messages']) {
    expect((await postMessage(`${app.url}${path}`, makeRequest('ping'))).status).toBe(404)
  }
  expect((await fetch(`${app.url}/mcp/sse`)).status).toBe(404)
})
