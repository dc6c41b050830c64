// A parsed diff: files, hunks and lines, with the numbers that platforms use to place comments.

/** The side of a diff a line stands on: `LEFT` is the base, `RIGHT` the head. */
export type DiffSide = 'LEFT' | 'RIGHT'

/** One line of a hunk. `text` has no leading marker and no line end (a CR before the LF is kept). */
export interface DiffLine {
  readonly kind: 'context' | 'added' | 'deleted'
  readonly text: string
  /** 1-based number in the old file; null for an added line. */
  readonly oldLine: number | null
  /** 1-based number in the new file; null for a deleted line. */
  readonly newLine: number | null
  /** The file ends after this line without a line end. */
  readonly noNewlineAtEnd: boolean
}

/** A run of changed lines with their context. */
export interface DiffHunk {
  readonly oldStart: number
  readonly oldCount: number
  readonly newStart: number
  readonly newCount: number
  /** What git prints after the second `@@`: the enclosing definition, as far as git can tell. */
  readonly section: string
  readonly lines: readonly DiffLine[]
}

/** What happened to one file. */
export interface FileDiff {
  /** Path at the head; for a deleted file the path at the base. */
  readonly path: string
  /** Path at the base; differs from `path` for renames and copies. */
  readonly oldPath: string
  readonly status: 'added' | 'deleted' | 'modified' | 'renamed' | 'copied'
  readonly binary: boolean
  readonly submodule: boolean
  readonly oldMode: string | null
  readonly newMode: string | null
  readonly hunks: readonly DiffHunk[]
  readonly additions: number
  readonly deletions: number
  /** The file's diff ended before its hunks were complete: what is here is right, but not all. */
  readonly truncated: boolean
}

/** A whole diff. */
export interface Diff {
  readonly files: readonly FileDiff[]
  /** Why the diff isn't whole, one sentence each; empty when it is. */
  readonly problems: readonly string[]
}
