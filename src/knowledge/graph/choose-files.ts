// Chooses the files of a tree that the graph contains, and those whose content is read.
import { classifyFile, type FileKind } from '../../code/classify-file.ts'
import { sourceKindOf } from '../../code/indexing/source-kind.ts'
import type { SizedTreeEntry } from '../../git/list-tree.ts'
import { languageOfPath } from '../../languages/linguist.ts'
import { isTestPath } from '../../languages/test-paths.ts'

/** A file of the default branch as its path and tree entry describe it. */
export interface ScannedFile {
  readonly path: string
  readonly oid: string
  /** It is counted in bytes. */
  readonly size: number
  /** The kind by the path; the content can still refine `source`. */
  readonly kind: FileKind | 'symlink' | 'submodule'
  readonly language: string | null
  readonly isTest: boolean
  /** The grammar that indexes it; empty if there is none. */
  readonly grammar: string
  /** Whether its content is read. */
  readonly isRead: boolean
}

/** Counts of files that aren't in the graph, or only without their content. */
interface OmittedFileCounts {
  /** These paths are longer than a database index can hold. */
  longPaths: number
  /**
   * These files exceed the maximum of a graph; a lower bound if the tree wasn't listed completely.
   */
  files: number
  /** These files are too large to be read. */
  largeFiles: number
}

export const maxFiles = 120_000
const maxPathBytes = 1500
export const maxReadBytes = 1024 * 1024

/** @param entries the tree, sorted by path */
export function chooseFiles(entries: readonly SizedTreeEntry[]): {
  files: ScannedFile[]
  leftOut: OmittedFileCounts
} {
  const indexable = entries.filter(
    ({ path }) => path.length <= maxPathBytes && Buffer.byteLength(path) <= maxPathBytes,
  )
  const files = indexable.slice(0, maxFiles).map(describeEntry)
  const leftOut = {
    longPaths: entries.length - indexable.length,
    files: indexable.length - files.length,
    largeFiles: files.filter(({ kind, size }) => kind === 'source' && size > maxReadBytes).length,
  }
  return { files, leftOut }
}

/** Describes a file by its path and tree entry. */
export function describeEntry({ path, oid, size, kind: entryKind }: SizedTreeEntry): ScannedFile {
  const common = { path, oid, size, isTest: isTestPath(path) }
  if (entryKind !== 'file')
    return { ...common, kind: entryKind, language: null, grammar: '', isRead: false }
  const { kind } = classifyFile(path)
  const language = languageOfPath(path)?.name ?? null
  const isRead = kind !== 'binary' && size <= maxReadBytes
  const grammar = kind === 'source' || kind === 'generated' ? (sourceKindOf(path) ?? '') : ''
  return { ...common, kind, language, grammar, isRead }
}
