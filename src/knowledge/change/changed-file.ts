// A file of the change under review, with what its two versions say.
import type { FileDiff } from '../../domain/diff.ts'
import type { LineMap } from './changed-lines.ts'
import type { FileVersion, SymbolChange } from './compare-symbols.ts'

export interface ChangedFile {
  readonly diff: FileDiff
  /** At the base, under the path that it had there; null where it wasn't, or couldn't be read. */
  readonly before: FileVersion | null
  /** At the head; null where it is gone, or couldn't be read. */
  readonly after: FileVersion | null
  readonly lines: LineMap
  readonly symbols: readonly SymbolChange[]
}

/** What a change removed or gave another place: what led there before leads nowhere now. */
export function listRemovedPaths(files: readonly FileDiff[]): Set<string> {
  return new Set(
    files.flatMap(({ status, oldPath }) =>
      status === 'deleted' || status === 'renamed' ? [oldPath] : [],
    ),
  )
}
