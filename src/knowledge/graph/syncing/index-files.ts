// Indexes the files of a tree: each blob once, in threads, saved in batches.

import { classifyFile } from '../../../code/classify-file.ts'
import { decodeFileIndex } from '../../../code/indexing/encode-file-index.ts'
import { readBlobs, readFewBlobs } from '../../../git/read-blobs.ts'
import type { FileIndex } from '../../../languages/code-index.ts'
import { createYielder } from '../../../lib/yield-to-event-loop.ts'
import { maxReadBytes, type ScannedFile } from '../choose-files.ts'
import type { FileRow, SymbolRow } from './graph-rows.ts'
import { createUsedNameFilter, toStoredNamespace, toSymbolRows } from './graph-rows.ts'
import type { GraphSync } from './open-graph.ts'
import { loadFileIndexes, type StoredFileIndex, saveFileIndexes } from './stored-file-indexes.ts'

export interface IndexedFile {
  readonly row: FileRow
  readonly symbols: readonly SymbolRow[]
  /** The encoded index, several times smaller than the decoded one; null if there is none. */
  readonly encodedIndex: Buffer | null
}

/** Stored indexes are loaded in batches of this many blobs. */
const loadBatchSize = 500
const maxBatchFiles = 200
const maxBatchBytes = 2 * 1024 * 1024
/** Up to this many blobs are read by the running git, which is faster than starting another. */
const maxFewBlobs = 20
/** While threads index one batch, git reads the next one. */
const maxConcurrentBatches = 3
/**
 * Limits what all files hold in memory while edges are resolved: bytes of encoded indexes, and
 * symbols. Files beyond it have no symbols in the graph; ordinary repositories stay far below.
 */
const maxHeld = { bytes: 256 * 1024 * 1024, symbols: 2_000_000 }
/** Hostile files take up to four seconds each; files beyond this time are left to the next scan. */
const maxReadingMs = 15 * 60_000

/** Reads and indexes files of the commit. Returns them in the given order. */
export async function indexFiles(
  sync: GraphSync,
  files: readonly ScannedFile[],
): Promise<IndexedFile[]> {
  const summaries = new Map<string, BlobSummary>()
  const limit = createHoldLimit()
  const onSummary: OnSummary = (key, summary) => summaries.set(key, limit(summary))
  await loadStored(sync, files, onSummary)
  const missing = files.filter((file) => file.isRead && !summaries.has(keyOf(file)))
  await readMissing(sync, missing, onSummary)
  return files.map((file) => describeFile(file, summaries.get(keyOf(file))))
}

/** A blob's index is reduced to what the graph's rows need. */
interface BlobSummary extends Omit<StoredFileIndex, 'oid' | 'grammar'> {
  readonly complexity: number | null
  readonly namespace: string | null
  readonly usedNames: Buffer | null
  readonly symbols: readonly SymbolRow[]
}

type OnSummary = (key: string, summary: BlobSummary) => void

/**
 * Returns summaries as they are until the limit is reached, and without their index from then on.
 */
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
  { db, graph, signal }: GraphSync,
  files: readonly ScannedFile[],
  onSummary: OnSummary,
): Promise<void> {
  const wanted = files.filter(({ isRead }) => isRead)
  const keys = new Set(wanted.map(keyOf))
  const oids = [...new Set(wanted.map(({ oid }) => oid))]
  const yielder = createYielder(signal)
  for (let start = 0; start < oids.length; start += loadBatchSize) {
    signal.throwIfAborted()
    const part = oids.slice(start, start + loadBatchSize)
    for (const stored of await loadFileIndexes(db, graph, part)) {
      await yielder.pass()
      if (!keys.has(keyOf(stored))) continue
      const index = stored.facts && decodeFileIndex(stored.facts)
      onSummary(keyOf(stored), summarize(stored, index))
    }
  }
}

function summarize(
  stored: Omit<StoredFileIndex, 'oid' | 'grammar'>,
  index: FileIndex | null,
): BlobSummary {
  const { kind, lines, unparsed, facts } = stored
  return {
    kind,
    lines,
    unparsed,
    facts,
    complexity: index?.complexity ?? null,
    namespace: index && toStoredNamespace(index),
    usedNames: index && createUsedNameFilter(index),
    symbols: index ? toSymbolRows(index) : [],
  }
}

interface Content {
  readonly file: ScannedFile
  readonly bytes: Uint8Array
}

async function readMissing(
  sync: GraphSync,
  files: readonly ScannedFile[],
  onSummary: OnSummary,
): Promise<void> {
  const missing = [...new Map(files.map((file) => [keyOf(file), file])).values()]
  const { db, graph, repository, progress, signal } = sync
  const deadline = performance.now() + maxReadingMs
  const running: Promise<void>[] = []
  let done = 0
  const startBatch = (batch: readonly Content[]) => {
    const work = indexBatch(batch)
    // Errors are thrown where `running` is awaited.
    work.catch(() => {})
    running.push(work)
  }
  const indexBatch = async (batch: readonly Content[]) => {
    const results = await readBatch(sync, batch)
    for (const [index, { file }] of batch.entries()) onSummary(keyOf(file), results[index]!.summary)
    const indexes = results.map(({ stored }) => stored)
    await saveFileIndexes(db, graph, indexes)
    done += batch.length
    progress.report('reading files', done, missing.length)
  }
  const oids = missing.map(({ oid }) => oid)
  const limits = { maxBytes: maxReadBytes, signal }
  const blobs =
    oids.length > maxFewBlobs
      ? readBlobs(repository, oids, limits)
      : readFewBlobs(repository.objects, oids, limits)
  let batch: Content[] = []
  let bytes = 0
  let next = 0
  try {
    for await (const blob of blobs) {
      const file = missing[next]!
      next += 1
      if (blob.bytes === undefined) continue
      batch.push({ file, bytes: blob.bytes })
      bytes += blob.bytes.length
      if (batch.length < maxBatchFiles && bytes < maxBatchBytes) continue
      if (running.length >= maxConcurrentBatches) await running.shift()
      startBatch(batch)
      batch = []
      bytes = 0
      if (performance.now() > deadline) break
    }
    startBatch(batch)
  } finally {
    await Promise.allSettled(running)
  }
  await Promise.all(running)
  signal.throwIfAborted()
}

interface BatchResult {
  readonly stored: StoredFileIndex
  readonly summary: BlobSummary
}

async function readBatch(
  { indexer }: GraphSync,
  batch: readonly Content[],
): Promise<BatchResult[]> {
  const kinds = batch.map(({ file, bytes }) => classifyFile(file.path, bytes).kind)
  const isParsed = batch.map(
    ({ file }, position) => file.grammar !== '' && /^(source|generated)$/.test(kinds[position]!),
  )
  const indexed = await indexer.index(
    batch
      .filter((_, position) => isParsed[position])
      .map(({ file, bytes }) => ({ path: file.path, bytes })),
  )
  const results = indexed.values()
  return batch.map(({ file, bytes }, position) => {
    const kind = kinds[position]!
    const result = isParsed[position] ? results.next().value : undefined
    const success = result && 'index' in result ? result : null
    const stored: StoredFileIndex = {
      oid: file.oid,
      grammar: file.grammar,
      kind,
      lines: kind === 'binary' ? null : countLines(bytes),
      unparsed: result && 'unparsed' in result ? result.unparsed : null,
      facts: success?.encoded ?? null,
    }
    return { stored, summary: summarize(stored, success?.index ?? null) }
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

function describeFile(file: ScannedFile, summary: BlobSummary | undefined): IndexedFile {
  const { path, oid, grammar, language, isTest, size } = file
  const common = { path, oid, grammar, language, isTest, size }
  if (summary === undefined) {
    const unparsed = describeUnread(file)
    const missing = { lines: null, complexity: null, namespace: null, usedNames: null }
    const row = { ...common, ...missing, kind: file.kind, unparsed }
    return { row, symbols: [], encodedIndex: null }
  }
  const { lines, complexity, unparsed, namespace, usedNames, symbols, facts } = summary
  const kind = file.kind === 'source' ? summary.kind : file.kind
  const row = { ...common, kind, lines, complexity, unparsed, namespace, usedNames }
  return { row, symbols, encodedIndex: facts }
}

/** Why a source file has no index; null for files that never have one. */
function describeUnread({ kind, grammar, isRead }: ScannedFile): 'not read' | 'too large' | null {
  if (kind !== 'source' || grammar === '') return null
  return isRead ? 'not read' : 'too large'
}
