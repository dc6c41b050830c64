// Resolves imports of Python: relative ones, and absolute ones from the roots that manifests name or the tree shows.
import type { CodeImport } from '../../../code/code-index.ts'
import type { ImportConfig } from '../import-config.ts'
import { enclosingFolders, filenameOf, folderOf, joinFolder, joinPath } from '../paths.ts'
import type { FileTree } from './file-tree.ts'
import { pythonStandardLibrary } from './python-standard-library.ts'
import {
  externalImport,
  missingImport,
  type ResolvedImport,
  type ResolveImport,
  resolvedTo,
} from './resolved-import.ts'

const initFiles = ['__init__.py', '__init__.pyi']

export function createPythonImports(tree: FileTree, resolution: ImportConfig): ResolveImport {
  const named = new Set(resolution.pythonRoots)
  const isRoot = (folder: string) => folder === '' || named.has(folder)
  const rootsFor = createRootFinder(tree, resolution.pythonRoots)
  return (path, item) => {
    const dots = /^\.*/.exec(item.from)![0].length
    const name = item.from.slice(dots).replaceAll('.', '/')
    if (dots > 0) return resolveRelative(tree, path, item, dots, name)
    const found = resolveAbsolute(tree, rootsFor(path), item, name)
    if (found !== undefined) return found
    return (
      findMissing(tree, path, item, name, rootsFor(path).filter(isRoot)) ??
      resolveFromAnywhere(tree, item, name) ??
      externalImport
    )
  }
}

function resolveRelative(
  tree: FileTree,
  path: string,
  item: CodeImport,
  dots: number,
  name: string,
): ResolvedImport {
  const base = joinPath(folderOf(path), `${'../'.repeat(dots - 1)}${name}`)
  if (base === undefined) return externalImport
  const found = resolveModule(tree, base, item, 0.98)
  if (found !== undefined) return found
  // `from . import name` names what the package itself defines or is given.
  if (name === '' || item.kind === 'dynamic' || mayBeBuilt(tree, base, path)) return externalImport
  return missingImport
}

function resolveAbsolute(
  tree: FileTree,
  roots: readonly string[],
  item: CodeImport,
  name: string,
): ResolvedImport | undefined {
  const first = name.split('/', 1)[0]!
  for (const [index, root] of roots.entries()) {
    const found = resolveModule(tree, joinFolder(root, name), item, index < 2 ? 0.95 : 0.9)
    // A library of the language is only meant by what can't be another: a package of its own with more than a name.
    if (
      found !== undefined &&
      !(pythonStandardLibrary.has(first) && !isPackage(tree, joinFolder(root, first)))
    )
      return found
  }
  return undefined
}

/** The module at a path, and those of the names that are modules below it. */
function resolveModule(
  tree: FileTree,
  base: string,
  item: CodeImport,
  confidence: number,
): ResolvedImport | undefined {
  const module = moduleAt(tree, base)
  const isFolder = base === '' || tree.hasFolder(base)
  const parts = isFolder
    ? item.names.map(({ name }) =>
        name === '*' ? undefined : moduleAt(tree, joinFolder(base, name)),
      )
    : []
  const submodules = parts.filter((part) => part !== undefined)
  if (submodules.length === 0)
    return module === undefined ? undefined : resolvedTo(module, confidence)
  // What the package itself calls so comes first.
  const all = module === undefined ? submodules : [module, ...submodules]
  return resolvedTo([...new Set(all)], confidence)
}

function moduleAt(tree: FileTree, base: string): string | undefined {
  if (!tree.hasStem(base)) return undefined
  for (const init of initFiles) if (tree.has(joinFolder(base, init))) return joinFolder(base, init)
  for (const extension of ['.py', '.pyi', '.pyx'])
    if (base !== '' && tree.has(base + extension)) return base + extension
  return undefined
}

function isPackage(tree: FileTree, folder: string): boolean {
  return initFiles.some((init) => tree.has(joinFolder(folder, init)))
}

/** Something of that name lies there, to be compiled, or is made by a tool. */
function mayBeBuilt(tree: FileTree, base: string, importer: string): boolean {
  const stem = filenameOf(base)
  return (
    tree.mayBeHidden(base, importer) ||
    tree.mayBeHidden(`${base}.py`, importer) ||
    tree.hasFolder(base) ||
    stem.startsWith('_') ||
    stem === filenameOf(folderOf(base)) ||
    /^version$|_version$/.test(stem) ||
    tree.filesIn(folderOf(base)).some((path) => filenameOf(path).split('.', 1)[0] === stem)
  )
}

/** A module that a regular package of the importer's own must have and has not. */
function findMissing(
  tree: FileTree,
  path: string,
  item: CodeImport,
  name: string,
  roots: readonly string[],
): ResolvedImport | undefined {
  const parts = name.split('/')
  if (parts.length < 2 || item.kind === 'dynamic') return undefined
  // Parts of another program's package may lie elsewhere alone.
  const root = roots.find((one) => isPackage(tree, joinFolder(one, parts[0]!)))
  if (root === undefined) return undefined
  const base = joinFolder(root, name)
  const around = folderOf(base)
  return isPackage(tree, around) && !mayBeBuilt(tree, base, path) ? missingImport : undefined
}

/** The outermost folder around that is a regular package with only such ones in between. */
function outermostPackage(tree: FileTree, folder: string): string | undefined {
  let top: string | undefined
  for (const one of enclosingFolders(folder)) {
    if (one === '' || !isPackage(tree, one)) break
    top = one
  }
  return top
}

/** A module of another program's folder whose path nobody else has: put on the path by means that can't be read. */
function resolveFromAnywhere(
  tree: FileTree,
  item: CodeImport,
  name: string,
): ResolvedImport | undefined {
  const parts = name.split('/')
  if (parts.length < 2 || pythonStandardLibrary.has(parts[0]!)) return undefined
  const found = tree.filesNamed(`${parts.at(-1)}.py`).filter((path) => path.endsWith(`/${name}.py`))
  return found.length === 1
    ? resolveModule(tree, found[0]!.slice(0, -'.py'.length), item, 0.7)
    : undefined
}

/**
 * The folders from which a file's absolute imports may start, the most likely first: the root of its own package, what
 * manifests name in folders around it, the folders around it, the other roots.
 */
function createRootFinder(
  tree: FileTree,
  named: readonly string[],
): (path: string) => readonly string[] {
  const found = new Map<string, readonly string[]>()
  return (path) => {
    const folder = folderOf(path)
    const known = found.get(folder)
    if (known !== undefined) return known
    const around = enclosingFolders(folder)
    const top = outermostPackage(tree, folder)
    const own = top === undefined ? folder : folderOf(top)
    const outer = around.slice(around.indexOf(own))
    const beside = outer.flatMap((one) => [
      one,
      joinFolder(one, 'src'),
      joinFolder(one, 'lib'),
      joinFolder(one, 'python'),
    ])
    const roots = [
      ...new Set([own, ...named.filter((root) => outer.includes(root)), ...beside, ...named]),
    ]
    const list = roots.filter((root) => tree.hasFolder(root)).slice(0, 100)
    found.set(folder, list)
    return list
  }
}
