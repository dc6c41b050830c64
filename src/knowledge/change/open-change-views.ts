// Lays the changed files over the others: the code before and after the change, as far as it was read.
import type { FileIndex } from '../../code/code-index.ts'
import type { StoredDefinition } from '../graph/read-graph.ts'
import { type CodeView, createCodeView, openCodeView } from '../resolution/code-view.ts'
import type { ImportResolver } from '../resolution/imports/import-resolver.ts'
import type { ChangedFile } from './changed-file.ts'
import type { ChangeViews } from './find-change-callers.ts'

export interface ViewParts {
  readonly files: readonly ChangedFile[]
  /** At the head, changed files too. */
  readonly fileIndexes: ReadonlyMap<string, FileIndex>
  /** Whose references count all; of the others only those to `names`. */
  readonly completePaths: ReadonlySet<string>
  /** Names of changed definitions. */
  readonly names: ReadonlySet<string>
  /** Who defines a name in files that weren't read. */
  readonly definitions: ReadonlyMap<string, readonly StoredDefinition[]>
  readonly imports: { readonly before: ImportResolver; readonly after: ImportResolver }
}

/** Makes both views. */
export function openChangeViews({
  files,
  fileIndexes: facts,
  completePaths: whole,
  names,
  definitions: definers,
  imports,
}: ViewParts): ChangeViews {
  const changed = new Set(files.flatMap(({ diff }) => [diff.path, diff.oldPath]))
  const others = [...facts]
    .filter(([path]) => !changed.has(path))
    .map(([path, item]) => [path, whole.has(path) ? item : narrowFileIndex(item, names)] as const)
  const strangers = new Map(
    [...definers].map(([name, list]) => [
      name,
      list.filter(({ path }) => !changed.has(path) && !facts.has(path)),
    ]),
  )
  const open = (
    versions: readonly (readonly [string, FileIndex])[],
    resolver: ImportResolver,
  ): CodeView => {
    const { fileIndex, definitionsOf, filesInNamespace } = createCodeView(
      [...others, ...versions],
      resolver,
    )
    const source = {
      fileIndex,
      filesInNamespace,
      definitionsOf: (name: string) => [...definitionsOf(name), ...(strangers.get(name) ?? [])],
    }
    return openCodeView(source, resolver)
  }
  return {
    before: open(
      files.flatMap(({ before }) =>
        before === null ? [] : [[before.path, before.fileIndex] as const],
      ),
      imports.before,
    ),
    after: open(
      files.flatMap(({ after }) =>
        after === null ? [] : [[after.path, after.fileIndex] as const],
      ),
      imports.after,
    ),
  }
}

/** Leaves out references to anything but these names, under whatever name a file imports them: most of a file's. */
export function narrowFileIndex(facts: FileIndex, names: ReadonlySet<string>): FileIndex {
  const local = new Set(names)
  // What is called tells the types of others.
  for (const { type } of facts.bindings)
    if (type.endsWith('()')) local.add(type.slice(type.lastIndexOf('.') + 1, -2))
  for (const item of facts.imports)
    for (const { name, local: own } of item.names)
      if (names.has(name) || name === 'default') local.add(own)
  return { ...facts, references: facts.references.filter(({ name }) => local.has(name)) }
}
