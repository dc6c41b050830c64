// The files of a repository by path, folder and name, and what of it the tree may not show.

import { classifyFile } from '../../../code/classify-file.ts'
import { isTestPath } from '../../../code/languages.ts'
import { createGlobMatcher, createGlobMeter } from '../../../lib/glob.ts'
import type { ImportConfig } from '../import-config.ts'
import { filenameOf, folderOf, isWithin } from '../paths.ts'

export interface FileTree {
  has(path: string): boolean
  hasFolder(folder: string): boolean
  /** Whether the path is that of a file without one of its endings, or of a folder: if not, there is no need to try them. */
  hasStem(path: string): boolean
  /** The files right in a folder. */
  filesIn(folder: string): readonly string[]
  /** The folders with a file of one of these extensions in them. */
  sourceFolders(extensions: readonly string[]): readonly string[]
  /** All files with this name, in any folder. */
  filesNamed(filename: string): readonly string[]
  /**
   * Whether something may be at the path that the tree doesn't show: build output, generated or ignored files, what is in
   * a submodule. Files that only try something out may import what nobody has.
   */
  mayBeHidden(path: string, importer: string): boolean
}

const noPaths: readonly string[] = []

/** Prepares no more than is asked for: a change of one file asks little of a tree with thousands. */
export function createFileTree(paths: Iterable<string>, resolution: ImportConfig): FileTree {
  const files = new Set(paths)
  const byFolder = Map.groupBy(files, folderOf)
  const folders = new Set<string>([''])
  for (const folder of byFolder.keys())
    for (let at = folder; !folders.has(at); at = folderOf(at)) folders.add(at)
  const stems = new Map<string, ReadonlySet<string>>()
  const isStem = (path: string) => {
    const folder = folderOf(path)
    const inside = byFolder.get(folder)
    // Imports name no end of folders that aren't there: nothing is kept of them.
    if (inside === undefined) return false
    const known = stems.get(folder) ?? listStems(inside)
    stems.set(folder, known)
    return known.has(path)
  }
  let byName: ReadonlyMap<string, readonly string[]> | undefined
  return {
    has: (path) => files.has(path),
    hasFolder: (folder) => folders.has(folder),
    hasStem: (path) => folders.has(path) || isStem(path),
    filesIn: (folder) => byFolder.get(folder) ?? noPaths,
    sourceFolders: (extensions) =>
      [...byFolder].flatMap(([folder, list]) =>
        list.some((path) => extensions.some((extension) => path.endsWith(extension)))
          ? [folder]
          : [],
      ),
    filesNamed(filename) {
      byName ??= Map.groupBy(files, filenameOf)
      return byName.get(filename) ?? noPaths
    },
    mayBeHidden: createHiddenTest(resolution),
  }
}

/** `cart.test.ts` is `cart.test` and `cart`. */
function listStems(files: readonly string[]): Set<string> {
  const stems = new Set<string>()
  for (const path of files) {
    const start = path.lastIndexOf('/') + 2
    for (let dot = path.lastIndexOf('.'); dot >= start; dot = path.lastIndexOf('.', dot - 1))
      stems.add(path.slice(0, dot))
  }
  return stems
}

const builtPath =
  /(^|\/)(dist|build|built|out|output|target|bin|obj|gen|generated|__generated__|node_modules|vendor|third_party|coverage|_build|\.[^/]+)\/|(^|\/)(dist|build|\$types)$|generated|[._-](gen|pb|pb2|min|bundle)\b|_pb2?(_grpc)?$|(^|\/)(\+types|prisma\/client|styled-system|paraglide)(\/|\.[cm]?[jt]s$|$)/i
/** Files there may be broken on purpose, or are copied to where they work. */
const samplePath =
  /(^|\/)(fixtures?|__fixtures__|testdata|test-data|samples?|templates?|snapshots?|__snapshots__|cases|stubs?)\//i

function createHiddenTest(resolution: ImportConfig): FileTree['mayBeHidden'] {
  const meter = createGlobMeter()
  const rules = resolution.ignored.map(({ folder, globs }) => ({
    folder,
    fits: createGlobMatcher(globs, { braces: false, meter }),
  }))
  const isIgnored = (path: string) =>
    rules.some(
      ({ folder, fits }) =>
        isWithin(path, folder) &&
        fits(folder === '' ? path : path.slice(folder.length + 1)) !== false,
    )
  const known = new Map<string, boolean>()
  const isHidden = (path: string) => {
    const before = known.get(path)
    if (before !== undefined) return before
    const hidden =
      builtPath.test(path) ||
      resolution.closed.some((closed) => isWithin(path, closed)) ||
      isIgnored(path)
    known.set(path, hidden)
    return hidden
  }
  return (path, importer) =>
    samplePath.test(importer) ||
    classifyFile(importer).kind !== 'source' ||
    (isTestPath(importer) && samplePath.test(path)) ||
    isHidden(path)
}
