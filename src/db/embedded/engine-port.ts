// The main thread's end of the line to the thread of the embedded engine.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { retainWasmCode } from '../../lib/wasm-code.ts'
import { UmpireDatabaseError } from '../database-errors.ts'
import { encodeParameter } from '../sql-values.ts'
import type { StatementOptions, ThreadMessage, ThreadRequest } from './embedded-thread.ts'
import type { TransactionStatus, WireReply } from './engine.ts'

/** So often in `statementLimitMs` it is looked whether the same statement is still under way. */
const checksPerLimit = 4

interface Pending {
  resolve(reply: WireReply): void
  reject(error: Error): void
  /** How often it was seen under way. Counted, so that a process that was halted in between doesn't seem slow. */
  looks: number
}

/**
 * Starts the thread and waits until its database is open.
 *
 * @param statementLimitMs when one statement takes longer, the engine is stopped (by a quarter of it too late at most)
 * @throws DatabaseFault `database_version`, `database_unsafe` or `database_stopped`
 */
export async function startEngine(
  directory: string,
  statementLimitMs: number,
): Promise<EnginePort> {
  retainWasmCode()
  const worker = new Worker(new URL('./embedded-thread.ts', import.meta.url), {
    workerData: { directory },
    // Room for what PostgreSQL may nest: see `max_stack_depth` in engine.ts.
    resourceLimits: { stackSizeMb: 32 },
  })
  const ended = once(worker, 'exit').then((): [ThreadMessage] => [
    { kind: 'broken', reason: 'its thread ended' },
  ])
  const [first] = await Promise.race([once(worker, 'message') as Promise<[ThreadMessage]>, ended])
  if (first.kind === 'ready') return new EnginePort(worker, statementLimitMs)
  await worker.terminate()
  throw createStartError(first)
}

function createStartError(message: ThreadMessage): Error {
  if (
    message.kind === 'failed' &&
    (message.code === 'database_version' || message.code === 'database_unsafe')
  ) {
    return new UmpireDatabaseError(message.code, message.message)
  }
  const reason =
    message.kind === 'failed'
      ? message.message
      : message.kind === 'broken'
        ? message.reason
        : message.kind
  return new UmpireDatabaseError(
    'database_stopped',
    `The embedded database does not start: ${reason}`,
  )
}

export class EnginePort {
  /** Of the connection, after the last answer. */
  status: TransactionStatus = 'I'
  /** Why nothing can be run any more; null while it can. */
  stopped: UmpireDatabaseError | null = null
  readonly #worker: Worker
  readonly #ended: Promise<unknown>
  readonly #watchdog: NodeJS.Timeout
  /** The database was closed in good order: all of it is on the disk. */
  #closed = false
  /** Requests under way, in the order in which the thread answers them. */
  readonly #pending: Pending[] = []
  readonly #listeners = new Map<string, Set<(payload: string) => void>>()
  readonly #onStop: ((fault: UmpireDatabaseError) => void)[] = []

  constructor(worker: Worker, statementLimitMs: number) {
    this.#worker = worker
    this.#watchdog = setInterval(
      () => this.#endSlowStatement(statementLimitMs),
      statementLimitMs / checksPerLimit,
    )
    this.#watchdog.unref()
    this.#ended = new Promise((resolve) => worker.once('exit', resolve))
    worker.on('message', (message: ThreadMessage) => this.#receive(message))
    worker.on('error', (error) => this.stop(`its thread failed: ${error.message}`))
    worker.on('exit', () => this.stop('its thread ended'))
  }

  /** Whether an answer is still to come. */
  get busy(): boolean {
    return this.#pending.length > 0
  }

  /** Statements are run in the order in which they are sent. Rejects only when the engine stopped. */
  run(text: string, values: readonly unknown[], ways: StatementOptions = {}): Promise<WireReply> {
    if (this.stopped) return Promise.reject(this.stopped)
    const request: ThreadRequest = {
      kind: 'run',
      text,
      values: values.map(encodeParameter),
      ...ways,
    }
    return new Promise((resolve, reject) => {
      this.#pending.push({ resolve, reject, looks: 0 })
      this.#worker.postMessage(request)
    })
  }

  /** Calls back for notifications on a channel; LISTEN has to be run as well. @returns a function that ends it */
  subscribe(channel: string, onNotification: (payload: string) => void): () => void {
    const listeners = this.#listeners.get(channel) ?? new Set()
    this.#listeners.set(channel, listeners)
    // A function of its own, so that the same one can listen twice.
    const listener = (payload: string) => onNotification(payload)
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  /** Calls back once, when nothing can be run any more. */
  onStop(callback: (fault: UmpireDatabaseError) => void): void {
    this.#onStop.push(callback)
  }

  /** From here on everything fails at once, with the reason; the thread is ended in the middle of what it does. */
  stop(reason: string): void {
    this.#fail(reason)
    void this.#worker.terminate()
  }

  /**
   * Rolls back what is open, closes the database and waits for the end of the thread, which is ended in the middle of
   * what it does when that takes longer than `scanTimeoutMs`.
   *
   * @returns whether the database was closed in good order, with all that was committed on the disk
   */
  async close(patienceMs: number): Promise<boolean> {
    if (!this.stopped) {
      this.#worker.postMessage({ kind: 'close' } satisfies ThreadRequest)
      this.#fail('it was closed')
    }
    const timer = setTimeout(() => void this.#worker.terminate(), patienceMs)
    await this.#ended
    clearTimeout(timer)
    return this.#closed
  }

  #receive(message: ThreadMessage): void {
    if (message.kind === 'reply') {
      this.status = message.reply.status
      this.#pending.shift()?.resolve(message.reply)
    } else if (message.kind === 'notification') {
      for (const listener of this.#listeners.get(message.channel) ?? []) listener(message.payload)
    } else if (message.kind === 'broken') {
      this.stop(message.reason)
    } else if (message.kind === 'closed') {
      this.#closed = true
    }
  }

  /** The engine answers in order, so it is always the oldest one that is under way. */
  #endSlowStatement(limitMs: number): void {
    const [oldest] = this.#pending
    if (oldest && ++oldest.looks > checksPerLimit)
      this.stop(`a statement took longer than ${limitMs / 1000} s`)
  }

  #fail(reason: string): void {
    if (this.stopped) return
    clearInterval(this.#watchdog)
    this.stopped = new UmpireDatabaseError(
      'database_stopped',
      `The embedded database stopped: ${reason}`,
    )
    for (const request of this.#pending.splice(0)) request.reject(this.stopped)
    for (const callback of this.#onStop.splice(0)) callback(this.stopped)
  }
}
