// Resolves imports of Go: a package is a folder of a module, and all of its files that aren't tests.
import { below, folderOf, isWithin } from '../paths.ts'
import type { GoModule, Resolution } from '../resolution.ts'
import {
  inside,
  missing,
  outside,
  type ResolvedImport,
  type ResolveImport,
} from './resolved-import.ts'
import type { Tree } from './tree.ts'

/** A package of more files is told by its first ones. */
const mostFiles = 500

export function createGoImports(tree: Tree, { goModules }: Resolution): ResolveImport {
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
        findPackage(tree, below(replacement.folder, from.slice(replacement.path.length + 1))) ??
        outside
      )
    const module = modules.find((one) => one.path !== '' && isWithin(from, one.path))
    if (module === undefined) return modules.length === 0 ? resolveBySuffix(tree, from) : outside
    const folder = below(module.folder, from.slice(module.path.length + 1))
    return findPackage(tree, folder) ?? describeAbsence(tree, module, folder, path)
  }
  return (path, { from }) => {
    if (!from.includes('/') && modules.every((module) => module.path !== from)) return outside
    const key = `${folderOf(path)}\0${from}`
    const found = known.get(key) ?? resolve(path, from)
    known.set(key, found)
    return found
  }
}

function findPackage(tree: Tree, folder: string, confidence = 0.98): ResolvedImport | undefined {
  const files = tree
    .filesIn(folder)
    .filter((path) => path.endsWith('.go') && !path.endsWith('_test.go'))
  return files.length === 0 ? undefined : inside(files.slice(0, mostFiles), confidence)
}

/** A path of the importer's own module must be there, unless a tool makes it. */
function describeAbsence(
  tree: Tree,
  module: GoModule,
  folder: string,
  path: string,
): ResolvedImport {
  const isOwn = isWithin(path, module.folder)
  // Something there may be what a tool makes Go of.
  const hasSources = tree.filesIn(folder).some((file) => !/\.(go|md)$/.test(file))
  return isOwn &&
    !hasSources &&
    !tree.mayHide(folder, path) &&
    !/(^|\/)\w*(pb|proto|mocks?)$/i.test(folder)
    ? missing
    : outside
}

/** Without any go.mod: the folder of the tree that the path ends with. */
function resolveBySuffix(tree: Tree, from: string): ResolvedImport {
  const parts = from.split('/')
  if (!parts[0]!.includes('.')) return outside
  for (let start = 1; start < parts.length; start++) {
    const found = findPackage(tree, parts.slice(start).join('/'), 0.7)
    if (found !== undefined) return found
  }
  return outside
}
