// Resolves includes of C and C++: beside the file, from folders that builds customarily search, by a unique ending.
import {
  countSharedFolders,
  enclosingFolders,
  filenameOf,
  folderOf,
  joinFolder,
  joinPath,
} from '../paths.ts'
import type { FileTree } from './file-tree.ts'
import {
  externalImport,
  missingImport,
  type ResolvedImport,
  type ResolveImport,
  resolvedTo,
} from './resolved-import.ts'

const includeFolders = ['', 'include', 'src', 'inc', 'lib', 'public']
const standardHeaders =
  /^(assert|complex|ctype|errno|fenv|float|inttypes|iso646|limits|locale|math|setjmp|signal|stdalign|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|stdnoreturn|string|strings|tgmath|threads|time|uchar|wchar|wctype|unistd|fcntl|pthread|dlfcn|malloc|memory|windows)\.h$|^(sys|linux|net|netinet|arpa|asm|bits|mach)\//

export function createCImports(tree: FileTree): ResolveImport {
  const known = new Map<string, ResolvedImport>()
  return (path, { from, kind }) => {
    const key = `${kind}${folderOf(path)}\0${from}`
    const found = known.get(key) ?? resolveInclude(tree, path, from, kind === 'system')
    known.set(key, found)
    return found
  }
}

function resolveInclude(
  tree: FileTree,
  path: string,
  from: string,
  isSystem: boolean,
): ResolvedImport {
  const folder = folderOf(path)
  const beside = joinPath(folder, from)
  if (!isSystem && beside !== undefined && tree.has(beside)) return resolvedTo(beside, 0.98)
  if (isSystem && standardHeaders.test(from)) return externalImport
  for (const around of enclosingFolders(folder)) {
    for (const name of includeFolders) {
      const file = joinPath(joinFolder(around, name), from)
      if (file !== undefined && tree.has(file))
        return resolvedTo(file, isSystem && !from.includes('/') ? 0.85 : 0.9)
    }
  }
  const similar = findBySuffix(tree, path, from, isSystem)
  if (similar !== undefined) return similar
  const mustBeHere =
    !isSystem && /^\.\.?\//.test(from) && beside !== undefined && /\.(h|hh|hpp|hxx)$/.test(from)
  return mustBeHere && !tree.mayBeHidden(beside, path) && !/config|version|moc_|ui_/i.test(from)
    ? missingImport
    : externalImport
}

/** One file whose path ends so, or of several the nearest, if the name says enough. */
function findBySuffix(
  tree: FileTree,
  path: string,
  from: string,
  isSystem: boolean,
): ResolvedImport | undefined {
  const suffix = from.replace(/^(\.\.?\/)+/, '')
  const found = tree
    .filesNamed(filenameOf(suffix))
    .filter((file) => file === suffix || file.endsWith(`/${suffix}`))
  if (
    found.length === 0 ||
    (isSystem && !suffix.includes('/') && !found.some((file) => file.includes('include/')))
  )
    return undefined
  if (found.length === 1) return resolvedTo(found, isSystem && !suffix.includes('/') ? 0.7 : 0.85)
  const byNearness = found.toSorted(
    (one, other) => countSharedFolders(other, path) - countSharedFolders(one, path),
  )
  const isClear =
    countSharedFolders(byNearness[0]!, path) > countSharedFolders(byNearness[1]!, path)
  return isClear ? resolvedTo(byNearness.slice(0, 1), 0.6) : resolvedTo(byNearness.slice(0, 3), 0.3)
}
