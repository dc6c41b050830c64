// Takes lines and byte ranges from the output of `git cat-file`.
import { GitError } from '../domain/errors.ts'
import { readChunk } from '../lib/spawn-program.ts'

/** All methods throw a retryable GitError when the output ends before the requested bytes. */
export class ByteQueue {
  readonly #chunks: AsyncIterator<Buffer, undefined>
  readonly #onChunk: () => void
  #rest: Buffer = Buffer.alloc(0)

  constructor(stream: AsyncIterable<Buffer>, onChunk: () => void = () => {}) {
    this.#chunks = stream[Symbol.asyncIterator]()
    this.#onChunk = onChunk
  }

  /** Takes a line without its line feed, as Latin-1. */
  async takeLine(): Promise<string> {
    let line = ''
    let end = this.#rest.indexOf(0x0a)
    while (end === -1) {
      line += this.#rest.toString('latin1')
      await this.#readChunk()
      end = this.#rest.indexOf(0x0a)
    }
    line += this.#rest.toString('latin1', 0, end)
    this.#rest = this.#rest.subarray(end + 1)
    return line
  }

  /** Takes bytes into a buffer of their own. */
  async take(length: number): Promise<Buffer<ArrayBuffer>> {
    const bytes = Buffer.from(new ArrayBuffer(length))
    await this.#consume(length, (chunk, offset) => bytes.set(chunk, offset))
    return bytes
  }

  async skip(length: number): Promise<void> {
    await this.#consume(length, () => {})
  }

  async #consume(length: number, use: (chunk: Buffer, offset: number) => void): Promise<void> {
    let offset = 0
    while (offset < length) {
      if (this.#rest.length === 0) await this.#readChunk()
      const chunk = this.#rest.subarray(0, length - offset)
      use(chunk, offset)
      offset += chunk.length
      this.#rest = this.#rest.subarray(chunk.length)
    }
  }

  async #readChunk(): Promise<void> {
    const chunk = await readChunk(this.#chunks)
    this.#onChunk()
    if (chunk === undefined)
      throw new GitError('git cat-file ended early or gave no answer.', { retryable: true })
    this.#rest = chunk
  }
}
