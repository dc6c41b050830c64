// Which file of a tree uses which: resolved from the facts of all files, those of a large tree in a thread of its own.
import { ThreadPool } from '../../lib/thread-pool.ts'
import { createYielder } from '../../lib/yield-to-event-loop.ts'
import type { EdgeBatch, EdgeTask } from './edge-worker.ts'
import type { CodeEdge } from './list-edges.ts'
import { countBatches, resolveBatches, type SerializedTree } from './serialized-tree.ts'

const maxEdges = 1_500_000
/** To start a thread takes as long as to resolve so many pieces. */
const maxInlineBatches = 8
/** For one piece, which takes a tenth of a second: what takes so long is nobody's code. */
const deadlineMs = 120_000
/** What hundreds of thousands of files take. Where it isn't enough, the scan fails and not the process. */
const memoryMegabytes = { old: 768, young: 32 }

/** Of the one who waits. */
export interface ResolveTreeOptions {
  readonly signal: AbortSignal
  /** Told how many pieces of how many are done. */
  onProgress(done: number, total: number): void
}

/**
 * All edges of a tree, by the order of its files; of a tree that has too many, the first ones.
 *
 * @param code its bytes are handed over: they are gone afterwards
 * @throws Error where the thread broke down: at input that takes too long, or too much memory
 */
export async function resolveTree(
  code: SerializedTree,
  { signal, onProgress: tell }: ResolveTreeOptions,
): Promise<CodeEdge[]> {
  const total = countBatches(code)
  const parts: EdgeBatch[] = []
  const keep = (part: EdgeBatch) => {
    parts.push(part)
    tell(parts.length, total)
  }
  if (total <= maxInlineBatches) await resolveInline(code, signal, keep)
  else await resolveInThread(code, signal, keep)
  return parts.flat().slice(0, maxEdges)
}

async function resolveInline(
  code: SerializedTree,
  signal: AbortSignal,
  keep: (part: EdgeBatch) => void,
): Promise<void> {
  const turn = createYielder(signal)
  for (const part of resolveBatches(code)) {
    keep(part)
    await turn.pass()
  }
}

async function resolveInThread(
  code: SerializedTree,
  signal: AbortSignal,
  keep: (part: EdgeBatch) => void,
): Promise<void> {
  signal.throwIfAborted()
  await using pool = new ThreadPool<EdgeTask, null, EdgeBatch>({
    module: new URL('./edge-worker.ts', import.meta.url),
    threads: 1,
    ...{ deadlineMs, graceMs: 0, memoryMegabytes },
  })
  const end = () => void pool[Symbol.asyncDispose]()
  signal.addEventListener('abort', end)
  try {
    const { outcome } = await pool.run(
      { ...code, maxEdges },
      { onPart: keep, transfer: [code.bytes.buffer] },
    )
    signal.throwIfAborted()
    if (outcome !== 'done')
      throw new Error(`The thread that resolves references broke down: ${outcome}.`)
  } finally {
    signal.removeEventListener('abort', end)
  }
}
