// Defines checks that describe code by patterns, instead of walking syntax nodes.
import type { Node } from 'web-tree-sitter'
import type { Hit, ParsedFile } from './syntax-check.ts'

/**
 * Reports code that has the shape of a pattern. A pattern is code of the language, in which
 *
 * - `$NAME` is any expression or name, and the same one at each place;
 * - `'$NAME'` is any string without interpolated values;
 * - `$OP` is any operator that is written like a comparison;
 * - `$_` is anything;
 * - `$$$NAME` or `$$$` are any number of arguments, elements or statements.
 *
 * `«»` surround what is looked for, if it needs other code around it: `f(«verify=False»)`. A final
 * `;` stands for a statement of its own. Quotation marks, comments, parentheses and final commas
 * make no difference, nor does what the pattern leaves out of `optionalTypes` in
 * `code/patterns/match-pattern.ts`, such as type annotations.
 */
export interface PatternCheck extends Partial<Wording> {
  /** Alternatives. */
  readonly patterns: readonly string[]
  /** What must be true of a metavariable. */
  readonly where?: Readonly<Record<string, Condition>>
  /** Patterns of code that is not reported. */
  readonly not?: readonly string[]
  /** One of them is around the code. */
  readonly inside?: readonly string[]
  /** None of them is around the code. */
  readonly notInside?: readonly string[]
  /** See `SyntaxCheck`. */
  readonly wholeFunction?: boolean
  /** Decides what patterns can't express, and returns what differs from the wording. */
  readonly refine?: (match: Match, file: ParsedFile) => Partial<Hit> | boolean | undefined
}

/** A regular expression for the text of a node, or the content of a string; or a test of both. */
type Condition = RegExp | ((node: Node, file: ParsedFile) => boolean)

/**
 * What is reported. In its texts, `$NAME` is the quoted code of a metavariable, `$$NAME` the code
 * without quotation, and `$MATCH` all of the code.
 */
interface Wording extends Pick<Hit, 'title' | 'body' | 'severity' | 'confidence'> {
  /** The metavariable that is reported; by default `MATCH`. */
  readonly at?: string
  /** Replaces what is reported, if that is on one line. */
  readonly replacement?: string
}

/** Code that has the shape of a pattern. */
export interface Match {
  readonly node: Node
  /** @throws Error if the pattern has no such metavariable */
  get(name: string): Node
  /** The text of a metavariable; of one in quotation marks, without these. */
  text(name: string): string
  /** The nodes of `$$$NAME`. */
  list(name: string): readonly Node[]
}
