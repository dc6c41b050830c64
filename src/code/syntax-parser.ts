// Reads source files in threads: syntax errors, code indexes, and what inspections ask of them.
import { hash } from 'node:crypto'
import type { FileIndex } from '../languages/code-index.ts'
import { parsedLanguageOfPath } from '../languages/index.ts'
import { ThreadPool } from '../lib/thread-pool.ts'
import { dataFormatOf } from './data-format.ts'
import { decodeFileIndex } from './indexing/encode-file-index.ts'
import { type SourceKind, sourceKindOf } from './indexing/source-kind.ts'
import type { FileAnswer, SyntaxRequest, Wants } from './syntax-worker.ts'

/** Larger files are usually generated. */
const maxFileBytes = 512 * 1024
/** Batches are large enough to save messages, and so small that reviews don't wait for long. */
const maxBatchBytes = 256 * 1024
const maxBatchFiles = 64
/** A batch has no user who waits, and a busy machine isn't the fault of its files. */
const batchGraceMs = 10_000
/** Scans share the threads fairly with reviews, as if they were one more owner. */
const batchOwner = 'scans'

/** A file whose syntax is inspected. */
export interface SourceText {
  readonly path: string
  readonly text: string
  /** It is null for a file without a syntax tree. */
  readonly kind: SourceKind | null
}

/** The inspector's answer, or why there is none. */
type InspectionOutcome =
  | { readonly outcome: 'done'; readonly result: unknown }
  | { readonly outcome: 'too_slow' | 'failed' }

interface FileContent {
  readonly path: string
  readonly bytes: Uint8Array
}

/** `encoded` is the output of `encodeFileIndex`; `unparsed` is the reason for a missing index. */
type IndexResult =
  | { readonly index: FileIndex; readonly encoded: Buffer }
  | { readonly unparsed: string }

/** It indexes many files, with less effort for each than `SyntaxParser.indexFile`. */
export interface FileIndexer {
  /** Indexes files; results have the order of the files. No content makes it reject. */
  index(files: readonly FileContent[]): Promise<readonly IndexResult[]>
  /** Ends all idle threads but one to free their memory. */
  releaseIdleThreads(): Promise<void>
}

/** Parses in its own threads, with a deadline. No content of a file makes it throw. */
export interface SyntaxParser extends FileIndexer {
  /**
   * Returns a parser for one review. It has the same threads, which are shared fairly among owners,
   * and remembers its answers: a file is parsed once if all that is asked of it is expected.
   */
  forReview(owner: string): ReviewParser
  /** Starts a thread before the first request, and loads the grammar of one of the paths. */
  warmUp(paths?: readonly string[]): void
  /** Counts syntax errors; undefined if there is no grammar, or parsing took too long. */
  countErrors(path: string, text: string): Promise<number | undefined>
  /** Indexes one file; undefined as for `countErrors`. */
  indexFile(path: string, text: string): Promise<FileIndex | undefined>
  /** Has the inspector answer a question about the syntax of a file. */
  inspect(file: SourceText, inspection: object): Promise<InspectionOutcome>
}

export interface ReviewParser extends SyntaxParser {
  /** Announces which inspection will follow for a text, so that it happens in the same parse. */
  expect(inspectionOf: ExpectedInspection): void
}

type ExpectedInspection = (path: string, text: string) => object | undefined

export interface SyntaxParserOptions {
  /** The module that answers inspections; see `Inspector`. */
  readonly inspector?: URL
  /** The number of threads is 2 by default. */
  readonly threads?: number
  /** The CPU time of the thread for one file in milliseconds; default 4,000. */
  readonly fileDeadlineMs?: number
  /** Time after the deadline until the thread is terminated, in milliseconds; default 1,000. */
  readonly graceMs?: number
  /** Another thread starts when files waited this long, in milliseconds; default 100. */
  readonly growAfterMs?: number
  /** Threads end when nothing was read for this long, in milliseconds; default 30,000. */
  readonly idleMs?: number
}

/** Creates a parser. Threads are started on first use and end when it is disposed of. */
export function createSyntaxParser(
  options: SyntaxParserOptions = {},
): SyntaxParser & AsyncDisposable {
  const pool: Pool = new ThreadPool({
    module: new URL('./syntax-worker.ts', import.meta.url),
    data: options.inspector?.href,
    threads: options.threads ?? 2,
    deadlineMs: options.fileDeadlineMs ?? 4_000,
    graceMs: options.graceMs ?? 1_000,
    // Starting a thread takes as much processor time: a few files are read sooner without it.
    growAfterMs: options.growAfterMs ?? 100,
    idleMs: options.idleMs ?? 30_000,
    memoryMegabytes: { old: 256, young: 24 },
  })
  const parser = createParser(pool, (file, wants) => readFile(pool, '', file, wants))
  return { ...parser, [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose]() }
}

type Pool = ThreadPool<SyntaxRequest, null, FileAnswer>

/** What was read from a file. Of a file that ended its thread, this may be only a part. */
interface Reading extends FileAnswer {
  readonly outcome: 'done' | 'too_slow' | 'failed'
}

type Read = (file: SourceText, wants: Wants) => Promise<Reading>

function createParser(pool: Pool, read: Read): SyntaxParser {
  return {
    forReview(owner) {
      const memory = rememberReadings((file, wants) => readFile(pool, owner, file, wants))
      return { ...createParser(pool, memory.read), expect: memory.expect }
    },
    warmUp(paths = []) {
      const kind = paths.map(sourceKindOf).find((each) => each !== undefined) ?? null
      const wants = { inspections: [] }
      pool.warmUp({ files: [{ path: '', content: '', kind, wants }] })
    },
    async countErrors(path, text) {
      const kind = parsedLanguageOfPath(path)?.grammar.name ?? null
      if (kind === null && dataFormatOf(path) === undefined) return undefined
      return (await read({ path, text, kind }, {})).errors
    },
    async indexFile(path, text) {
      const kind = sourceKindOf(path)
      if (kind === undefined) return undefined
      return (await read({ path, text, kind }, { index: 'plain' })).index
    },
    async inspect(file, inspection) {
      const { outcome, inspections } = await read(file, { inspections: [inspection] })
      if (inspections) return { outcome: 'done', result: inspections[0] }
      return { outcome: outcome === 'done' ? 'failed' : outcome }
    },
    index: (files) => indexFiles(pool, files),
    releaseIdleThreads: () => pool.releaseIdleThreads(),
  }
}

async function readFile(
  pool: Pool,
  owner: string,
  { path, text, kind }: SourceText,
  wants: Wants,
): Promise<Reading> {
  if (text.length > maxFileBytes) return { outcome: 'failed' }
  const answers: FileAnswer[] = []
  const { outcome } = await pool.run(
    { files: [{ path, content: text, kind, wants }] },
    { tenant: owner, onPart: (part) => answers.push(part) },
  )
  return Object.assign({ outcome }, ...answers)
}

/**
 * Keeps what was read of a text, for one review. Indexes are held weakly, because others keep those
 * that are still used, and a review may wait for a model for minutes.
 */
function rememberReadings(read: Read): { read: Read; expect: ReviewParser['expect'] } {
  const readings = new Map<string, Promise<Reading>>()
  const indexes = new Map<string, WeakRef<FileIndex>>()
  let inspectionOf: ExpectedInspection = () => undefined
  const readAgain: Read = async (file, wants) => {
    const source = `${file.path} ${hash('sha1', file.text)}`
    const keyOf = (wanted: unknown) => `${source} ${JSON.stringify(wanted)}`
    const known = indexes.get(source)?.deref()
    if (wants.index && known) return { outcome: 'done', index: known }
    const asked = wants.inspections?.[0] ?? wants.index ?? 'errors'
    const earlier = readings.get(keyOf(asked))
    if (earlier) return earlier
    const inspections = new Map(
      [...(wants.inspections ?? []), inspectionOf(file.path, file.text)]
        .filter((inspection) => inspection !== undefined)
        .filter((inspection) => !readings.has(keyOf(inspection)))
        .map((inspection) => [keyOf(inspection), inspection]),
    )
    const wanted = inspections.size > 0 && { inspections: [...inspections.values()] }
    const reading = read(file, { ...wants, ...wanted })
    const remember = (key: string, part: (whole: Reading) => FileAnswer) =>
      readings.set(
        key,
        reading.then((whole) => ({ outcome: whole.outcome, ...part(whole) })),
      )
    remember(keyOf('errors'), ({ errors }) => ({ errors }))
    for (const [position, key] of [...inspections.keys()].entries())
      remember(key, (whole) =>
        whole.inspections ? { inspections: [whole.inspections[position]] } : {},
      )
    const { index } = await reading
    if (index) indexes.set(source, new WeakRef(index))
    return reading
  }
  return {
    read: readAgain,
    expect(expected) {
      inspectionOf = expected
    },
  }
}

async function indexFiles(
  pool: Pool,
  files: readonly FileContent[],
): Promise<readonly IndexResult[]> {
  const results = files.map(
    (file): IndexResult => ({ unparsed: findSkipReason(file) ?? 'not read' }),
  )
  await Promise.all(listBatches(files).map((batch) => indexBatch(pool, files, batch, results)))
  return results
}

function findSkipReason({ path, bytes }: FileContent): string | undefined {
  if (sourceKindOf(path) === undefined) return 'no grammar'
  return bytes.length > maxFileBytes ? 'too large' : undefined
}

/** Divides the files that can be indexed into batches of positions in the list. */
function listBatches(files: readonly FileContent[]): number[][] {
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
  pool: Pool,
  files: readonly FileContent[],
  batch: readonly number[],
  results: IndexResult[],
): Promise<void> {
  let done = 0
  while (done < batch.length) {
    const requests = batch.slice(done).map((position) => {
      const { path, bytes } = files[position]!
      // A copy, because the bytes are often a part of a larger buffer.
      const content = new Uint8Array(bytes)
      return { path, content, kind: sourceKindOf(path)!, wants: { index: 'encoded' } as const }
    })
    const { outcome } = await pool.run(
      { files: requests },
      {
        tenant: batchOwner,
        graceMs: batchGraceMs,
        transfer: requests.map(({ content }) => content.buffer),
        onPart({ encodedIndex }) {
          const encoded = Buffer.from(encodedIndex!.buffer)
          results[batch[done]!] = { index: decodeFileIndex(encoded), encoded }
          done++
        },
      },
    )
    if (outcome === 'done') return
    results[batch[done]!] = {
      unparsed: outcome === 'too_slow' ? 'too slow' : 'could not be parsed',
    }
    done++
  }
}
