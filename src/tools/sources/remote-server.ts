// The connection to one MCP server: opened when first needed, bounded in time, never trusted.
import type { Client, Tool } from '@modelcontextprotocol/client'
import { UmpireError } from '../../domain/errors.ts'
import { abortable } from '../../lib/abortable.ts'
import type { SourceServer } from './source-config.ts'

/** A connection that is unused for this long is closed. */
const idleTimeoutMs = 5 * 60_000
const callTimeoutMs = 60_000
const maxTools = 500

interface RemoteAnswer {
  /** The server reported that it could not do the call. */
  readonly failed: boolean
  /** The text parts of the answer, joined by empty lines. */
  readonly text: string
}

interface RemoteServerOptions {
  /** Variables that a program gets in addition to its configured ones. */
  readonly environment: Readonly<Record<string, string>>
  /** Time to connect. It replaces the callers' deadlines, because they share the connection. */
  readonly connectMs: number
}

/** One connection, shared by all concurrent requests. */
interface Connection {
  readonly client: Promise<Client>
  readonly ended: AbortController
  pendingRequests: number
}

/** Connects on first use. Descriptions of tools that the server sends are untrusted data. */
export class RemoteServer implements AsyncDisposable {
  readonly #server: SourceServer
  readonly #options: RemoteServerOptions
  readonly #open = new Set<Connection>()
  #current: Connection | null = null
  #idleTimer: NodeJS.Timeout | undefined
  #isDisposed = false

  constructor(server: SourceServer, options: RemoteServerOptions) {
    this.#server = server
    this.#options = options
  }

  /** Returns at most 500 tools. Rejects when the server can't be reached or `signal` fires. */
  async listTools(signal: AbortSignal): Promise<readonly Tool[]> {
    const { tools } = await this.#request((client) => {
      return client.listTools(undefined, { signal })
    }, signal)
    return tools.slice(0, maxTools)
  }

  /** Calls a tool. Rejects when the server can't be reached or `signal` fires. */
  async call(
    name: string,
    given: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<RemoteAnswer> {
    const answer = await this.#request((client) => {
      const request = { name, arguments: { ...given } }
      return client.callTool(request, { signal, timeout: callTimeoutMs })
    }, signal)
    return { failed: answer.isError === true, text: readText(answer) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true
    clearTimeout(this.#idleTimer)
    await Promise.all([...this.#open].map((connection) => this.#close(connection)))
  }

  async #request<T>(send: (client: Client) => Promise<T>, signal: AbortSignal): Promise<T> {
    const connection = this.#useConnection()
    connection.pendingRequests += 1
    let isBroken = true
    try {
      const client = await abortable(connection.client, signal)
      const answer = await abortable(send(client), signal)
      isBroken = false
      return answer
    } finally {
      connection.pendingRequests -= 1
      // A connection that failed once may stay broken, so the next request opens another one.
      if (isBroken || this.#current !== connection) this.#retire(connection)
    }
  }

  #useConnection(): Connection {
    if (this.#isDisposed) throw new UmpireError('source_failed', 'the service is stopping')
    clearTimeout(this.#idleTimer)
    this.#idleTimer = setTimeout(() => {
      if (this.#current !== null) this.#retire(this.#current)
    }, idleTimeoutMs)
    this.#idleTimer.unref()
    this.#current ??= this.#connect()
    return this.#current
  }

  #connect(): Connection {
    const ended = new AbortController()
    const timeout = AbortSignal.timeout(this.#options.connectMs)
    const client = this.#openClient(AbortSignal.any([ended.signal, timeout]))
    const connection: Connection = { client, ended, pendingRequests: 0 }
    this.#open.add(connection)
    client.then(
      (connected) => {
        connected.onclose = () => this.#retire(connection)
      },
      () => this.#retire(connection),
    )
    return connection
  }

  async #openClient(signal: AbortSignal): Promise<Client> {
    // The SDK takes long to load, so it is loaded when a source is used.
    const { connectMcpServer } = await import('./connect-mcp-server.ts')
    return connectMcpServer(this.#server, this.#options.environment, signal)
  }

  /** Gives the connection to no further request, and closes it once none is pending. */
  #retire(connection: Connection): void {
    if (this.#current === connection) this.#current = null
    if (connection.pendingRequests === 0) void this.#close(connection)
  }

  async #close(connection: Connection): Promise<void> {
    connection.ended.abort()
    await connection.client.then((client) => client.close()).catch(() => {})
    this.#open.delete(connection)
  }
}

function readText({ content, structuredContent }: Awaited<ReturnType<Client['callTool']>>): string {
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  if (texts.length > 0 || structuredContent === undefined) return texts.join('\n\n')
  return JSON.stringify(structuredContent)
}
