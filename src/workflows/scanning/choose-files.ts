// Which files of a tree are known of, and which of them are read.
import { classifyFile, type FileKind } from '../../code/classify-file.ts'
import { sourceKindOf } from '../../code/indexing/source-kind.ts'
import { isTestPath, languageOfPath } from '../../code/languages.ts'
import type { TreeEntry } from '../../git/snapshot.ts'

/** A file of the default branch, by its path and the tree alone. */
export interface ScannedFile {
  readonly path: string
  readonly oid: string
  /** In bytes. */
  readonly size: number
  /** By its path; its content may say more of what is `source` here. */
  readonly kind: FileKind | 'symlink' | 'submodule'
  readonly language: string | null
  readonly isTest: boolean
  /** What its facts are read with; empty where it has none. */
  readonly grammar: string
  /** Its content is read. */
  readonly isRead: boolean
}

/** Why files are not in the graph, or not all of them is: how many. */
export interface OmittedFileCounts {
  /** Longer than an index can hold. */
  longPaths: number
  /** Beyond the number of files that a graph holds; of a tree that wasn't listed to its end, at least so many. */
  files: number
  /** Too large to be read. */
  largeFiles: number
}

export const maxFiles = 120_000
const maxPathBytes = 1500
export const maxReadBytes = 1024 * 1024

/**
 * @param entries sorted by path
 */
export function chooseFiles(entries: readonly TreeEntry[]): {
  files: ScannedFile[]
  leftOut: OmittedFileCounts
} {
  const short = entries.filter(
    ({ path }) => path.length <= maxPathBytes && Buffer.byteLength(path) <= maxPathBytes,
  )
  const files = short.slice(0, maxFiles).map(describeEntry)
  const leftOut = {
    longPaths: entries.length - short.length,
    files: short.length - files.length,
    largeFiles: files.filter(({ kind, size }) => kind === 'source' && size > maxReadBytes).length,
  }
  return { files, leftOut }
}

/** What path and tree say of a file. */
export function describeEntry({ path, oid, size, kind: entryKind }: TreeEntry): ScannedFile {
  const common = { path, oid, size, isTest: isTestPath(path) }
  if (entryKind !== 'file')
    return { ...common, kind: entryKind, language: null, grammar: '', isRead: false }
  const { kind } = classifyFile(path)
  const language = languageOfPath(path)?.name ?? null
  const isRead = kind !== 'binary' && size <= maxReadBytes
  const grammar = kind === 'source' || kind === 'generated' ? (sourceKindOf(path) ?? '') : ''
  return { ...common, kind, language, grammar, isRead }
}
