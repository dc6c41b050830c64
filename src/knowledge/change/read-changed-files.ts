// Reads and indexes the changed files at the base and at the head.

import { sourceKindOf } from '../../code/indexing/source-kind.ts'
import type { SyntaxParser } from '../../code/syntax-parser.ts'
import type { FileDiff } from '../../domain/diff.ts'
import { GitError } from '../../domain/errors.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import { blobIdOf } from '../../git/blob-id.ts'
import type { FileIndex } from '../../languages/code-index.ts'
import type { ChangedFile } from './changed-file.ts'
import { createLineMap } from './changed-lines.ts'
import { blobKey, type CodeCache, type SourceBlob } from './code-cache.ts'
import { compareSymbols, type FileVersion } from './compare-symbols.ts'

/** Larger files are usually generated. */
const maxFileBytes = 512 * 1024
/** No further file is read when the texts exceed this length together. */
const maxTotalLength = 32 * 1024 * 1024
const maxFiles = 300
/** Two threads parse, while git reads one file after the other. */
const maxConcurrency = 4

/** The dependencies that reading code at a commit needs. */
export interface CodeReader {
  readonly syntax: Pick<SyntaxParser, 'indexFile'>
  readonly signal: AbortSignal
  /** Receives the index entries of the files that are read. */
  readonly cache: CodeCache
  /** Contains stored index entries by `blobKey`. */
  readonly storedIndexes?: Promise<ReadonlyMap<string, FileIndex>>
}

/** Returns undefined if the file doesn't exist, is too large, or can't be parsed. */
export async function readFileVersion(
  reader: CodeReader,
  snapshot: Pick<Snapshot, 'readFile' | 'sha'>,
  path: string,
): Promise<FileVersion | undefined> {
  try {
    const bytes = await snapshot.readFile(path, { maxBytes: maxFileBytes })
    if (bytes === undefined) return undefined
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
    const kind = sourceKindOf(path)
    const oid = blobIdOf(bytes, snapshot.sha.length)
    if (kind === undefined) return undefined
    const fileIndex = await readFileIndex(reader, { oid, kind }, { path, text })
    return fileIndex && { path, text, fileIndex }
  } catch (error) {
    // The file is too large or damaged. The caller handles temporary errors.
    if (error instanceof GitError && !error.retryable) return undefined
    throw error
  }
}

async function readFileIndex(
  { syntax, cache, storedIndexes }: CodeReader,
  blob: SourceBlob,
  { path, text }: { path: string; text: string },
): Promise<FileIndex | undefined> {
  const key = blobKey(blob)
  const cached = cache.fileIndexes.get(key) ?? (await storedIndexes)?.get(key)
  if (cached !== undefined) return cached
  const fileIndex = await syntax.indexFile(path, text)
  if (fileIndex !== undefined) cache.fileIndexes.set(key, fileIndex)
  return fileIndex
}

/**
 * Processes items, at most `maxConcurrency` at a time, until the signal is aborted.
 *
 * @returns the number of items of which processing was started
 */
export async function forEachConcurrently<Item>(
  items: readonly Item[],
  signal: AbortSignal,
  work: (item: Item) => Promise<unknown>,
): Promise<number> {
  let next = 0
  const runner = async () => {
    while (next < items.length && !signal.aborted) await work(items[next++] as Item)
  }
  await Promise.all(Array.from({ length: maxConcurrency }, runner))
  return next
}

/** Returns the source files of a change, and a note if some were not read. */
export async function readChangedFiles(
  reader: CodeReader,
  { files, head, base }: { files: readonly FileDiff[]; head: Snapshot; base: Snapshot },
): Promise<{ files: readonly ChangedFile[]; notes: readonly string[] }> {
  const sources = listSources(files)
  const chosen = sources.slice(0, maxFiles)
  const read = new Map<FileDiff, ChangedFile>()
  let totalLength = 0
  let skippedCount = 0
  const startedCount = await forEachConcurrently(chosen, reader.signal, async (diff) => {
    if (totalLength > maxTotalLength) {
      skippedCount++
      return
    }
    const file = await readChangedFile(reader, diff, { head, base })
    if (file === null) return
    totalLength += (file.before?.text.length ?? 0) + (file.after?.text.length ?? 0)
    read.set(diff, file)
  })
  const unreadCount = sources.length - startedCount + skippedCount
  return {
    files: sources.flatMap((diff) => read.get(diff) ?? []),
    notes: unreadCount === 0 ? [] : [describeUnread(unreadCount)],
  }
}

/** Lists the files that can be indexed. */
export function listSources(files: readonly FileDiff[]): FileDiff[] {
  return files.filter(
    ({ path, oldPath, binary, submodule }) =>
      !binary &&
      !submodule &&
      (sourceKindOf(path) !== undefined || sourceKindOf(oldPath) !== undefined),
  )
}

/** Returns null if neither version can be read. */
async function readChangedFile(
  reader: CodeReader,
  diff: FileDiff,
  { head, base }: { head: Snapshot; base: Snapshot },
): Promise<ChangedFile | null> {
  const { status, path, oldPath } = diff
  const isNew = status === 'added' || status === 'copied'
  const isDeleted = status === 'deleted'
  // The graph can't contain a blob of the head yet: its entries need not be awaited.
  const headReader = { syntax: reader.syntax, cache: reader.cache, signal: reader.signal }
  const [before = null, after = null] = await Promise.all([
    isNew ? undefined : readFileVersion(reader, base, oldPath),
    isDeleted ? undefined : readFileVersion(headReader, head, path),
  ])
  if (before === null && after === null) return null
  // With one unreadable version, all definitions would seem to be added or removed.
  const isIncomplete = (before === null && hasBefore(diff)) || (after === null && !isDeleted)
  const symbols = isIncomplete ? [] : compareSymbols(before, after)
  return { diff, before, after, lines: createLineMap(diff), symbols }
}

function hasBefore({ status }: FileDiff): boolean {
  return status === 'modified' || status === 'renamed' || status === 'deleted'
}

function describeUnread(count: number): string {
  const files =
    count === 1 ? '1 source file of the change was' : `${count} source files of the change were`
  return `${files} not searched for definitions and uses.`
}
