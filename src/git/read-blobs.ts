// Reads many blobs through one `git cat-file`, with one blob in memory at a time.
import { ByteQueue } from './byte-queue.ts'
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
    yield { oid, bytes }
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
      const bytes = await takeBlob(input, limits.maxBytes)
      yield { oid, bytes }
    }
  } catch (error) {
    limits.signal?.throwIfAborted()
    throw error
  } finally {
    clearTimeout(idleTimer)
    limits.signal?.removeEventListener('abort', git.kill)
    git.kill()
    await git.closed
  }
}

/**
 * Takes a header line, `<oid> <type> <size>` or `<oid> missing`, and the object after it. Returns
 * undefined if it isn't a blob of at most `maxBytes`.
 */
async function takeBlob(
  input: ByteQueue,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const match = / (blob|tree|commit|tag) (\d+)$/.exec(await input.takeLine())
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
