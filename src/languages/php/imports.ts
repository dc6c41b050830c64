// Resolves PHP imports: classes by Composer's prefixes or path suffixes, included files by paths.

import {
  countSharedFolders,
  enclosingFolders,
  folderOf,
  joinFolder,
  joinPath,
} from '../../lib/tree-paths.ts'
import type { CodeImport } from '../code-index.ts'
import type { FileTree } from '../common/file-tree.ts'
import type { ImportConfig, PhpPrefix } from '../common/import-config.ts'
import {
  externalImport,
  missingImport,
  type ResolvedImport,
  type ResolveImport,
  resolvedTo,
} from '../common/resolved-import.ts'

/** Files with these names are often created at installation. */
const localFile = /config|local|settings|autoload/i
const includeKinds: ReadonlySet<CodeImport['kind']> = new Set(['include', 'system', 'dynamic'])

export function createPhpImports(tree: FileTree, resolution: ImportConfig): ResolveImport {
  const prefixes = resolution.phpPrefixes.toSorted((a, b) => b.prefix.length - a.prefix.length)
  return (path, item) => {
    const isInclude = includeKinds.has(item.kind) || /\.\w+$|^\.{0,2}\//.test(item.from)
    if (isInclude) return resolveInclude(tree, path, item)
    const className = item.from.replace(/^\\+/, '')
    return resolveClass(tree, prefixes, path, className)
  }
}

function resolveClass(
  tree: FileTree,
  prefixes: readonly PhpPrefix[],
  path: string,
  name: string,
): ResolvedImport {
  const matching = prefixes.filter(({ prefix }) => name.startsWith(prefix))
  const file = matching
    .flatMap((prefix) => listClassPaths(prefix, name))
    .find((candidate) => tree.has(candidate))
  if (file !== undefined) return resolvedTo(file, 0.98)
  const similar = findBySuffix(tree, name.replaceAll('\\', '/'), path)
  if (similar !== undefined) return resolvedTo(similar, 0.8)
  const own = matching.find(({ prefix }) => prefix !== '')
  return own !== undefined && mustExist(tree, own, name, path) ? missingImport : externalImport
}

/** Collects the paths that a class can have under a prefix, see PSR-0 and PSR-4 of php-fig.org. */
function listClassPaths({ prefix, folders, isPsr0 }: PhpPrefix, name: string): string[] {
  const rest = isPsr0
    ? name.replace(/[^\\]+$/, (className) => className.replaceAll('_', '\\'))
    : name.slice(prefix.length)
  return folders.map((folder) => joinFolder(folder, `${rest.replaceAll('\\', '/')}.php`))
}

/** A class of an own namespace must exist. The name may also be a namespace or a function. */
function mustExist(tree: FileTree, own: PhpPrefix, name: string, path: string): boolean {
  const lastPart = name.slice(name.lastIndexOf('\\') + 1)
  if (own.isPsr0 || !/^[A-Z]\w*[a-z]/.test(lastPart)) return false
  const files = listClassPaths(own, name)
  const isKnownNamespace = files.some((file) => tree.hasFolder(folderOf(folderOf(file))))
  if (!isKnownNamespace) return false
  return files.every(
    (file) => !tree.hasFolder(file.slice(0, -'.php'.length)) && !tree.mayBeHidden(file, path),
  )
}

/** Finds the file that shares the longest end of its path with the name, at least two parts. */
function findBySuffix(tree: FileTree, name: string, path: string): string | undefined {
  const parts = name.split('/')
  const candidates = tree.filesNamed(`${parts.at(-1)}.php`)
  for (let start = 0; start < parts.length - 1; start++) {
    const suffix = `${parts.slice(start).join('/')}.php`
    const found = candidates.filter((file) => file === suffix || file.endsWith(`/${suffix}`))
    if (found.length === 1) return found[0]
    if (found.length > 1) return start === 0 ? nearestFile(found, path) : undefined
  }
  return undefined
}

function resolveInclude(tree: FileTree, path: string, { from, kind }: CodeImport): ResolvedImport {
  const relativePath = from.replace(/^\/+/, '')
  const folder = folderOf(path)
  const target = joinPath(folder, relativePath)
  if (target !== undefined && tree.has(target)) return resolvedTo(target, 0.95)
  for (const enclosing of enclosingFolders(folder)) {
    const file = joinPath(enclosing, relativePath)
    if (file !== undefined && tree.has(file)) return resolvedTo(file, 0.8)
  }
  const isRelative = kind === 'include' && /^\.\.?\//.test(from)
  if (!isRelative || target === undefined) return externalImport
  const mayBeLocal = tree.mayBeHidden(target, path) || localFile.test(from)
  return mayBeLocal ? externalImport : missingImport
}

function nearestFile(files: readonly string[], path: string): string | undefined {
  return files.toSorted((a, b) => countSharedFolders(b, path) - countSharedFolders(a, path))[0]
}
