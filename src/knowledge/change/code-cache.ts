// Caches code data in memory, because the next review of a repository needs most of it again.
import { LRUCache } from 'lru-cache'
import type { SourceKind } from '../../code/indexing/source-kind.ts'
import type { FileIndex } from '../../languages/code-index.ts'

/** The blob and the kind of source determine an index entry. */
export interface SourceBlob {
  readonly oid: string
  readonly kind: SourceKind
}

/** Entries never become outdated, because their keys identify immutable data. */
export interface CodeCache {
  /** Contains index entries by `blobKey`. */
  readonly fileIndexes: LRUCache<string, FileIndex>
  /** Contains the file lists of graphs by id and commit. */
  readonly fileBlobs: LRUCache<string, FileBlobs>
}

/** Maps paths to blob ids. */
export type FileBlobs = ReadonlyMap<string, string>

const maxIndexBytes = 48 * 1024 * 1024
/** Suffices for about 150,000 files with paths of usual length. */
const maxFileListBytes = 32 * 1024 * 1024

export function createCodeCache(): CodeCache {
  return {
    fileIndexes: new LRUCache({ maxSize: maxIndexBytes, sizeCalculation: estimateIndexBytes }),
    fileBlobs: new LRUCache({ maxSize: maxFileListBytes, sizeCalculation: estimateFileListBytes }),
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
  let bytes = 100
  for (const path of blobs.keys()) bytes += 150 + path.length
  return bytes
}
