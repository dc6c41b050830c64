// Defines the types of checks of syntax trees, and of what they find.
import type { Node } from 'web-tree-sitter'
import type { Severity } from '../../domain/finding.ts'
import type { DeclarationIndex } from './declaration-index.ts'
import type { WordIndex } from './word-index.ts'

/** Checks every node of the given types that touches an added line. */
export interface SyntaxCheck {
  readonly nodes: readonly string[]
  /** Whether to check all nodes of functions with an added line, not only added ones. */
  readonly wholeFunction?: boolean
  check(node: Node, file: ParsedFile): Hit | undefined
}

export interface ParsedFile {
  readonly path: string
  /** This is the name of its grammar. */
  readonly language: string
  readonly text: string
  /** Lines of `text` that have no line ends. */
  readonly lines: readonly string[]
  readonly root: Node
  readonly declarations: DeclarationIndex
  readonly words: WordIndex
  /** Finds the async function of the repository that the file imports by this name. */
  findImported(name: string): AsyncCallee | undefined
}

/** It is an async function that a call runs. */
export interface AsyncCallee {
  readonly path: string
  readonly line: number
  /** Whether the function handles all its errors, as far as its code shows. */
  readonly neverFails: boolean
}

/** Lines are 1-based, and both ends are included. */
export interface LineRange {
  readonly startLine: number
  readonly endLine: number
}

/** A mistake that a rule found. The rule supplies severity and confidence if they are left out. */
export interface Hit {
  readonly at: LineRange
  /** Lines to report instead if those of `at` were not added. */
  readonly fallback?: LineRange
  /** Claims the mistake in one sentence that has no final period. */
  readonly title: string
  /** Markdown that reads "When X, then Y." and names a remedy. */
  readonly body: string
  readonly severity?: Severity | undefined
  readonly confidence?: number | undefined
  /** Replaces the lines of `at`, and has no final line end. */
  readonly suggestion?: string | undefined
  /** Other lines that show the mistake. Without a path, they are in the same file. */
  readonly evidence?: readonly RuleEvidence[]
}

export interface RuleEvidence {
  readonly path?: string | undefined
  readonly line: number
  readonly note: string
}
