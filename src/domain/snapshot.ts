// A snapshot has a repository's files at one commit.

export interface TreeEntry {
  readonly path: string
  readonly kind: 'file' | 'symlink' | 'submodule'
  /** Object id of the blob, or of a submodule's commit. */
  readonly oid: string
}

export interface SearchMatch {
  readonly path: string
  /** The line's number, 1-based. */
  readonly line: number
  /** The line without its line feed, cut to 500 characters. */
  readonly text: string
}

/**
 * The files of a repository at one commit. Nothing of it is ever executed, and symbolic links are
 * never followed: a path that names one is undefined. Must be disposed of, because it may have a
 * process. For names that aren't UTF-8 see `pathFromBytes`.
 */
export interface Snapshot extends AsyncDisposable {
  readonly sha: string
  /**
   * A file's bytes; undefined if there is no regular file at that path (missing, directory,
   * symbolic link, submodule, or a path that leaves the tree). A file of more than `maxBytes`
   * (default 1 MiB) isn't cut, but throws an error of code `git_failed`.
   */
  readFile(path: string, options?: { maxBytes?: number }): Promise<Uint8Array | undefined>
  /** The whole tree, or the folder `prefix`, sorted by the bytes of the paths. */
  listFiles(options?: { prefix?: string; signal?: AbortSignal }): Promise<readonly TreeEntry[]>
  /**
   * Finds at most `limit` (default 200) matching lines of text files, in the order of their paths.
   * The pattern is literal if `fixed`, otherwise a POSIX extended expression; `prefix` names a
   * folder or a file. Throws `git_failed` for a pattern that is invalid or too costly.
   */
  search(pattern: string, options?: SearchOptions): Promise<readonly SearchMatch[]>
}

export interface SearchOptions {
  readonly fixed?: boolean
  /**
   * Uses Perl's expressions if git supports them, which are several times as fast. Only for our own
   * patterns with the same meaning in Perl: others could cause endless backtracking.
   */
  readonly fast?: boolean
  readonly ignoreCase?: boolean
  readonly prefix?: string
  /** Limits the search to files with these extensions, in lower case, for example `.ts`. */
  readonly extensions?: readonly string[]
  readonly limit?: number
  readonly signal?: AbortSignal
}
