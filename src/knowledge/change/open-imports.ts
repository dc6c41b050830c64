// Opens import resolvers for a change, with the configuration of the graph or of the head.

import type { FileDiff } from '../../domain/diff.ts'
import type { Snapshot, TreeEntry } from '../../domain/snapshot.ts'
import { emptyImportConfig } from '../../languages/common/import-config.ts'
import { createImportResolver, type ImportResolver } from '../resolution/import-resolver.ts'
import { affectsImportConfig, readImportConfig } from '../resolution/read-import-config.ts'
import { listRemovedPaths } from './changed-file.ts'
import type { CodeContext } from './code-context.ts'
import type { StoredCode } from './stored-code.ts'

/** Resolves the imports of the trees before and after a change. */
export interface ChangeImports {
  readonly before: ImportResolver
  readonly after: ImportResolver
}

/**
 * Uses the configuration of the graph, unless the change affects it.
 *
 * @param entries all files at the head
 */
export async function openImports(
  { withFallback }: CodeContext,
  { head, diffs }: { readonly head: Snapshot; readonly diffs: readonly FileDiff[] },
  stored: Pick<StoredCode, 'importConfig'> | null,
  entries: readonly TreeEntry[],
): Promise<ChangeImports> {
  const paths = entries.map(({ path }) => path)
  const storedConfig = stored?.importConfig
  const isCurrent =
    storedConfig !== undefined &&
    !diffs.some(
      ({ path, oldPath }) =>
        affectsImportConfig(path, storedConfig) || affectsImportConfig(oldPath, storedConfig),
    )
  const config = isCurrent
    ? storedConfig
    : await withFallback('Import settings', storedConfig ?? emptyImportConfig, () =>
        readImportConfig(head, paths),
      )
  const after = createImportResolver(paths, config)
  const removedPaths = listRemovedPaths(diffs)
  // Without removed files, no import that is missing now resolved before.
  const before =
    removedPaths.size === 0 ? after : createImportResolver([...paths, ...removedPaths], config)
  return { before, after }
}
