// One message from a client that has no session, and its answer.
import {
  isJSONRPCRequest,
  type JSONRPCMessage,
  type Server,
  type Transport,
} from '@modelcontextprotocol/server'

/**
 * Gives the message to a server that is there for it alone. Null for a message that has no answer.
 *
 * @param signal its client is gone
 */
export async function answerMessage(
  server: Server,
  message: JSONRPCMessage,
  signal: AbortSignal,
): Promise<JSONRPCMessage | null> {
  const { promise: answer, resolve, reject } = Promise.withResolvers<JSONRPCMessage>()
  const transport: Transport = {
    start: async () => undefined,
    // What comes before the answer, such as a report of progress, has no place to go.
    send: async (sent) => ('id' in sent && !('method' in sent) ? resolve(sent) : undefined),
    close: async () => transport.onclose?.(),
  }
  const leave = () => reject(signal.reason)
  signal.throwIfAborted()
  signal.addEventListener('abort', leave, { once: true })
  try {
    await server.connect(transport)
    transport.onmessage?.(message)
    return isJSONRPCRequest(message) ? await answer : null
  } finally {
    signal.removeEventListener('abort', leave)
    await server.close()
  }
}
