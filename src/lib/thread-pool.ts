// Starts, feeds, times out and replaces worker threads for work on hostile input.
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { createFairSemaphore, type FairSemaphore } from './semaphore.ts'
import { retainWasmCode } from './wasm-code.ts'

/** Time to start a thread and load what it needs, in milliseconds: long, because a busy machine is no mistake of the input. */
const startupMs = 30_000

export interface ThreadPoolOptions {
  /** The module that a thread runs: see `ThreadAnswer` for how it answers. */
  readonly module: URL
  /** Threads at most. */
  readonly threads: number
  /** Time for one piece of work inside the thread, in milliseconds. */
  readonly deadlineMs: number
  /** How much longer to wait before a thread that doesn't answer is ended, in milliseconds. */
  readonly graceMs: number
  /** What a thread takes at most, by default 256: of `young`, for what is soon done with, what Node takes. Beyond `old` the work fails. */
  readonly memoryMegabytes?: { readonly old: number; readonly young?: number }
}

/** What became of a piece of work. `shouldReplaceThread`: the thread has taken more memory than it should keep, and is to be replaced. */
export type ThreadOutcome<Result> =
  | { readonly outcome: 'done'; readonly result: Result; readonly shouldReplaceThread?: boolean }
  | { readonly outcome: 'too_slow' | 'failed' }

/** What a thread is sent. */
export type ThreadRequest<Work> = Work & { readonly id: number; readonly deadlineMs: number }

/**
 * What a thread sends back. `started` says that all is loaded, and the time of the work runs; `part` gives a part of the
 * result, after which the time begins anew; the last one ends the work.
 */
export type ThreadAnswer<Result, Part = never> = { readonly id: number } & (
  | ThreadOutcome<Result>
  | { readonly outcome: 'started' }
  | { readonly outcome: 'part'; readonly part: Part }
)

interface Waiting<Work, Result, Part> {
  readonly work: Work
  readonly give: ThreadRunOptions<Part>
  readonly settle: (outcome: ThreadOutcome<Result>) => void
}

export interface ThreadRunOptions<Part> {
  /** Whose work it is: threads are shared out by turns. */
  readonly tenant?: string | undefined
  /** Called with each part of the result as it comes. */
  readonly onPart?: (part: Part) => void
  /** What of the work is handed over to the thread instead of copied. */
  readonly transfer?: readonly ArrayBuffer[]
}

/** Threads are started when there is work, and don't keep the process alive when there is none. */
export class ThreadPool<Work extends object, Result, Part = never> implements AsyncDisposable {
  readonly #options: ThreadPoolOptions
  readonly #places: FairSemaphore
  readonly #idle: Worker[] = []
  readonly #all = new Set<Worker>()
  readonly #queue: Waiting<Work, Result, Part>[] = []
  #nextId = 1
  #isClosed = false

  constructor(options: ThreadPoolOptions) {
    this.#options = options
    this.#places = createFairSemaphore(options.threads, options.threads)
  }

  /**
   * Does one piece of work. Never rejects: a thread that hangs or dies, also by disposing, makes the outcome `too_slow`
   * or `failed`. After those the thread is replaced.
   */
  async run(work: Work, give: ThreadRunOptions<Part> = {}): Promise<ThreadOutcome<Result>> {
    const release = await this.#places.acquire(give.tenant ?? '')
    if (this.#isClosed) {
      release()
      return { outcome: 'failed' }
    }
    const outcome = new Promise<ThreadOutcome<Result>>((settle) => {
      this.#queue.push({ work, give, settle })
      this.#dispatch()
    })
    return outcome.finally(release)
  }

  /**
   * Starts a thread ahead of its work.
   *
   * @param like a small piece of such work, whose result nobody wants: it has the thread load what that needs
   */
  warmUp(like?: Work): void {
    const worker = this.#idle.at(-1) ?? this.#startIdle()
    if (worker !== undefined && like !== undefined) {
      const request: ThreadRequest<Work> = { ...like, id: 0, deadlineMs: this.#options.deadlineMs }
      worker.postMessage(request)
    }
  }

  #startIdle(): Worker | undefined {
    const worker = this.#start()
    if (worker === undefined) return undefined
    worker.on('error', () => {})
    worker.unref()
    this.#idle.push(worker)
    return worker
  }

  /** Ends the threads that have nothing to do, but for one that is ready for a little work; more of it starts others. */
  async releaseIdleThreads(): Promise<void> {
    await Promise.all(this.#idle.splice(1).map((worker) => worker.terminate()))
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
    const { memoryMegabytes: memory = { old: 256 } } = this.#options
    retainWasmCode()
    const worker = new Worker(this.#options.module, {
      // What is read can't do harm by what it finds in the environment, nor write to our output.
      env: findCompileCache(),
      stdout: true,
      stderr: true,
      resourceLimits: {
        maxOldGenerationSizeMb: memory.old,
        maxYoungGenerationSizeMb: memory.young,
      },
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

  #run(worker: Worker, { work, give, settle }: Waiting<Work, Result, Part>): void {
    const { deadlineMs, graceMs } = this.#options
    const request: ThreadRequest<Work> = { ...work, id: this.#nextId++, deadlineMs }
    const finish = (outcome: ThreadOutcome<Result>) => {
      clearTimeout(timer)
      timer = undefined
      worker.off('exit', fail)
      worker.removeAllListeners('message')
      worker.removeAllListeners('error')
      worker.on('error', () => {})
      worker.unref()
      // A thread never gives back the memory that a parser once took, and what broke off leaves it half-filled.
      if (outcome.outcome === 'done' && outcome.shouldReplaceThread !== true && !this.#isClosed)
        this.#idle.push(worker)
      else void worker.terminate()
      settle(outcome)
      this.#dispatch()
    }
    const fail = () => finish({ outcome: 'failed' })
    const endAfter = (milliseconds: number) => {
      const timeout = setTimeout(() => {
        // Where this process was busy itself, answers may lie here unread: they come before that.
        setImmediate(() => timer === timeout && finish({ outcome: 'too_slow' }))
      }, milliseconds)
      return timeout
    }
    let timer: NodeJS.Timeout | undefined = endAfter(startupMs)
    worker.on('message', (answer: ThreadAnswer<Result, Part>) => {
      // What it was warmed up with may still come.
      if (answer.id !== request.id) return
      if (answer.outcome !== 'started' && answer.outcome !== 'part') return finish(answer)
      if (answer.outcome === 'part') give.onPart?.(answer.part)
      clearTimeout(timer)
      timer = endAfter(deadlineMs + graceMs)
    })
    worker.on('error', fail)
    worker.once('exit', fail)
    worker.ref()
    worker.postMessage(request, give.transfer ?? [])
  }
}

/** Threads load what was compiled before where the process does. */
function findCompileCache(): Record<string, string> {
  const folder = getCompileCacheDir()
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) }
}
