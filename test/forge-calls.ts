// How tests of the forge call its API and receive its deliveries.
import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Forge } from './fakes/forge/forge.ts'

export interface Answered {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: answers of all shapes.
  body: any
}

export interface CallOptions {
  /** `ann-token` unless given; null for none. */
  readonly token?: string | null
  readonly body?: unknown
  readonly accept?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends a request to the forge's REST API, or to a whole address. */
export async function callForge(
  forge: Pick<Forge, 'apiUrl'>,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Answered> {
  const { token = 'ann-token', accept = 'application/vnd.github+json' } = options
  const response = await fetch(path.startsWith('http') ? path : forge.apiUrl + path, {
    method,
    redirect: 'manual',
    headers: {
      accept,
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...options.headers,
    },
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('application/json') && text !== ''
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? JSON.parse(text) : text,
  }
}

export interface Received {
  headers: IncomingHttpHeaders
  body: string
}

/** Starts a server that receives deliveries and answers with `status`; 0 never answers. */
export async function startReceiver(status = 200) {
  const received: Received[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      received.push({ headers: request.headers, body: Buffer.concat(chunks).toString('utf8') })
      if (status > 0) response.writeHead(status).end('noted')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    received,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export const sign = (secret: string, body: string) =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
