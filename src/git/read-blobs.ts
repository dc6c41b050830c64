// Reads many blobs through one `git cat-file`, one after the other as they come: only the one at hand is held.
import { GitError } from '../domain/errors.ts'
import { readChunk } from '../lib/spawn-program.ts'
import type { BareRepository } from './list-tree.ts'
import type { ObjectReader } from './object-reader.ts'
import { startGit } from './run-git.ts'

/** Without a byte for so long, git is taken for stuck. */
const idleTimeoutMs = 60_000

export interface GitBlob {
  readonly oid: string
  /** In a buffer of its own; undefined for one that is missing or larger than wanted. */
  readonly bytes: Uint8Array<ArrayBuffer> | undefined
}

interface BlobLimits {
  /** Larger ones are passed over. */
  readonly maxBytes: number
  readonly signal?: AbortSignal | undefined
}

/** As `readBlobs`, one question after the other: sooner there for a few, as that git runs already. */
export async function* readFewBlobs(
  objects: ObjectReader,
  oids: readonly string[],
  { maxBytes, signal }: BlobLimits,
): AsyncGenerator<GitBlob, void, undefined> {
  for (const oid of oids) {
    signal?.throwIfAborted()
    const info = await objects.info(oid)
    const bytes =
      info?.type === 'blob' && info.size <= maxBytes ? await objects.contents(oid) : undefined
    yield { oid, bytes: bytes && new Uint8Array(bytes) }
  }
}

/**
 * Yields the blobs in the order of `oids`.
 *
 * @throws GitError where git fails, or the signal's reason
 */
export async function* readBlobs(
  { runtime: host, gitDirectory }: BareRepository,
  oids: readonly string[],
  limits: BlobLimits,
): AsyncGenerator<GitBlob, void, undefined> {
  if (oids.length === 0) return
  limits.signal?.throwIfAborted()
  const git = await startGit(host, { gitDirectory, args: ['cat-file', '--batch', '--buffer'] })
  let silence = setTimeout(git.kill, idleTimeoutMs)
  limits.signal?.addEventListener('abort', git.kill, { once: true })
  if (limits.signal?.aborted) git.kill()
  git.stderr.resume()
  git.stdin.end(`${oids.join('\n')}\n`)
  const input = new ByteQueue(git.stdout, () => {
    clearTimeout(silence)
    silence = setTimeout(git.kill, idleTimeoutMs)
  })
  try {
    for (const oid of oids) {
      const header = await input.takeLine()
      if (header === undefined) break
      const size = Number(/ blob (\d+)$/.exec(header)?.[1] ?? Number.NaN)
      const other = / (?:tree|commit|tag) (\d+)$/.exec(header)
      if (other !== null) await input.skip(Number(other[1]) + 1)
      if (Number.isNaN(size)) yield { oid, bytes: undefined }
      else if (size > limits.maxBytes) {
        await input.skip(size + 1)
        yield { oid, bytes: undefined }
      } else {
        const bytes = await input.take(size)
        await input.skip(1)
        yield { oid, bytes }
      }
    }
    if (!input.isOver) return
    limits.signal?.throwIfAborted()
    throw new GitError('git cat-file ended early.', { retryable: true })
  } finally {
    clearTimeout(silence)
    limits.signal?.removeEventListener('abort', git.kill)
    git.kill()
    await git.closed
  }
}

/** Bytes as they come from a stream, to be taken by number. */
class ByteQueue {
  readonly #chunks: AsyncIterator<Buffer, undefined>
  readonly #onChunk: () => void
  #rest: Buffer = Buffer.alloc(0)
  /** The stream ended though more was asked for. */
  isOver = false

  constructor(stream: AsyncIterable<Buffer>, onChunk: () => void) {
    this.#chunks = stream[Symbol.asyncIterator]()
    this.#onChunk = onChunk
  }

  async takeLine(): Promise<string | undefined> {
    let line = ''
    for (;;) {
      const end = this.#rest.indexOf(0x0a)
      line += this.#rest.toString('latin1', 0, end === -1 ? undefined : end)
      this.#rest = end === -1 ? Buffer.alloc(0) : this.#rest.subarray(end + 1)
      if (end !== -1) return line
      if (!(await this.#more())) return undefined
    }
  }

  async take(length: number): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = new Uint8Array(length)
    await this.#pass(length, (chunk, at) => bytes.set(chunk, at))
    return bytes
  }

  async skip(length: number): Promise<void> {
    await this.#pass(length, () => {})
  }

  async #pass(length: number, use: (chunk: Buffer, at: number) => void): Promise<void> {
    for (let at = 0; at < length; ) {
      if (this.#rest.length === 0 && !(await this.#more())) return
      const chunk = this.#rest.subarray(0, length - at)
      use(chunk, at)
      at += chunk.length
      this.#rest = this.#rest.subarray(chunk.length)
    }
  }

  async #more(): Promise<boolean> {
    const chunk = await readChunk(this.#chunks)
    this.#onChunk()
    this.isOver = chunk === undefined
    this.#rest = chunk ?? this.#rest
    return chunk !== undefined
  }
}
