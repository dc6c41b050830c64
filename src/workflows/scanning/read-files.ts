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
import { largestRead, type ScannedFile } from './choose-files.ts'
import type { Scan } from './scan-context.ts'

/** A file with what it says. */
export interface ReadFile {
  readonly row: FileRow
  readonly symbols: readonly SymbolRow[]
  /** As they are stored: several times smaller than at hand. Null where there are none. */
  readonly facts: Buffer | null
}

/** Blobs whose stored facts are loaded together, and files that are read together. */
const loadedAtOnce = 500
const readAtOnce = 200
const bytesAtOnce = 2 * 1024 * 1024
/** So few are read by the git that runs already: another one would be there later than they. */
const fewBlobs = 20
/** Batches under way: while threads read one, the next one is taken from git. */
const batchesAtOnce = 3
/**
 * What is held of all files while edges are looked for: of the facts in bytes, as they are stored, and of symbols. No repository
 * that people write has as much; of what comes after that, a graph has the files alone.
 */
const mostHeld = { bytes: 256 * 1024 * 1024, symbols: 2_000_000 }
/** Hostile files take up to two seconds each: after so long the others are left for the next scan. */
const longestReadingMs = 15 * 60_000

/** Reads files of the scan's commit. In their order. */
export async function readFiles(
  scan: Scan,
  graph: WritableGraph,
  files: readonly ScannedFile[],
): Promise<ReadFile[]> {
  const said = new Map<string, Said>()
  const hold = createHold()
  await recallFacts(scan, graph, files, (key, one) => said.set(key, hold(one)))
  await readMissing(
    scan,
    graph,
    files.filter((file) => file.isRead && !said.has(keyOf(file))),
    (key, one) => said.set(key, hold(one)),
  )
  return files.map((file) => describeFile(file, said.get(keyOf(file))))
}

/** What a blob says, with what the graph wants of its facts. */
interface Said extends Omit<StoredFileIndex, 'oid' | 'grammar'> {
  readonly complexity: number | null
  readonly namespace: string | null
  readonly usedNames: Buffer | null
  readonly symbols: readonly SymbolRow[]
}

type Keep = (key: string, said: Said) => void

/** Passes on what is said as long as there is room for it; what comes then is without what takes room. */
function createHold(): (said: Said) => Said {
  let [bytes, symbols] = [0, 0]
  return (said) => {
    if (said.facts === null) return said
    bytes += said.facts.length
    symbols += said.symbols.length
    if (bytes <= mostHeld.bytes && symbols <= mostHeld.symbols) return said
    return { ...said, facts: null, symbols: [], usedNames: null, unparsed: 'left out' }
  }
}

function keyOf({ oid, grammar }: { oid: string; grammar: string }): string {
  return `${oid} ${grammar}`
}

async function recallFacts(
  { ctx, signal }: Scan,
  graph: WritableGraph,
  files: readonly ScannedFile[],
  keep: Keep,
): Promise<void> {
  const wanted = files.filter(({ isRead }) => isRead)
  const keys = new Set(wanted.map(keyOf))
  const oids = [...new Set(wanted.map(({ oid }) => oid))]
  const turn = createYielder(signal)
  for (let start = 0; start < oids.length; start += loadedAtOnce) {
    signal.throwIfAborted()
    for (const stored of await loadFileIndexes(
      ctx.db,
      graph,
      oids.slice(start, start + loadedAtOnce),
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
): Said {
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
  keep: Keep,
): Promise<void> {
  const missing = [...new Map(files.map((file) => [keyOf(file), file])).values()]
  const { repository, objects, progress, signal } = scan
  const until = performance.now() + longestReadingMs
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
    for (const [place, { file }] of batch.entries()) keep(keyOf(file), results[place]!.said)
    await saveFileIndexes(
      scan.ctx.db,
      graph,
      results.map(({ stored }) => stored),
    )
    done += batch.length
    progress.tell('reading files', done, missing.length)
  }
  const oids = missing.map(({ oid }) => oid)
  const limits = { maxBytes: largestRead, signal }
  const blobs =
    oids.length > fewBlobs
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
      if (batch.length < readAtOnce && bytes < bytesAtOnce) continue
      if (underWay.length >= batchesAtOnce) await underWay.shift()
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

/** What is said, and how it is stored. */
interface BatchResult {
  readonly stored: StoredFileIndex
  readonly said: Said
}

async function readBatch({ reader }: Scan, batch: readonly Content[]): Promise<BatchResult[]> {
  const classes = batch.map(({ file, bytes }) => classifyFile(file.path, bytes).kind)
  const isParsed = batch.map(
    ({ file }, place) => file.grammar !== '' && /^(source|generated)$/.test(classes[place]!),
  )
  const parsed = await reader.index(
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
    return { stored, said: summarize(stored, facts?.index ?? null) }
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

function describeFile(file: ScannedFile, said: Said | undefined): ReadFile {
  const { path, oid, grammar, language, isTest, size } = file
  const isSource = file.kind === 'source'
  const unread = isSource && grammar !== '' ? (file.isRead ? 'not read' : 'too large') : null
  return {
    row: {
      ...{ path, oid, grammar, language, isTest, size },
      kind: isSource && said ? said.kind : file.kind,
      lines: said?.lines ?? null,
      complexity: said?.complexity ?? null,
      unparsed: said ? said.unparsed : unread,
      namespace: said?.namespace ?? null,
      usedNames: said?.usedNames ?? null,
    },
    symbols: said?.symbols ?? [],
    facts: said?.facts ?? null,
  }
}
