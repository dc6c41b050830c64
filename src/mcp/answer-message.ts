// Answers one MCP message of a client without a session.
import {
  isJSONRPCRequest,
  type JSONRPCMessage,
  type Server,
  type Transport,
} from '@modelcontextprotocol/server'

/**
 * Passes a message to a server that is created for it. Returns null for a message without an
 * answer, such as a notification.
 *
 * @param signal aborted when the client disconnects
 */
export async function answerMessage(
  server: Server,
  message: JSONRPCMessage,
  signal: AbortSignal,
): Promise<JSONRPCMessage | null> {
  const { promise: answer, resolve, reject } = Promise.withResolvers<JSONRPCMessage>()
  const transport: Transport = {
    start: async () => undefined,
    async send(sent) {
      // Progress notifications and requests to the client are dropped: only the answer is returned.
      const isAnswer = 'id' in sent && !('method' in sent)
      if (isAnswer) resolve(sent)
    },
    close: async () => transport.onclose?.(),
  }
  const onAbort = () => reject(signal.reason)
  signal.throwIfAborted()
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    await server.connect(transport)
    transport.onmessage?.(message)
    return isJSONRPCRequest(message) ? await answer : null
  } finally {
    signal.removeEventListener('abort', onAbort)
    await server.close()
  }
}
