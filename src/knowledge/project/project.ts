// The input of a repository's description: its files with what a scan read from them.

export interface Project {
  readonly repo: string
  readonly commit: string
  readonly files: readonly ProjectFile[]
  /** Pairs of paths of files that use another one; missing without a code graph. */
  readonly uses?: Iterable<readonly [source: string, target: string]>
  /** Reads a file; undefined if it is missing, not text, or too large. */
  readText(path: string): Promise<string | undefined>
}

export interface ProjectFile {
  readonly path: string
  /** The name is that of linguist; null if it is unknown. */
  readonly language: string | null
  /** This is a kind of code/classify-file.ts, or `symlink` or `submodule`. */
  readonly kind: string
  readonly isTest: boolean
  /** The size is in bytes. */
  readonly size: number
  /** Null if the file wasn't read. */
  readonly lines: number | null
  readonly complexity: number | null
  /** At most 20 top-level definitions, most important first; empty without a code graph. */
  readonly symbols: readonly {
    readonly name: string
    readonly kind: string
    readonly exported: boolean
  }[]
  /** The number of files that use it; 0 without a code graph. */
  readonly usedBy: number
}

/** Larger files are usually data, even with the name of a source file. */
const maxTextBytes = 256 * 1024

/** Reads the first `maxLength` characters of a small file; undefined if it isn't readable. */
export async function readSmallText(
  project: Project,
  file: ProjectFile,
  maxLength = maxTextBytes,
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
    ?.slice(0, maxLength)
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
}

/** Returns the directory of a path; `.` for the root. */
export function directoryOf(path: string): string {
  const slash = path.lastIndexOf('/')
  return slash === -1 ? '.' : path.slice(0, slash)
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Returns the last four segments, after `…` if there are more. Patterns are slow on long paths. */
export function lastPathSegments(path: string): string {
  let start = path.length
  for (let segments = 0; segments < 4; segments++) {
    start = path.lastIndexOf('/', start - 1)
    if (start <= 0) return path
  }
  return `…${path.slice(start)}`
}
