// A pool of worker threads for hostile input, with deadlines and memory limits.
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { createFairSemaphore, type FairSemaphore } from './semaphore.ts'
import { retainWasmCode } from './wasm-code.ts'

/** Starting a thread may take long on a busy machine, which isn't a fault of the input. */
const startupMs = 30_000
const warmUpId = 0

interface ThreadPoolOptions {
  /** The module that a thread runs. It answers with messages of type `ThreadAnswer`. */
  readonly module: URL
  /** At most this many threads run. */
  readonly threads: number
  /** Time for one task within the thread, in milliseconds. */
  readonly deadlineMs: number
  /** Time after the deadline until the thread is terminated, in milliseconds. */
  readonly graceMs: number
  /** Another thread is started when tasks waited this long for the loaded ones, in milliseconds. */
  readonly growAfterMs: number
  /** Threads end when the pool did nothing for this long, in milliseconds; by default never. */
  readonly idleMs?: number
  /** What each thread gets as its `workerData`. */
  readonly data?: unknown
  /** Heap limits of a thread, by V8's generations; by default 256 MB for the old one. */
  readonly memoryMegabytes?: { readonly old: number; readonly young?: number }
}

/** The result of a task. `shouldReplaceThread` is set when the thread holds too much memory. */
type ThreadOutcome<Result> =
  | { readonly outcome: 'done'; readonly result: Result; readonly shouldReplaceThread?: boolean }
  | { readonly outcome: 'too_slow' | 'failed' }

/** The message that is sent to a thread. */
export type ThreadRequest<Work> = Work & { readonly id: number; readonly deadlineMs: number }

/**
 * The messages of a thread. `started` means that everything is loaded, and starts the deadline;
 * `part` has a part of the result, and restarts the deadline; the outcome ends the task.
 */
export type ThreadAnswer<Result, Part = never> = { readonly id: number } & (
  | ThreadOutcome<Result>
  | { readonly outcome: 'started' }
  | { readonly outcome: 'part'; readonly part: Part }
)

interface WaitingTask<Work, Result, Part> {
  readonly work: Work
  readonly options: ThreadRunOptions<Part>
  readonly settle: (outcome: ThreadOutcome<Result>) => void
}

interface ThreadRunOptions<Part> {
  /** The owner of the task; threads are shared fairly between tenants. */
  readonly tenant?: string | undefined
  /** Called with each part of the result when it arrives. */
  readonly onPart?: (part: Part) => void
  /** Buffers that are transferred to the thread instead of copied. */
  readonly transfer?: readonly ArrayBuffer[]
  /** Replaces the pool's. */
  readonly graceMs?: number
}

/** Starts threads on demand. Idle threads don't keep the process alive. */
export class ThreadPool<Work extends object, Result, Part = never> implements AsyncDisposable {
  readonly #options: ThreadPoolOptions
  readonly #capacity: FairSemaphore
  readonly #idle: Worker[] = []
  readonly #all = new Set<Worker>()
  /** Threads that haven't loaded the code of a task yet. */
  readonly #loading = new Set<Worker>()
  readonly #queue: WaitingTask<Work, Result, Part>[] = []
  #nextId = 1
  #isClosed = false
  #idleTimer: NodeJS.Timeout | undefined
  #growTimer: NodeJS.Timeout | undefined

  constructor(options: ThreadPoolOptions) {
    this.#options = options
    this.#capacity = createFairSemaphore(options.threads, options.threads)
  }

  /**
   * Runs one task. Never rejects: when the thread hangs or dies, or the pool is disposed of, the
   * outcome is `too_slow` or `failed`, and the thread is replaced.
   */
  async run(work: Work, options: ThreadRunOptions<Part> = {}): Promise<ThreadOutcome<Result>> {
    const release = await this.#capacity.acquire(options.tenant ?? '')
    if (this.#isClosed) {
      release()
      return { outcome: 'failed' }
    }
    const outcome = new Promise<ThreadOutcome<Result>>((settle) => {
      this.#queue.push({ work, options, settle })
      this.#dispatch()
    })
    return outcome.finally(release)
  }

  /**
   * Starts a thread before its first task.
   *
   * @param sample a small task that makes the thread load its code; the result is ignored
   */
  warmUp(sample?: Work): void {
    const first = this.#all.size === 0 ? this.#start() : undefined
    if (first !== undefined) this.#addIdle(first)
    const worker = this.#idle.at(-1)
    if (worker === undefined || sample === undefined) return
    const { deadlineMs } = this.#options
    const request: ThreadRequest<Work> = { ...sample, id: warmUpId, deadlineMs }
    worker.postMessage(request)
  }

  #addIdle(worker: Worker): void {
    this.#idle.push(worker)
    clearTimeout(this.#idleTimer)
    const { idleMs } = this.#options
    if (idleMs === undefined) return
    this.#idleTimer = setTimeout(() => this.releaseIdleThreads(0), idleMs).unref()
  }

  /** Terminates idle threads to free their memory. One stays ready for the next task by default. */
  async releaseIdleThreads(kept = 1): Promise<void> {
    await Promise.all(this.#idle.splice(kept).map((worker) => worker.terminate()))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#idleTimer)
    clearTimeout(this.#growTimer)
    for (const { settle } of this.#queue.splice(0)) settle({ outcome: 'failed' })
    await Promise.all([...this.#all].map((worker) => worker.terminate()))
  }

  #dispatch(): void {
    if (this.#queue.length === 0) return
    const worker = this.#idle.pop() ?? (this.#all.size === 0 ? this.#start() : undefined)
    if (worker !== undefined) this.#run(worker, this.#queue.shift()!)
    else if (this.#loading.size === 0) this.#growLater()
  }

  /** Starts another thread if tasks are still waiting by then; it gets one when it runs. */
  #growLater(): void {
    this.#growTimer ??= setTimeout(() => {
      this.#growTimer = undefined
      const worker = this.#queue.length > 0 ? this.#start() : undefined
      // Tasks wait for it, so it keeps the process alive until it is idle.
      worker?.ref()
      worker?.once('online', () => {
        worker.unref()
        this.#addIdle(worker)
        this.#dispatch()
      })
    }, this.#options.growAfterMs).unref()
  }

  #start(): Worker | undefined {
    if (this.#all.size >= this.#options.threads || this.#isClosed) return undefined
    const { memoryMegabytes: memory = { old: 256 } } = this.#options
    retainWasmCode()
    const worker = new Worker(this.#options.module, {
      workerData: this.#options.data,
      // Hostile input must not reach the environment, nor write to our output.
      env: findCompileCache(),
      stdout: true,
      stderr: true,
      resourceLimits: {
        maxOldGenerationSizeMb: memory.old,
        maxYoungGenerationSizeMb: memory.young,
      },
    })
    worker.on('error', () => {})
    worker.unref()
    this.#all.add(worker)
    this.#loading.add(worker)
    worker.once('exit', () => {
      this.#all.delete(worker)
      this.#loading.delete(worker)
      const index = this.#idle.indexOf(worker)
      if (index >= 0) this.#idle.splice(index, 1)
      if (!this.#isClosed) this.#dispatch()
    })
    return worker
  }

  #run(worker: Worker, { work, options, settle }: WaitingTask<Work, Result, Part>): void {
    const { deadlineMs } = this.#options
    const { graceMs = this.#options.graceMs } = options
    const request: ThreadRequest<Work> = { ...work, id: this.#nextId++, deadlineMs }
    const finish = (outcome: ThreadOutcome<Result>) => {
      clearTimeout(timer)
      timer = undefined
      worker.off('exit', fail)
      worker.removeAllListeners('message')
      worker.removeAllListeners('error')
      worker.on('error', () => {})
      worker.unref()
      // Threads never free the memory of their parsers, and a failed task leaves an unknown state.
      const isReusable = outcome.outcome === 'done' && outcome.shouldReplaceThread !== true
      if (isReusable && !this.#isClosed) this.#addIdle(worker)
      else void worker.terminate()
      settle(outcome)
      this.#dispatch()
    }
    const fail = () => finish({ outcome: 'failed' })
    const startTimer = (milliseconds: number) => {
      const timeout = setTimeout(() => {
        // When this process was busy itself, unread answers are handled first.
        setImmediate(() => timer === timeout && finish({ outcome: 'too_slow' }))
      }, milliseconds)
      return timeout
    }
    let timer: NodeJS.Timeout | undefined = startTimer(startupMs)
    worker.on('message', (answer: ThreadAnswer<Result, Part>) => {
      // The answer of a warm-up may still arrive.
      if (answer.id !== request.id) return
      if (this.#loading.delete(worker)) this.#dispatch()
      if (answer.outcome !== 'started' && answer.outcome !== 'part') return finish(answer)
      if (answer.outcome === 'part') options.onPart?.(answer.part)
      clearTimeout(timer)
      timer = startTimer(deadlineMs + graceMs)
    })
    worker.on('error', fail)
    worker.once('exit', fail)
    worker.ref()
    worker.postMessage(request, options.transfer ?? [])
  }
}

/** Lets threads use the compile cache of the process. */
function findCompileCache(): Record<string, string> {
  const folder = getCompileCacheDir()
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) }
}
