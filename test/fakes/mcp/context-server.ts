// A scriptable MCP server of a tracker or chat on loopback, made with the official SDK.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMcpHandler, Server, type Tool } from '@modelcontextprotocol/server'

/** The answer of a tool: text, an error, or none until the call is aborted. */
export type ToolScript = (
  given: Record<string, unknown>,
) => string | { readonly failed: string } | 'hang'

export interface ContextServerOptions {
  readonly tools: Readonly<Record<string, ToolScript>>
  /** Overrides the description per tool. */
  readonly describe?: (name: string) => Partial<Tool>
  /** Answers requests before MCP handles them; false passes them on. */
  readonly intercept?: (request: IncomingMessage, response: ServerResponse) => boolean
  /** Answers tool calls instead of the script. */
  readonly answerCall?: ((response: ServerResponse) => void) | undefined
}

export interface ContextServer extends AsyncDisposable {
  readonly url: string
  /** All tool calls so far. */
  readonly calls: readonly { readonly name: string; readonly given: Record<string, unknown> }[]
  /** The headers of all requests so far. */
  readonly headers: readonly IncomingMessage['headers'][]
  /** Replaces the answers from now on. */
  setOptions(options: Partial<ContextServerOptions>): void
}

/** The input schema of all its tools. */
const anyInput = { type: 'object' as const, properties: {} }

export async function startContextServer(given: ContextServerOptions): Promise<ContextServer> {
  let options = given
  const calls: { name: string; given: Record<string, unknown> }[] = []
  const headers: IncomingMessage['headers'][] = []
  const handler = createMcpHandler(() => {
    const server = new Server({ name: 'a tracker', version: '1' }, { capabilities: { tools: {} } })
    server.setRequestHandler('tools/list', async () => ({
      tools: Object.keys(options.tools).map((name) => ({
        name,
        description: `The tool ${name}.`,
        inputSchema: anyInput,
        annotations: { readOnlyHint: true },
        ...options.describe?.(name),
      })),
    }))
    server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
      const args = params.arguments ?? {}
      calls.push({ name: params.name, given: args })
      const result = options.tools[params.name]?.(args) ?? { failed: 'no such tool' }
      if (result === 'hang')
        await new Promise((_, reject) => mcpReq.signal.addEventListener('abort', reject))
      if (typeof result !== 'string')
        return { content: [{ type: 'text', text: result.failed }], isError: true }
      return { content: [{ type: 'text', text: result }] }
    })
    return server
  })
  const http = createServer((request, response) => {
    headers.push(request.headers)
    if (options.intercept?.(request, response)) return
    void answer(request, response)
  })
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if (options.answerCall && Buffer.concat(chunks).includes('"tools/call"'))
      return options.answerCall(response)
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    const body = chunks.length > 0 ? { body: Buffer.concat(chunks).toString() } : {}
    const answered = await handler.fetch(
      new Request(`http://mcp${request.url}`, {
        method: request.method ?? 'GET',
        headers: Object.entries(request.headers).map(
          ([name, value]) => [name, String(value)] as [string, string],
        ),
        signal: gone.signal,
        ...body,
      }),
    )
    response.writeHead(answered.status, Object.fromEntries(answered.headers))
    for await (const chunk of answered.body ?? []) response.write(chunk)
    response.end()
  }
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    calls,
    headers,
    setOptions: (changes) => {
      options = { ...options, ...changes }
    },
    async [Symbol.asyncDispose]() {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
      await handler.close()
    },
  }
}
