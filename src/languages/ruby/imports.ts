// Resolves Ruby imports: relative ones, and files on the load paths that projects usually have.

import { enclosingFolders, folderOf, joinFolder, joinPath } from '../../lib/tree-paths.ts'
import type { FileTree } from '../common/file-tree.ts'
import {
  externalImport,
  missingImport,
  type ResolvedImport,
  type ResolveImport,
  resolvedTo,
} from '../common/resolved-import.ts'

const loadFolders = ['lib', '', 'spec', 'test', 'app', 'ext']
const extensions = ['.rb', '', '.rake']

export function createRubyImports(tree: FileTree): ResolveImport {
  return (path, { from, kind }) => {
    const isRelative = kind === 'include' || from.startsWith('.')
    if (isRelative) return resolveRelative(tree, path, from)
    return findOnLoadPaths(tree, path, from) ?? resolveInSiblingGem(tree, from)
  }
}

function findFile(tree: FileTree, base: string | undefined): string | undefined {
  if (base === undefined) return undefined
  for (const extension of extensions) if (tree.has(base + extension)) return base + extension
  return undefined
}

function resolveRelative(tree: FileTree, path: string, from: string): ResolvedImport {
  const base = joinPath(folderOf(path), from)
  const file = findFile(tree, base)
  if (file !== undefined) return resolvedTo(file, 0.98)
  const mustExist =
    base !== undefined && !tree.mayBeHidden(base, path) && !/\.(so|bundle|o)$|version$/.test(base)
  return mustExist ? missingImport : externalImport
}

function findOnLoadPaths(tree: FileTree, path: string, from: string): ResolvedImport | undefined {
  for (const enclosing of enclosingFolders(folderOf(path))) {
    for (const folder of loadFolders) {
      const file = findFile(tree, joinPath(joinFolder(enclosing, folder), from))
      if (file === undefined) continue
      if (folder === 'lib') return resolvedTo(file, 0.95)
      // A bare name such as `json` most often means a library, not a file next to the importer.
      if (from.includes('/') || file.endsWith('_helper.rb')) return resolvedTo(file, 0.85)
    }
  }
  return undefined
}

/** Finds a file in the `lib` folder of another gem of the repository. */
function resolveInSiblingGem(tree: FileTree, from: string): ResolvedImport {
  const name = from.slice(from.lastIndexOf('/') + 1)
  const found = tree.filesNamed(`${name}.rb`).filter((path) => path.endsWith(`/lib/${from}.rb`))
  return found.length === 1 ? resolvedTo(found, 0.85) : externalImport
}
