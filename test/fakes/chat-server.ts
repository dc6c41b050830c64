// A chat that accepts messages of incoming webhooks.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

interface ChatServer extends AsyncDisposable {
  readonly port: number
  /** The texts of the messages that it accepted, oldest first. */
  readonly messages: string[]
  /** The statuses of the next answers; then 200. */
  readonly nextStatuses: number[]
  /** How many requests it got. */
  readonly requests: number
}

export async function startChatServer(): Promise<ChatServer> {
  const messages: string[] = []
  const nextStatuses: number[] = []
  let requests = 0
  const server = createServer(async (request, response) => {
    requests += 1
    const body = JSON.parse(await text(request)) as { text: string }
    const status = nextStatuses.shift() ?? 200
    if (status === 200) messages.push(body.text)
    response.writeHead(status).end(status === 200 ? 'ok' : 'no_service')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    messages,
    nextStatuses,
    get requests() {
      return requests
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}
