// The part of the stored code graph around a change (types, and a limit that readers share).
import type { FileIndex } from '../../languages/code-index.ts'
import type { ImportConfig } from '../../languages/common/import-config.ts'
import type { StoredDefinition } from '../graph/read-graph.ts'
import type { FileBlobs, SourceBlob } from './code-cache.ts'
import type { FileUse } from './trace-dependents.ts'

/** The maximum number of using files to load. */
export const maxUsingFiles = 300

/** Maps names to their definitions. */
export type DefinitionsByName = ReadonlyMap<string, readonly StoredDefinition[]>

/** The part of the stored graph around changed files. */
export interface StoredCode {
  /** The graph was built from this commit. */
  readonly commit: string
  readonly importConfig: ImportConfig
  /** Maps all paths to blob ids; null if the graph has the commit that the change is based on. */
  readonly blobs: FileBlobs | null
  /** Contains files that use the changed ones, by descending confidence. */
  readonly usingPaths: readonly string[]
  /** Contains the stored index entries of changed and using files, by `blobKey`. */
  readonly fileIndexes: ReadonlyMap<string, FileIndex>
  readonly uses: readonly FileUse[]
  /** Is true if `uses` is complete. */
  readonly isWhole: boolean
  /** Returns the stored index entries of these blobs, by `blobKey`. */
  loadIndexes(blobs: readonly SourceBlob[]): Promise<ReadonlyMap<string, FileIndex>>
  /** Throws if a rebuild replaced the graph in the meantime. */
  findDefinitions(names: readonly string[]): Promise<DefinitionsByName>
}
