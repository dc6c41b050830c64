// The worker thread that resolves the edges of a whole tree, whose memory is freed when it ends.
import { parentPort } from 'node:worker_threads'
import type { ThreadAnswer, ThreadRequest } from '../../lib/thread-pool.ts'
import type { CodeEdge } from './list-edges.ts'
import { resolveBatches, type SerializedTree } from './serialized-tree.ts'

export type EdgeBatch = readonly CodeEdge[]

export interface EdgeTask extends SerializedTree {
  /** The worker stops after the batch that reaches this number. */
  readonly maxEdges: number
}

type Answer = ThreadAnswer<null, EdgeBatch>

function send(answer: Answer): void {
  parentPort?.postMessage(answer)
}

function resolve({ id, maxEdges, ...tree }: ThreadRequest<EdgeTask>): Answer {
  send({ id, outcome: 'started' })
  let count = 0
  for (const batch of resolveBatches(tree)) {
    send({ id, outcome: 'part', part: batch })
    count += batch.length
    if (count >= maxEdges) break
  }
  return { id, outcome: 'done', result: null }
}

parentPort?.on('message', (request: ThreadRequest<EdgeTask>) => send(resolve(request)))
