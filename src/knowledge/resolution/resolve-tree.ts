// Which file of a tree uses which: resolved from the facts of all files, those of a large tree in a thread of its own.
import { ThreadPool } from '../../lib/thread-pool.ts'
import { startTurn } from '../../lib/turns.ts'
import type { EdgePart, EdgeWork } from './edge-worker.ts'
import type { CodeEdge } from './list-edges.ts'
import { countPieces, resolvePieces, type TreeCode } from './tree-code.ts'

const mostEdges = 1_500_000
/** To start a thread takes as long as to resolve so many pieces. */
const fewPieces = 8
/** For one piece, which takes a tenth of a second: what takes so long is nobody's code. */
const deadlineMs = 120_000
/** What hundreds of thousands of files take. Where it isn't enough, the scan fails and not the process. */
const memoryMegabytes = { old: 768, young: 32 }

/** Of the one who waits. */
export interface ResolvingWatch {
  readonly signal: AbortSignal
  /** Told how many pieces of how many are done. */
  tell(done: number, total: number): void
}

/**
 * All edges of a tree, by the order of its files; of a tree that has too many, the first ones.
 *
 * @param code its bytes are handed over: they are gone afterwards
 * @throws Error where the thread broke down: at input that takes too long, or too much memory
 */
export async function resolveTree(
  code: TreeCode,
  { signal, tell }: ResolvingWatch,
): Promise<CodeEdge[]> {
  const total = countPieces(code)
  const parts: EdgePart[] = []
  const keep = (part: EdgePart) => {
    parts.push(part)
    tell(parts.length, total)
  }
  if (total <= fewPieces) await resolveHere(code, signal, keep)
  else await resolveInThread(code, signal, keep)
  return parts.flat().slice(0, mostEdges)
}

async function resolveHere(
  code: TreeCode,
  signal: AbortSignal,
  keep: (part: EdgePart) => void,
): Promise<void> {
  const turn = startTurn(signal)
  for (const part of resolvePieces(code)) {
    keep(part)
    await turn.pass()
  }
}

async function resolveInThread(
  code: TreeCode,
  signal: AbortSignal,
  keep: (part: EdgePart) => void,
): Promise<void> {
  signal.throwIfAborted()
  await using pool = new ThreadPool<EdgeWork, null, EdgePart>({
    module: new URL('./edge-worker.ts', import.meta.url),
    threads: 1,
    ...{ deadlineMs, graceMs: 0, memoryMegabytes },
  })
  const end = () => void pool[Symbol.asyncDispose]()
  signal.addEventListener('abort', end)
  try {
    const { outcome } = await pool.run(
      { ...code, mostEdges },
      { onPart: keep, transfer: [code.bytes.buffer] },
    )
    signal.throwIfAborted()
    if (outcome !== 'done')
      throw new Error(`The thread that resolves references broke down: ${outcome}.`)
  } finally {
    signal.removeEventListener('abort', end)
  }
}
