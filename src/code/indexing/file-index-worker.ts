// The worker thread that indexes batches of files, whose content is untrusted.
import { parentPort } from 'node:worker_threads'
import type { ThreadAnswer, ThreadRequest } from '../../lib/thread-pool.ts'
import { parserMemory } from '../grammars.ts'
import { encodeFileIndex } from './encode-file-index.ts'
import { type IndexParser, loadIndexParser } from './load-index-parser.ts'
import type { SourceKind } from './source-kind.ts'

export interface IndexBatch {
  /** The concatenated texts in UTF-8. */
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly files: readonly { readonly kind: SourceKind; readonly length: number }[]
}

/** The index of one file of a batch; see `encodeFileIndex`. */
export type EncodedFileIndex = Uint8Array<ArrayBuffer>

type Answer = ThreadAnswer<null, EncodedFileIndex>

function send(answer: Answer, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(answer, transfer)
}

/**
 * A parser's memory never shrinks. A thread that needed more than this for a rare large file is
 * replaced.
 */
const maxParserMemoryBytes = 48 * 1024 * 1024

/** Stops at the first file that takes too long or fails, after which the thread is replaced. */
async function indexBatch({
  id,
  deadlineMs,
  bytes,
  files,
}: ThreadRequest<IndexBatch>): Promise<Answer> {
  const parsers = new Map<SourceKind, IndexParser>()
  for (const { kind } of files)
    if (!parsers.has(kind)) parsers.set(kind, await loadIndexParser(kind))
  const decoder = new TextDecoder()
  send({ id, outcome: 'started' })
  let start = 0
  for (const { kind, length } of files) {
    const text = decoder.decode(bytes.subarray(start, start + length))
    start += length
    const fileIndex = parsers.get(kind)!.parse(text, deadlineMs)
    if (fileIndex === undefined) return { id, outcome: 'too_slow' }
    const part = new Uint8Array(encodeFileIndex(fileIndex))
    send({ id, outcome: 'part', part }, [part.buffer])
  }
  return {
    id,
    outcome: 'done',
    result: null,
    shouldReplaceThread: parserMemory().byteLength > maxParserMemoryBytes,
  }
}

parentPort?.on('message', async (request: ThreadRequest<IndexBatch>) => {
  send(await indexBatch(request).catch((): Answer => ({ id: request.id, outcome: 'failed' })))
})
