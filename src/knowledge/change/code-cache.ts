// Caches code data in memory, because the next review of a repository needs most of it again.
import type { SourceKind } from '../../code/indexing/source-kind.ts'
import type { FileIndex } from '../../languages/code-index.ts'

/** The blob and the kind of source determine an index entry. */
export interface SourceBlob {
  readonly oid: string
  readonly kind: SourceKind
}

type Cache<Value> = Pick<Map<string, Value>, 'get'> & { set(key: string, value: Value): void }

/** Entries never become outdated, because their keys identify immutable data. */
export interface CodeCache {
  /** Contains index entries by `blobKey`. */
  readonly fileIndexes: Cache<FileIndex>
  /** Contains the file lists of graphs by id and commit. */
  readonly fileBlobs: Cache<FileBlobs>
}

/** Maps paths to blob ids. */
export type FileBlobs = ReadonlyMap<string, string>

/** Identifies an index entry over all repositories. */
export function blobKey({ oid, kind }: SourceBlob): string {
  return `${oid} ${kind}`
}
