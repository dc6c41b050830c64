// A file of the change that is reviewed, in both versions.
import type { FileDiff } from '../../domain/diff.ts'
import type { LineMap } from './changed-lines.ts'
import type { FileVersion, SymbolChange } from './compare-symbols.ts'

export interface ChangedFile {
  readonly diff: FileDiff
  /** Is the version at the base; null if the file is new or can't be read. */
  readonly before: FileVersion | null
  /** Is the version at the head; null if the file is deleted or can't be read. */
  readonly after: FileVersion | null
  readonly lines: LineMap
  readonly symbols: readonly SymbolChange[]
}

/** Collects the old paths of deleted and renamed files. */
export function listRemovedPaths(files: readonly FileDiff[]): Set<string> {
  return new Set(
    files.flatMap(({ status, oldPath }) =>
      status === 'deleted' || status === 'renamed' ? [oldPath] : [],
    ),
  )
}
