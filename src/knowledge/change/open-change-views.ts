// Opens views of the code before and after a change by overlaying the changed files.
import type { FileIndex } from '../../languages/code-index.ts'
import type { StoredDefinition } from '../graph/read-graph.ts'
import { type CodeView, createCodeView, openCodeView } from '../resolution/code-view.ts'
import type { ImportResolver } from '../resolution/import-resolver.ts'
import type { ChangedFile } from './changed-file.ts'
import type { FileVersion } from './compare-symbols.ts'
import type { ChangeViews } from './find-change-callers.ts'
import type { ChangeImports } from './open-imports.ts'

interface ViewParts {
  readonly files: readonly ChangedFile[]
  /** Contains the index entries at the head, also of changed files. */
  readonly fileIndexes: ReadonlyMap<string, FileIndex>
  /** Contains files of which all references are needed; of others, only those to `names` are. */
  readonly completePaths: ReadonlySet<string>
  /** Contains the names of changed definitions. */
  readonly names: ReadonlySet<string>
  /** Contains stored definitions by name, also of files that aren't loaded. */
  readonly definitions: ReadonlyMap<string, readonly StoredDefinition[]>
  readonly imports: ChangeImports
}

export function openChangeViews({
  files,
  fileIndexes,
  completePaths,
  names,
  definitions,
  imports,
}: ViewParts): ChangeViews {
  const changedPaths = new Set(files.flatMap(({ diff }) => [diff.path, diff.oldPath]))
  const unchangedFiles = [...fileIndexes]
    .filter(([path]) => !changedPaths.has(path))
    .map(([path, fileIndex]) => {
      const isComplete = completePaths.has(path)
      return [path, isComplete ? fileIndex : narrowFileIndex(fileIndex, names)] as const
    })
  const unloadedDefinitions = new Map(
    [...definitions].map(([name, list]) => [
      name,
      list.filter(({ path }) => !changedPaths.has(path) && !fileIndexes.has(path)),
    ]),
  )
  const openView = (
    changedFiles: readonly (FileVersion | null)[],
    resolver: ImportResolver,
  ): CodeView => {
    const versions = changedFiles
      .filter((version) => version !== null)
      .map(({ path, fileIndex }) => [path, fileIndex] as const)
    const loaded = createCodeView([...unchangedFiles, ...versions], resolver)
    const source = {
      fileIndex: loaded.fileIndex,
      filesInNamespace: loaded.filesInNamespace,
      definitionsOf: (name: string) => [
        ...loaded.definitionsOf(name),
        ...(unloadedDefinitions.get(name) ?? []),
      ],
    }
    return openCodeView(source, resolver)
  }
  return {
    before: openView(
      files.map(({ before }) => before),
      imports.before,
    ),
    after: openView(
      files.map(({ after }) => after),
      imports.after,
    ),
  }
}

/**
 * Removes references that can't mean one of these names, considering aliases of imports.
 * That speeds up the resolution, because most references of a file have other names.
 */
export function narrowFileIndex(fileIndex: FileIndex, names: ReadonlySet<string>): FileIndex {
  const relevantNames = new Set(names)
  // The types of variables are resolved by the calls that they are bound to.
  for (const { type } of fileIndex.bindings)
    if (type.endsWith('()')) relevantNames.add(type.slice(type.lastIndexOf('.') + 1, -2))
  for (const item of fileIndex.imports) {
    for (const { name, local } of item.names)
      if (names.has(name) || name === 'default') relevantNames.add(local)
  }
  const references = fileIndex.references.filter(({ name }) => relevantNames.has(name))
  return { ...fileIndex, references }
}
