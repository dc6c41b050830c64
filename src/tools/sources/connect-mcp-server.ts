// Connects to an untrusted MCP server over HTTP or over a program's stdin and stdout.
import {
  Client,
  type jsonSchemaValidator,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'
import { z } from 'zod'
import { abortable } from '../../lib/abortable.ts'
import { createBoundedFetch, responseTooLargeCode } from './bounded-fetch.ts'
import { createProgramTransport } from './program-transport.ts'
import type { SourceServer } from './source-config.ts'

const maxResponseBytes = 2 * 2 ** 20

/**
 * Connects, over HTTP with a fallback from streamable HTTP to server-sent events.
 *
 * @param environment variables that a program gets in addition to its configured ones
 */
export async function connectMcpServer(
  server: SourceServer,
  environment: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Client> {
  const [first, ...others] = listTransports(server, environment)
  try {
    return await tryTransport(first!, signal)
  } catch (error) {
    const [fallback] = others
    if (fallback === undefined || !isUnsupportedTransport(error)) throw error
    return tryTransport(fallback, signal)
  }
}

/** Servers of the first protocol revision answer a POST to their address with a 4xx status. */
function isUnsupportedTransport(error: unknown): boolean {
  if (!(error instanceof SdkHttpError)) return false
  const { status } = error.data
  return status >= 400 && status < 500 && status !== 401 && status !== 403
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
  // Only the older transport answers over a stream; notifications of newer servers aren't needed.
  const open =
    (
      HttpTransport: typeof StreamableHTTPClientTransport | typeof SSEClientTransport,
      maxStreams: number,
    ) =>
    () => {
      const fetch = createBoundedFetch({
        maxStreams,
        maxBytes: maxResponseBytes,
        onTooLarge: (sent) => rejectRequests(transport, sent),
      })
      const transport: Transport = new HttpTransport(url, { requestInit, fetch })
      return transport
    }
  const streamable = open(StreamableHTTPClientTransport, 0)
  const stream = open(SSEClientTransport, 1)
  return url.pathname.endsWith('/sse') ? [stream] : [streamable, stream]
}

/** Answers requests with an error, because the SDK would wait forever for the aborted response. */
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

/** Checking an untrusted answer against an untrusted schema is useless, and could be costly. */
const acceptAllValidator: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
}
