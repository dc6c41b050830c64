// One MCP server that is asked for context: connected to when it is first needed, asked within its time, never trusted.
import type { Client, Tool } from '@modelcontextprotocol/client'
import type { SourceServer } from '../../config/context-sources.ts'

/** Who isn't asked for so long is left. */
const idleMs = 5 * 60_000
const mostTools = 500

/** What a call came to: the texts of the answer, one after the other. */
export interface RemoteAnswer {
  /** The server says that it could not do it. */
  readonly failed: boolean
  readonly text: string
}

export interface RemoteServer extends AsyncDisposable {
  /** Connects, where that isn't so yet. What the server says of its tools is data. */
  listTools(signal: AbortSignal): Promise<readonly Tool[]>
  call(name: string, given: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<RemoteAnswer>
}

interface Connection {
  readonly client: Promise<Client>
  /** Questions that wait for an answer. */
  waiting: number
}

/**
 * Makes one; nothing is sent yet.
 *
 * @param environment what a program gets beside its own
 */
export function createRemoteServer(server: SourceServer, environment: Readonly<Record<string, string>>): RemoteServer {
  let current: Connection | null = null
  let idle: NodeJS.Timeout | undefined

  /** Nobody new gets it; it is closed when nobody waits any more. */
  async function leave(connection: Connection | null): Promise<void> {
    if (current === connection) current = null
    if (connection !== null && connection.waiting === 0) await close(connection)
  }

  function connect(signal: AbortSignal): Connection {
    clearTimeout(idle)
    idle = setTimeout(() => leave(current), idleMs)
    idle.unref()
    if (current !== null) return current
    const connection: Connection = { client: open(signal), waiting: 0 }
    connection.client.then(
      (client) => {
        client.onclose = () => {
          if (current === connection) current = null
        }
      },
      () => leave(connection),
    )
    current = connection
    return connection
  }

  async function open(signal: AbortSignal): Promise<Client> {
    const { connectRemote } = await import('./connect-remote.ts')
    return connectRemote(server, environment, signal)
  }

  /** What broke once may be broken for good: the next question gets a connection of its own. */
  async function ask<T>(question: (client: Client) => Promise<T>, signal: AbortSignal): Promise<T> {
    const connection = connect(signal)
    connection.waiting += 1
    let isBroken = true
    try {
      const answer = await question(await connection.client)
      isBroken = false
      return answer
    } finally {
      connection.waiting -= 1
      if (isBroken || current !== connection) await leave(connection)
    }
  }

  return {
    listTools: (signal) =>
      ask(async (client) => (await client.listTools(undefined, { signal })).tools.slice(0, mostTools), signal),
    call: (name, given, signal) =>
      ask(async (client) => {
        const answer = await client.callTool({ name, arguments: { ...given } }, { signal, timeout: 60_000 })
        return { failed: answer.isError === true, text: readText(answer) }
      }, signal),
    async [Symbol.asyncDispose]() {
      clearTimeout(idle)
      const connection = current
      current = null
      if (connection !== null) await close(connection)
    },
  }
}

async function close({ client }: Connection): Promise<void> {
  await client.then((open) => open.close()).catch(() => {})
}

function readText({ content, structuredContent }: Awaited<ReturnType<Client['callTool']>>): string {
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  if (texts.length > 0 || structuredContent === undefined) return texts.join('\n\n')
  return JSON.stringify(structuredContent)
}
