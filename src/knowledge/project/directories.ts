// Builds the tree of a repository's directories, with counts of files and uses.
import { addCount } from '../../lib/count-each.ts'
import { directoryOf, filenameOf } from '../../lib/tree-paths.ts'
import { depthOf, type Project, type ProjectFile } from './project.ts'

export interface Directory {
  /** The root's path is `.`. */
  readonly path: string
  /** Files in the directory itself. */
  readonly files: ProjectFile[]
  /** The names are those of immediate subdirectories. */
  readonly directories: string[]
  /** Counts that include all subdirectories. */
  readonly total: DirectoryTotal
  /** By directory, the number of uses of its files, and of uses by its files. */
  readonly uses: Map<string, number>
  readonly usedBy: Map<string, number>
}

interface DirectoryTotal {
  files: number
  /** Files of kind `source`, see code/classify-file.ts. */
  written: number
  tests: number
  vendored: number
  /** Bytes of the written files by language. */
  readonly languages: Map<string, number>
}

/** Files of directories beyond these limits count for a directory above. */
const maxDepth = 20
const maxDirectories = 50_000

/** Returns all directories by their paths, including the root. */
export function buildDirectories(project: Project): Map<string, Directory> {
  const directories = new Map<string, Directory>()
  const open = (path: string): Directory => {
    const existing = directories.get(path)
    if (existing) return existing
    if (directories.size >= maxDirectories) return open(directoryOf(path))
    const directory = {
      path,
      files: [],
      directories: [],
      total: { files: 0, written: 0, tests: 0, vendored: 0, languages: new Map() },
      uses: new Map(),
      usedBy: new Map(),
    }
    directories.set(path, directory)
    if (path !== '.') open(directoryOf(path)).directories.push(filenameOf(path))
    return directory
  }
  open('.')
  for (const file of project.files) {
    const directory = open(directoryOf(file.path).split('/', maxDepth).join('/'))
    directory.files.push(file)
    for (const path of listAncestors(directory.path)) {
      const ancestor = directories.get(path)
      if (ancestor) countFile(ancestor.total, file)
    }
  }
  countUses(project, directories)
  return directories
}

/** The path itself and all directories above it, including the root. */
function listAncestors(path: string): string[] {
  const ancestors = [path]
  while (ancestors.at(-1) !== '.') ancestors.push(directoryOf(ancestors.at(-1)!))
  return ancestors
}

function countFile(total: DirectoryTotal, file: ProjectFile): void {
  total.files++
  if (file.isTest) total.tests++
  if (file.kind === 'vendored') total.vendored++
  if (file.kind !== 'source') return
  total.written++
  if (file.language !== null) addCount(total.languages, file.language, file.size)
}

/** Uses by tests aren't counted, because tests use everything. */
function countUses(project: Project, directories: ReadonlyMap<string, Directory>): void {
  const tests = new Set(project.files.filter(({ isTest }) => isTest).map(({ path }) => path))
  for (const [source, target] of project.uses ?? []) {
    const from = directories.get(directoryOf(source))
    const to = directories.get(directoryOf(target))
    if (!from || !to || from === to || tests.has(source)) continue
    addCount(from.uses, to.path)
    addCount(to.usedBy, from.path)
  }
}

/**
 * Chooses at most `limit` directories for the map: the shallowest first, and on the same depth
 * those with the most files. Of directories without written files only the topmost are chosen.
 */
export function chooseDirectories(
  directories: ReadonlyMap<string, Directory>,
  limit: number,
): Directory[] {
  const written = [...directories.values()].filter(
    ({ path, total }) =>
      total.written > 0 ||
      path === '.' ||
      (directories.get(directoryOf(path))?.total.written ?? 0) > 0,
  )
  const byPath = (one: Directory, other: Directory) => (one.path < other.path ? -1 : 1)
  if (written.length <= limit) return written.sort(byPath)
  return written
    .sort(
      (one, other) =>
        depthOf(one.path) - depthOf(other.path) || other.total.files - one.total.files,
    )
    .slice(0, limit)
    .sort(byPath)
}
