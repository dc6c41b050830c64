// Resolves C and C++ includes: next to the file, in usual include folders, or by path suffix.

import {
  countSharedFolders,
  enclosingFolders,
  filenameOf,
  folderOf,
  joinFolder,
  joinPath,
} from '../../lib/tree-paths.ts'
import type { FileTree } from '../common/file-tree.ts'
import {
  externalImport,
  missingImport,
  type ResolvedImport,
  type ResolveImport,
  resolvedTo,
} from '../common/resolved-import.ts'

const includeFolders = ['', 'include', 'src', 'inc', 'lib', 'public']
const standardHeaders: ReadonlySet<string> = new Set(
  `assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign
  stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string strings tgmath threads time
  uchar wchar wctype unistd fcntl pthread dlfcn malloc memory windows`
    .split(/\s+/)
    .map((name) => `${name}.h`),
)
const systemFolder = /^(sys|linux|net|netinet|arpa|asm|bits|mach)\//
const headerEnding = /\.(h|hh|hpp|hxx)$/
/** Headers that build tools and Qt generate. */
const generatedHeader = /config|version|moc_|ui_/i

export function createCImports(tree: FileTree): ResolveImport {
  const cache = new Map<string, ResolvedImport>()
  return (path, { from, kind }) => {
    const key = `${kind}${folderOf(path)}\0${from}`
    const resolved = cache.get(key) ?? resolveInclude(tree, path, from, kind === 'system')
    cache.set(key, resolved)
    return resolved
  }
}

function resolveInclude(
  tree: FileTree,
  path: string,
  from: string,
  isSystem: boolean,
): ResolvedImport {
  const relativePath = joinPath(folderOf(path), from)
  if (isSystem) {
    if (standardHeaders.has(from) || systemFolder.test(from)) return externalImport
  } else if (relativePath !== undefined && tree.has(relativePath)) {
    return resolvedTo(relativePath, 0.98)
  }
  return (
    findInIncludeFolders(tree, path, from, isSystem) ??
    findBySuffix(tree, path, from, isSystem) ??
    (!isSystem && mustExist(tree, path, from, relativePath) ? missingImport : externalImport)
  )
}

/** Searches the include folders of all enclosing folders. */
function findInIncludeFolders(
  tree: FileTree,
  path: string,
  from: string,
  isSystem: boolean,
): ResolvedImport | undefined {
  for (const enclosing of enclosingFolders(folderOf(path))) {
    for (const name of includeFolders) {
      const file = joinPath(joinFolder(enclosing, name), from)
      if (file !== undefined && tree.has(file))
        return resolvedTo(file, isSystem && !from.includes('/') ? 0.85 : 0.9)
    }
  }
  return undefined
}

/** Checks whether a relative include of a header must be in the tree. */
function mustExist(
  tree: FileTree,
  path: string,
  from: string,
  relativePath: string | undefined,
): boolean {
  const isRelativeHeader = /^\.\.?\//.test(from) && headerEnding.test(from)
  if (!isRelativeHeader || relativePath === undefined) return false
  return !tree.mayBeHidden(relativePath, path) && !generatedHeader.test(from)
}

/** Finds files by the end of their paths; if several match, the nearest. */
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
  if (found.length === 0) return undefined
  // `#include <name.h>` most likely means a header of a library.
  const isPlainSystemName = isSystem && !suffix.includes('/')
  if (isPlainSystemName && !found.some((file) => file.includes('include/'))) return undefined
  if (found.length === 1) return resolvedTo(found, isPlainSystemName ? 0.7 : 0.85)
  const byDistance = found.toSorted(
    (a, b) => countSharedFolders(b, path) - countSharedFolders(a, path),
  )
  const [nearest, second] = byDistance
  const isClear = countSharedFolders(nearest!, path) > countSharedFolders(second!, path)
  return isClear ? resolvedTo(nearest!, 0.6) : resolvedTo(byDistance.slice(0, 3), 0.3)
}
