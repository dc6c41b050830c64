// Reads the facts of many files in threads: a file that can't be read takes no other with it.
import { ThreadPool } from '../lib/thread-pool.ts'
import type { FileIndex } from './code-index.ts'
import { decodeFileIndex } from './indexing/encode-file-index.ts'
import type { EncodedFileIndex, IndexBatch } from './indexing/file-index-worker.ts'
import { type SourceKind, sourceKindOf } from './indexing/source-kind.ts'

/** Larger files are written by programs, not by people. */
const maxFileBytes = 512 * 1024
/** So much is sent to a thread at once: enough to spare messages, little enough to keep all threads busy to the end. */
const maxBatchBytes = 256 * 1024
const maxBatchFiles = 64

export interface IndexInput {
  readonly path: string
  readonly bytes: Uint8Array
}

/** `encoded` is what `encodeFileIndex` makes of the facts; `unparsed` says why there are none. */
export type IndexResult =
  | { readonly index: FileIndex; readonly encoded: Buffer }
  | { readonly unparsed: string }

export interface FileIndexer {
  /** The facts of files, in their order. Never rejects for what they hold. */
  index(files: readonly IndexInput[]): Promise<readonly IndexResult[]>
  /** Gives back the memory of the threads, but for one. Many files start them again. */
  releaseIdleThreads(): Promise<void>
}

export interface FileIndexerOptions {
  /** Default 2. */
  readonly threads?: number
  /** Time for one file, of its thread alone, in milliseconds; default 2,000. */
  readonly fileDeadlineMs?: number
}

/** Makes a reader. Threads are started on first use; dispose of it to end them. */
export function createFileIndexer(options: FileIndexerOptions = {}): FileIndexer & AsyncDisposable {
  const pool = new ThreadPool<IndexBatch, null, EncodedFileIndex>({
    module: new URL('./indexing/file-index-worker.ts', import.meta.url),
    threads: options.threads ?? 2,
    deadlineMs: options.fileDeadlineMs ?? 2_000,
    // The thread counts its own time, this process that of the clock.
    graceMs: 10_000,
    memoryMegabytes: { old: 256, young: 24 },
  })
  return {
    async index(files) {
      const results = files.map(
        (file): IndexResult => ({ unparsed: findSkipReason(file) ?? 'not read' }),
      )
      await Promise.all(listBatches(files).map((batch) => indexBatch(pool, files, batch, results)))
      return results
    },
    releaseIdleThreads: () => pool.releaseIdleThreads(),
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  }
}

function findSkipReason({ path, bytes }: IndexInput): string | undefined {
  if (sourceKindOf(path) === undefined) return 'no grammar'
  return bytes.length > maxFileBytes ? 'too large' : undefined
}

/** Places in the list of files, a few together. */
function listBatches(files: readonly IndexInput[]): number[][] {
  const batches: number[][] = []
  let room = 0
  for (const [place, file] of files.entries()) {
    if (findSkipReason(file) !== undefined) continue
    room -= file.bytes.length
    const last = batches.at(-1)
    if (last !== undefined && room >= 0 && last.length < maxBatchFiles) last.push(place)
    else {
      batches.push([place])
      room = maxBatchBytes - file.bytes.length
    }
  }
  return batches
}

/** Reads one batch; what comes after a file that ended a thread is read by the next one. */
async function indexBatch(
  pool: ThreadPool<IndexBatch, null, EncodedFileIndex>,
  files: readonly IndexInput[],
  batch: readonly number[],
  results: IndexResult[],
): Promise<void> {
  let done = 0
  while (done < batch.length) {
    const work = joinFiles(batch.slice(done).map((place) => files[place]!))
    const { outcome } = await pool.run(work, {
      transfer: [work.bytes.buffer],
      onPart(part) {
        const encoded = Buffer.from(part.buffer)
        results[batch[done]!] = { index: decodeFileIndex(encoded), encoded }
        done++
      },
    })
    if (outcome === 'done') return
    results[batch[done]!] = {
      unparsed: outcome === 'too_slow' ? 'too slow' : 'could not be parsed',
    }
    done++
  }
}

function joinFiles(files: readonly IndexInput[]): IndexBatch {
  const bytes = new Uint8Array(files.reduce((sum, file) => sum + file.bytes.length, 0))
  let end = 0
  for (const file of files) {
    bytes.set(file.bytes, end)
    end += file.bytes.length
  }
  return {
    bytes,
    files: files.map((file) => ({
      kind: sourceKindOf(file.path) as SourceKind,
      length: file.bytes.length,
    })),
  }
}
