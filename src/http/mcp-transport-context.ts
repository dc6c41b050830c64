// What the transports of MCP over HTTP have in common.
import type { InMemoryServerEventBus, Server as McpServer } from '@modelcontextprotocol/server'
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../accounts/tokens.ts'
import type { AppContext } from '../context.ts'
import type { McpBackend } from '../mcp/mcp-backend.ts'
import type { ResourceChanges } from '../mcp/mcp-server.ts'
import { resolveReviewsUri } from '../mcp/subscribe-to-reviews.ts'
import type { Authenticate } from './authenticate.ts'
import type { StreamLimiter } from './stream-limiter.ts'

/** Every so often a stream shows that it lives. */
export const keepAliveMs = 15_000
/** Every so often it is looked whether the token that opened a stream still counts. */
const callerCheckIntervalMs = 40_000
/** A message of a client, in bytes: all that they ask with is short. */
export const maxMessageBytes = 256 * 1024

export interface McpTransportContext {
  readonly ctx: Pick<AppContext, 'config' | 'log'>
  readonly backend: Pick<McpBackend, 'findRepository'>
  readonly authenticate: Pick<Authenticate, 'bearer' | 'refreshCaller'>
  readonly streamLimiter: StreamLimiter
  /** All that changes, for whom it may concern. */
  readonly changes: InMemoryServerEventBus
  /** Makes a server for one client. */
  createServer(caller: Caller | null, follow?: ResourceChanges): McpServer
}

/** Follows what changes for one client. */
export function createResourceChanges(
  { backend, changes }: McpTransportContext,
  caller: Caller | null,
): ResourceChanges {
  return {
    resolveUri: (uri) => resolveReviewsUri(backend, uri, caller),
    subscribe: (onChange) =>
      changes.subscribe((event) => {
        if (event.kind === 'resource_updated') onChange(event.uri)
      }),
  }
}

/** Calls back when the token of a request counts no more, where it has one. Returns what ends that. */
export function watchCaller(
  { ctx, authenticate }: McpTransportContext,
  request: FastifyRequest,
  onLost: () => void,
): () => void {
  if (request.caller === null) return () => undefined
  const look = async () => {
    if ((await authenticate.refreshCaller(request)) === null) onLost()
  }
  const timer = setInterval(() => {
    look().catch((error: unknown) => {
      ctx.log.warn({ err: error }, 'An MCP stream ends: its caller could not be looked at')
      onLost()
    })
  }, callerCheckIntervalMs)
  return () => clearInterval(timer)
}
