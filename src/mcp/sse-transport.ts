// The transport of the first protocol revision: messages to the client on a stream of events, its own by POST to the address
// that the stream names first. https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'
import type { EventStream } from '../lib/event-stream.ts'

/** A transport over a stream that is open; its client's messages are given to `receive`. */
export interface SseTransport extends Transport {
  receive(message: JSONRPCMessage): void
}

/** @param address where the client posts its messages, seen from the stream's own address */
export function createSseTransport(stream: EventStream, address: string): SseTransport {
  let closed = false
  const transport: SseTransport = {
    async start() {
      stream.sendText('endpoint', address)
      stream.output.once('close', () => void transport.close())
    },
    async send(message) {
      stream.send('message', message)
    },
    async close() {
      if (closed) return
      closed = true
      stream.end()
      transport.onclose?.()
    },
    receive: (message) => transport.onmessage?.(message),
  }
  return transport
}
