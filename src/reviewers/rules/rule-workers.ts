// Starts, feeds, times out and replaces the worker threads that run the rules.
import { Worker } from 'node:worker_threads'
import type { CheckOutcome, CheckRequest, CheckResponse } from './rule-worker.ts'

/** Time to start a thread and load a grammar, in milliseconds: long, because a busy machine is no mistake of the file. */
const startupMs = 30_000

export interface RuleWorkersOptions {
  /** Threads at most; each holds about 60 MB once it has parsed. */
  readonly threads: number
  /** Time for one file inside the thread, in milliseconds. */
  readonly deadlineMs: number
  /** How much longer to wait before a thread that doesn't answer is ended, in milliseconds. */
  readonly graceMs: number
}

type Work = Omit<CheckRequest, 'id' | 'deadlineMs'>

interface Waiting {
  readonly work: Work
  readonly settle: (outcome: CheckOutcome) => void
}

/** Threads are started when there is work, and don't keep the process alive when there is none. */
export class RuleWorkers implements AsyncDisposable {
  readonly #options: RuleWorkersOptions
  readonly #idle: Worker[] = []
  readonly #all = new Set<Worker>()
  readonly #queue: Waiting[] = []
  #nextId = 1
  #isClosed = false

  constructor(options: RuleWorkersOptions) {
    this.#options = options
  }

  /**
   * Checks one file. Never rejects: a thread that hangs or dies, also by disposing, makes the outcome `too_slow` or
   * `failed`. After those the thread is replaced.
   */
  check(work: Work): Promise<CheckOutcome> {
    if (this.#isClosed) return Promise.resolve({ outcome: 'failed' })
    return new Promise((settle) => {
      this.#queue.push({ work, settle })
      this.#dispatch()
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    for (const { settle } of this.#queue.splice(0)) settle({ outcome: 'failed' })
    await Promise.all([...this.#all].map((worker) => worker.terminate()))
  }

  #dispatch(): void {
    const worker = this.#queue.length > 0 ? (this.#idle.pop() ?? this.#start()) : undefined
    const waiting = worker && this.#queue.shift()
    if (worker && waiting) this.#run(worker, waiting)
  }

  #start(): Worker | undefined {
    if (this.#all.size >= this.#options.threads || this.#isClosed) return undefined
    const worker = new Worker(new URL('./rule-worker.ts', import.meta.url), {
      // What the rules read can't do harm by what it finds in the environment, nor write to our output.
      env: {},
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: 256 },
    })
    this.#all.add(worker)
    worker.once('exit', () => {
      this.#all.delete(worker)
      const index = this.#idle.indexOf(worker)
      if (index >= 0) this.#idle.splice(index, 1)
      if (!this.#isClosed) this.#dispatch()
    })
    return worker
  }

  #run(worker: Worker, { work, settle }: Waiting): void {
    const { deadlineMs, graceMs } = this.#options
    const request: CheckRequest = { ...work, id: this.#nextId++, deadlineMs }
    const finish = (outcome: CheckOutcome) => {
      clearTimeout(timer)
      worker.off('exit', fail)
      worker.removeAllListeners('message')
      worker.removeAllListeners('error')
      worker.on('error', () => {})
      worker.unref()
      // A thread never gives back the memory that a parser once took, and what broke off leaves it half-filled.
      if (outcome.outcome === 'checked' && !this.#isClosed) this.#idle.push(worker)
      else void worker.terminate()
      settle(outcome)
      this.#dispatch()
    }
    const fail = () => finish({ outcome: 'failed' })
    const endAfter = (milliseconds: number) => setTimeout(() => finish({ outcome: 'too_slow' }), milliseconds)
    let timer = endAfter(startupMs)
    worker.on('message', (response: CheckResponse) => {
      if (response.outcome !== 'started') return finish(response)
      clearTimeout(timer)
      timer = endAfter(deadlineMs + graceMs)
    })
    worker.on('error', fail)
    worker.once('exit', fail)
    worker.ref()
    worker.postMessage(request)
  }
}
