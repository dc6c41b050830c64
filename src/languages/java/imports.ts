// Resolves imports of JVM languages: the path of a class ends with its package and its name.

import { countSharedFolders, filenameOf, folderOf } from '../../lib/tree-paths.ts'
import type { FileTree } from '../common/file-tree.ts'
import {
  externalImport,
  missingImport,
  type ResolvedImport,
  type ResolveImport,
  resolvedTo,
} from '../common/resolved-import.ts'

const extensions = ['.java', '.kt', '.scala', '.groovy', '.kts']
const generatedSuffixes = `Grpc Proto Protos OuterClass MapperImpl Builder Binding BindingImpl
  Directions Args _Impl Parser Lexer Stub`.split(/\s+/)
/** Names of classes that annotation processors and build plugins generate. */
const generatedClass = new RegExp(
  `^(${[
    'Q[A-Z]\\w*',
    'R',
    'BuildConfig',
    'AutoValue_\\w+',
    'Dagger\\w+',
    'Immutable\\w+',
    '\\w+_',
    `\\w+(${generatedSuffixes.join('|')})`,
  ].join('|')})$`,
)
const maxFiles = 200
/** An import can name a class, a nested class, or a static member of a nested class. */
const maxNestedNames = 2

export function createJvmImports(tree: FileTree): ResolveImport {
  const findPackageFolders = createPackageFinder(tree)
  const resolve = (path: string, from: string, importsAll: boolean): ResolvedImport => {
    const parts = from.replace(/\.\*$/, '').split('.')
    const maxDropped = Math.min(maxNestedNames, parts.length - 1)
    for (let dropped = 0; dropped <= maxDropped; dropped++) {
      const found = findClass(tree, parts.slice(0, parts.length - dropped), path)
      if (found !== undefined) return resolvedTo(found, dropped === 0 ? 0.98 : 0.95)
    }
    if (importsAll || from.endsWith('.*')) return listPackage(tree, findPackageFolders(parts))
    return mustExist(tree, findPackageFolders, parts, path) ? missingImport : externalImport
  }
  const cache = new Map<string, ResolvedImport>()
  return (path, { from, kind, names }) => {
    const importsAll = kind === 'all' || names.some(({ name }) => name === '*')
    const key = `${importsAll}${folderOf(path)}\0${from}`
    const resolved = cache.get(key) ?? resolve(path, from, importsAll)
    cache.set(key, resolved)
    return resolved
  }
}

/** Finds the file of a class. Build variants can define it several times: the nearest is used. */
function findClass(tree: FileTree, parts: readonly string[], path: string): string | undefined {
  if (!/^[A-Z_]/i.test(parts.at(-1) ?? '')) return undefined
  const suffix = parts.join('/')
  const found = extensions.flatMap((extension) =>
    tree
      .filesNamed(`${parts.at(-1)}${extension}`)
      .filter((file) => endsWithPath(file, suffix + extension)),
  )
  return found.toSorted((a, b) => countSharedFolders(b, path) - countSharedFolders(a, path))[0]
}

function endsWithPath(path: string, suffix: string): boolean {
  return (
    path.endsWith(suffix) &&
    (path.length === suffix.length || path[path.length - suffix.length - 1] === '/')
  )
}

type FindPackageFolders = (parts: readonly string[]) => readonly string[]

/** Finds the folders of a package under all source roots. */
function createPackageFinder(tree: FileTree): FindPackageFolders {
  const foldersByName = Map.groupBy(tree.sourceFolders(extensions), filenameOf)
  return (parts) => {
    const suffix = parts.join('/')
    const folders = foldersByName.get(parts.at(-1) ?? '') ?? []
    return folders.filter((folder) => endsWithPath(folder, suffix))
  }
}

function listPackage(tree: FileTree, folders: readonly string[]): ResolvedImport {
  const files = folders
    .flatMap((folder) => tree.filesIn(folder))
    .filter((path) => /\.(java|kt|scala|groovy)$/.test(path))
  return files.length === 0 ? externalImport : resolvedTo(files.slice(0, maxFiles), 0.9)
}

/** A class of a known package must exist if all files of the package are Java. */
function mustExist(
  tree: FileTree,
  findPackageFolders: FindPackageFolders,
  parts: readonly string[],
  path: string,
): boolean {
  if (!path.endsWith('.java') || parts.length < 3) return false
  const className = parts.at(-1) ?? ''
  if (!/^[A-Z]/.test(className) || generatedClass.test(className)) return false
  const folders = findPackageFolders(parts.slice(0, -1))
  return (
    folders.length > 0 &&
    folders.every(
      (folder) =>
        !tree.mayBeHidden(folder, path) &&
        tree.filesIn(folder).every((file) => file.endsWith('.java')),
    )
  )
}
