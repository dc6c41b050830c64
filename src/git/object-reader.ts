// Reads git objects through one long-lived `git cat-file`, which ends when nobody asks for a while.
import { GitError } from '../domain/errors.ts'
import { type RunningProgram, readChunk } from '../lib/spawn-program.ts'
import { type GitRuntime, startGit } from './run-git.ts'

const RESPONSE_TIMEOUT_MS = 30_000
/** Starting git costs milliseconds, and a review that waits for its model asks nothing for a minute. */
const IDLE_TIMEOUT_MS = 5_000

/** What an object is. */
export interface ObjectInfo {
  readonly oid: string
  readonly type: string
  readonly size: number
}

/** Reads objects of one repository, one after the other; starts git on first use, and again after a fault or a rest. */
export class ObjectReader implements AsyncDisposable {
  readonly #host: GitRuntime
  readonly #gitDirectory: string
  #process: BatchProcess | undefined
  #queue: Promise<unknown> = Promise.resolve()
  #waiting = 0
  #idle: NodeJS.Timeout | undefined
  #closed = false

  constructor(host: GitRuntime, gitDirectory: string) {
    this.#host = host
    this.#gitDirectory = gitDirectory
  }

  /** Type and size of an object; undefined where there is none. `name` must hold no line feed. */
  info(name: string): Promise<ObjectInfo | undefined> {
    return this.#ask(async (batch) => readInfo(await batch.ask(`info ${name}`)))
  }

  /** An object's bytes by its id; undefined where there is none. */
  contents(oid: string): Promise<Buffer | undefined> {
    return this.#ask(async (batch) => {
      const info = readInfo(await batch.ask(`contents ${oid}`))
      if (info === undefined) return undefined
      const bytes = await batch.take(info.size + 1)
      return bytes.subarray(0, info.size)
    })
  }

  /** Ends git, unless it is being asked; the next question starts it again. */
  async closeIdle(): Promise<void> {
    if (this.#waiting > 0) return
    clearTimeout(this.#idle)
    const resting = this.#process
    this.#process = undefined
    await resting?.end()
  }

  #ask<Answer>(question: (batch: BatchProcess) => Promise<Answer>): Promise<Answer> {
    clearTimeout(this.#idle)
    this.#waiting += 1
    const answer = this.#queue.then(() => this.#answer(question)).finally(() => this.#endWhenIdle())
    this.#queue = answer.catch(() => undefined)
    return answer
  }

  async #answer<Answer>(question: (batch: BatchProcess) => Promise<Answer>): Promise<Answer> {
    if (this.#closed) throw new GitError('The snapshot was closed.')
    this.#process ??= new BatchProcess(
      await startGit(this.#host, { gitDirectory: this.#gitDirectory, args: batchArgs }),
    )
    try {
      return await this.#process.withDeadline(question)
    } catch (error) {
      // The stream's position isn't known any more.
      await this.#process.end()
      this.#process = undefined
      throw error
    }
  }

  #endWhenIdle(): void {
    this.#waiting -= 1
    if (this.#waiting === 0)
      this.#idle = setTimeout(() => void this.closeIdle(), IDLE_TIMEOUT_MS).unref()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    clearTimeout(this.#idle)
    await this.#process?.end()
  }
}

const batchArgs = ['cat-file', '--batch-command']

/** `<oid> <type> <size>`, or `<name> missing`. */
function readInfo(line: string): ObjectInfo | undefined {
  const match = /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(line)
  return match === null ? undefined : { oid: match[1]!, type: match[2]!, size: Number(match[3]) }
}

/** A running `git cat-file --batch-command`: questions in, answers out, in order. */
class BatchProcess {
  readonly #git: RunningProgram
  readonly #output: AsyncIterator<Buffer, undefined>
  #rest: Buffer = Buffer.alloc(0)

  constructor(git: RunningProgram) {
    this.#git = git
    this.#output = git.stdout[Symbol.asyncIterator]()
    git.stderr.resume()
  }

  async withDeadline<Answer>(question: (batch: BatchProcess) => Promise<Answer>): Promise<Answer> {
    const deadline = setTimeout(this.#git.kill, RESPONSE_TIMEOUT_MS)
    try {
      return await question(this)
    } finally {
      clearTimeout(deadline)
    }
  }

  /** Sends a line and returns the first line of the answer. */
  async ask(line: string): Promise<string> {
    this.#git.stdin.write(`${line}\n`)
    let end = this.#rest.indexOf(0x0a)
    while (end === -1) {
      this.#rest = Buffer.concat([this.#rest, await this.#next()])
      end = this.#rest.indexOf(0x0a)
    }
    const answer = this.#rest.toString('latin1', 0, end)
    this.#rest = this.#rest.subarray(end + 1)
    return answer
  }

  /** The next `length` bytes of the answer. */
  async take(length: number): Promise<Buffer> {
    const chunks = [this.#rest]
    let available = this.#rest.length
    while (available < length) {
      const chunk = await this.#next()
      chunks.push(chunk)
      available += chunk.length
    }
    const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
    this.#rest = bytes.subarray(length)
    return bytes.subarray(0, length)
  }

  async #next(): Promise<Buffer> {
    const chunk = await readChunk(this.#output)
    if (chunk !== undefined) return chunk
    throw new GitError('git cat-file ended early or gave no answer.', { retryable: true })
  }

  async end(): Promise<void> {
    this.#git.kill()
    await this.#git.closed
  }
}
