// Implements the MCP transport HTTP with SSE:
// https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'
import type { EventStream } from '../lib/event-stream.ts'

export interface SseTransport extends Transport {
  /** Takes a message that the client posted. */
  receive(message: JSONRPCMessage): void
}

/** @param messagesUrl URL to which the client posts, relative to the URL of the stream */
export function createSseTransport(stream: EventStream, messagesUrl: string): SseTransport {
  let isClosed = false
  const transport: SseTransport = {
    async start() {
      stream.sendText('endpoint', messagesUrl)
      stream.output.once('close', () => void transport.close())
    },
    async send(message) {
      stream.send('message', message)
    },
    async close() {
      if (isClosed) return
      isClosed = true
      stream.end()
      transport.onclose?.()
    },
    receive: (message) => transport.onmessage?.(message),
  }
  return transport
}
