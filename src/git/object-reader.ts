// Reads git objects through one long-lived `git cat-file`, which ends after an idle timeout.
import { GitError } from '../domain/errors.ts'
import type { RunningProgram } from '../lib/spawn-program.ts'
import { ByteQueue } from './byte-queue.ts'
import { type GitRuntime, startGit } from './run-git.ts'

const RESPONSE_TIMEOUT_MS = 30_000
/** Restarting git takes milliseconds, and a review may wait for its model for a minute. */
const IDLE_TIMEOUT_MS = 5_000

interface ObjectInfo {
  readonly oid: string
  readonly type: string
  readonly size: number
}

/**
 * Reads objects of one repository, one at a time. Starts git on first use, and again after a
 * failure or an idle timeout.
 */
export class ObjectReader implements AsyncDisposable {
  readonly #runtime: GitRuntime
  readonly #gitDirectory: string
  #process: BatchProcess | undefined
  #queue: Promise<unknown> = Promise.resolve()
  #pendingRequests = 0
  #idleTimer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(runtime: GitRuntime, gitDirectory: string) {
    this.#runtime = runtime
    this.#gitDirectory = gitDirectory
  }

  /** Type and size of an object; undefined if there is none. `name` must contain no line feed. */
  info(name: string): Promise<ObjectInfo | undefined> {
    return this.#enqueue(async (batch) => readInfo(await batch.request(`info ${name}`)))
  }

  /** An object's bytes by its id; undefined if there is none. */
  contents(oid: string): Promise<Buffer<ArrayBuffer> | undefined> {
    return this.#enqueue(async (batch) => {
      const info = readInfo(await batch.request(`contents ${oid}`))
      if (info === undefined) return undefined
      const bytes = await batch.output.take(info.size)
      await batch.output.skip(1)
      return bytes
    })
  }

  /** Ends git unless requests are pending; the next request starts it again. */
  async closeIdle(): Promise<void> {
    if (this.#pendingRequests > 0) return
    clearTimeout(this.#idleTimer)
    const idleProcess = this.#process
    this.#process = undefined
    await idleProcess?.end()
  }

  #enqueue<Result>(request: BatchRequest<Result>): Promise<Result> {
    clearTimeout(this.#idleTimer)
    this.#pendingRequests += 1
    const result = this.#queue.then(() => this.#run(request)).finally(() => this.#finishRequest())
    this.#queue = result.catch(() => undefined)
    return result
  }

  async #run<Result>(request: BatchRequest<Result>): Promise<Result> {
    if (this.#isClosed) throw new GitError('The snapshot was closed.')
    this.#process ??= new BatchProcess(
      await startGit(this.#runtime, { gitDirectory: this.#gitDirectory, args: batchArgs }),
    )
    try {
      return await this.#process.withDeadline(request)
    } catch (error) {
      // The position in the output is unknown after a failure, so the process can't be reused.
      await this.#process.end()
      this.#process = undefined
      throw error
    }
  }

  #finishRequest(): void {
    this.#pendingRequests -= 1
    if (this.#pendingRequests > 0) return
    this.#idleTimer = setTimeout(() => void this.closeIdle(), IDLE_TIMEOUT_MS)
    this.#idleTimer.unref()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#idleTimer)
    await this.#process?.end()
  }
}

const batchArgs = ['cat-file', '--batch-command']

/** Parses `<oid> <type> <size>`; undefined for `<name> missing`. */
function readInfo(line: string): ObjectInfo | undefined {
  const match = /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(line)
  if (match === null) return undefined
  return { oid: match[1]!, type: match[2]!, size: Number(match[3]) }
}

type BatchRequest<Result> = (batch: BatchProcess) => Promise<Result>

/** A running `git cat-file --batch-command`, which answers requests in their order. */
class BatchProcess {
  readonly #git: RunningProgram
  readonly output: ByteQueue

  constructor(git: RunningProgram) {
    this.#git = git
    this.output = new ByteQueue(git.stdout)
    git.stderr.resume()
  }

  async withDeadline<Result>(request: BatchRequest<Result>): Promise<Result> {
    const deadline = setTimeout(this.#git.kill, RESPONSE_TIMEOUT_MS)
    try {
      return await request(this)
    } finally {
      clearTimeout(deadline)
    }
  }

  /** Sends a line and returns the first line of the response. */
  request(line: string): Promise<string> {
    this.#git.stdin.write(`${line}\n`)
    return this.output.takeLine()
  }

  async end(): Promise<void> {
    this.#git.kill()
    await this.#git.closed
  }
}
