// Resolves Go imports: a package consists of all files of a folder that aren't tests.

import { folderOf, isWithin, joinFolder } from '../../lib/tree-paths.ts'
import type { FileTree } from '../common/file-tree.ts'
import type { GoModule, ImportConfig } from '../common/import-config.ts'
import {
  externalImport,
  missingImport,
  type ResolvedImport,
  type ResolveImport,
  resolvedTo,
} from '../common/resolved-import.ts'

const maxFiles = 500
/** Folders with these names contain code that protobuf compilers and mock generators write. */
const generatedFolder = /(^|\/)\w*(pb|proto|mocks?)$/i

export function createGoImports(tree: FileTree, { goModules }: ImportConfig): ResolveImport {
  // A nested module has a longer path than the one around it and takes precedence.
  const modules = goModules.toSorted((a, b) => b.path.length - a.path.length)
  const replacements = goModules.flatMap((module) =>
    module.replaced.map(([path, folder]) => ({ module, path, folder })),
  )
  const resolve = (path: string, from: string): ResolvedImport => {
    const replacement = replacements.find(
      (candidate) => isWithin(path, candidate.module.folder) && isWithin(from, candidate.path),
    )
    if (replacement !== undefined) {
      const subpath = from.slice(replacement.path.length + 1)
      return findPackage(tree, joinFolder(replacement.folder, subpath)) ?? externalImport
    }
    const module = modules.find(
      (candidate) => candidate.path !== '' && isWithin(from, candidate.path),
    )
    if (module === undefined)
      return modules.length === 0 ? resolveBySuffix(tree, from) : externalImport
    const folder = joinFolder(module.folder, from.slice(module.path.length + 1))
    return findPackage(tree, folder) ?? missingOrExternal(tree, module, folder, path)
  }
  const cache = new Map<string, ResolvedImport>()
  return (path, { from }) => {
    if (!from.includes('/') && modules.every((module) => module.path !== from))
      return externalImport
    const key = `${folderOf(path)}\0${from}`
    const resolved = cache.get(key) ?? resolve(path, from)
    cache.set(key, resolved)
    return resolved
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

/** A package of the importer's own module must exist, unless a tool generates it. */
function missingOrExternal(
  tree: FileTree,
  module: GoModule,
  folder: string,
  path: string,
): ResolvedImport {
  if (!isWithin(path, module.folder)) return externalImport
  const mayBeGenerated =
    generatedFolder.test(folder) ||
    tree.filesIn(folder).some((file) => !/\.(go|md)$/.test(file)) ||
    tree.mayBeHidden(folder, path)
  return mayBeGenerated ? externalImport : missingImport
}

/** Finds a folder by the end of the import path, in trees without any go.mod. */
function resolveBySuffix(tree: FileTree, from: string): ResolvedImport {
  const parts = from.split('/')
  if (!parts[0]!.includes('.')) return externalImport
  for (let start = 1; start < parts.length; start++) {
    const found = findPackage(tree, parts.slice(start).join('/'), 0.7)
    if (found !== undefined) return found
  }
  return externalImport
}
