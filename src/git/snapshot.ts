// A repository's files at one commit, for reading only.

/** One file of the tree. */
export interface TreeEntry {
  readonly path: string
  readonly kind: 'file' | 'symlink' | 'submodule'
  /** Object id of the blob, or the submodule's commit. */
  readonly oid: string
  /** Bytes; 0 for submodules. */
  readonly size: number
}

/** A line that a search found. */
export interface SearchMatch {
  readonly path: string
  /** 1-based. */
  readonly line: number
  /** The line without its end, cut to some hundred characters. */
  readonly text: string
}

/**
 * The files of a repository at one commit. Nothing of it is ever executed, and symbolic links are never
 * followed: a path that names one reads as undefined. Must be disposed of: it may hold a process. For names that
 * aren't UTF-8 see `pathFromBytes`.
 */
export interface Snapshot extends AsyncDisposable {
  /** The commit. */
  readonly sha: string
  /**
   * A file's bytes; undefined where there is no regular file at that path (missing, directory, symbolic link,
   * submodule, or a path that leaves the tree). `maxContentBytes` (default 1 MiB) cuts nothing: a larger file is an error
   * of code `git_failed` that says so.
   */
  readFile(path: string, options?: { maxBytes?: number }): Promise<Uint8Array | undefined>
  /** Whole tree, sorted by path (by bytes); `prefix` keeps what lies under that folder. */
  listFiles(options?: { prefix?: string; signal?: AbortSignal }): Promise<readonly TreeEntry[]>
  /**
   * Lines of text files that match, in the order of their paths, `limit` at most (default 200); `fixed` takes the
   * pattern literally, otherwise it is a POSIX extended expression; `prefix` names a folder or a file. Throws
   * `git_failed` for a pattern that isn't understood or is too costly.
   */
  search(pattern: string, options?: SearchOptions): Promise<readonly SearchMatch[]>
}

export interface SearchOptions {
  readonly fixed?: boolean
  /**
   * The pattern is our own, and means the same to Perl: where git was built for that, it is matched several times as
   * fast. Not for patterns of others, which could make it go back and forth without end.
   */
  readonly fast?: boolean
  readonly ignoreCase?: boolean
  readonly prefix?: string
  /** Only files with one of these extensions, `.ts` for example, in lower case. */
  readonly extensions?: readonly string[]
  readonly limit?: number
  readonly signal?: AbortSignal
}
