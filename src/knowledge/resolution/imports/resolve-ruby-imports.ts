// Resolves imports of Ruby: files beside the importer, and those on the load paths that projects customarily have.
import { enclosingFolders, folderOf, joinFolder, joinPath } from '../paths.ts'
import type { FileTree } from './file-tree.ts'
import {
  externalImport,
  missingImport,
  type ResolvedImport,
  type ResolveImport,
  resolvedTo,
} from './resolved-import.ts'

const loadFolders = ['lib', '', 'spec', 'test', 'app', 'ext']
const extensions = ['.rb', '', '.rake']

export function createRubyImports(tree: FileTree): ResolveImport {
  const find = (base: string | undefined): string | undefined => {
    if (base === undefined) return undefined
    for (const extension of extensions) if (tree.has(base + extension)) return base + extension
    return undefined
  }
  return (path, { from, kind }) => {
    const isRelative = kind === 'include' || from.startsWith('.')
    const beside = joinPath(folderOf(path), from)
    const found = isRelative ? find(beside) : undefined
    if (found !== undefined) return resolvedTo(found, 0.98)
    if (isRelative) return missingOrExternal(tree, beside, path)
    for (const around of enclosingFolders(folderOf(path))) {
      for (const folder of loadFolders) {
        const file = find(joinPath(joinFolder(around, folder), from))
        // A bare name such as `json` beside the importer is most often a library's.
        if (
          file !== undefined &&
          (folder === 'lib' || from.includes('/') || file.endsWith('_helper.rb'))
        )
          return resolvedTo(file, folder === 'lib' ? 0.95 : 0.85)
      }
    }
    return resolveInSiblings(tree, from)
  }
}

function missingOrExternal(tree: FileTree, base: string | undefined, path: string): ResolvedImport {
  const mustBeHere =
    base !== undefined && !tree.mayBeHidden(base, path) && !/\.(so|bundle|o)$|version$/.test(base)
  return mustBeHere ? missingImport : externalImport
}

/** A gem of several in one repository: its files lie in its own `lib`. */
function resolveInSiblings(tree: FileTree, from: string): ResolvedImport {
  const name = from.slice(from.lastIndexOf('/') + 1)
  const found = tree.filesNamed(`${name}.rb`).filter((path) => path.endsWith(`/lib/${from}.rb`))
  return found.length === 1 ? resolvedTo(found, 0.85) : externalImport
}
