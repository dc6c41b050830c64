// One MCP server that is asked for context: connected to when it is first needed, asked within its time, never trusted.
import type { Client, Tool } from '@modelcontextprotocol/client'
import type { SourceServer } from '../../config/context-sources.ts'
import type { Connection } from './connect-remote.ts'

/** Who isn't asked for so long is left. */
const idleMs = 5 * 60_000

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

/**
 * Makes one; nothing is sent yet.
 *
 * @param environment what a program gets beside its own
 */
export function createRemoteServer(server: SourceServer, environment: Readonly<Record<string, string>>): RemoteServer {
  let connecting: Promise<Connection> | null = null
  let idle: NodeJS.Timeout | undefined

  async function leave(): Promise<void> {
    clearTimeout(idle)
    const connection = connecting
    connecting = null
    await connection?.then(({ client }) => client.close()).catch(() => {})
  }

  /** Those who ask meanwhile wait for the same connection. One that failed or broke is made anew. */
  async function connect(signal: AbortSignal): Promise<Connection> {
    clearTimeout(idle)
    idle = setTimeout(leave, idleMs)
    idle.unref()
    connecting ??= import('./connect-remote.ts')
      .then(({ connectRemote }) => connectRemote(server, environment, signal))
      .then((connection) => {
        connection.client.onclose = () => {
          connecting = null
        }
        return connection
      })
    const current = connecting
    try {
      return await current
    } catch (error) {
      if (connecting === current) connecting = null
      throw error
    }
  }

  return {
    listTools: async (signal) => (await connect(signal)).tools,
    async call(name, given, signal) {
      const { client } = await connect(signal)
      try {
        const answer = await client.callTool({ name, arguments: { ...given } }, { signal, timeout: 60_000 })
        return { failed: answer.isError === true, text: readText(answer) }
      } catch (error) {
        // What broke once may be broken for good.
        await leave()
        throw error
      }
    },
    [Symbol.asyncDispose]: leave,
  }
}

function readText({ content, structuredContent }: Awaited<ReturnType<Client['callTool']>>): string {
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  if (texts.length > 0 || structuredContent === undefined) return texts.join('\n\n')
  return JSON.stringify(structuredContent)
}
