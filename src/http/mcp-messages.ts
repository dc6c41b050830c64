// Messages of MCP in HTTP bodies: read from what was posted, and answers that are faults.
import {
  JSONRPC_VERSION,
  type JSONRPCMessage,
  ProtocolErrorCode,
  parseJSONRPCMessage,
} from '@modelcontextprotocol/server'
import type { FastifyReply } from 'fastify'

type ReadResult<T> =
  | { readonly value: T }
  | { readonly fault: readonly [code: number, message: string] }

/** The JSON of a body. */
export function readJson(body: unknown): ReadResult<unknown> {
  try {
    return { value: JSON.parse(String(body)) }
  } catch {
    return { fault: [ProtocolErrorCode.ParseError, 'Parse error: the body is no JSON'] }
  }
}

/** The one message of a body. */
export function readMessage(body: unknown): ReadResult<JSONRPCMessage> {
  const read = readJson(body)
  if ('fault' in read) return read
  try {
    return { value: parseJSONRPCMessage(read.value) }
  } catch {
    return {
      fault: [
        ProtocolErrorCode.InvalidRequest,
        'Invalid request: the body is not one JSON-RPC 2.0 message',
      ],
    }
  }
}

/** Answers with a fault. `id` is that of the request, where it could be read. */
export function sendJsonRpcError(
  reply: FastifyReply,
  status: number,
  [code, message]: readonly [code: number, message: string],
  id: string | number | null = null,
) {
  return sendJson(reply.code(status), { jsonrpc: JSONRPC_VERSION, error: { code, message }, id })
}

/** Answers with JSON that no schema of ours describes. */
export function sendJson(reply: FastifyReply, body: unknown) {
  return reply.type('application/json').serializer(JSON.stringify).send(body)
}
