// Tests the MCP server over HTTP: accepted and refused messages, tools and resources.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeRequest, openMcpStream, postMessage, sendRequest } from '../mcp-client.ts'
import { sendRaw } from '../raw-request.ts'
import { repo, type Scenario, startScenario } from '../review-scenario.ts'

let scenario: Scenario
let url: string
beforeAll(async () => {
  scenario = await startScenario({
    env: { MCP_ALLOWED_HOSTS: 'Reviews.Internal, [fd00::1]', SERVICE_NAME: 'umpire-x' },
  })
  url = scenario.app.url
  await scenario.openPullRequest({ 'src/two.ts': 'export const two = 2\n' })
  await scenario.waitUntilSettled()
})
afterAll(() => scenario[Symbol.asyncDispose]())

const paths = ['/mcp', '/mcp/sse', '/mcp/messages'] as const

describe('case 67: a foreign Host or Origin', () => {
  const send = (path: string, headers: readonly string[]) => {
    const body = JSON.stringify(makeRequest('ping'))
    const isPost = path !== '/mcp/sse'
    const more = isPost ? ['content-type: application/json', `content-length: ${body.length}`] : []
    // `connection: close` ends a stream that was opened by mistake, so that the test ends too.
    return sendRaw(url, [
      `${isPost ? 'POST' : 'GET'} ${path} HTTP/1.1`,
      ...headers,
      'accept: application/json, text/event-stream',
      'connection: close',
      ...more,
      '',
      isPost ? body : '',
    ])
  }

  it.each([
    ['a foreign Host', ['host: evil.example']],
    ['a foreign Host with our port', ['host: evil.example:80']],
    ['a Host that begins like ours', ['host: localhost.evil.example']],
    ['a malformed Host', ['host: a b']],
    ['a foreign Origin', ['host: localhost', 'origin: https://evil.example']],
    ['the Origin null', ['host: localhost', 'origin: null']],
    ['a malformed Origin', ['host: localhost', 'origin: localhost']],
  ])('case 67: is refused with 403 on every path: %s', async (_, headers) => {
    for (const path of paths) {
      const answer = await send(path, headers)
      expect(answer, path).toMatch(/^HTTP\/1\.1 403 /)
      expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toEqual({
        jsonrpc: '2.0',
        id: null,
        error: { code: -32600, message: 'Host or Origin not allowed: see MCP_ALLOWED_HOSTS' },
      })
    }
  })

  it.each([
    ['localhost:1234', undefined],
    ['127.0.0.1', 'http://localhost:6274'],
    ['[::1]:80', undefined],
    ['reviews.internal', 'https://REVIEWS.internal'],
    ['[fd00::1]', undefined],
  ])('does not include %s', async (host, origin) => {
    const headers = [`host: ${host}`, ...(origin === undefined ? [] : [`origin: ${origin}`])]
    for (const path of ['/mcp', '/mcp/messages'])
      expect(await send(path, headers), path).toMatch(/^HTTP\/1\.1 200 /)
  })
})

describe('case 67: an invalid message', () => {
  const garbage = [
    '',
    'garbage',
    '{"jsonrpc":"2.0"',
    '\u0000',
    '{"jsonrpc":"2.0","id":1,"method":"ping"}}',
  ]

  it.each(garbage)('case 67: is a parse error if it is no JSON: %j', async (body) => {
    for (const path of ['/mcp', '/mcp/messages', '/mcp/messages?sessionId=x']) {
      const headers = { accept: 'application/json, text/event-stream' }
      const response = await postMessage(`${url}${path}`, body, headers)
      expect([path, response.status, await response.json()]).toMatchObject([
        path,
        400,
        { jsonrpc: '2.0', id: null, error: { code: -32700 } },
      ])
    }
  })

  it.each([
    [[]],
    [{}],
    [7],
    [null],
    [{ jsonrpc: '1.0', id: 1, method: 'ping' }],
    [{ jsonrpc: '2.0', id: {}, method: 'ping' }],
  ])('case 67: is an invalid request if it is other JSON: %j', async (body) => {
    const response = await postMessage(`${url}/mcp/messages`, body)
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { jsonrpc: '2.0', error: { code: -32600 } },
    ])
  })

  it('is refused if it is too large or of another content type', async () => {
    const large = JSON.stringify(makeRequest('tools/call', { name: 'x'.repeat(300_000) }))
    for (const path of ['/mcp', '/mcp/messages']) {
      expect((await postMessage(`${url}${path}`, large)).status).toBe(413)
      expect(
        (await postMessage(`${url}${path}`, makeRequest('ping'), { 'content-type': 'text/plain' }))
          .status,
      ).toBe(415)
    }
  })
})

describe('case 67: unknown names', () => {
  const unknown = { code: -32601, message: 'Method not found' }

  it.each([
    'nothing/here',
    '',
    'tools/call/',
    '__proto__',
    'prompts/list',
    'logging/setLevel',
    'sampling/createMessage',
  ])('case 67: return an error for the method %j', async (method) => {
    expect(await sendRequest(url, method)).toEqual({ jsonrpc: '2.0', id: 1, error: unknown })
    using stream = await openMcpStream(url)
    expect(await stream.request(method)).toEqual({ jsonrpc: '2.0', id: 1, error: unknown })
  })

  it('case 67: return an error for a tool, and for malformed arguments', async () => {
    for (const params of [
      { name: 'get_secrets' },
      { name: 'toString' },
      { name: 5 },
      {},
      { name: 'get_repo_health', arguments: [] },
    ]) {
      expect(await sendRequest(url, 'tools/call', params)).toMatchObject({
        error: { code: -32602 },
      })
    }
  })

  it('case 67: return 404 for a session', async () => {
    const response = await postMessage(
      `${url}/mcp/messages?sessionId=00000000-0000-4000-8000-000000000000`,
      {
        ...makeRequest('ping'),
        id: 'mine',
      },
    )
    expect([response.status, await response.json()]).toEqual([
      404,
      { jsonrpc: '2.0', id: 'mine', error: { code: -32600, message: 'Session not found' } },
    ])
  })
})

describe('a message without a session', () => {
  it.each(['*/*', 'application/json', 'text/event-stream', 'text/html'])(
    'is answered with a JSON body, even with Accept: %s',
    async (accept) => {
      const response = await postMessage(
        `${url}/mcp/messages`,
        { ...makeRequest('ping'), id: 'a' },
        { accept },
      )
      expect(response.headers.get('content-type')).toMatch(/^application\/json/)
      expect([response.status, await response.json()]).toEqual([
        200,
        { jsonrpc: '2.0', id: 'a', result: {} },
      ])
    },
  )

  it('has no response body if it is a notification', async () => {
    const response = await postMessage(`${url}/mcp/messages`, {
      jsonrpc: '2.0',
      method: 'notifications/initialized',
    })
    expect([response.status, await response.text()]).toEqual([202, ''])
  })

  it('can be the handshake', async () => {
    const params = {
      protocolVersion: '2024-11-05',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    }
    const { result } = await sendRequest(url, 'initialize', params)
    expect(result).toMatchObject({
      protocolVersion: '2024-11-05',
      serverInfo: { name: 'umpire-x', title: 'Umpire', version: expect.stringMatching(/^\d/) },
      capabilities: { tools: {}, resources: {} },
    })
  })
})

describe('the list of tools', () => {
  it('has four read-only tools with input and output schemas', async () => {
    const { result } = await sendRequest(url, 'tools/list')
    expect(result.tools.map(({ name }: { name: string }) => name)).toEqual([
      'get_recent_reviews',
      'get_contributor_stats',
      'get_pr_verdict',
      'get_repo_health',
    ])
    for (const tool of result.tools) {
      expect(tool.annotations).toMatchObject({
        readOnlyHint: true,
        destructiveHint: false,
        openWorldHint: false,
      })
      expect(tool.inputSchema).toMatchObject({
        type: 'object',
        required: expect.arrayContaining(['repo']),
      })
      expect(tool.outputSchema).toMatchObject({ type: 'object', properties: expect.anything() })
    }
  })
})

describe('the reviews resource', () => {
  const address = `umpire://repos/${repo}/reviews`

  it('is a template', async () => {
    const { result } = await sendRequest(url, 'resources/templates/list')
    expect(result.resourceTemplates).toMatchObject([
      { uriTemplate: 'umpire://repos/{owner}/{repo}/reviews' },
    ])
  })

  it('has the same reviews as the tool', async () => {
    const { result } = await sendRequest(url, 'resources/read', { uri: address })
    expect(result.contents).toMatchObject([{ uri: address, mimeType: 'application/json' }])
    const listed = await sendRequest(url, 'tools/call', {
      name: 'get_recent_reviews',
      arguments: { repo, limit: 50 },
    })
    expect(JSON.parse(result.contents[0].text)).toEqual(listed.result.structuredContent.result)
    expect(listed.result.structuredContent.result).toHaveLength(1)
  })

  it('is empty for an unknown repository', async () => {
    const { result } = await sendRequest(url, 'resources/read', {
      uri: 'umpire://repos/no/such/reviews',
    })
    expect(result.contents).toMatchObject([{ text: '[]' }])
  })

  it.each([
    'umpire://repos/acme/reviews',
    'file:///etc/passwd',
    `${address}/1`,
    'umpire://repos/a/%2e%2e/reviews',
    '',
  ])('refuses the address %j', async (uri) => {
    expect(await sendRequest(url, 'resources/read', { uri })).toMatchObject({
      error: { code: -32602 },
    })
  })
})

describe('Streamable HTTP', () => {
  it.each(['legacy', 'auto'] as const)("works with the SDK's client in mode %s", async (mode) => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)))
    expect(client.getServerVersion()).toMatchObject({ name: 'umpire-x' })
    const { tools } = await client.listTools()
    expect(tools).toHaveLength(4)
    // The client validates the result against the output schema.
    const { structuredContent } = await client.callTool({
      name: 'get_pr_verdict',
      arguments: { repo, pr_number: 1 },
    })
    expect(structuredContent).toMatchObject({ repo, pr_number: 1, verdict: 'APPROVED' })
    await client.close()
  })

  it('has no sessions, and refuses GET and DELETE', async () => {
    for (const method of ['GET', 'DELETE']) {
      const response = await fetch(`${url}/mcp`, {
        method,
        headers: { accept: 'text/event-stream' },
      })
      expect(response.status).toBe(405)
    }
  })
})
