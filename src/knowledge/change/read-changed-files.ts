// Reads what the changed files say, at the base and at the head.

import type { FileIndex } from '../../code/code-index.ts'
import { sourceKindOf } from '../../code/indexing/source-kind.ts'
import type { SyntaxParser } from '../../code/syntax-parser.ts'
import type { FileDiff } from '../../domain/diff.ts'
import { GitError } from '../../domain/errors.ts'
import { blobIdOf } from '../../git/blob-id.ts'
import type { Snapshot } from '../../git/snapshot.ts'
import type { ChangedFile } from './changed-file.ts'
import { createLineMap } from './changed-lines.ts'
import { blobKey, type CodeCache, type SourceBlob } from './code-cache.ts'
import { compareSymbols, type FileVersion } from './compare-symbols.ts'

/** Of one file; larger ones were written by programs. */
const maxFileBytes = 512 * 1024
/** Of all texts together. */
const maxTotalText = 32 * 1024 * 1024
const maxFiles = 300
/** Read and parsed at the same time: there are two threads, and git answers one after the other. */
const maxConcurrency = 4

/** What is needed to read code at a commit. */
export interface CodeReader {
  readonly syntax: Pick<SyntaxParser, 'indexFile'>
  readonly signal: AbortSignal
  /** Keeps what was read. */
  readonly cache: CodeCache
  /** Facts by `blobKey` that need not be read again. */
  readonly storedIndexes?: Promise<ReadonlyMap<string, FileIndex>>
}

/** Reads one file; undefined where it isn't, is too large, or can't be parsed. */
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
    const facts = kind && (await readFileIndex(reader, { oid, kind }, { path, text }))
    return facts && { path, text, fileIndex: facts }
  } catch (error) {
    // Too large, or damaged: as good as not there. What may pass is for the caller.
    if (error instanceof GitError && !error.retryable) return undefined
    throw error
  }
}

async function readFileIndex(
  { syntax, cache, storedIndexes: known }: CodeReader,
  blob: SourceBlob,
  { path, text }: { path: string; text: string },
): Promise<FileIndex | undefined> {
  const key = blobKey(blob)
  const kept = cache.fileIndexes.get(key) ?? (await known)?.get(key)
  if (kept !== undefined) return kept
  const facts = await syntax.indexFile(path, text)
  if (facts !== undefined) cache.fileIndexes.set(key, facts)
  return facts
}

/** Does something with many, some at the same time, until the signal is aborted. Returns how many were begun. */
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

/** The source files of a change with their facts, and what could not be read, one sentence each. */
export async function readChangedFiles(
  reader: CodeReader,
  { files, head, base }: { files: readonly FileDiff[]; head: Snapshot; base: Snapshot },
): Promise<{ files: readonly ChangedFile[]; notes: readonly string[] }> {
  const sources = files.filter(({ path, oldPath, binary, submodule }) => {
    return (
      !binary &&
      !submodule &&
      (sourceKindOf(path) !== undefined || sourceKindOf(oldPath) !== undefined)
    )
  })
  const { syntax, cache, signal } = reader
  const read = new Map<FileDiff, ChangedFile>()
  let text = 0
  let unread = Math.max(0, sources.length - maxFiles)
  const begun = await forEachConcurrently(sources.slice(0, maxFiles), signal, async (diff) => {
    if (text > maxTotalText) {
      unread++
      return
    }
    const { status, path, oldPath } = diff
    const [before = null, after = null] = await Promise.all([
      status === 'added' || status === 'copied'
        ? undefined
        : readFileVersion(reader, base, oldPath),
      // What is new there can't be known.
      status === 'deleted' ? undefined : readFileVersion({ syntax, cache, signal }, head, path),
    ])
    text += (before?.text.length ?? 0) + (after?.text.length ?? 0)
    const isHalf = (before === null && hasBefore(diff)) || (after === null && status !== 'deleted')
    const symbols = isHalf ? [] : compareSymbols(before, after)
    if (before !== null || after !== null)
      read.set(diff, { diff, before, after, lines: createLineMap(diff), symbols })
  })
  unread += Math.min(sources.length, maxFiles) - begun
  return {
    files: sources.flatMap((diff) => read.get(diff) ?? []),
    notes:
      unread === 0
        ? []
        : [`${countFiles(unread)} of the change were not looked at for what they define and use.`],
  }
}

function hasBefore({ status }: FileDiff): boolean {
  return status === 'modified' || status === 'renamed' || status === 'deleted'
}

function countFiles(count: number): string {
  return count === 1 ? '1 source file' : `${count} source files`
}
