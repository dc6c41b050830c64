// Indexes many files in threads, so that a file that crashes the parser affects no other.

import type { FileIndex } from '../languages/code-index.ts'
import { ThreadPool } from '../lib/thread-pool.ts'
import { decodeFileIndex } from './indexing/encode-file-index.ts'
import type { EncodedFileIndex, IndexBatch } from './indexing/file-index-worker.ts'
import { type SourceKind, sourceKindOf } from './indexing/source-kind.ts'

/** Larger files are usually generated. */
const maxFileBytes = 512 * 1024
/** Large enough to save messages, and small enough to keep all threads busy until the end. */
const maxBatchBytes = 256 * 1024
const maxBatchFiles = 64

interface IndexInput {
  readonly path: string
  readonly bytes: Uint8Array
}

/** `encoded` is the output of `encodeFileIndex`; `unparsed` is the reason for a missing index. */
type IndexResult =
  | { readonly index: FileIndex; readonly encoded: Buffer }
  | { readonly unparsed: string }

export interface FileIndexer {
  /** Indexes files; results have the order of the files. No content makes it reject. */
  index(files: readonly IndexInput[]): Promise<readonly IndexResult[]>
  /** Ends all threads but one to free their memory. They start again when there is much work. */
  releaseIdleThreads(): Promise<void>
}

interface FileIndexerOptions {
  /** The number of threads is 2 by default. */
  readonly threads?: number
  /** CPU time of the thread for one file, in milliseconds; default 2,000. */
  readonly fileDeadlineMs?: number
}

/** Creates an indexer. Threads are started on first use and end when it is disposed of. */
export function createFileIndexer(options: FileIndexerOptions = {}): FileIndexer & AsyncDisposable {
  const pool = new ThreadPool<IndexBatch, null, EncodedFileIndex>({
    module: new URL('./indexing/file-index-worker.ts', import.meta.url),
    threads: options.threads ?? 2,
    deadlineMs: options.fileDeadlineMs ?? 2_000,
    // The thread measures its CPU time, but the pool measures elapsed time, which may be longer.
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

/** Divides the files that can be indexed into batches of positions in the list. */
function listBatches(files: readonly IndexInput[]): number[][] {
  const batches: number[][] = []
  let bytesLeft = 0
  for (const [position, file] of files.entries()) {
    if (findSkipReason(file) !== undefined) continue
    bytesLeft -= file.bytes.length
    const last = batches.at(-1)
    if (last !== undefined && bytesLeft >= 0 && last.length < maxBatchFiles) {
      last.push(position)
    } else {
      batches.push([position])
      bytesLeft = maxBatchBytes - file.bytes.length
    }
  }
  return batches
}

/** Indexes one batch. After a file that ends its thread, a new thread continues with the rest. */
async function indexBatch(
  pool: ThreadPool<IndexBatch, null, EncodedFileIndex>,
  files: readonly IndexInput[],
  batch: readonly number[],
  results: IndexResult[],
): Promise<void> {
  let done = 0
  while (done < batch.length) {
    const work = joinFiles(batch.slice(done).map((position) => files[position]!))
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
