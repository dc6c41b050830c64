// What reviews read of code lately: the next one of the same repository asks for most of it again.

import type { FileIndex } from '../../code/code-index.ts'
import type { SourceKind } from '../../code/indexing/source-kind.ts'
import { createLruCache, type LruCache } from '../../lib/lru-cache.ts'

/** What facts hang on: bytes, and how they are read. */
export interface SourceBlob {
  readonly oid: string
  readonly kind: SourceKind
}

/** Of this process. What is in it never gets out of date: it goes by what never changes. */
export interface CodeCache {
  /** By `blobKey`. */
  readonly fileIndexes: Pick<LruCache<FileIndex>, 'get'> & {
    set(key: string, fileIndexes: FileIndex): void
  }
  /** The blobs of all files by path, by graph and commit. */
  readonly fileBlobs: Pick<LruCache<FileBlobs>, 'get'> & {
    set(key: string, fileBlobs: FileBlobs): void
  }
}

export type FileBlobs = ReadonlyMap<string, string>

/** About as many bytes of memory. */
const maxIndexBytes = 48 * 1024 * 1024
/** The same, of all graphs together: some 150,000 files of usual paths. */
const maxFileListBytes = 32 * 1024 * 1024

/** Makes an empty one. */
export function createCodeCache(): CodeCache {
  const facts = createLruCache<FileIndex>(maxIndexBytes)
  const files = createLruCache<FileBlobs>(maxFileListBytes)
  return {
    fileIndexes: {
      get: facts.get,
      set: (key, item) => facts.set(key, item, estimateIndexBytes(item)),
    },
    fileBlobs: {
      get: files.get,
      set: (key, list) => files.set(key, list, estimateFileListBytes(list)),
    },
  }
}

/** Names facts among those of all repositories. */
export function blobKey({ oid, kind }: SourceBlob): string {
  return `${oid} ${kind}`
}

/** Measured on JavaScript and TypeScript. */
function estimateIndexBytes({ symbols, references, imports, bindings }: FileIndex): number {
  return (
    500 +
    350 * symbols.length +
    100 * references.length +
    350 * imports.length +
    80 * bindings.length
  )
}

/** By the paths as well: a hostile repository's are as long as can be. */
function estimateFileListBytes(files: FileBlobs): number {
  let weight = 0
  for (const path of files.keys()) weight += 150 + path.length
  return weight
}
