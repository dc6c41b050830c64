// The worker thread that resolves the edges of a whole tree: what it takes of the memory goes with it.
import { parentPort } from 'node:worker_threads'
import type { ThreadAnswer, ThreadRequest } from '../../lib/thread-pool.ts'
import type { CodeEdge } from './list-edges.ts'
import { resolvePieces, type TreeCode } from './tree-code.ts'

/** The edges of the next piece. */
export type EdgePart = readonly CodeEdge[]

export interface EdgeWork extends TreeCode {
  /** No further piece is resolved when there are so many. */
  readonly mostEdges: number
}

type Answer = ThreadAnswer<null, EdgePart>

function send(answer: Answer): void {
  parentPort?.postMessage(answer)
}

function resolve({ id, mostEdges, ...code }: ThreadRequest<EdgeWork>): Answer {
  send({ id, outcome: 'started' })
  let count = 0
  for (const part of resolvePieces(code)) {
    send({ id, outcome: 'part', part })
    count += part.length
    if (count >= mostEdges) break
  }
  return { id, outcome: 'done', result: null }
}

parentPort?.on('message', (request: ThreadRequest<EdgeWork>) => send(resolve(request)))
