// Model server of the overhead benchmark: waits for a set time, sends keep-alive events, and
// reports only the canary.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { anthropic } from '../test/fakes/models/anthropic.ts'
import { addCanaryFinding } from '../test/fakes/models/attentive-model.ts'
import { asRecord } from '../test/fakes/models/reply.ts'

export interface BenchModel extends AsyncDisposable {
  /** Environment variables for Umpire. */
  readonly environment: Readonly<Record<string, string>>
  /** Sets the response time of future requests. */
  delayMs: number
  /** Holds all responses until each change had a request or was excused. Resolves then. */
  holdUntilAsked(keys: readonly number[]): Promise<void>
  /** Excuses a change that was skipped completely. */
  skip(key: number): void
  /** Total request time of a change in milliseconds. */
  timeSpentOnMs(key: number): number
}

/** Duration of the requests of a change, with overlaps counted once. */
interface TimeSpent {
  active: number
  since: number
  total: number
}

const pingIntervalMs = 15_000
const answer = { summary: 'It changes what its title says.', findings: [] }
const ping = 'event: ping\ndata: {"type":"ping"}\n\n'

/** Starts the server on a free loopback port. */
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
    if (!request.stream) throw new Error('The request must ask for a stream.')
    const events = anthropic.write(request, addCanaryFinding(request, { json: answer }), {
      input: Math.ceil(text.length / 4),
      cached: 0,
      output: 50,
    })
    const end = begin(Number(/\[change (\d+)\]/.exec(text)?.[1] ?? 0))
    // The message starts at once and ends after the response time.
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
  const { port } = server.address() as AddressInfo
  const model: BenchModel = {
    environment: {
      MODEL: 'anthropic:claude-sonnet-4-5',
      MODEL_BASE_URL: `http://127.0.0.1:${port}${anthropic.basePath}`,
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
