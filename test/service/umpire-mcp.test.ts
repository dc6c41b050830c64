// `umpire mcp` and `umpire sources`, with a running service and without one.
import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compileCache } from '../compile-cache.ts'
import type { Forge } from '../fakes/forge/forge.ts'
import { startContextServer } from '../fakes/mcp/context-server.ts'
import { testEngine } from '../fakes/test-database.ts'
import { forgeEnvironment, startShopForge } from '../review-scenario.ts'
import { runUmpire, umpireCommand } from '../run-umpire.ts'
import { webhookSecret } from '../start-app.ts'
import {
  createServiceStorage,
  type ServiceStorage,
  startUmpireProcess,
  type UmpireProcess,
} from '../start-umpire-process.ts'

const repo = 'acme/shop'
let forge: Forge
let site: ServiceStorage
let service: UmpireProcess
let env: Record<string, string>
beforeAll(async () => {
  forge = await startShopForge()
  site = await createServiceStorage()
  env = {
    ...site.env,
    ...forgeEnvironment(forge),
    PUBLIC_URL: 'https://umpire.example',
    MEMORY: 'off',
    GRAPH: 'off',
  }
  service = await startUmpireProcess(site, { env })
  forge.addWebhook(repo, {
    url: `${service.url}/api/v1/webhooks/host`,
    secret: webhookSecret,
    events: ['pull_request', 'issues'],
  })
  await forge.push(
    repo,
    'topic',
    { 'src/new.ts': 'export const a = 1\n' },
    { author: 'alice', message: 'Add' },
  )
  await forge.openPullRequest({ repo, head: 'topic', title: 'A change', body: '', author: 'alice' })
  await service.waitForLog('The review is done')
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
  await forge[Symbol.asyncDispose]()
})

/** Connects a third-party client over stdin and stdout. */
async function connect(variables: Record<string, string> = {}) {
  const transport = new StdioClientTransport({
    command: umpireCommand,
    args: ['mcp'],
    env: { PATH: process.env.PATH ?? '', ...env, ...variables },
    cwd: site.dataDir,
    stderr: 'ignore',
  })
  const client = new Client({ name: 'a test', version: '1' })
  await client.connect(transport)
  return client
}

describe('umpire mcp', () => {
  it('responds from the running service on stdin and stdout', async () => {
    const client = await connect()
    try {
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toEqual([
        'get_recent_reviews',
        'get_contributor_stats',
        'get_pr_verdict',
        'get_repo_health',
      ])
      const verdict = await client.callTool({
        name: 'get_pr_verdict',
        arguments: { repo, pr_number: 1 },
      })
      expect(verdict.structuredContent).toMatchObject({ repo, pr_number: 1, verdict: 'APPROVED' })
      const { contents } = await client.readResource({ uri: `umpire://repos/${repo}/reviews` })
      expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject([
        { pr_number: 1, status: 'completed' },
      ])
    } finally {
      await client.close()
    }
  })

  it('shows a person what they connected, and rejects an invalid token', async () => {
    const { stdout } = await runUmpire(['token', '--admin'], { cwd: site.dataDir, env })
    const client = await connect({ UMPIRE_TOKEN: stdout.trim() })
    const { structuredContent } = await client.callTool({
      name: 'get_pr_verdict',
      arguments: { repo, pr_number: 1 },
    })
    await client.close()
    expect(structuredContent).toEqual({ error: 'Repo not connected or access denied' })

    const refused = await runUmpire(['mcp'], {
      cwd: site.dataDir,
      env: { ...env, UMPIRE_TOKEN: 'no-token' },
    })
    expect(refused).toMatchObject({
      code: 3,
      stdout: '',
      stderr: 'umpire: The token is invalid, expired or revoked\n',
    })
  })

  it('exits with its client, and reports a missing service', async () => {
    // The stdin of this process is closed from the start.
    expect(await runUmpire(['mcp'], { cwd: site.dataDir, env })).toMatchObject({
      code: 0,
      stdout: '',
    })
    if (testEngine === 'embedded') {
      const elsewhere = await runUmpire(['mcp'], {
        cwd: site.dataDir,
        env: { ...env, DATA_DIR: `${site.dataDir}/none` },
      })
      expect(elsewhere).toMatchObject({ code: 5, stdout: '' })
      expect(elsewhere.stderr).toMatch(/No service runs with .*umpire serve/)
    }
  })
})

describe('umpire mcp with a simulated service', () => {
  /** Starts a service that responds with `answers` on a control socket. */
  async function startSocket(answers: Readonly<Record<string, unknown>>) {
    const folder = mkdtempSync(join(tmpdir(), 'umpire-mcp-'))
    const requests = new EventEmitter()
    const activity = { connectedRepositories: 0, newestDeliveryAt: null }
    const schema = { missing: [], unknown: [] }
    const details = { engine: 'embedded', version: '1', schema, fsync: true, hasSearchIndex: true }
    const status = {
      pid: 1,
      database: { ...details, now: new Date(), activity, seals: [], apps: [], hosts: null },
    }
    const socket = createServer((request, response) => {
      const route = request.url ?? ''
      requests.emit(route, response)
      const answer = ({ '/status': status, ...answers } as Readonly<Record<string, unknown>>)[route]
      if (answer !== 'nothing')
        response.writeHead(answer ? 200 : 404).end(JSON.stringify(answer ?? { detail: 'No' }))
    })
    await once(socket.listen(join(folder, 'control.sock')), 'listening')
    return {
      env: { PATH: process.env.PATH ?? '', DATA_DIR: folder, NODE_COMPILE_CACHE: compileCache },
      folder,
      waitForRequest: (route: string) => once(requests, route) as Promise<[ServerResponse]>,
      async [Symbol.asyncDispose]() {
        socket.close()
        socket.closeAllConnections()
        rmSync(folder, { recursive: true, force: true })
      },
    }
  }

  const health = {
    type: 'object',
    properties: { repo: { type: 'string' }, score: { type: 'integer' }, hours: { anyOf: [] } },
    required: ['repo', 'score', 'hours'],
  }
  const list = { type: 'object', properties: { result: { type: 'array' } } }
  const tools = [
    { name: 'get_health', inputSchema: { type: 'object' }, outputSchema: health },
    { name: 'get_list', inputSchema: { type: 'object' }, outputSchema: list },
  ]
  const call = (id: number, name: string) => {
    const params = { name, arguments: { repo } }
    return `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`
  }
  const hello = [
    {
      id: 0,
      method: 'initialize',
      params: {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'a', version: '1' },
      },
    },
    { method: 'notifications/initialized' },
  ].map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

  it.each(['its client leaves', 'it gets SIGTERM'])(
    'ends at once when %s, even with a pending request',
    async (how) => {
      await using service = await startSocket({ '/mcp/tools': tools, '/mcp/call': 'nothing' })
      const child = spawn(umpireCommand, ['mcp'], {
        env: service.env,
        cwd: service.folder,
        stdio: ['pipe', 'ignore', 'inherit'],
      })
      const exited = once(child, 'exit')
      const request = service.waitForRequest('/mcp/call')
      child.stdin.write([...hello, call(1, 'get_health')].join(''))
      const [waiting] = await request
      const left = once(waiting, 'close')
      if (how === 'its client leaves') child.stdin.end()
      else child.kill('SIGTERM')
      expect(await exited).toEqual([0, null])
      await left
    },
  )

  it('returns declared error results while the service is down', async () => {
    const service = await startSocket({ '/mcp/tools': tools })
    const child = spawn(umpireCommand, ['mcp'], {
      env: service.env,
      cwd: service.folder,
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const next = async () => JSON.parse((await lines.next()).value as string)
    child.stdin.write(hello.join(''))
    await next()
    await service[Symbol.asyncDispose]()
    const error = 'The service is no longer running: start it again.'
    child.stdin.write(call(1, 'get_health'))
    expect((await next()).result.structuredContent).toEqual({ repo, score: 0, hours: null, error })
    child.stdin.write(call(2, 'get_list'))
    expect((await next()).result).toMatchObject({
      structuredContent: { result: [] },
      _meta: { error },
    })
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 3, method: 'resources/list' })}\n`)
    expect((await next()).error).toMatchObject({ message: error })
    const exited = once(child, 'exit')
    child.stdin.end()
    expect(await exited).toEqual([0, null])
  })

  it('reports a service of another version', async () => {
    await using service = await startSocket({})
    expect(await runUmpire(['mcp'], { cwd: service.folder, env: service.env })).toMatchObject({
      code: 3,
      stdout: '',
      stderr: 'umpire: The running service is of another version than this command.\n',
    })
  })
})

describe('umpire sources', () => {
  it('shows which sources respond, and trusts them again', async () => {
    await using tracker = await startContextServer({ tools: { get_issue: () => '{}' } })
    const sources = { ...env, LINEAR_MCP_URL: tracker.url, LINEAR_API_KEY: 'lin_api_0123456789' }
    expect(await runUmpire(['sources'], { cwd: site.dataDir, env: sources })).toEqual({
      code: 0,
      stdout: 'linear  answers\n',
      stderr: '',
    })
    tracker.setOptions({ tools: {} })
    expect(await runUmpire(['sources'], { cwd: site.dataDir, env: sources })).toEqual({
      code: 5,
      stdout: 'linear  it offers no tool get_issue\n',
      stderr: '',
    })
    const trusted = await runUmpire(['sources', '--trust', 'linear'], {
      cwd: site.dataDir,
      env: sources,
    })
    expect(trusted).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('0 stored tools of linear'),
    })
    const unknown = await runUmpire(['sources', '--trust', 'liner'], {
      cwd: site.dataDir,
      env: sources,
    })
    expect(unknown).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean linear?'),
    })
  })
})
