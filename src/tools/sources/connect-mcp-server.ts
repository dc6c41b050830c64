// Connects to an MCP server that is a stranger. It takes long to load: only where one is asked.
import {
  Client,
  type jsonSchemaValidator,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'
import { z } from 'zod'
import type { SourceServer } from '../../config/context-source-config.ts'
import { abortable } from '../../lib/abortable.ts'
import { createBoundedFetch, responseTooLargeCode } from './bounded-fetch.ts'
import { createProgramTransport } from './program-transport.ts'

/** Most that a server may send in one answer, in bytes. */
const maxResponseBytes = 2 * 2 ** 20

/** @param environment what a program gets beside its own */
export async function connectMcpServer(
  server: SourceServer,
  environment: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Client> {
  const [first, ...others] = listTransports(server, environment)
  const client = await tryTransport(first!, signal).catch((error) => {
    // A server of the first protocol revision knows no other address than that of its stream.
    const isOlder =
      error instanceof SdkHttpError && error.data.status >= 400 && error.data.status < 500
    if (others.length === 0 || !isOlder || error.data.status === 401 || error.data.status === 403)
      throw error
    return null
  })
  return client ?? tryTransport(others[0]!, signal)
}

function listTransports(
  server: SourceServer,
  environment: Readonly<Record<string, string>>,
): (() => Transport)[] {
  if ('command' in server) {
    const { command, args, env } = server
    return [
      () =>
        createProgramTransport({
          command,
          args,
          env: { ...environment, ...env },
          maxBytes: maxResponseBytes,
        }),
    ]
  }
  const url = new URL(server.url)
  const requestInit = { headers: server.headers }
  // Only the older way needs a stream for the answers; what else a server has to say is of no use to us.
  const streamable = () => {
    const fetch = createBoundedFetch({
      maxStreams: 0,
      maxBytes: maxResponseBytes,
      onTooLarge: (sent) => rejectRequests(transport, sent),
    })
    const transport: Transport = new StreamableHTTPClientTransport(url, { requestInit, fetch })
    return transport
  }
  const stream = () => {
    const fetch = createBoundedFetch({
      maxStreams: 1,
      maxBytes: maxResponseBytes,
      onTooLarge: (sent) => rejectRequests(transport, sent),
    })
    const transport: Transport = new SSEClientTransport(url, { requestInit, fetch })
    return transport
  }
  return url.pathname.endsWith('/sse') ? [stream] : [streamable, stream]
}

/** The SDK waits on for what it was in the middle of reading: whoever asked is told in the server's place. */
function rejectRequests(transport: Transport, sent: readonly unknown[]): void {
  for (const body of sent) {
    const { id } = requestSchema.catch({ id: undefined }).parse(parseText(body))
    const error = { code: responseTooLargeCode, message: 'The answer is too large' }
    if (id !== undefined) transport.onmessage?.({ jsonrpc: '2.0', id, error })
  }
}

const requestSchema = z.object({ id: z.union([z.string(), z.number()]).optional() })

function parseText(body: unknown): unknown {
  return typeof body === 'string' ? JSON.parse(body) : undefined
}

async function tryTransport(create: () => Transport, signal: AbortSignal): Promise<Client> {
  const client = new Client(
    { name: 'umpire', version: '1' },
    { capabilities: {}, jsonSchemaValidator: acceptAllValidator },
  )
  const transport = create()
  try {
    await abortable(client.connect(transport, { signal }), signal)
    return client
  } catch (error) {
    await Promise.allSettled([client.close(), transport.close()])
    throw error
  }
}

/** What a stranger's schema says of a stranger's answer is of no use to us, and checking it could be made costly. */
const acceptAllValidator: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
}
