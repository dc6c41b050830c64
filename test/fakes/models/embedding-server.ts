// A fake embedding server on loopback with the OpenAI-style protocol and Google's.
//
// Texts about the same topic get near vectors, whatever their words, to test search by meaning.
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { asArray, asRecord, collectTexts } from './reply.ts'

/** Each topic has its own dimension and some terms. */
const topics: readonly (readonly string[])[] = [
  ['money', 'price', 'cents', 'currency', 'amount', 'billing', 'invoice', 'payment'],
  ['login', 'sign-in', 'session', 'password', 'authentication', 'credential'],
  ['speed', 'slow', 'latency', 'performance', 'fast', 'cache'],
  ['storage', 'database', 'table', 'postgres', 'persisted', 'disk'],
  ['fruit', 'apple', 'banana', 'orchard'],
]

/** The answer mode: correct, a status, none at all, or a custom body. */
export type EmbeddingReply =
  | { readonly kind: 'vectors'; readonly dimensions?: number; readonly after?: Promise<unknown> }
  | { readonly kind: 'status'; readonly status: number; readonly message?: string }
  | { readonly kind: 'hang' }
  | { readonly kind: 'body'; readonly body: (texts: readonly string[]) => unknown }

export interface EmbeddingRequest {
  readonly model: string
  readonly texts: readonly string[]
  readonly key: string | undefined
}

export interface EmbeddingServer extends AsyncDisposable {
  /** The base URL to configure. */
  readonly url: string
  readonly requests: readonly EmbeddingRequest[]
  /** Sets the answer mode from now on. */
  respondWith(script: (request: EmbeddingRequest) => EmbeddingReply): void
}

/** The number of tokens that the answer reports for each request. */
export const tokensPerRequest = 1000

export async function startEmbeddingServer(): Promise<EmbeddingServer> {
  const requests: EmbeddingRequest[] = []
  const sockets = new Set<Socket>()
  let script: (request: EmbeddingRequest) => EmbeddingReply = () => ({ kind: 'vectors' })
  const server = createServer(async (incoming, outgoing) => {
    const body = asRecord(JSON.parse(await readBody(incoming)))
    const protocol = protocols.find(({ path }) => path.test(incoming.url ?? ''))
    const { authorization, 'x-goog-api-key': googleKey } = incoming.headers
    const request = {
      ...(protocol ?? protocols[0]!).read(body),
      key: authorization ?? googleKey?.toString(),
    }
    requests.push(request)
    const reply =
      protocol === undefined ? ({ kind: 'status', status: 404 } as const) : script(request)
    if (reply.kind === 'hang') return
    if (reply.kind === 'vectors') await reply.after
    outgoing.writeHead(reply.kind === 'status' ? reply.status : 200, {
      'content-type': 'application/json',
    })
    outgoing.end(JSON.stringify(write(protocol ?? protocols[0]!, request, reply)))
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    respondWith: (next) => {
      script = next
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

type Answered = Exclude<EmbeddingReply, { kind: 'hang' }>

function write(protocol: Protocol, { model, texts }: EmbeddingRequest, reply: Answered): unknown {
  if (reply.kind === 'body') return reply.body(texts)
  if (reply.kind === 'vectors') {
    return protocol.write(
      model,
      texts.map((text) => vectorOf(text, reply.dimensions ?? 8)),
    )
  }
  const { status, message = `scripted error ${status}` } = reply
  return {
    error: {
      message,
      type: status >= 500 ? 'server_error' : 'invalid_request_error',
      code: null,
      param: null,
    },
  }
}

interface Protocol {
  readonly path: RegExp
  read(body: Record<string, unknown>): Pick<EmbeddingRequest, 'model' | 'texts'>
  write(model: string, vectors: readonly (readonly number[])[]): unknown
}

const protocols: readonly Protocol[] = [
  {
    path: /^\/v1\/embeddings$/,
    read: ({ model, input }) => ({ model: String(model), texts: [input].flat().map(String) }),
    write: (model, vectors) => ({
      ...{
        object: 'list',
        model,
        usage: { prompt_tokens: tokensPerRequest, total_tokens: tokensPerRequest },
      },
      data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })),
    }),
  },
  {
    path: /^\/v1beta\/models\/[^/]+:(batchEmbedContents|embedContent)$/,
    read: (body) => {
      const requests = Array.isArray(body.requests) ? asArray(body.requests) : [body]
      const texts = requests.map(({ content }) => collectTexts(asRecord(content).parts).join(''))
      return { model: String(requests[0]?.model).replace('models/', ''), texts }
    },
    write: (_model, vectors) => ({ embeddings: vectors.map((values) => ({ values })) }),
  },
]

/** Counts the mentions of each topic; a text without a known topic gets a dimension of its own. */
export function vectorOf(text: string, dimensions: number): number[] {
  const vector = new Array<number>(dimensions).fill(0)
  for (const [at, words] of topics.entries()) {
    for (const word of words)
      if (text.toLowerCase().includes(word)) vector[at] = (vector[at] ?? 0) + 1
  }
  if (!vector.some((value) => value > 0)) vector[dimensions - 1] = 1
  return vector
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
