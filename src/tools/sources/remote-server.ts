// One MCP server that is asked for context: connected to when it is first needed, asked within its time, never trusted.
import type { Client, Tool } from '@modelcontextprotocol/client'
import type { SourceServer } from '../../config/context-source-config.ts'
import { UmpireError } from '../../domain/errors.ts'
import { abortable } from '../../lib/abortable.ts'

/** Who isn't asked for so long is left. */
const idleMs = 5 * 60_000
const maxTools = 500

/** What a call came to: the texts of the answer, one after the other. */
export interface RemoteAnswer {
  /** The server says that it could not do it. */
  readonly failed: boolean
  readonly text: string
}

export interface RemoteServer extends AsyncDisposable {
  /** Connects, where that isn't so yet. What the server says of its tools is data. */
  listTools(signal: AbortSignal): Promise<readonly Tool[]>
  call(
    name: string,
    given: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<RemoteAnswer>
}

/** Shared by all who ask at the same time. */
interface Connection {
  readonly client: Promise<Client>
  readonly ended: AbortController
  /** Questions that wait for an answer. */
  waiting: number
}

/**
 * Makes one; nothing is sent yet.
 *
 * @param options.environment what a program gets beside its own
 * @param options.connectMs how long connecting may take: it is for all who wait, so none of their deadlines counts
 */
export function createRemoteServer(
  server: SourceServer,
  { environment, connectMs }: { environment: Readonly<Record<string, string>>; connectMs: number },
): RemoteServer {
  const open = new Set<Connection>()
  let current: Connection | null = null
  let idle: NodeJS.Timeout | undefined
  let isDisposed = false

  function takeConnection(): Connection {
    if (isDisposed) throw new UmpireError('source_failed', 'the service is stopping')
    clearTimeout(idle)
    idle = setTimeout(() => leave(current), idleMs)
    idle.unref()
    current ??= connect()
    return current
  }

  function connect(): Connection {
    const ended = new AbortController()
    const within = AbortSignal.any([ended.signal, AbortSignal.timeout(connectMs)])
    const client = import('./connect-mcp-server.ts').then(({ connectMcpServer }) =>
      connectMcpServer(server, environment, within),
    )
    const connection: Connection = { client, ended, waiting: 0 }
    open.add(connection)
    client.then(
      (connected) => {
        connected.onclose = () => leave(connection)
      },
      () => leave(connection),
    )
    return connection
  }

  /** Nobody new gets it; it is closed when nobody waits any more. */
  function leave(connection: Connection | null): void {
    if (current === connection) current = null
    if (connection?.waiting === 0) void close(connection)
  }

  async function close(connection: Connection): Promise<void> {
    connection.ended.abort()
    await connection.client.then((client) => client.close()).catch(() => {})
    open.delete(connection)
  }

  async function ask<T>(question: (client: Client) => Promise<T>, signal: AbortSignal): Promise<T> {
    const connection = takeConnection()
    connection.waiting += 1
    let isBroken = true
    try {
      const client = await abortable(connection.client, signal)
      const answer = await abortable(question(client), signal)
      isBroken = false
      return answer
    } finally {
      connection.waiting -= 1
      // What broke once may be broken for good: the next question gets a connection of its own.
      if (isBroken || current !== connection) leave(connection)
    }
  }

  return {
    listTools: (signal) =>
      ask(
        async (client) => (await client.listTools(undefined, { signal })).tools.slice(0, maxTools),
        signal,
      ),
    call: (name, given, signal) =>
      ask(async (client) => {
        const answer = await client.callTool(
          { name, arguments: { ...given } },
          { signal, timeout: 60_000 },
        )
        return { failed: answer.isError === true, text: readText(answer) }
      }, signal),
    async [Symbol.asyncDispose]() {
      isDisposed = true
      clearTimeout(idle)
      await Promise.all([...open].map(close))
    },
  }
}

function readText({ content, structuredContent }: Awaited<ReturnType<Client['callTool']>>): string {
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  if (texts.length > 0 || structuredContent === undefined) return texts.join('\n\n')
  return JSON.stringify(structuredContent)
}
