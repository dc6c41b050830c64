// A parsed diff, with the line numbers that platforms use to place comments.

export type { DiffSide } from '../contract/enums.ts'

/** `text` has no marker and no LF, but may end in CR. */
export interface DiffLine {
  readonly kind: 'context' | 'added' | 'deleted'
  readonly text: string
  /** 1-based number in the old file; null for an added line. */
  readonly oldLine: number | null
  /** 1-based number in the new file; null for a deleted line. */
  readonly newLine: number | null
  /** Whether this is the last line of a file that doesn't end in a line end. */
  readonly noNewlineAtEnd: boolean
}

export interface DiffHunk {
  readonly oldStart: number
  readonly oldCount: number
  readonly newStart: number
  readonly newCount: number
  /** The text after the second `@@`, where git guesses the enclosing definition. */
  readonly section: string
  readonly lines: readonly DiffLine[]
}

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
  /** Whether the diff of the file ended before its hunks were complete. */
  readonly truncated: boolean
}

export interface Diff {
  readonly files: readonly FileDiff[]
  /** Reasons why the diff is incomplete, one sentence each. */
  readonly problems: readonly string[]
}
