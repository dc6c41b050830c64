// Resolves imports of Java and its relatives: a class's path ends with its package and its name.
import { countSharedFolders, folderOf } from '../paths.ts'
import type { FileTree } from './file-tree.ts'
import {
  externalImport,
  missingImport,
  type ResolvedImport,
  type ResolveImport,
  resolvedTo,
} from './resolved-import.ts'

const extensions = ['.java', '.kt', '.scala', '.groovy', '.kts']
/** What annotations and build plugins make. */
const generatedClass =
  /^(Q[A-Z]\w*|R|BuildConfig|AutoValue_\w+|Dagger\w+|Immutable\w+|\w+_|\w+(Grpc|Proto|Protos|OuterClass|MapperImpl|Builder|Binding|BindingImpl|Directions|Args|_Impl|Parser|Lexer|Stub))$/
const maxFiles = 200

export function createJvmImports(tree: FileTree): ResolveImport {
  const folders = createPackageFinder(tree)
  const known = new Map<string, ResolvedImport>()
  const resolve = (path: string, from: string, isAll: boolean): ResolvedImport => {
    const parts = from.replace(/\.\*$/, '').split('.')
    // The class itself, the one around it, or around a static member of that.
    for (let drop = 0; drop < 3 && parts.length - drop >= 1; drop++) {
      const found = findClass(tree, parts.slice(0, parts.length - drop), path)
      if (found !== undefined) return resolvedTo(found, drop === 0 ? 0.98 : 0.95)
    }
    if (isAll || from.endsWith('.*')) return listPackage(tree, folders(parts))
    return mustExist(tree, folders, parts, path) ? missingImport : externalImport
  }
  return (path, { from, kind, names }) => {
    const isAll = kind === 'all' || names.some(({ name }) => name === '*')
    const key = `${isAll}${folderOf(path)}\0${from}`
    const found = known.get(key) ?? resolve(path, from, isAll)
    known.set(key, found)
    return found
  }
}

/** The file of a class; of several, such as those of variants of a build, the one nearest to the importer. */
function findClass(tree: FileTree, parts: readonly string[], path: string): string | undefined {
  if (!/^[A-Z_]/i.test(parts.at(-1) ?? '')) return undefined
  const suffix = parts.join('/')
  const found = extensions.flatMap((extension) =>
    tree
      .filesNamed(`${parts.at(-1)}${extension}`)
      .filter((file) => endsWithPath(file, suffix + extension)),
  )
  return found.toSorted(
    (one, other) => countSharedFolders(other, path) - countSharedFolders(one, path),
  )[0]
}

function endsWithPath(path: string, suffix: string): boolean {
  return (
    path.endsWith(suffix) &&
    (path.length === suffix.length || path[path.length - suffix.length - 1] === '/')
  )
}

type FindPackage = (parts: readonly string[]) => readonly string[]

/** Finds the folders of a package, under whatever root. */
function createPackageFinder(tree: FileTree): FindPackage {
  const byName = new Map<string, Set<string>>()
  for (const path of tree.sourceFolders(extensions)) {
    const name = path.slice(path.lastIndexOf('/') + 1)
    byName.set(name, (byName.get(name) ?? new Set()).add(path))
  }
  return (parts) => {
    const suffix = parts.join('/')
    return [...(byName.get(parts.at(-1) ?? '') ?? [])].filter((folder) =>
      endsWithPath(folder, suffix),
    )
  }
}

function listPackage(tree: FileTree, folders: readonly string[]): ResolvedImport {
  const files = folders
    .flatMap((folder) => tree.filesIn(folder))
    .filter((path) => /\.(java|kt|scala|groovy)$/.test(path))
  return files.length === 0 ? externalImport : resolvedTo(files.slice(0, maxFiles), 0.9)
}

/** A class of a package that lies here, in Java alone, where its name says its file. */
function mustExist(
  tree: FileTree,
  folders: FindPackage,
  parts: readonly string[],
  path: string,
): boolean {
  const name = parts.at(-1) ?? ''
  if (
    !path.endsWith('.java') ||
    parts.length < 3 ||
    !/^[A-Z]/.test(name) ||
    generatedClass.test(name)
  )
    return false
  const around = folders(parts.slice(0, -1))
  return (
    around.length > 0 &&
    around.every(
      (folder) =>
        !tree.mayBeHidden(folder, path) &&
        tree.filesIn(folder).every((file) => file.endsWith('.java')),
    )
  )
}
