// Loads the files that define or re-export the names that other files use.
import type { CodeBinding, CodeImport, FileIndex } from '../../languages/code-index.ts'
import { folderOf, isWithin } from '../../lib/tree-paths.ts'
import type { ImportResolver } from '../resolution/import-resolver.ts'
import type { ChangedFile } from './changed-file.ts'
import { maxReexportingFiles } from './exported-names.ts'
import type { HeadIndex } from './head-index.ts'

/** The maximum number of imports to follow, over re-exporting files and base classes. */
const maxSteps = 3
const maxFiles = 120
/** A name that more files define is too ambiguous to load them all. */
const maxDefiningFiles = 4

/** The names to find, by the path of the file that uses them. */
type WantedNames = ReadonlyMap<string, ReadonlySet<string>>

/** Maps names to files that define them. */
export type Definitions = ReadonlyMap<string, readonly { readonly path: string }[]>

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
  definitions: Definitions,
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
  const names = new Set([...wanted.values()].flatMap((each) => [...each]))
  let current = wanted
  let filesLeft = maxFiles
  for (let step = 0; step < maxSteps && current.size > 0 && filesLeft > 0; step++) {
    const pathsOf = findDefiningPaths(headIndex, names, definitions)
    const next = followImports({ headIndex, imports, definingFiles, pathsOf }, current, filesLeft)
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
  /** Maps names to the files that are known to define them. */
  readonly pathsOf: ReadonlyMap<string, ReadonlySet<string>>
}

/** Finds the files that define names, among the loaded ones and in `definitions`. */
function findDefiningPaths(
  { fileIndexes }: HeadIndex,
  names: ReadonlySet<string>,
  definitions: Definitions,
): Map<string, Set<string>> {
  const paths = new Map<string, Set<string>>()
  const add = (name: string, path: string) =>
    paths.set(name, (paths.get(name) ?? new Set()).add(path))
  for (const name of names) for (const { path } of definitions.get(name) ?? []) add(name, path)
  for (const [path, { symbols }] of fileIndexes)
    for (const { name } of symbols) if (names.has(name)) add(name, path)
  return paths
}

/** Chooses all files if there are few, and otherwise those in the folder of the using file. */
function chooseDefiningFiles(definingPaths: readonly string[], user: string): readonly string[] {
  return definingPaths.length <= maxDefiningFiles
    ? definingPaths
    : definingPaths.filter((path) => folderOf(path) === folderOf(user))
}

/** Finds the files that imports of the wanted names lead to, with the names to find there. */
function followImports(
  { headIndex, imports, definingFiles, pathsOf }: ImportSearch,
  wanted: WantedNames,
  maxTargets: number,
): Map<string, Set<string>> {
  const next = new Map<string, Set<string>>()
  for (const [path, names] of wanted) {
    const fileIndex = headIndex.fileIndexes.get(path)
    if (fileIndex === undefined) continue
    const wantedNames = new Set([...names, ...listTypeNames(fileIndex, names)])
    const mayReexport = createReexportTest(
      fileIndex,
      [...names].map((name) => pathsOf.get(name)),
      (item) => imports.resolve(path, item).paths,
    )
    for (const item of fileIndex.imports) {
      if (!mayImport(item, wantedNames)) continue
      const originalNames = item.names
        .filter(({ name, local }) => wantedNames.has(local) || wantedNames.has(name))
        .map(({ name }) => name)
      const { paths } = imports.resolve(path, item)
      // A package can consist of many files, of which only the defining ones are needed.
      const targets =
        paths.length === 1
          ? paths.filter((target) => !isWildcard(item) || mayReexport(target))
          : paths.filter((target) => definingFiles.has(target))
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

/**
 * A file can re-export everything of hundreds of files. If the files that define a name are known,
 * only these lead to it, and if none of them is re-exported, the files in the closest folders
 * around them. Of a few files, all are searched for the names that they no longer export.
 *
 * @param definingPaths those of each wanted name; undefined if they aren't known
 */
function createReexportTest(
  { imports }: FileIndex,
  definingPaths: readonly (ReadonlySet<string> | undefined)[],
  resolve: (item: CodeImport) => readonly string[],
): (target: string) => boolean {
  const known = definingPaths.flatMap((paths) => (paths ? [[...paths]] : []))
  const targets = new Set(imports.filter(isWildcard).flatMap(resolve))
  const isUnknown = known.length < definingPaths.length
  if (isUnknown || targets.size <= maxReexportingFiles) return () => true
  const folders = [...new Set([...targets].map(folderOf))].sort((a, b) => b.length - a.length)
  const distant = known.filter((paths) => !paths.some((path) => targets.has(path))).flat()
  const closest = new Set(distant.map((path) => folders.find((folder) => isWithin(path, folder))))
  const defining = new Set(known.flat())
  return (target) => defining.has(target) || closest.has(folderOf(target))
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

function mayImport(item: CodeImport, wantedNames: ReadonlySet<string>): boolean {
  const { kind, names } = item
  if (kind === 'include' || kind === 'system' || isWildcard(item)) return true
  return names.some(({ name, local }) => wantedNames.has(local) || wantedNames.has(name))
}

/** Whether an import makes all names of a module visible in its file, or exports them again. */
function isWildcard({ kind, names }: CodeImport): boolean {
  return kind === 'all' || names.some(({ local }) => local === '*')
}
