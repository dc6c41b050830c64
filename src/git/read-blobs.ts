// Reads many blobs through one `git cat-file`, with one blob in memory at a time.
import { GitError } from '../domain/errors.ts'
import { readChunk } from '../lib/spawn-program.ts'
import type { BareRepository } from './list-tree.ts'
import type { ObjectReader } from './object-reader.ts'
import { startGit } from './run-git.ts'

/** After this time without output git counts as stuck. */
const idleTimeoutMs = 60_000

interface GitBlob {
  readonly oid: string
  /** A separate buffer; undefined if the blob is missing or larger than `maxBytes`. */
  readonly bytes: Uint8Array<ArrayBuffer> | undefined
}

interface BlobLimits {
  /** Larger blobs are yielded without their bytes. */
  readonly maxBytes: number
  readonly signal?: AbortSignal | undefined
}

/** Like `readBlobs`, but faster for few blobs, because the git of `objects` is already running. */
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
  { runtime, gitDirectory }: BareRepository,
  oids: readonly string[],
  limits: BlobLimits,
): AsyncGenerator<GitBlob, void, undefined> {
  if (oids.length === 0) return
  limits.signal?.throwIfAborted()
  const git = await startGit(runtime, { gitDirectory, args: ['cat-file', '--batch', '--buffer'] })
  let idleTimer = setTimeout(git.kill, idleTimeoutMs)
  limits.signal?.addEventListener('abort', git.kill, { once: true })
  if (limits.signal?.aborted) git.kill()
  git.stderr.resume()
  git.stdin.end(`${oids.join('\n')}\n`)
  const input = new ByteQueue(git.stdout, () => {
    clearTimeout(idleTimer)
    idleTimer = setTimeout(git.kill, idleTimeoutMs)
  })
  try {
    for (const oid of oids) {
      const header = await input.takeLine()
      if (header === undefined) break
      yield { oid, bytes: await takeBlob(input, header, limits.maxBytes) }
    }
    if (!input.hasEndedEarly) return
    limits.signal?.throwIfAborted()
    throw new GitError('git cat-file ended early.', { retryable: true })
  } finally {
    clearTimeout(idleTimer)
    limits.signal?.removeEventListener('abort', git.kill)
    git.kill()
    await git.closed
  }
}

/**
 * Takes the object after a header line `<oid> <type> <size>` or `<oid> missing`. Returns undefined
 * if it isn't a blob of at most `maxBytes`.
 */
async function takeBlob(
  input: ByteQueue,
  header: string,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const match = / (blob|tree|commit|tag) (\d+)$/.exec(header)
  if (match === null) return undefined
  const size = Number(match[2])
  // Each object ends with a line feed that its size doesn't include.
  if (match[1] !== 'blob' || size > maxBytes) {
    await input.skip(size + 1)
    return undefined
  }
  const bytes = await input.take(size)
  await input.skip(1)
  return bytes
}

/** Takes lines and byte ranges from a stream. */
class ByteQueue {
  readonly #chunks: AsyncIterator<Buffer, undefined>
  readonly #onChunk: () => void
  #rest: Buffer = Buffer.alloc(0)
  /** The stream ended before all requested bytes were read. */
  hasEndedEarly = false

  constructor(stream: AsyncIterable<Buffer>, onChunk: () => void) {
    this.#chunks = stream[Symbol.asyncIterator]()
    this.#onChunk = onChunk
  }

  async takeLine(): Promise<string | undefined> {
    let line = ''
    for (;;) {
      const end = this.#rest.indexOf(0x0a)
      if (end !== -1) {
        line += this.#rest.toString('latin1', 0, end)
        this.#rest = this.#rest.subarray(end + 1)
        return line
      }
      line += this.#rest.toString('latin1')
      this.#rest = Buffer.alloc(0)
      if (!(await this.#readChunk())) return undefined
    }
  }

  async take(length: number): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = new Uint8Array(length)
    await this.#consume(length, (chunk, offset) => bytes.set(chunk, offset))
    return bytes
  }

  async skip(length: number): Promise<void> {
    await this.#consume(length, () => {})
  }

  async #consume(length: number, use: (chunk: Buffer, offset: number) => void): Promise<void> {
    let offset = 0
    while (offset < length) {
      if (this.#rest.length === 0 && !(await this.#readChunk())) return
      const chunk = this.#rest.subarray(0, length - offset)
      use(chunk, offset)
      offset += chunk.length
      this.#rest = this.#rest.subarray(chunk.length)
    }
  }

  async #readChunk(): Promise<boolean> {
    const chunk = await readChunk(this.#chunks)
    this.#onChunk()
    this.hasEndedEarly = chunk === undefined
    this.#rest = chunk ?? this.#rest
    return chunk !== undefined
  }
}
