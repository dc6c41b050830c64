// Connects the main thread to the thread of the embedded engine.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { retainWasmCode } from '../../lib/wasm-code.ts'
import { UmpireDatabaseError } from '../database-errors.ts'
import { encodeParameter } from '../sql-values.ts'
import type { StatementOptions, ThreadMessage, ThreadRequest } from './embedded-thread.ts'
import type { TransactionStatus, WireReply } from './engine.ts'

/** How many times within `statementLimitMs` the running statement is checked. */
const checksPerLimit = 4

interface PendingRequest {
  resolve(reply: WireReply): void
  reject(error: Error): void
  /**
   * Counts checks instead of time, so that a suspended process doesn't count as a slow statement.
   */
  checks: number
}

/**
 * Starts the thread and waits until its database is open.
 *
 * @param statementLimitMs the engine is stopped when a statement takes longer, up to a quarter late
 * @throws UmpireDatabaseError `database_version`, `database_unsafe` or `database_stopped`
 */
export async function startEngine(
  directory: string,
  statementLimitMs: number,
): Promise<EnginePort> {
  retainWasmCode()
  const worker = new Worker(new URL('./embedded-thread.ts', import.meta.url), {
    workerData: { directory },
    // PostgreSQL's own limit `max_stack_depth` in engine.ts must be reached before this one.
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
  if (message.kind !== 'failed') {
    return createStoppedError(message.kind === 'broken' ? message.reason : message.kind)
  }
  if (message.code === 'database_version' || message.code === 'database_unsafe')
    return new UmpireDatabaseError(message.code, message.message)
  return createStoppedError(message.message)
}

function createStoppedError(reason: string): Error {
  return new UmpireDatabaseError(
    'database_stopped',
    `The embedded database does not start: ${reason}`,
  )
}

export class EnginePort {
  /** The status that the last reply reported. */
  status: TransactionStatus = 'I'
  /** Why statements can't be run any more; null while they can. */
  stopped: UmpireDatabaseError | null = null
  readonly #worker: Worker
  readonly #ended: Promise<unknown>
  readonly #watchdog: NodeJS.Timeout
  /** Whether the database was closed completely, so that all commits are on the disk. */
  #isClosed = false
  /** Requests in the order in which the thread answers them. */
  readonly #pending: PendingRequest[] = []
  readonly #listeners = new Map<string, Set<(payload: string) => void>>()
  readonly #stopCallbacks: ((error: UmpireDatabaseError) => void)[] = []

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

  /** Whether any reply is pending. */
  get busy(): boolean {
    return this.#pending.length > 0
  }

  /** Runs statements in the order of calls. Rejects only when the engine stopped. */
  run(
    text: string,
    values: readonly unknown[],
    options: StatementOptions = {},
  ): Promise<WireReply> {
    if (this.stopped) return Promise.reject(this.stopped)
    const request: ThreadRequest = {
      kind: 'run',
      text,
      values: values.map(encodeParameter),
      ...options,
    }
    return new Promise((resolve, reject) => {
      this.#pending.push({ resolve, reject, checks: 0 })
      this.#worker.postMessage(request)
    })
  }

  /** The caller must run LISTEN as well. @returns a function that unsubscribes */
  subscribe(channel: string, onNotification: (payload: string) => void): () => void {
    const listeners = this.#listeners.get(channel) ?? new Set()
    this.#listeners.set(channel, listeners)
    // A new function, so that the same callback can subscribe twice.
    const listener = (payload: string) => onNotification(payload)
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  /** Calls back once, when statements can't be run any more. */
  onStop(callback: (error: UmpireDatabaseError) => void): void {
    this.#stopCallbacks.push(callback)
  }

  /** Makes pending and later statements fail with the reason, and terminates the thread. */
  stop(reason: string): void {
    this.#fail(reason)
    void this.#worker.terminate()
  }

  /**
   * Rolls back open work, closes the database and waits for the end of the thread. The thread is
   * terminated after `timeoutMs`.
   *
   * @returns whether the database was closed completely, with all commits on the disk
   */
  async close(timeoutMs: number): Promise<boolean> {
    if (!this.stopped) {
      this.#worker.postMessage({ kind: 'close' } satisfies ThreadRequest)
      this.#fail('it was closed')
    }
    const timer = setTimeout(() => void this.#worker.terminate(), timeoutMs)
    await this.#ended
    clearTimeout(timer)
    return this.#isClosed
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
      this.#isClosed = true
    }
  }

  /** The engine runs statements in order, so the first pending one is running. */
  #endSlowStatement(limitMs: number): void {
    const [running] = this.#pending
    if (running === undefined) return
    running.checks += 1
    if (running.checks > checksPerLimit)
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
    for (const callback of this.#stopCallbacks.splice(0)) callback(this.stopped)
  }
}
