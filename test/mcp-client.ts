// Talks MCP to a running Umpire by hand: single messages, and the stream of the first protocol revision.
import { EventSource } from 'eventsource'

/** JSON-RPC as it comes back. */
export interface RpcResponse {
  readonly jsonrpc: '2.0'
  readonly id: number | string | null
  // biome-ignore lint/suspicious/noExplicitAny: looked at by tests
  readonly result?: any
  readonly error?: { readonly code: number; readonly message: string }
}

type Headers = Readonly<Record<string, string>>

/** Posts a body as it is. */
export function postMessage(url: string, body: unknown, headers: Headers = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

/** A request with an id. */
export function makeRequest(method: string, params?: object) {
  return { jsonrpc: '2.0', id: 1, method, ...(params && { params }) }
}

/** Asks without a session, as the interface has it. */
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

/** Calls a tool without a session. Checks that its two forms say the same. */
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
  /** Where its client posts its messages. */
  readonly address: string
  /** Posts a message; the status of the answer. */
  post(message: object, headers?: Headers): Promise<number>
  /** The next message on the stream. Rejects when it is over. */
  next(): Promise<RpcResponse & { method?: string; params?: Record<string, unknown> }>
  /** Posts a request and reads its answer, which must come next. */
  request(method: string, params?: object): Promise<RpcResponse>
  /** Resolves when the connection was lost. */
  readonly ended: Promise<void>
}

/** Opens `/mcp/sse` with a third party's client of events, and waits until it tells where to post. */
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
