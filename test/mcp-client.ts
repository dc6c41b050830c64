// A minimal MCP client for tests: single messages, and the stream of the first revision.
import { EventSource } from 'eventsource'

export interface RpcResponse {
  readonly jsonrpc: '2.0'
  readonly id: number | string | null
  // biome-ignore lint/suspicious/noExplicitAny: looked at by tests
  readonly result?: any
  readonly error?: { readonly code: number; readonly message: string }
}

type Headers = Readonly<Record<string, string>>

/** Posts a body unchanged. */
export function postMessage(url: string, body: unknown, headers: Headers = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

export function makeRequest(method: string, params?: object) {
  return { jsonrpc: '2.0', id: 1, method, ...(params && { params }) }
}

/** Sends a request without a session. */
export async function sendRequest(
  url: string,
  method: string,
  params?: object,
  headers?: Headers,
): Promise<RpcResponse> {
  const response = await postMessage(`${url}/mcp/messages`, makeRequest(method, params), headers)
  if (response.status !== 200) throw new Error(`${method} was answered with ${response.status}`)
  return (await response.json()) as RpcResponse
}

/** Calls a tool without a session. Checks that its text and its structured content are equal. */
export async function callTool(url: string, name: string, given: object, headers?: Headers) {
  const { result, error } = await sendRequest(
    url,
    'tools/call',
    { name, arguments: given },
    headers,
  )
  if (error) throw new Error(`${name} failed: ${error.code} ${error.message}`)
  const records = result.content.map((item: { type: string; text: string }) =>
    JSON.parse(item.text),
  )
  const structured = Array.isArray(result.structuredContent.result)
    ? result.structuredContent.result
    : [result.structuredContent]
  if (JSON.stringify(records) !== JSON.stringify(structured))
    throw new Error(`${name} says two different things`)
  return records
}

export interface McpStream extends Disposable {
  /** The address that the client posts its messages to. */
  readonly address: string
  /** Posts a message and returns the status of the answer. */
  post(message: object, headers?: Headers): Promise<number>
  /** Returns the next message on the stream. Rejects when the stream has ended. */
  next(): Promise<RpcResponse & { method?: string; params?: Record<string, unknown> }>
  /** Posts a request and returns its answer, which must be the next message. */
  request(method: string, params?: object): Promise<RpcResponse>
  /** Resolves when the connection is lost. */
  readonly ended: Promise<void>
}

/** Opens `/mcp/sse` with a third-party event client and waits for the address to post to. */
export async function openMcpStream(url: string, headers: Headers = {}): Promise<McpStream> {
  const arrived: string[] = []
  const ended = Promise.withResolvers<void>()
  let waiting = Promise.withResolvers<void>()
  let isOver = false
  const source = new EventSource(`${url}/mcp/sse`, {
    fetch: (input, init) =>
      fetch(input, { ...init, headers: { ...init.headers, ...headers } } as RequestInit),
  })
  for (const type of ['endpoint', 'message']) {
    source.addEventListener(type, ({ data }) => {
      arrived.push(data)
      waiting.resolve()
    })
  }
  source.addEventListener('error', () => {
    source.close()
    isOver = true
    ended.resolve()
    waiting.resolve()
  })
  const nextText = async (): Promise<string> => {
    const text = arrived.shift()
    if (text !== undefined) return text
    if (isOver) throw new Error('The stream is over')
    waiting = Promise.withResolvers()
    await waiting.promise
    return nextText()
  }
  const address = new URL(await nextText(), `${url}/mcp/sse`).href
  const post = async (message: object, more: Headers = {}) =>
    (await postMessage(address, message, { ...headers, ...more })).status
  const next = async () => JSON.parse(await nextText())
  return {
    address,
    post,
    next,
    async request(method, params) {
      const status = await post(makeRequest(method, params))
      if (status !== 202) throw new Error(`${method} was answered with ${status}`)
      return next()
    },
    ended: ended.promise,
    [Symbol.dispose]: () => source.close(),
  }
}
