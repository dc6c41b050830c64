// Creates the tree of files that imports are resolved in.

import { classifyFile } from '../../code/classify-file.ts'
import type { FileTree } from '../../languages/common/file-tree.ts'
import type { ImportConfig } from '../../languages/common/import-config.ts'
import { isTestPath } from '../../languages/test-paths.ts'
import { createGlobMatcher, createGlobMeter } from '../../lib/glob.ts'
import { filenameOf, folderOf, isWithin } from '../../lib/tree-paths.ts'

const noPaths: readonly string[] = []

/** Builds each lookup table on demand: a change of one file needs few of them. */
export function createFileTree(paths: Iterable<string>, resolution: ImportConfig): FileTree {
  const files = new Set(paths)
  const filesByFolder = Map.groupBy(files, folderOf)
  const folders = new Set<string>([''])
  for (const folder of filesByFolder.keys()) {
    let ancestor = folder
    while (!folders.has(ancestor)) {
      folders.add(ancestor)
      ancestor = folderOf(ancestor)
    }
  }
  const stemsByFolder = new Map<string, ReadonlySet<string>>()
  const isStem = (path: string) => {
    const folder = folderOf(path)
    const siblings = filesByFolder.get(folder)
    // Imports name any number of missing folders, which must not fill the cache.
    if (siblings === undefined) return false
    const stems = stemsByFolder.get(folder) ?? listStems(siblings)
    stemsByFolder.set(folder, stems)
    return stems.has(path)
  }
  let filesByName: ReadonlyMap<string, readonly string[]> | undefined
  return {
    has: (path) => files.has(path),
    hasFolder: (folder) => folders.has(folder),
    hasStem: (path) => folders.has(path) || isStem(path),
    filesIn: (folder) => filesByFolder.get(folder) ?? noPaths,
    sourceFolders(extensions) {
      const isSource = (path: string) => extensions.some((extension) => path.endsWith(extension))
      return [...filesByFolder]
        .filter(([, inFolder]) => inFolder.some(isSource))
        .map(([folder]) => folder)
    },
    filesNamed(filename) {
      filesByName ??= Map.groupBy(files, filenameOf)
      return filesByName.get(filename) ?? noPaths
    },
    mayBeHidden: createHiddenPathTest(resolution),
  }
}

/** Collects the paths without extensions: `cart.test.ts` yields `cart.test` and `cart`. */
function listStems(files: readonly string[]): Set<string> {
  const stems = new Set<string>()
  for (const path of files) {
    const start = path.lastIndexOf('/') + 2
    for (let dot = path.lastIndexOf('.'); dot >= start; dot = path.lastIndexOf('.', dot - 1))
      stems.add(path.slice(0, dot))
  }
  return stems
}

const buildFolders = `dist build built out output target bin obj _build coverage
  gen generated __generated__ node_modules vendor third_party`.split(/\s+/)
/** Paths of files that build tools and code generators write. */
const builtPath = new RegExp(
  [
    `(^|/)(${buildFolders.join('|')}|\\.[^/]+)/`,
    '(^|/)(dist|build|\\$types)$',
    'generated',
    '[._-](gen|pb|pb2|min|bundle)\\b',
    '_pb2?(_grpc)?$',
    '(^|/)(\\+types|prisma/client|styled-system|paraglide)(/|\\.[cm]?[jt]s$|$)',
  ].join('|'),
  'i',
)
const sampleFolders = `fixture fixtures __fixtures__ testdata test-data sample samples
  template templates snapshot snapshots __snapshots__ cases stub stubs`.split(/\s+/)
/** Files in these folders can be broken on purpose, or are used elsewhere as copies. */
const samplePath = new RegExp(`(^|/)(${sampleFolders.join('|')})/`, 'i')

function createHiddenPathTest(resolution: ImportConfig): FileTree['mayBeHidden'] {
  const meter = createGlobMeter()
  const ignoreRules = resolution.ignored.map(({ folder, globs }) => ({
    folder,
    matches: createGlobMatcher(globs, { braces: false, meter }),
  }))
  const isIgnored = (path: string) =>
    ignoreRules.some(({ folder, matches }) => {
      if (!isWithin(path, folder)) return false
      const relativePath = folder === '' ? path : path.slice(folder.length + 1)
      return matches(relativePath) !== false
    })
  const cache = new Map<string, boolean>()
  const isHidden = (path: string) => {
    const cached = cache.get(path)
    if (cached !== undefined) return cached
    const hidden =
      builtPath.test(path) ||
      resolution.closed.some((closed) => isWithin(path, closed)) ||
      isIgnored(path)
    cache.set(path, hidden)
    return hidden
  }
  return (path, importer) =>
    samplePath.test(importer) ||
    classifyFile(importer).kind !== 'source' ||
    (isTestPath(importer) && samplePath.test(path)) ||
    isHidden(path)
}
