// Resolves imports of PHP: classes by composer's prefixes or by their paths' endings, included files by their paths.
import type { CodeImport } from '../../../workspace/code-facts.ts'
import { below, countShared, folderOf, foldersAround, joinPath } from '../paths.ts'
import type { PhpPrefix, Resolution } from '../resolution.ts'
import {
  inside,
  missing,
  outside,
  type ResolvedImport,
  type ResolveImport,
} from './resolved-import.ts'
import type { Tree } from './tree.ts'

export function createPhpImports(tree: Tree, resolution: Resolution): ResolveImport {
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
  tree: Tree,
  prefixes: readonly PhpPrefix[],
  path: string,
  name: string,
): ResolvedImport {
  for (const prefix of prefixes) {
    if (!name.startsWith(prefix.prefix)) continue
    for (const candidate of filesOf(prefix, name))
      if (tree.has(candidate)) return inside(candidate, 0.98)
  }
  const file = name.replaceAll('\\', '/')
  const similar = findBySuffix(tree, file, path)
  if (similar !== undefined) return inside(similar, 0.8)
  const own = prefixes.find(({ prefix }) => prefix !== '' && name.startsWith(prefix))
  return own !== undefined && mustExist(tree, own, name, path) ? missing : outside
}

/** Where a class must lie under a prefix. */
function filesOf({ prefix, folders, isPsr0 }: PhpPrefix, name: string): string[] {
  const rest = isPsr0
    ? name.replace(/[^\\]+$/, (last) => last.replaceAll('_', '\\'))
    : name.slice(prefix.length)
  return folders.map((folder) => below(folder, `${rest.replaceAll('\\', '/')}.php`))
}

/** A namespace that lies here must have what is imported of it, unless that is a namespace itself or a function. */
function mustExist(tree: Tree, own: PhpPrefix, name: string, path: string): boolean {
  const last = name.slice(name.lastIndexOf('\\') + 1)
  if (own.isPsr0 || !/^[A-Z]\w*[a-z]/.test(last)) return false
  const files = filesOf(own, name)
  return (
    files.some((file) => tree.hasFolder(folderOf(folderOf(file)))) &&
    files.every(
      (file) => !tree.hasFolder(file.slice(0, -'.php'.length)) && !tree.mayHide(file, path),
    )
  )
}

/** The file whose path has most of the name's end, two parts at least. */
function findBySuffix(tree: Tree, name: string, path: string): string | undefined {
  const parts = name.split('/')
  const candidates = tree.named(`${parts.at(-1)}.php`)
  for (let start = 0; start < parts.length - 1; start++) {
    const suffix = `${parts.slice(start).join('/')}.php`
    const found = candidates.filter((file) => file === suffix || file.endsWith(`/${suffix}`))
    if (found.length === 1) return found[0]
    if (found.length > 1) return start === 0 ? nearest(found, path) : undefined
  }
  return undefined
}

function resolveInclude(tree: Tree, path: string, { from, kind }: CodeImport): ResolvedImport {
  const relative = from.replace(/^\/+/, '')
  const folder = folderOf(path)
  const candidate = joinPath(folder, relative)
  if (candidate !== undefined && tree.has(candidate)) return inside(candidate, 0.95)
  for (const around of foldersAround(folder)) {
    const file = joinPath(around, relative)
    if (file !== undefined && tree.has(file)) return inside(file, 0.8)
  }
  const mustBeHere = kind === 'include' && /^\.\.?\//.test(from) && candidate !== undefined
  return mustBeHere &&
    !tree.mayHide(candidate, path) &&
    !/config|local|settings|autoload/i.test(from)
    ? missing
    : outside
}

function nearest(files: readonly string[], path: string): string | undefined {
  return files.toSorted((one, other) => countShared(other, path) - countShared(one, path))[0]
}
