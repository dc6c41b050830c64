// Resolves includes of C and C++: beside the file, from folders that builds customarily search, by a unique ending.
import { below, countShared, filenameOf, folderOf, foldersAround, joinPath } from '../paths.ts'
import {
  inside,
  missing,
  outside,
  type ResolvedImport,
  type ResolveImport,
} from './resolved-import.ts'
import type { Tree } from './tree.ts'

const searched = ['', 'include', 'src', 'inc', 'lib', 'public']
const standard =
  /^(assert|complex|ctype|errno|fenv|float|inttypes|iso646|limits|locale|math|setjmp|signal|stdalign|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|stdnoreturn|string|strings|tgmath|threads|time|uchar|wchar|wctype|unistd|fcntl|pthread|dlfcn|malloc|memory|windows)\.h$|^(sys|linux|net|netinet|arpa|asm|bits|mach)\//

export function createCImports(tree: Tree): ResolveImport {
  const known = new Map<string, ResolvedImport>()
  return (path, { from, kind }) => {
    const key = `${kind}${folderOf(path)}\0${from}`
    const found = known.get(key) ?? resolveInclude(tree, path, from, kind === 'system')
    known.set(key, found)
    return found
  }
}

function resolveInclude(tree: Tree, path: string, from: string, isSystem: boolean): ResolvedImport {
  const folder = folderOf(path)
  const beside = joinPath(folder, from)
  if (!isSystem && beside !== undefined && tree.has(beside)) return inside(beside, 0.98)
  if (isSystem && standard.test(from)) return outside
  for (const around of foldersAround(folder)) {
    for (const name of searched) {
      const file = joinPath(below(around, name), from)
      if (file !== undefined && tree.has(file))
        return inside(file, isSystem && !from.includes('/') ? 0.85 : 0.9)
    }
  }
  const similar = findBySuffix(tree, path, from, isSystem)
  if (similar !== undefined) return similar
  const mustBeHere =
    !isSystem && /^\.\.?\//.test(from) && beside !== undefined && /\.(h|hh|hpp|hxx)$/.test(from)
  return mustBeHere && !tree.mayHide(beside, path) && !/config|version|moc_|ui_/i.test(from)
    ? missing
    : outside
}

/** One file whose path ends so, or of several the nearest, if the name says enough. */
function findBySuffix(
  tree: Tree,
  path: string,
  from: string,
  isSystem: boolean,
): ResolvedImport | undefined {
  const suffix = from.replace(/^(\.\.?\/)+/, '')
  const found = tree
    .named(filenameOf(suffix))
    .filter((file) => file === suffix || file.endsWith(`/${suffix}`))
  if (
    found.length === 0 ||
    (isSystem && !suffix.includes('/') && !found.some((file) => file.includes('include/')))
  )
    return undefined
  if (found.length === 1) return inside(found, isSystem && !suffix.includes('/') ? 0.7 : 0.85)
  const byNearness = found.toSorted(
    (one, other) => countShared(other, path) - countShared(one, path),
  )
  const isClear = countShared(byNearness[0]!, path) > countShared(byNearness[1]!, path)
  return isClear ? inside(byNearness.slice(0, 1), 0.6) : inside(byNearness.slice(0, 3), 0.3)
}
