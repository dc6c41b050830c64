// How tests of the forge call its API and receive its deliveries.
import { createHmac, createPrivateKey } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SignJWT } from 'jose'
import type { RegisteredApp } from './fakes/forge/apps/app-interface.ts'
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

/** Signs a token as an App. Its two times are in seconds from now. */
export function signJwt(
  pem: string,
  issuer: string,
  { issued = -30, expires = 540, alg = 'RS256' } = {},
): Promise<string> {
  const time = Math.floor(Date.now() / 1000)
  return new SignJWT({ iat: time + issued, exp: time + expires, iss: issuer })
    .setProtectedHeader({ alg })
    .sign(createPrivateKey(pem))
}

/** Asks for a token of an installation, as the App. */
export async function requestToken(
  forge: Pick<Forge, 'apiUrl'>,
  app: RegisteredApp,
  installation: number,
  body: unknown = {},
): Promise<Answered> {
  const token = await signJwt(app.pem, app.clientId)
  return callForge(forge, 'POST', `/app/installations/${installation}/access_tokens`, {
    token,
    body,
  })
}
