// The facts of files as they are at the head: stored ones where the graph has the same blob, else read there.

import type { FileIndex } from '../../code/code-index.ts'
import { sourceKindOf } from '../../code/indexing/source-kind.ts'
import type { Db } from '../../db/database.ts'
import type { Snapshot, TreeEntry } from '../../git/snapshot.ts'
import { readInOneSnapshot } from '../graph/read-graph.ts'
import { blobKey, type CodeCache, type SourceBlob } from './code-cache.ts'
import { type CodeReader, forEachConcurrently, readFileVersion } from './read-changed-files.ts'
import { readBlobIndexes, type StoredCode } from './read-stored-code.ts'

/** Files outside of the change that are read at the head, where the stored graph shows another commit. */
const maxReads = 100
const maxLoadedFiles = 800
const maxFileBytes = 512 * 1024

export interface HeadIndex {
  readonly fileIndexes: ReadonlyMap<string, FileIndex>
  /** Source files at the head whose content isn't that of the stored ones, but for those of the change. */
  readonly differingFiles: ReadonlySet<string>
  /** How many files were asked for in vain, because there were too many. */
  countUnread(): number
  /** Sees to it that `facts` has those of these files that there are. */
  load(paths: Iterable<string>): Promise<void>
}

interface Sources {
  readonly db: Db
  readonly cache: CodeCache
  /** Null where there is none: all is read at the head. */
  readonly stored: Pick<StoredCode, 'graph' | 'fileIndexes'> | null
  readonly timeoutMs: number
  readonly reader: CodeReader
  readonly head: Snapshot
  readonly entries: ReadonlyMap<string, TreeEntry>
  /** See `HeadIndex`. */
  readonly fresh: ReadonlySet<string>
  /** Facts that are there already: of the changed files. */
  readonly known: ReadonlyMap<string, FileIndex>
}

/** Makes an empty one but for what is known. */
export function createHeadIndex(sources: Sources): HeadIndex {
  const { reader, head, entries, fresh, known } = sources
  const facts = new Map(known)
  /** By `blobKey`. */
  const near = new Map(sources.stored?.fileIndexes)
  const asked = new Set(known.keys())
  let read = 0
  let unread = 0
  const blobAt = (path: string): SourceBlob => ({
    oid: entries.get(path)?.oid ?? '',
    kind: sourceKindOf(path)!,
  })
  return {
    fileIndexes: facts,
    differingFiles: fresh,
    countUnread: () => unread,
    async load(paths) {
      const wanted = [...new Set(paths)].filter(
        (path) => isSource(entries.get(path)) && !asked.has(path),
      )
      const taken = wanted.slice(0, Math.max(0, maxLoadedFiles - asked.size))
      unread += wanted.length - taken.length
      for (const path of taken) asked.add(path)
      const blobs = taken.map(blobAt)
      await loadMissing(sources, blobs, near)
      for (const [index, path] of taken.entries()) {
        const item = near.get(blobKey(blobs[index]!))
        if (item !== undefined) facts.set(path, item)
      }
      const rest = taken.filter((path) => fresh.has(path) && !facts.has(path))
      const begun = await forEachConcurrently(
        rest.slice(0, Math.max(0, maxReads - read)),
        reader.signal,
        async (path) => {
          const version = await readFileVersion(reader, head, path)
          if (version !== undefined) facts.set(path, version.fileIndex)
        },
      )
      read += begun
      unread += rest.length - begun
    },
  }
}

/** Adds facts to those that are near. */
async function loadMissing(
  { db, cache, stored, timeoutMs }: Sources,
  blobs: readonly SourceBlob[],
  near: Map<string, FileIndex>,
): Promise<void> {
  const missing = blobs.filter((blob) => {
    const key = blobKey(blob)
    const kept = near.get(key) ?? cache.fileIndexes.get(key)
    if (kept !== undefined) near.set(key, kept)
    return kept === undefined
  })
  if (stored === null || missing.length === 0) return
  const read = await readInOneSnapshot(db, timeoutMs, (tx) =>
    readBlobIndexes(tx, stored.graph, cache, missing),
  )
  for (const [key, item] of read) near.set(key, item)
}

/** Source files at the head whose content isn't that of the stored ones. */
export function listDifferingFiles(
  entries: Iterable<TreeEntry>,
  blobs: ReadonlyMap<string, string>,
): Set<string> {
  const fresh = new Set<string>()
  for (const entry of entries)
    if (blobs.get(entry.path) !== entry.oid && isSource(entry)) fresh.add(entry.path)
  return fresh
}

/** A file that facts are read from. */
function isSource(entry: TreeEntry | undefined): boolean {
  return (
    entry?.kind === 'file' && entry.size <= maxFileBytes && sourceKindOf(entry.path) !== undefined
  )
}
