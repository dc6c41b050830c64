// What models read of a change: spans of text with their origin, packed into rounds.
import type { DiffSide, FileDiff } from '../domain/diff.ts'
import type { Citation } from '../domain/finding.ts'
import type { SkippedFile } from '../domain/review.ts'
import type { NumberedLines } from '../git/render-diff.ts'

/** Lines of a file, 1-based and inclusive: `LEFT` means the base, `RIGHT` the head. */
export interface ShownLines {
  readonly path: string
  readonly side: DiffSide
  readonly start: number
  readonly end: number
}

/** A piece of text that a model reads, with its origin. */
export interface ContextSpan {
  /** Names the kind of text: `diff`, `file`, `pull_request`, … */
  readonly origin: string
  /** All that a pull request can change is `untrusted`; `operator` texts are instructions. */
  readonly trust: 'operator' | 'base_branch' | 'untrusted'
  readonly path: string | null
  readonly text: string
  readonly tokens: number
  /** The lines of files that the text contains. */
  readonly lines?: readonly ShownLines[]
  /** The entries that findings can cite. */
  readonly citable?: readonly Citable[]
  /** Renders a list of the change's files with one more file. */
  readonly renderWithFile?: (file: FileDiff) => string
}

/** A memory or record with the short name by which a model cites it. */
export interface Citable {
  readonly name: string
  readonly citation: Citation
}

/** The part of a change that a model reads in one round. */
export interface ContextRound {
  readonly spans: readonly ContextSpan[]
  readonly tokens: number
  /** Which lines of files are numbered; all by default. */
  readonly lineNumbers?: NumberedLines
}

/** The rounds that the budget allows, and the files that are in none of them. */
export interface PackedContext {
  readonly rounds: readonly ContextRound[]
  readonly omitted: readonly OmittedFile[]
}

/** Used when no model is configured. */
export const emptyContext: PackedContext = { rounds: [], omitted: [] }

/** A file that is not completely in the rounds. */
export interface OmittedFile extends SkippedFile {
  /** The number of its changed lines that are in no round. */
  readonly lines: number
}
