// Provides the code index at the head: from the graph where it has the same blob, else by parsing.

import { sourceKindOf } from '../../code/indexing/source-kind.ts'
import type { Snapshot, TreeEntry } from '../../domain/snapshot.ts'
import type { FileIndex } from '../../languages/code-index.ts'
import { blobKey, type CodeCache, type SourceBlob } from './code-cache.ts'
import { type CodeReader, forEachConcurrently, readFileVersion } from './read-changed-files.ts'
import type { StoredCode } from './stored-code.ts'

/** The maximum number of files outside of the change to read and parse at the head. */
const maxReads = 100
const maxLoadedFiles = 800

export interface HeadIndex {
  readonly fileIndexes: ReadonlyMap<string, FileIndex>
  /** Contains the source files at the head that differ from the graph, without changed files. */
  readonly differingFiles: ReadonlySet<string>
  /** Counts the files that weren't loaded because of the limits. */
  countUnread(): number
  /** Adds the index entries of these files to `fileIndexes`, as far as the limits allow. */
  load(paths: Iterable<string>): Promise<void>
}

interface Sources {
  readonly cache: CodeCache
  /** Is null if there is no graph; all files are then read at the head. */
  readonly stored: Pick<StoredCode, 'fileIndexes' | 'loadIndexes'> | null
  readonly reader: CodeReader
  readonly head: Snapshot
  readonly entries: ReadonlyMap<string, TreeEntry>
  readonly differingFiles: ReadonlySet<string>
  /** Contains the index entries of the changed files, by path. */
  readonly changedFiles: ReadonlyMap<string, FileIndex>
}

/** Creates an index that contains the changed files. */
export function createHeadIndex(sources: Sources): HeadIndex {
  const { reader, head, entries, differingFiles, changedFiles } = sources
  const fileIndexes = new Map(changedFiles)
  const indexesByBlob = new Map(sources.stored?.fileIndexes)
  const requested = new Set(changedFiles.keys())
  let readCount = 0
  let unreadCount = 0
  const blobAt = (path: string): SourceBlob => ({
    oid: entries.get(path)?.oid ?? '',
    kind: sourceKindOf(path)!,
  })
  const readAtHead = async (paths: readonly string[]) => {
    const chosen = paths.slice(0, Math.max(0, maxReads - readCount))
    const startedCount = await forEachConcurrently(chosen, reader.signal, async (path) => {
      const version = await readFileVersion(reader, head, path)
      if (version !== undefined) fileIndexes.set(path, version.fileIndex)
    })
    readCount += startedCount
    unreadCount += paths.length - startedCount
  }
  return {
    fileIndexes,
    differingFiles,
    countUnread: () => unreadCount,
    async load(paths) {
      const missing = [...new Set(paths)].filter(
        (path) => isSource(entries.get(path)) && !requested.has(path),
      )
      const chosen = missing.slice(0, Math.max(0, maxLoadedFiles - requested.size))
      unreadCount += missing.length - chosen.length
      for (const path of chosen) requested.add(path)
      await loadStored(sources, chosen.map(blobAt), indexesByBlob)
      for (const path of chosen) {
        const fileIndex = indexesByBlob.get(blobKey(blobAt(path)))
        if (fileIndex !== undefined) fileIndexes.set(path, fileIndex)
      }
      await readAtHead(chosen.filter((path) => differingFiles.has(path) && !fileIndexes.has(path)))
    },
  }
}

/** Adds the index entries of these blobs from the cache and the database. */
async function loadStored(
  { cache, stored }: Sources,
  blobs: readonly SourceBlob[],
  indexesByBlob: Map<string, FileIndex>,
): Promise<void> {
  const missing: SourceBlob[] = []
  for (const blob of blobs) {
    const key = blobKey(blob)
    const cached = indexesByBlob.get(key) ?? cache.fileIndexes.get(key)
    if (cached === undefined) missing.push(blob)
    else indexesByBlob.set(key, cached)
  }
  if (stored === null || missing.length === 0) return
  const loaded = await stored.loadIndexes(missing)
  for (const [key, fileIndex] of loaded) indexesByBlob.set(key, fileIndex)
}

/** Finds source files at the head that are new or have another blob. */
export function listDifferingFiles(
  entries: Iterable<TreeEntry>,
  blobs: ReadonlyMap<string, string>,
): Set<string> {
  const differing = new Set<string>()
  for (const entry of entries)
    if (blobs.get(entry.path) !== entry.oid && isSource(entry)) differing.add(entry.path)
  return differing
}

/** Checks whether a file can be indexed. */
function isSource(entry: TreeEntry | undefined): boolean {
  return entry?.kind === 'file' && sourceKindOf(entry.path) !== undefined
}
