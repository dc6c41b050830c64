// Finds all edges between the files of a tree; a large tree is processed in a worker thread.
import { ThreadPool } from '../../lib/thread-pool.ts'
import { createYielder } from '../../lib/yield-to-event-loop.ts'
import type { EdgeBatch, EdgeTask } from './edge-worker.ts'
import type { CodeEdge } from './list-edges.ts'
import { countBatches, resolveBatches, type SerializedTree } from './serialized-tree.ts'

const maxEdges = 1_500_000
/** Starting a thread takes about as long as resolving a tree of this size. */
const maxInline = { batches: 8, bytes: 2 * 1024 * 1024 }
/** The limit for one batch, which usually takes a tenth of a second. */
const deadlineMs = 120_000
/** Suffices for hundreds of thousands of files. A larger tree fails the scan, not the process. */
const memoryMegabytes = { old: 768, young: 32 }

interface ResolveTreeOptions {
  readonly signal: AbortSignal
  /** Receives the number of resolved batches and the number of all batches. */
  onProgress(done: number, total: number): void
}

/**
 * Returns all edges of a tree in the order of its files, at most `maxEdges`.
 *
 * @param tree its bytes may be transferred to the thread and must not be used afterwards
 * @throws Error if the thread exceeds its time or memory limit
 */
export async function resolveTree(
  tree: SerializedTree,
  { signal, onProgress }: ResolveTreeOptions,
): Promise<CodeEdge[]> {
  const total = countBatches(tree)
  const batches: EdgeBatch[] = []
  const addBatch = (batch: EdgeBatch) => {
    batches.push(batch)
    onProgress(batches.length, total)
  }
  const isSmall = total <= maxInline.batches && tree.bytes.length <= maxInline.bytes
  if (isSmall) await resolveInline(tree, signal, addBatch)
  else await resolveInThread(tree, signal, addBatch)
  return batches.flat().slice(0, maxEdges)
}

async function resolveInline(
  tree: SerializedTree,
  signal: AbortSignal,
  addBatch: (batch: EdgeBatch) => void,
): Promise<void> {
  const yielder = createYielder(signal)
  for (const batch of resolveBatches(tree)) {
    addBatch(batch)
    await yielder.pass()
  }
}

async function resolveInThread(
  tree: SerializedTree,
  signal: AbortSignal,
  addBatch: (batch: EdgeBatch) => void,
): Promise<void> {
  signal.throwIfAborted()
  await using pool = new ThreadPool<EdgeTask, null, EdgeBatch>({
    module: new URL('./edge-worker.ts', import.meta.url),
    threads: 1,
    growAfterMs: 0,
    deadlineMs,
    graceMs: 0,
    memoryMegabytes,
  })
  const stop = () => void pool[Symbol.asyncDispose]()
  signal.addEventListener('abort', stop)
  try {
    const { outcome } = await pool.run(
      { ...tree, maxEdges },
      { onPart: addBatch, transfer: [tree.bytes.buffer] },
    )
    signal.throwIfAborted()
    if (outcome !== 'done')
      throw new Error(`The thread that resolves references failed: ${outcome}.`)
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
