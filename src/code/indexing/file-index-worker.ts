// The worker thread that reads the facts of many files; what they hold is hostile until shown otherwise.
import { parentPort } from 'node:worker_threads'
import type { ThreadAnswer, ThreadRequest } from '../../lib/thread-pool.ts'
import { parserMemory } from '../grammars.ts'
import { encodeFileIndex } from './encode-file-index.ts'
import { type IndexParser, loadIndexParser } from './load-index-parser.ts'
import type { SourceKind } from './source-kind.ts'

/** Some files. */
export interface IndexBatch {
  /** All texts in UTF-8, one after the other. */
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly files: readonly { readonly kind: SourceKind; readonly length: number }[]
}

/** The facts of the next file of a batch, encoded. */
export type EncodedFileIndex = Uint8Array<ArrayBuffer>

type Answer = ThreadAnswer<null, EncodedFileIndex>

function send(answer: Answer, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(answer, transfer)
}

/** Memory of a parser only grows: one that took more of it, for files that few have, is given up. In bytes. */
const maxKeptMemoryBytes = 48 * 1024 * 1024

/** Ends at the first file that takes too long or can't be read: the thread is then replaced. */
async function indexBatch({
  id,
  deadlineMs,
  bytes,
  files,
}: ThreadRequest<IndexBatch>): Promise<Answer> {
  const ready = new Map<SourceKind, IndexParser>()
  for (const { kind } of files) if (!ready.has(kind)) ready.set(kind, await loadIndexParser(kind))
  const decoder = new TextDecoder()
  send({ id, outcome: 'started' })
  let start = 0
  for (const { kind, length } of files) {
    const text = decoder.decode(bytes.subarray(start, start + length))
    start += length
    const facts = ready.get(kind)!.parse(text, deadlineMs)
    if (facts === undefined) return { id, outcome: 'too_slow' }
    const part = new Uint8Array(encodeFileIndex(facts))
    send({ id, outcome: 'part', part }, [part.buffer])
  }
  return {
    id,
    outcome: 'done',
    result: null,
    shouldReplaceThread: parserMemory().byteLength > maxKeptMemoryBytes,
  }
}

parentPort?.on('message', async (request: ThreadRequest<IndexBatch>) => {
  send(await indexBatch(request).catch((): Answer => ({ id: request.id, outcome: 'failed' })))
})
