// Reads what the files of a tree say: each blob once, in threads, written down in batches as it goes.

import { classifyFile } from '../../code/classify-file.ts'
import type { FileIndex } from '../../code/code-index.ts'
import { decodeFileIndex } from '../../code/indexing/encode-file-index.ts'
import { readBlobs, readFewBlobs } from '../../git/read-blobs.ts'
import type { FileRow, SymbolRow } from '../../knowledge/graph/graph-rows.ts'
import {
  createUsedNameFilter,
  toStoredNamespace,
  toSymbolRows,
} from '../../knowledge/graph/graph-rows.ts'
import {
  loadFileIndexes,
  type StoredFileIndex,
  saveFileIndexes,
} from '../../knowledge/graph/stored-file-indexes.ts'
import type { WritableGraph } from '../../knowledge/graph/write-graph.ts'
import { createYielder } from '../../lib/yield-to-event-loop.ts'
import { maxReadBytes, type ScannedFile } from './choose-files.ts'
import type { Scan } from './scan-context.ts'

/** A file with what it says. */
export interface ReadFile {
  readonly row: FileRow
  readonly symbols: readonly SymbolRow[]
  /** As they are stored: several times smaller than at hand. Null where there are none. */
  readonly encodedIndex: Buffer | null
}

/** Blobs whose stored facts are loaded together, and files that are read together. */
const loadBatchSize = 500
const maxBatchFiles = 200
const maxBatchBytes = 2 * 1024 * 1024
/** So few are read by the git that runs already: another one would be there later than they. */
const maxFewBlobs = 20
/** Batches under way: while threads read one, the next one is taken from git. */
const maxConcurrentBatches = 3
/**
 * What is held of all files while edges are looked for: of the facts in bytes, as they are stored, and of symbols. No repository
 * that people write has as much; of what comes after that, a graph has the files alone.
 */
const maxHeld = { bytes: 256 * 1024 * 1024, symbols: 2_000_000 }
/** Hostile files take up to two seconds each: after so long the others are left for the next scan. */
const maxReadingMs = 15 * 60_000

/** Reads files of the scan's commit. In their order. */
export async function readFiles(
  scan: Scan,
  graph: WritableGraph,
  files: readonly ScannedFile[],
): Promise<ReadFile[]> {
  const summary = new Map<string, BlobSummary>()
  const hold = createHoldLimit()
  await loadStored(scan, graph, files, (key, one) => summary.set(key, hold(one)))
  await readMissing(
    scan,
    graph,
    files.filter((file) => file.isRead && !summary.has(keyOf(file))),
    (key, one) => summary.set(key, hold(one)),
  )
  return files.map((file) => describeFile(file, summary.get(keyOf(file))))
}

/** What a blob says, with what the graph wants of its facts. */
interface BlobSummary extends Omit<StoredFileIndex, 'oid' | 'grammar'> {
  readonly complexity: number | null
  readonly namespace: string | null
  readonly usedNames: Buffer | null
  readonly symbols: readonly SymbolRow[]
}

type OnSummary = (key: string, summary: BlobSummary) => void

/** Passes on what is summary as long as there is room for it; what comes then is without what takes room. */
function createHoldLimit(): (summary: BlobSummary) => BlobSummary {
  let [bytes, symbols] = [0, 0]
  return (summary) => {
    if (summary.facts === null) return summary
    bytes += summary.facts.length
    symbols += summary.symbols.length
    if (bytes <= maxHeld.bytes && symbols <= maxHeld.symbols) return summary
    return { ...summary, facts: null, symbols: [], usedNames: null, unparsed: 'left out' }
  }
}

function keyOf({ oid, grammar }: { oid: string; grammar: string }): string {
  return `${oid} ${grammar}`
}

async function loadStored(
  { ctx, signal }: Scan,
  graph: WritableGraph,
  files: readonly ScannedFile[],
  keep: OnSummary,
): Promise<void> {
  const wanted = files.filter(({ isRead }) => isRead)
  const keys = new Set(wanted.map(keyOf))
  const oids = [...new Set(wanted.map(({ oid }) => oid))]
  const turn = createYielder(signal)
  for (let start = 0; start < oids.length; start += loadBatchSize) {
    signal.throwIfAborted()
    for (const stored of await loadFileIndexes(
      ctx.db,
      graph,
      oids.slice(start, start + loadBatchSize),
    )) {
      await turn.pass()
      if (keys.has(keyOf(stored)))
        keep(keyOf(stored), summarize(stored, stored.facts && decodeFileIndex(stored.facts)))
    }
  }
}

function summarize(
  stored: Omit<StoredFileIndex, 'oid' | 'grammar'>,
  facts: FileIndex | null,
): BlobSummary {
  const { kind, lines, unparsed, facts: encoded } = stored
  return {
    ...{ kind, lines, unparsed, facts: encoded },
    complexity: facts?.complexity ?? null,
    namespace: facts && toStoredNamespace(facts),
    usedNames: facts && createUsedNameFilter(facts),
    symbols: facts ? toSymbolRows(facts) : [],
  }
}

/** A file with its bytes. */
interface Content {
  readonly file: ScannedFile
  readonly bytes: Uint8Array
}

async function readMissing(
  scan: Scan,
  graph: WritableGraph,
  files: readonly ScannedFile[],
  keep: OnSummary,
): Promise<void> {
  const missing = [...new Map(files.map((file) => [keyOf(file), file])).values()]
  const { repository, objects, progress, signal } = scan
  const until = performance.now() + maxReadingMs
  const underWay: Promise<void>[] = []
  let done = 0
  const begin = (batch: readonly Content[]) => {
    const work = read(batch)
    // Waited for further down.
    work.catch(() => {})
    underWay.push(work)
  }
  const read = async (batch: readonly Content[]) => {
    const results = await readBatch(scan, batch)
    for (const [place, { file }] of batch.entries()) keep(keyOf(file), results[place]!.summary)
    await saveFileIndexes(
      scan.ctx.db,
      graph,
      results.map(({ stored }) => stored),
    )
    done += batch.length
    progress.report('reading files', done, missing.length)
  }
  const oids = missing.map(({ oid }) => oid)
  const limits = { maxBytes: maxReadBytes, signal }
  const blobs =
    oids.length > maxFewBlobs
      ? readBlobs(repository, oids, limits)
      : readFewBlobs(objects, oids, limits)
  let batch: Content[] = []
  let bytes = 0
  let place = 0
  try {
    for await (const blob of blobs) {
      const file = missing[place++]!
      if (blob.bytes === undefined) continue
      batch.push({ file, bytes: blob.bytes })
      bytes += blob.bytes.length
      if (batch.length < maxBatchFiles && bytes < maxBatchBytes) continue
      if (underWay.length >= maxConcurrentBatches) await underWay.shift()
      begin(batch)
      batch = []
      bytes = 0
      if (performance.now() > until) break
    }
    begin(batch)
  } finally {
    await Promise.allSettled(underWay)
  }
  await Promise.all(underWay)
  signal.throwIfAborted()
}

/** What is summary, and how it is stored. */
interface BatchResult {
  readonly stored: StoredFileIndex
  readonly summary: BlobSummary
}

async function readBatch({ indexer }: Scan, batch: readonly Content[]): Promise<BatchResult[]> {
  const classes = batch.map(({ file, bytes }) => classifyFile(file.path, bytes).kind)
  const isParsed = batch.map(
    ({ file }, place) => file.grammar !== '' && /^(source|generated)$/.test(classes[place]!),
  )
  const parsed = await indexer.index(
    batch
      .filter((_, place) => isParsed[place])
      .map(({ file, bytes }) => ({ path: file.path, bytes })),
  )
  const results = parsed.values()
  return batch.map(({ file, bytes }, place) => {
    const kind = classes[place]!
    const result = isParsed[place] ? results.next().value : undefined
    const facts = result && 'index' in result ? result : null
    const stored: StoredFileIndex = {
      oid: file.oid,
      grammar: file.grammar,
      kind,
      lines: kind === 'binary' ? null : countLines(bytes),
      unparsed: result && 'unparsed' in result ? result.unparsed : null,
      facts: facts?.encoded ?? null,
    }
    return { stored, summary: summarize(stored, facts?.index ?? null) }
  })
}

function countLines(bytes: Uint8Array): number {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let lines = 0
  let start = 0
  for (let end = buffer.indexOf(0x0a); end !== -1; end = buffer.indexOf(0x0a, start)) {
    lines++
    start = end + 1
  }
  return start < buffer.length ? lines + 1 : lines
}

function describeFile(file: ScannedFile, summary: BlobSummary | undefined): ReadFile {
  const { path, oid, grammar, language, isTest, size } = file
  const isSource = file.kind === 'source'
  const unread = isSource && grammar !== '' ? (file.isRead ? 'not read' : 'too large') : null
  return {
    row: {
      ...{ path, oid, grammar, language, isTest, size },
      kind: isSource && summary ? summary.kind : file.kind,
      lines: summary?.lines ?? null,
      complexity: summary?.complexity ?? null,
      unparsed: summary ? summary.unparsed : unread,
      namespace: summary?.namespace ?? null,
      usedNames: summary?.usedNames ?? null,
    },
    symbols: summary?.symbols ?? [],
    encodedIndex: summary?.facts ?? null,
  }
}
