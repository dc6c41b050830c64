// Loads the files that define or re-export the names that other files use.
import type { CodeBinding, CodeImport, FileIndex } from '../../languages/code-index.ts'
import { folderOf } from '../../lib/tree-paths.ts'
import type { ImportResolver } from '../resolution/import-resolver.ts'
import type { ChangedFile } from './changed-file.ts'
import type { HeadIndex } from './head-index.ts'

/** The maximum number of imports to follow, over re-exporting files and base classes. */
const maxSteps = 3
const maxFiles = 120
/** A name that more files define is too ambiguous to load them all. */
const maxDefiningFiles = 4

/** The names to find, by the path of the file that uses them. */
type WantedNames = ReadonlyMap<string, ReadonlySet<string>>

/** Collects the names that changed lines use, by path. */
export function listUsedNames(files: readonly ChangedFile[]): Map<string, Set<string>> {
  const names = new Map<string, Set<string>>()
  for (const { diff, after, lines } of files) {
    if (after === null) continue
    const references = after.fileIndex.references.filter(({ line }) => lines.added.has(line))
    const used = references.flatMap(({ name, qualifier }) =>
      qualifier ? [name, qualifier] : [name],
    )
    names.set(diff.path, new Set(used))
  }
  return names
}

/**
 * Loads the files that define the wanted names, and those that imports of these names lead to.
 *
 * @param wanted contains only files that are in the index already
 * @param definitions maps names to the files that define them
 */
export async function loadDefinitions(
  headIndex: HeadIndex,
  imports: ImportResolver,
  wanted: WantedNames,
  definitions: ReadonlyMap<string, readonly { readonly path: string }[]>,
): Promise<void> {
  const chosenFiles = new Set<string>()
  for (const [path, names] of wanted) {
    for (const name of names) {
      const definingPaths = (definitions.get(name) ?? []).map((definition) => definition.path)
      for (const chosen of chooseDefiningFiles(definingPaths, path)) chosenFiles.add(chosen)
    }
  }
  await headIndex.load([...chosenFiles].slice(0, maxFiles))
  const definingFiles = new Set(
    definitions.values().flatMap((list) => list.map(({ path }) => path)),
  )
  let current = wanted
  let filesLeft = maxFiles
  for (let step = 0; step < maxSteps && current.size > 0 && filesLeft > 0; step++) {
    const next = followImports({ headIndex, imports, definingFiles }, current, filesLeft)
    await headIndex.load(next.keys())
    filesLeft -= next.size
    current = next
  }
}

interface ImportSearch {
  readonly headIndex: HeadIndex
  readonly imports: ImportResolver
  /** Contains the files that define a used name. */
  readonly definingFiles: ReadonlySet<string>
}

/** Chooses all files if there are few, and otherwise those in the folder of the using file. */
function chooseDefiningFiles(definingPaths: readonly string[], user: string): readonly string[] {
  return definingPaths.length <= maxDefiningFiles
    ? definingPaths
    : definingPaths.filter((path) => folderOf(path) === folderOf(user))
}

/** Finds the files that imports of the wanted names lead to, with the names to find there. */
function followImports(
  { headIndex, imports, definingFiles }: ImportSearch,
  wanted: WantedNames,
  maxTargets: number,
): Map<string, Set<string>> {
  const next = new Map<string, Set<string>>()
  for (const [path, names] of wanted) {
    const fileIndex = headIndex.fileIndexes.get(path)
    if (fileIndex === undefined) continue
    const wantedNames = new Set([...names, ...listTypeNames(fileIndex, names)])
    for (const item of fileIndex.imports) {
      if (!mayImport(item, wantedNames)) continue
      const originalNames = item.names
        .filter(({ name, local }) => wantedNames.has(local) || wantedNames.has(name))
        .map(({ name }) => name)
      const { paths } = imports.resolve(path, item)
      // A package can consist of many files, of which only the defining ones are needed.
      const targets =
        paths.length === 1 ? paths : paths.filter((target) => definingFiles.has(target))
      for (const target of targets) {
        const isOverLimit = next.size >= maxTargets && !next.has(target)
        if (wanted.has(target) || isOverLimit) continue
        const earlierNames = next.get(target) ?? []
        next.set(target, new Set([...earlierNames, ...wantedNames, ...originalNames]))
      }
    }
  }
  return next
}

/** Collects the types of names and the bases of types: they define the methods that are called. */
function listTypeNames({ bindings, symbols }: FileIndex, names: ReadonlySet<string>): string[] {
  const bindsWantedName = ({ name, within }: CodeBinding) => {
    // A return type is bound to `()` within the function.
    const boundName = name === '()' ? (symbols[within]?.name ?? '') : name
    return names.has(boundName)
  }
  const boundTypes = bindings
    .filter(bindsWantedName)
    .flatMap(({ type }) => type.replace(/\(\)$/, '').split('.'))
  const bases = symbols.filter(({ name }) => names.has(name)).flatMap((symbol) => symbol.extends)
  return [...boundTypes, ...bases].flatMap((type) => [type, type.slice(type.search(/\w+$/))])
}

function mayImport({ names, kind }: CodeImport, wantedNames: ReadonlySet<string>): boolean {
  if (kind === 'all' || kind === 'include' || kind === 'system') return true
  return names.some(
    ({ name, local }) => local === '*' || wantedNames.has(local) || wantedNames.has(name),
  )
}
