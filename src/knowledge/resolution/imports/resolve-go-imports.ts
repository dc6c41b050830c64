// Resolves imports of Go: a package is a folder of a module, and all of its files that aren't tests.

import type { GoModule, ImportConfig } from '../import-config.ts'
import { folderOf, isWithin, joinFolder } from '../paths.ts'
import type { FileTree } from './file-tree.ts'
import {
  externalImport,
  missingImport,
  type ResolvedImport,
  type ResolveImport,
  resolvedTo,
} from './resolved-import.ts'

/** A package of more files is told by its first ones. */
const maxFiles = 500

export function createGoImports(tree: FileTree, { goModules }: ImportConfig): ResolveImport {
  // The longest path first: a module inside of another's folder has its own.
  const modules = goModules.toSorted((one, other) => other.path.length - one.path.length)
  const replaced = goModules.flatMap((module) =>
    module.replaced.map(([path, folder]) => ({ module, path, folder })),
  )
  const known = new Map<string, ResolvedImport>()
  const resolve = (path: string, from: string): ResolvedImport => {
    const replacement = replaced.find(
      (one) => isWithin(path, one.module.folder) && isWithin(from, one.path),
    )
    if (replacement !== undefined)
      return (
        findPackage(
          tree,
          joinFolder(replacement.folder, from.slice(replacement.path.length + 1)),
        ) ?? externalImport
      )
    const module = modules.find((one) => one.path !== '' && isWithin(from, one.path))
    if (module === undefined)
      return modules.length === 0 ? resolveBySuffix(tree, from) : externalImport
    const folder = joinFolder(module.folder, from.slice(module.path.length + 1))
    return findPackage(tree, folder) ?? missingOrExternal(tree, module, folder, path)
  }
  return (path, { from }) => {
    if (!from.includes('/') && modules.every((module) => module.path !== from))
      return externalImport
    const key = `${folderOf(path)}\0${from}`
    const found = known.get(key) ?? resolve(path, from)
    known.set(key, found)
    return found
  }
}

function findPackage(
  tree: FileTree,
  folder: string,
  confidence = 0.98,
): ResolvedImport | undefined {
  const files = tree
    .filesIn(folder)
    .filter((path) => path.endsWith('.go') && !path.endsWith('_test.go'))
  return files.length === 0 ? undefined : resolvedTo(files.slice(0, maxFiles), confidence)
}

/** A path of the importer's own module must be there, unless a tool makes it. */
function missingOrExternal(
  tree: FileTree,
  module: GoModule,
  folder: string,
  path: string,
): ResolvedImport {
  const isOwn = isWithin(path, module.folder)
  // Something there may be what a tool makes Go of.
  const hasSources = tree.filesIn(folder).some((file) => !/\.(go|md)$/.test(file))
  return isOwn &&
    !hasSources &&
    !tree.mayBeHidden(folder, path) &&
    !/(^|\/)\w*(pb|proto|mocks?)$/i.test(folder)
    ? missingImport
    : externalImport
}

/** Without any go.mod: the folder of the tree that the path ends with. */
function resolveBySuffix(tree: FileTree, from: string): ResolvedImport {
  const parts = from.split('/')
  if (!parts[0]!.includes('.')) return externalImport
  for (let start = 1; start < parts.length; start++) {
    const found = findPackage(tree, parts.slice(start).join('/'), 0.7)
    if (found !== undefined) return found
  }
  return externalImport
}
