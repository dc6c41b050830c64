// Defines what the MCP transports over HTTP share.
import type { InMemoryServerEventBus, Server as McpServer } from '@modelcontextprotocol/server'
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../accounts/tokens.ts'
import type { ServiceContext } from '../context.ts'
import type { McpBackend } from '../mcp/mcp-backend.ts'
import type { ResourceChanges } from '../mcp/mcp-server.ts'
import { resolveReviewsUri } from '../mcp/subscribe-to-reviews.ts'
import type { Authenticate } from './authenticate.ts'
import type { StreamLimiter } from './stream-limiter.ts'

export const keepAliveMs = 15_000
/** The interval at which the token that opened a stream is checked again. */
const callerCheckIntervalMs = 40_000
export const maxMessageBytes = 256 * 1024

export interface McpTransportContext {
  readonly ctx: Pick<ServiceContext, 'config' | 'log'>
  readonly backend: Pick<McpBackend, 'findRepository'>
  readonly authenticate: Pick<Authenticate, 'bearer' | 'refreshCaller'>
  readonly streamLimiter: StreamLimiter
  /** Publishes the changes of all repositories. Subscribers filter what their client can see. */
  readonly changes: InMemoryServerEventBus
  /** Creates a server for one client. */
  createServer(caller: Caller | null, resourceChanges?: ResourceChanges): McpServer
}

/** Creates the source of resource changes for one client. */
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

/**
 * Calls back when the token of a request is no longer valid. Does nothing for a request without a
 * token. Returns a function that stops watching.
 */
export function watchCaller(
  { ctx, authenticate }: McpTransportContext,
  request: FastifyRequest,
  onLost: () => void,
): () => void {
  if (request.caller === null) return () => undefined
  const check = async () => {
    if ((await authenticate.refreshCaller(request)) === null) onLost()
  }
  const timer = setInterval(() => {
    check().catch((error: unknown) => {
      ctx.log.warn({ err: error }, 'An MCP stream ends: its caller could not be checked')
      onLost()
    })
  }, callerCheckIntervalMs)
  return () => clearInterval(timer)
}
