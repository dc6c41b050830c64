// What a scan found in a repository: what its description is made of.

/** A repository at the commit that is described. */
export interface Project {
  readonly repo: string
  readonly commit: string
  readonly files: readonly ProjectFile[]
  /** Which file uses which, by paths; nothing without a graph. */
  readonly uses?: Iterable<readonly [source: string, target: string]>
  /** The whole text of a file; undefined where there is none of this path, or it isn't text, or is too large. */
  readText(path: string): Promise<string | undefined>
}

export interface ProjectFile {
  readonly path: string
  /** Linguist's name; null where nothing is known about it. */
  readonly language: string | null
  /** See workspace/classify-file.ts; also `symlink` and `submodule`. */
  readonly kind: string
  readonly isTest: boolean
  /** In bytes. */
  readonly size: number
  /** Null for what wasn't read. */
  readonly lines: number | null
  readonly complexity: number | null
  /** The definitions at its top level, most important first, 20 at most; none without a graph. */
  readonly symbols: readonly {
    readonly name: string
    readonly kind: string
    readonly exported: boolean
  }[]
  /** How many files use it; 0 without a graph. */
  readonly usedBy: number
}

/** Larger ones are data, whatever their name says. */
const maxTextBytes = 256 * 1024

/** The text of a small file, `most` characters of it; undefined where there is none. */
export async function readSmallText(
  project: Project,
  file: ProjectFile,
  most = maxTextBytes,
): Promise<string | undefined> {
  if (
    file.size > maxTextBytes ||
    file.size === 0 ||
    file.kind === 'symlink' ||
    file.kind === 'submodule'
  )
    return undefined
  const text = await project.readText(file.path)
  return text
    ?.slice(0, most)
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
}

/** The directory that a path is in; `.` for the root. */
export function directoryOf(path: string): string {
  const slash = path.lastIndexOf('/')
  return slash === -1 ? '.' : path.slice(0, slash)
}

/** The last part of a path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** The last four parts of a path, with a mark before them where there are more: so that patterns needn't look at long ones. */
export function lastPathSegments(path: string): string {
  let start = path.length
  for (let parts = 0; parts < 4; parts++) {
    start = path.lastIndexOf('/', start - 1)
    if (start <= 0) return path
  }
  return `…${path.slice(start)}`
}
