// The input of a repository's description, its files with what a scan read, and its parts.
import type { NewMemory, Provenance } from '../../domain/memory.ts'

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

/** A memory of the project, without what all memories of a scan have in common. */
export interface Description
  extends Pick<NewMemory, 'type' | 'subject' | 'text' | 'path' | 'trust'> {
  readonly componentType?: string
  /** Where the text comes from. */
  readonly origin?: Pick<Provenance, 'basis' | 'file' | 'line'>
}

/** Creates a pattern that is computed from the repository's files. */
export function createPattern(subject: string, text: string, path = '.'): Description {
  return { type: 'project_pattern', subject, text, path, trust: 'derived' }
}

/** Whether people write the file, and not as a test. */
export function isSource({ kind, isTest }: ProjectFile): boolean {
  return kind === 'source' && !isTest
}

/** Sorts by depth; files of the same depth stay in their order. */
export function sortByDepth(files: readonly ProjectFile[]): ProjectFile[] {
  return files.toSorted((one, other) => depthOf(one.path) - depthOf(other.path))
}

/** The depth of the root, `.`, is 0. */
export function depthOf(path: string): number {
  return path === '.' ? 0 : path.split('/').length
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

/** Returns the last four segments, after `…` if there are more. Patterns are slow on long paths. */
export function lastPathSegments(path: string): string {
  let start = path.length
  for (let segments = 0; segments < 4; segments++) {
    start = path.lastIndexOf('/', start - 1)
    if (start <= 0) return path
  }
  return `…${path.slice(start)}`
}
