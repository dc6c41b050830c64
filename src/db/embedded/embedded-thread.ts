// Runs the embedded engine in a worker thread, so that a slow query only delays other queries.
import { parentPort, workerData } from 'node:worker_threads'
import { UmpireError } from '../../domain/errors.ts'
import type { WireValue } from '../sql-values.ts'
import { type Engine, openEngine, type WireError, type WireReply } from './engine.ts'

export interface StatementOptions {
  /** Opens a transaction before the statement. */
  begin?: boolean
  /**
   * Commits without waiting for the disk. Only for `commit`, and for writes outside of
   * transactions.
   */
  lazy?: boolean
}

/** A message to the thread. Each `run` is answered by one `reply`, in order. */
export type ThreadRequest = RunRequest | { kind: 'close' }

export interface RunRequest extends StatementOptions {
  kind: 'run'
  text: string
  values: readonly WireValue[]
}

/** A message from the thread. `broken` and `closed` are the last ones. */
export type ThreadMessage =
  | { kind: 'ready' }
  | { kind: 'failed'; code: string | null; message: string }
  | { kind: 'reply'; reply: WireReply }
  | { kind: 'notification'; channel: string; payload: string }
  | { kind: 'broken'; reason: string }
  | { kind: 'closed' }

/** WASI gives `ENOSPC` this number. */
const wasiNoSpaceLeft = 51

const port = parentPort!
const send = (message: ThreadMessage) => port.postMessage(message)

const events = {
  onNotification: (channel: string, payload: string) =>
    send({ kind: 'notification', channel, payload }),
  onBroken(reason: string) {
    send({ kind: 'broken', reason })
    // Ends the thread immediately, because the engine must not write another byte.
    process.exit(1)
  },
}

async function main(): Promise<void> {
  const engine = await openEngine((workerData as { directory: string }).directory, events)
  let queue = Promise.resolve()
  const handle = async (request: ThreadRequest) => {
    if (request.kind === 'close') {
      await engine.close()
      send({ kind: 'closed' })
      port.close()
      return
    }
    send({ kind: 'reply', reply: await runStatement(engine, request).catch(describeFailure) })
  }
  port.on('message', (request: ThreadRequest) => {
    queue = queue.then(() => handle(request)).catch((error) => events.onBroken(String(error)))
  })
  send({ kind: 'ready' })
}

async function runStatement(engine: Engine, { text, values, begin, lazy }: RunRequest) {
  if (begin) await engine.run('begin', [])
  if (!lazy) return engine.run(text, values)
  const withoutSync = 'set local synchronous_commit = off'
  if (text === 'commit') {
    await engine.run(withoutSync, [])
    return engine.run(text, [])
  }
  await engine.run(`begin; ${withoutSync}`, [])
  const reply = await engine.run(text, values)
  const { error, status } = await engine.run(reply.error ? 'rollback' : 'commit', [])
  return { ...reply, error: reply.error ?? error, status }
}

/** Describes an error before the statement reached the engine, which reports its own errors. */
function describeFailure(error: unknown): WireReply {
  const failure: WireError = {
    message: error instanceof Error ? error.message : String(error),
    code: 'XX000',
  }
  return { results: [], error: failure, status: 'E' }
}

/** Describes thrown objects of the engine's file layer, which have a WASI number but no message. */
function describeThrown(error: unknown): string {
  if (error instanceof Error) return error.message
  const { errno } = error as { errno?: unknown }
  if (errno === wasiNoSpaceLeft) return 'no space is left on the disk'
  return typeof errno === 'number'
    ? `a file could not be used (WASI error ${errno})`
    : String(error)
}

main().catch((error: unknown) => {
  const code = error instanceof UmpireError ? error.code : null
  send({ kind: 'failed', code, message: describeThrown(error) })
  port.close()
})
