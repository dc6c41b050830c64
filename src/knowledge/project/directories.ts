// The directories of a repository, each with what lies in it and below it.
import { directoryOf, nameOf, type Project, type ProjectFile } from './project.ts'

export interface Directory {
  /** `.` for the root. */
  readonly path: string
  /** Directly in it. */
  readonly files: ProjectFile[]
  /** Names of the directories directly in it. */
  readonly directories: string[]
  /** With all that lies below. */
  readonly total: DirectoryTotal
  /** By directory, how often its own files use theirs, and are used by theirs. */
  readonly uses: Map<string, number>
  readonly usedBy: Map<string, number>
}

export interface DirectoryTotal {
  files: number
  /** Written by people, see workspace/classify-file.ts. */
  written: number
  tests: number
  vendored: number
  lines: number
  /** Bytes of what people wrote, by language. */
  readonly languages: Map<string, number>
}

/** Deeper ones, and more of them, count as a part of the one above. */
const maxDepth = 20
const maxDirectories = 50_000

/** All directories by their paths, the root among them. */
export function buildDirectories(project: Project): Map<string, Directory> {
  const directories = new Map<string, Directory>()
  const open = (path: string): Directory => {
    const known = directories.get(path)
    if (known) return known
    if (directories.size >= maxDirectories) return open(directoryOf(path))
    const total = {
      files: 0,
      written: 0,
      tests: 0,
      vendored: 0,
      lines: 0,
      languages: new Map<string, number>(),
    }
    const made = { path, files: [], directories: [], total, uses: new Map(), usedBy: new Map() }
    directories.set(path, made)
    if (path !== '.') open(directoryOf(path)).directories.push(nameOf(path))
    return made
  }
  open('.')
  for (const file of project.files) {
    const own = open(directoryOf(file.path).split('/', maxDepth).join('/'))
    own.files.push(file)
    for (let path = own.path; ; path = directoryOf(path)) {
      const around = directories.get(path)
      if (around) countFile(around.total, file)
      if (path === '.') break
    }
  }
  countUses(project, directories)
  return directories
}

function countFile(total: DirectoryTotal, file: ProjectFile): void {
  total.files++
  if (file.isTest) total.tests++
  if (file.kind === 'vendored') total.vendored++
  if (file.kind !== 'source') return
  total.written++
  total.lines += file.lines ?? 0
  if (file.language !== null) addCount(total.languages, file.language, file.size)
}

/** Tests use everything: what they use says nothing of who needs it. */
function countUses(project: Project, directories: ReadonlyMap<string, Directory>): void {
  const tests = new Set(project.files.filter(({ isTest }) => isTest).map(({ path }) => path))
  for (const [source, target] of project.uses ?? []) {
    const from = directories.get(directoryOf(source))
    const to = directories.get(directoryOf(target))
    if (!from || !to || from === to || tests.has(source)) continue
    addCount(from.uses, to.path, 1)
    addCount(to.usedBy, from.path, 1)
  }
}

function addCount(counts: Map<string, number>, key: string, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by)
}

/** Keys with the largest counts, the largest first. */
export function topKeys(counts: ReadonlyMap<string, number>, most: number): string[] {
  return [...counts]
    .sort(([one, less], [other, more]) => more - less || (one < other ? -1 : 1))
    .slice(0, most)
    .map(([key]) => key)
}

/**
 * The directories that the map shows, `most` of them: those of all depths that have room, and of the first depth that hasn't
 * those with most in them. Of what nobody here wrote the topmost.
 */
export function chooseDirectories(
  directories: ReadonlyMap<string, Directory>,
  most: number,
): Directory[] {
  const written = [...directories.values()].filter(
    ({ path, total }) =>
      total.written > 0 ||
      path === '.' ||
      (directories.get(directoryOf(path))?.total.written ?? 0) > 0,
  )
  const byPath = (one: Directory, other: Directory) => (one.path < other.path ? -1 : 1)
  if (written.length <= most) return written.sort(byPath)
  const depth = ({ path }: Directory) => (path === '.' ? 0 : path.split('/').length)
  return written
    .sort((one, other) => depth(one) - depth(other) || other.total.files - one.total.files)
    .slice(0, most)
    .sort(byPath)
}
