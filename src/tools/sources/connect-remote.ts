// Connects to an MCP server that is a stranger. It takes long to load: only where one is asked.
import {
  Client,
  type jsonSchemaValidator,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { SourceServer } from '../../config/context-sources.ts'
import { UmpireError } from '../../domain/errors.ts'

/** Most that a server may send in one answer, in bytes. */
const mostBytes = 2 * 2 ** 20

/** @param environment what a program gets beside its own */
export async function connectRemote(
  server: SourceServer,
  environment: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Client> {
  const [first, ...others] = listTransports(server, environment)
  const client = await tryTransport(first!, signal).catch((error) => {
    // A server of the first protocol revision knows no other address than that of its stream.
    const isOlder = error instanceof SdkHttpError && error.data.status >= 400 && error.data.status < 500
    if (others.length === 0 || !isOlder || error.data.status === 401 || error.data.status === 403) throw error
    return null
  })
  return client ?? tryTransport(others[0]!, signal)
}

function listTransports(server: SourceServer, environment: Readonly<Record<string, string>>): (() => Transport)[] {
  if ('command' in server) {
    const { command, args, env } = server
    const options = { command, args: [...args], env: { ...environment, ...env }, maxBufferSize: mostBytes }
    return [() => new StdioClientTransport({ ...options, stderr: 'ignore' })]
  }
  const url = new URL(server.url)
  const options = { requestInit: { headers: server.headers }, fetch: fetchWithin }
  const streamable = () => new StreamableHTTPClientTransport(url, options)
  const stream = () => new SSEClientTransport(url, options)
  return url.pathname.endsWith('/sse') ? [stream] : [streamable, stream]
}

async function tryTransport(create: () => Transport, signal: AbortSignal): Promise<Client> {
  const client = new Client({ name: 'umpire', version: '1' }, { capabilities: {}, jsonSchemaValidator: takesAll })
  try {
    await client.connect(create(), { signal })
    return client
  } catch (error) {
    await client.close()
    throw error
  }
}

/** What a stranger's schema says of a stranger's answer is of no use to us, and checking it could be made costly. */
const takesAll: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
}

/** Follows no redirect, which would take our token elsewhere, and reads no more than so much of an answer. */
async function fetchWithin(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: 'error' })
  if (response.body === null) return response
  let left = mostBytes
  const bounded = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        left -= chunk.length
        if (left >= 0) controller.enqueue(chunk)
        else controller.error(new UmpireError('source_too_large', 'It answered with too much'))
      },
    }),
  )
  return new Response(bounded, { status: response.status, statusText: response.statusText, headers: response.headers })
}
