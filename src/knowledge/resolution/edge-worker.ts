// The worker thread that resolves the edges of a whole tree: what it takes of the memory goes with it.
import { parentPort } from 'node:worker_threads'
import type { ThreadAnswer, ThreadRequest } from '../../lib/thread-pool.ts'
import type { CodeEdge } from './list-edges.ts'
import { resolveBatches, type SerializedTree } from './serialized-tree.ts'

/** The edges of the next piece. */
export type EdgeBatch = readonly CodeEdge[]

export interface EdgeTask extends SerializedTree {
  /** No further piece is resolved when there are so many. */
  readonly maxEdges: number
}

type Answer = ThreadAnswer<null, EdgeBatch>

function send(answer: Answer): void {
  parentPort?.postMessage(answer)
}

function resolve({ id, maxEdges: mostEdges, ...code }: ThreadRequest<EdgeTask>): Answer {
  send({ id, outcome: 'started' })
  let count = 0
  for (const part of resolveBatches(code)) {
    send({ id, outcome: 'part', part })
    count += part.length
    if (count >= mostEdges) break
  }
  return { id, outcome: 'done', result: null }
}

parentPort?.on('message', (request: ThreadRequest<EdgeTask>) => send(resolve(request)))
