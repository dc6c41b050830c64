// Reads MCP messages from HTTP bodies and sends JSON-RPC errors.
import {
  JSONRPC_VERSION,
  type JSONRPCMessage,
  ProtocolErrorCode,
  parseJSONRPCMessage,
} from '@modelcontextprotocol/server'
import type { FastifyReply } from 'fastify'

type JsonRpcError = readonly [code: number, message: string]

type ReadResult<T> = { readonly value: T } | { readonly error: JsonRpcError }

export function readJson(body: unknown): ReadResult<unknown> {
  try {
    return { value: JSON.parse(String(body)) }
  } catch {
    return { error: [ProtocolErrorCode.ParseError, 'Parse error: the body is not JSON'] }
  }
}

/** Parses a body that must be a single JSON-RPC message. */
export function readMessage(body: unknown): ReadResult<JSONRPCMessage> {
  const result = readJson(body)
  if ('error' in result) return result
  try {
    return { value: parseJSONRPCMessage(result.value) }
  } catch {
    const message = 'Invalid request: the body is not one JSON-RPC 2.0 message'
    return { error: [ProtocolErrorCode.InvalidRequest, message] }
  }
}

/** Sends a JSON-RPC error. `id` is that of the request, or null if it could not be read. */
export function sendJsonRpcError(
  reply: FastifyReply,
  status: number,
  [code, message]: JsonRpcError,
  id: string | number | null = null,
) {
  return sendJson(reply.code(status), { jsonrpc: JSONRPC_VERSION, error: { code, message }, id })
}

/** Sends JSON that no response schema describes. */
export function sendJson(reply: FastifyReply, body: unknown) {
  return reply.type('application/json').serializer(JSON.stringify).send(body)
}
