// The model of the benchmark of reviews: thinks for a set time, keeps the stream alive meanwhile as real servers do,
// and then finds nothing but the defect that is planted for it.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { anthropic } from '../test/fakes/models/anthropic.ts'
import { addCanaryFinding } from '../test/fakes/models/attentive-model.ts'
import { asRecord } from '../test/fakes/models/reply.ts'

export interface BenchModel extends AsyncDisposable {
  /** What Umpire's environment says about it. */
  readonly environment: Readonly<Record<string, string>>
  /** How long it thinks about a request that comes from now on. */
  delayMs: number
  /** Lets no request end before each of these changes was asked about, or excused. Resolves then. */
  holdUntilAsked(keys: readonly number[]): Promise<void>
  /** Nothing will be asked about this change: all of it was skipped. */
  skip(key: number): void
  /** How long the model was asked about a change altogether, in milliseconds. */
  timeSpentOnMs(key: number): number
}

/** Time that a change's requests took: those that overlap count once. */
interface TimeSpent {
  active: number
  since: number
  total: number
}

const pingIntervalMs = 15_000
const answer = { summary: 'It changes what its title says.', findings: [] }
const ping = 'event: ping\ndata: {"type":"ping"}\n\n'

/** Starts it on a free port of the loopback interface. */
export async function startBenchModel(): Promise<BenchModel> {
  const spent = new Map<number, TimeSpent>()
  const stop = new AbortController()
  let gate = { missing: new Set<number>(), ...Promise.withResolvers<void>() }
  gate.resolve()
  let number = 0
  const server = createServer((incoming, outgoing) => {
    think(incoming, outgoing).catch(() => outgoing.destroy())
  })

  const think = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const text = await readBody(incoming)
    const path = incoming.url ?? ''
    const body = asRecord(JSON.parse(text))
    const request = {
      number: ++number,
      path,
      headers: incoming.headers,
      body,
      ...anthropic.read(path, body),
    }
    if (!request.stream) throw new Error('A model is to be asked for a stream.')
    const events = anthropic.write(request, addCanaryFinding(request, { json: answer }), {
      input: Math.ceil(text.length / 4),
      cached: 0,
      output: 50,
    })
    const end = begin(Number(/\[change (\d+)\]/.exec(text)?.[1] ?? 0))
    // The head of the message comes at once, the rest when it has thought.
    const head = events.indexOf('\n\n') + 2
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' }).write(events.slice(0, head))
    const alive = setInterval(() => outgoing.write(ping), pingIntervalMs)
    await Promise.all([
      model.delayMs > 0 && wait(model.delayMs, null, { signal: stop.signal }),
      gate.promise,
    ]).finally(() => clearInterval(alive))
    outgoing.end(events.slice(head))
    end()
  }

  const excuse = (key: number) => {
    if (gate.missing.delete(key) && gate.missing.size === 0) gate.resolve()
  }
  const begin = (key: number) => {
    const one = spent.get(key) ?? { active: 0, since: 0, total: 0 }
    spent.set(key, one)
    if (one.active++ === 0) one.since = performance.now()
    excuse(key)
    return () => {
      if (--one.active === 0) one.total += performance.now() - one.since
    }
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const model: BenchModel = {
    environment: {
      MODEL: 'anthropic:claude-sonnet-4-5',
      MODEL_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}${anthropic.basePath}`,
      ANTHROPIC_API_KEY: 'key-of-the-benchmark',
    },
    delayMs: 0,
    holdUntilAsked(keys) {
      gate = { missing: new Set(keys), ...Promise.withResolvers<void>() }
      return gate.promise
    },
    skip: excuse,
    timeSpentOnMs: (key) => spent.get(key)?.total ?? 0,
    async [Symbol.asyncDispose]() {
      stop.abort()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return model
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
