// A fake model server on loopback that speaks a real protocol and answers from a script.
//
//   const script = () => ({ json: { findings: [] } })
//   await using server = await startModelServer({ protocol: 'anthropic', script })
//   const id = 'claude-sonnet-5-5'
//   const main = { provider: 'anthropic', id, apiKey: 'k', baseUrl: server.url }
//   createModels({ main, fast: null })
//
// The script gets each request in a protocol-independent form and returns the model's answer, and
// how its bytes are transferred: see `Reply`. Verification requests have their own script, which
// confirms all claims by default. The server adds the canary in a request to the findings of the
// script, like a model that reads it; `attentive: false` turns that off.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { anthropic } from './anthropic.ts'
import { addCanaryFinding } from './attentive-model.ts'
import { google } from './google.ts'
import { openaiChat } from './openai-chat.ts'
import { openaiResponses } from './openai-responses.ts'
import {
  asRecord,
  type ModelRequest,
  type Protocol,
  type Reply,
  type Script,
  type Transport,
} from './reply.ts'
import { confirmAll, isVerificationRequest } from './verification.ts'

export type { ModelRequest, Reply, Script } from './reply.ts'

const protocols = {
  anthropic,
  'openai-responses': openaiResponses,
  'openai-chat': openaiChat,
  google,
} satisfies Record<string, Protocol>

export type ProtocolName = keyof typeof protocols

export interface ModelServer extends AsyncDisposable {
  /** The address to configure, with the path that the protocol's clients expect. */
  readonly url: string
  /** All requests so far, also those still waiting for their answer. */
  readonly requests: readonly ModelRequest[]
  /** Changes the script for the requests from now on. */
  respondWith(script: Script): void
  /** The same for requests to verify claims. */
  verifyWith(script: Script): void
  /** Resolves when the request of this number (1 is the first) has arrived. */
  arrived(number: number): Promise<ModelRequest>
  /** Breaks all connections and stops. */
  close(): Promise<void>
}

/** Answers with each reply in turn, and with the last one from then on. */
export function replyInOrder(...replies: readonly Reply[]): Script {
  let at = 0
  return () => replies[Math.min(at++, replies.length - 1)]!
}

type WindowAnswer = (path: string, about: { model: string; tokens: number }) => object | undefined

/** How programs that serve models answer requests for their models. */
const windowAnswers = {
  vllm: (path, { model, tokens }) =>
    path === '/v1/models'
      ? { object: 'list', data: [{ id: model, object: 'model', max_model_len: tokens }] }
      : undefined,
  'llama.cpp': (path, { model, tokens }) =>
    path === '/v1/models'
      ? { object: 'list', data: [{ id: model, meta: { n_ctx: tokens, n_ctx_train: 262_144 } }] }
      : undefined,
  ollama: (path, { model, tokens }) => {
    if (path === '/v1/models') return { object: 'list', data: [{ id: model, object: 'model' }] }
    return path === '/api/ps'
      ? { models: [{ name: model, model, context_length: tokens }] }
      : undefined
  },
} as const satisfies Record<string, WindowAnswer>

/** Starts a server on a free port of the loopback interface. */
export async function startModelServer(options: {
  protocol: ProtocolName
  script: Script
  attentive?: boolean
  /** What the server says of its model's context window, in the way of this program. */
  window?: { program: keyof typeof windowAnswers; model: string; tokens: number }
}): Promise<ModelServer> {
  const { attentive = true, window } = options
  const protocol: Protocol = protocols[options.protocol]
  let script = options.script
  let verification: Script = confirmAll
  const requests: ModelRequest[] = []
  const sockets = new Set<Socket>()
  let waiting: { number: number; resolve: (request: ModelRequest) => void }[] = []

  const server = createServer((incoming, outgoing) => {
    answer(incoming, outgoing).catch(() => outgoing.destroy())
  })
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const path = new URL(incoming.url ?? '/', 'http://localhost').pathname
    const body = asRecord(JSON.parse((await readBody(incoming)) || '{}'))
    const about = window && windowAnswers[window.program](path, window)
    if (incoming.method === 'GET' && about) return send(outgoing, 200, about)
    if (!protocol.matches(path))
      return send(outgoing, 404, protocol.writeError(404, `no such path: ${path}`))
    const read = protocol.read(path, body)
    const request: ModelRequest = {
      number: requests.length + 1,
      path,
      headers: incoming.headers,
      body,
      ...read,
    }
    requests.push(request)
    for (const { number, resolve } of waiting)
      if (number <= request.number) resolve(requests[number - 1]!)
    waiting = waiting.filter(({ number }) => number > request.number)
    const scripted = await (isVerificationRequest(request) ? verification : script)(request)
    reply(protocol, request, attentive ? addCanaryFinding(request, scripted) : scripted, outgoing)
  }

  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${protocol.basePath}`,
    requests,
    respondWith: (next) => {
      script = next
    },
    verifyWith: (next) => {
      verification = next
    },
    arrived: (number) =>
      requests.length >= number
        ? Promise.resolve(requests[number - 1]!)
        : new Promise((resolve) => waiting.push({ number, resolve })),
    close,
    [Symbol.asyncDispose]: close,
  }
}

function reply(
  protocol: Protocol,
  request: ModelRequest,
  scripted: Reply,
  outgoing: ServerResponse,
): void {
  if ('hang' in scripted) return
  if ('status' in scripted) {
    const {
      status,
      headers,
      body = protocol.writeError(status, `scripted error ${status}`),
    } = scripted
    send(outgoing, status, body, headers)
    return
  }
  const usage = { input: 1000, cached: 0, output: 100, ...scripted.usage }
  const body = Buffer.from(protocol.write(request, scripted, usage))
  outgoing.writeHead(200, {
    'content-type': request.stream ? 'text/event-stream' : 'application/json',
  })
  transport(outgoing, body, scripted)
}

function transport(outgoing: ServerResponse, body: Buffer, how: Transport): void {
  if (how.endAfterBytes !== undefined) outgoing.end(body.subarray(0, how.endAfterBytes))
  else if (how.cutAfterBytes !== undefined)
    outgoing.write(body.subarray(0, how.cutAfterBytes), () => outgoing.socket?.destroy())
  else if (how.hangAfterBytes !== undefined) outgoing.write(body.subarray(0, how.hangAfterBytes))
  else outgoing.end(body)
}

function send(
  outgoing: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
) {
  outgoing.writeHead(status, { 'content-type': 'application/json', ...headers })
  outgoing.end(typeof body === 'string' ? body : JSON.stringify(body))
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
