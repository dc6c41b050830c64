// Resolves imports of PHP: classes by composer's prefixes or by their paths' endings, included files by their paths.
import type { CodeImport } from '../../../code/code-index.ts'
import type { ImportConfig, PhpPrefix } from '../import-config.ts'
import { countSharedFolders, enclosingFolders, folderOf, joinFolder, joinPath } from '../paths.ts'
import type { FileTree } from './file-tree.ts'
import {
  externalImport,
  missingImport,
  type ResolvedImport,
  type ResolveImport,
  resolvedTo,
} from './resolved-import.ts'

export function createPhpImports(tree: FileTree, resolution: ImportConfig): ResolveImport {
  const prefixes = resolution.phpPrefixes.toSorted(
    (one, other) => other.prefix.length - one.prefix.length,
  )
  return (path, item) =>
    item.kind === 'include' ||
    item.kind === 'system' ||
    item.kind === 'dynamic' ||
    /\.\w+$|^\.{0,2}\//.test(item.from)
      ? resolveInclude(tree, path, item)
      : resolveClass(tree, prefixes, path, item.from.replace(/^\\+/, ''))
}

function resolveClass(
  tree: FileTree,
  prefixes: readonly PhpPrefix[],
  path: string,
  name: string,
): ResolvedImport {
  for (const prefix of prefixes) {
    if (!name.startsWith(prefix.prefix)) continue
    for (const candidate of filesOf(prefix, name))
      if (tree.has(candidate)) return resolvedTo(candidate, 0.98)
  }
  const file = name.replaceAll('\\', '/')
  const similar = findBySuffix(tree, file, path)
  if (similar !== undefined) return resolvedTo(similar, 0.8)
  const own = prefixes.find(({ prefix }) => prefix !== '' && name.startsWith(prefix))
  return own !== undefined && mustExist(tree, own, name, path) ? missingImport : externalImport
}

/** Where a class must lie under a prefix. */
function filesOf({ prefix, folders, isPsr0 }: PhpPrefix, name: string): string[] {
  const rest = isPsr0
    ? name.replace(/[^\\]+$/, (last) => last.replaceAll('_', '\\'))
    : name.slice(prefix.length)
  return folders.map((folder) => joinFolder(folder, `${rest.replaceAll('\\', '/')}.php`))
}

/** A namespace that lies here must have what is imported of it, unless that is a namespace itself or a function. */
function mustExist(tree: FileTree, own: PhpPrefix, name: string, path: string): boolean {
  const last = name.slice(name.lastIndexOf('\\') + 1)
  if (own.isPsr0 || !/^[A-Z]\w*[a-z]/.test(last)) return false
  const files = filesOf(own, name)
  return (
    files.some((file) => tree.hasFolder(folderOf(folderOf(file)))) &&
    files.every(
      (file) => !tree.hasFolder(file.slice(0, -'.php'.length)) && !tree.mayBeHidden(file, path),
    )
  )
}

/** The file whose path has most of the name's end, two parts at least. */
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
  const relative = from.replace(/^\/+/, '')
  const folder = folderOf(path)
  const candidate = joinPath(folder, relative)
  if (candidate !== undefined && tree.has(candidate)) return resolvedTo(candidate, 0.95)
  for (const around of enclosingFolders(folder)) {
    const file = joinPath(around, relative)
    if (file !== undefined && tree.has(file)) return resolvedTo(file, 0.8)
  }
  const mustBeHere = kind === 'include' && /^\.\.?\//.test(from) && candidate !== undefined
  return mustBeHere &&
    !tree.mayBeHidden(candidate, path) &&
    !/config|local|settings|autoload/i.test(from)
    ? missingImport
    : externalImport
}

function nearestFile(files: readonly string[], path: string): string | undefined {
  return files.toSorted(
    (one, other) => countSharedFolders(other, path) - countSharedFolders(one, path),
  )[0]
}
