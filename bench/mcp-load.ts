// Calls MCP tools over SSE and Streamable HTTP with little CPU use of its own.
import { once } from 'node:events'
import type { Socket } from 'node:net'
import {
  exchange,
  type LoadResult,
  openConnection,
  sendRequests,
  summarizeLatencies,
} from './load-generator.ts'

export interface ToolCall {
  readonly name: string
  readonly arguments: object
}

/** Returns the call with a given index. */
export type ToolCalls = (index: number) => ToolCall

/** Load functions by transport name. */
export const transports = {
  SSE: callOverSse,
  'HTTP, 2026-07-28': (port: number, calls: ToolCalls, count: number, concurrency: number) =>
    callOverHttp(port, (index) => composeCurrentRevision(calls(index)), count, concurrency),
  'HTTP, earlier': (port: number, calls: ToolCalls, count: number, concurrency: number) =>
    callOverHttp(
      port,
      (index) => composeRequest('/mcp', createCallMessage(calls(index)), acceptHeaders),
      count,
      concurrency,
    ),
} as const

const acceptHeaders = ['accept: application/json, text/event-stream']

function createCallMessage(call: ToolCall, meta?: object) {
  return {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { ...call, ...(meta && { _meta: meta }) },
  }
}

function composeCurrentRevision(call: ToolCall): Buffer {
  const revision = '2026-07-28'
  const meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  }
  const headers = [
    `mcp-protocol-version: ${revision}`,
    'mcp-method: tools/call',
    `mcp-name: ${call.name}`,
  ]
  return composeRequest('/mcp', createCallMessage(call, meta), [...acceptHeaders, ...headers])
}

function composeRequest(path: string, message: object, headers: readonly string[] = []): Buffer {
  const body = JSON.stringify(message)
  const head = [
    `POST ${path} HTTP/1.1`,
    'host: localhost',
    'content-type: application/json',
    ...headers,
    `content-length: ${Buffer.byteLength(body)}`,
  ]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
}

function callOverHttp(
  port: number,
  compose: (index: number) => Buffer,
  count: number,
  concurrency: number,
): Promise<LoadResult> {
  const requests = Array.from({ length: count }, (_, index) => compose(index))
  return sendRequests({ host: '127.0.0.1', port }, requests, concurrency)
}

/** Sends one call at a time per stream. Requests use a second connection. */
async function callOverSse(
  port: number,
  calls: ToolCalls,
  count: number,
  concurrency: number,
): Promise<LoadResult> {
  const clients = await Promise.all(Array.from({ length: concurrency }, () => openClient(port)))
  const latencies: number[] = []
  let left = count
  const start = performance.now()
  await Promise.all(
    clients.map(async (client) => {
      while (left-- > 0) {
        const sent = performance.now()
        await client.call(calls(left))
        latencies.push(performance.now() - sent)
      }
    }),
  )
  const seconds = (performance.now() - start) / 1000
  for (const client of clients) client.close()
  return summarizeLatencies(latencies, seconds)
}

async function openClient(port: number) {
  const target = { host: '127.0.0.1', port }
  const stream = await openConnection(target)
  stream.setEncoding('latin1')
  const nextEvent = readEvents(stream)
  stream.write('GET /mcp/sse HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\n\r\n')
  const address = /data: (\S+)/.exec(await nextEvent('endpoint'))?.[1] as string
  const post = await openConnection(target)
  const send = async (message: object) => {
    const status = await exchange(post, composeRequest(address, message))
    if (status !== 202) throw new Error(`Unexpected status ${status} for a message`)
  }
  const clientInfo = { name: 'bench', version: '1' }
  const handshake = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo }
  await Promise.all([
    send({ jsonrpc: '2.0', id: 0, method: 'initialize', params: handshake }),
    nextEvent('message'),
  ])
  await send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  return {
    call: (call: ToolCall) => Promise.all([send(createCallMessage(call)), nextEvent('message')]),
    close() {
      stream.destroy()
      post.destroy()
    },
  }
}

/** Returns a function that reads the next event of a type. Call it once at a time. */
function readEvents(stream: Socket): (type: string) => Promise<string> {
  let text = ''
  return async (type) => {
    for (;;) {
      const start = text.indexOf(`event: ${type}\n`)
      const end = start === -1 ? -1 : text.indexOf('\n\n', start)
      if (end !== -1) {
        const event = text.slice(start, end)
        text = text.slice(end + 2)
        return event
      }
      const [part] = (await once(stream, 'data')) as [string]
      text += part
    }
  }
}
