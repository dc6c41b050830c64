// Caches code data in memory, because the next review of a repository needs most of it again.

import type { SourceKind } from '../../code/indexing/source-kind.ts'
import type { FileIndex } from '../../languages/code-index.ts'
import { createLruCache, type LruCache } from '../../lib/lru-cache.ts'

/** The blob and the kind of source determine an index entry. */
export interface SourceBlob {
  readonly oid: string
  readonly kind: SourceKind
}

/** Entries never become outdated, because their keys identify immutable data. */
export interface CodeCache {
  /** Contains index entries by `blobKey`. */
  readonly fileIndexes: Pick<LruCache<FileIndex>, 'get'> & {
    set(key: string, fileIndexes: FileIndex): void
  }
  /** Contains the file lists of graphs by id and commit. */
  readonly fileBlobs: Pick<LruCache<FileBlobs>, 'get'> & {
    set(key: string, fileBlobs: FileBlobs): void
  }
}

/** Maps paths to blob ids. */
export type FileBlobs = ReadonlyMap<string, string>

const maxIndexBytes = 48 * 1024 * 1024
/** Suffices for about 150,000 files with paths of usual length. */
const maxFileListBytes = 32 * 1024 * 1024

export function createCodeCache(): CodeCache {
  const fileIndexes = createLruCache<FileIndex>(maxIndexBytes)
  const fileBlobs = createLruCache<FileBlobs>(maxFileListBytes)
  return {
    fileIndexes: {
      get: fileIndexes.get,
      set: (key, fileIndex) => fileIndexes.set(key, fileIndex, estimateIndexBytes(fileIndex)),
    },
    fileBlobs: {
      get: fileBlobs.get,
      set: (key, blobs) => fileBlobs.set(key, blobs, estimateFileListBytes(blobs)),
    },
  }
}

/** Identifies an index entry over all repositories. */
export function blobKey({ oid, kind }: SourceBlob): string {
  return `${oid} ${kind}`
}

/** The numbers were measured with JavaScript and TypeScript. */
function estimateIndexBytes({ symbols, references, imports, bindings }: FileIndex): number {
  return (
    500 +
    350 * symbols.length +
    100 * references.length +
    350 * imports.length +
    80 * bindings.length
  )
}

/** Includes the lengths of the paths, which can be extreme in a hostile repository. */
function estimateFileListBytes(blobs: FileBlobs): number {
  let bytes = 0
  for (const path of blobs.keys()) bytes += 150 + path.length
  return bytes
}
