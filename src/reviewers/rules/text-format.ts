// Defines checks of formats that no grammar reads, such as Dockerfiles, by the text of a hunk.
import type { Hit } from './rule.ts'

export interface TextFormat {
  /** The documentation names it so. */
  readonly name: string
  readonly files: RegExp
  /** Matches a comment, which no check sees. */
  readonly comment: RegExp
  /** Whether a backslash at the end of a line continues it. */
  readonly continuesLines: boolean
  readonly checks: readonly FormatCheck[]
}

export interface FormatCheck {
  /** The id of the rule that it belongs to. */
  readonly rule: string
  /**
   * With the flag `g`. What it matches begins on the reported line, apart from white space. Every
   * repetition has a bound, so that hostile text takes linear time.
   */
  readonly pattern: RegExp
  /** Decides what the pattern doesn't show. */
  readonly accept?: (match: RegExpExecArray, shown: ShownText) => boolean
  /** In it, `$1` and `$2` are the groups of the pattern. */
  readonly title: string
  readonly body: string
  readonly severity?: Hit['severity']
}

/** Holds what the diff shows of a file in one place, with unchanged lines. */
export interface ShownText {
  readonly text: string
  readonly path: string
  /** Whether the text begins where the file begins. */
  readonly isStart: boolean
}

/** It matches examples and references, which are no secrets. */
const placeholder =
  /example|placeholder|change.?me|dummy|fake|sample|your|my[-_]|xxx|\.\.\.|\*\*\*|[<${}]|redacted|replace|todo|test|^(?:true|false|null|none|yes|no|\d+|(?:pass|password|passwd|secret|postgres|root|admin|token|guest|string)\d{0,3})$|^[./~]|^https?:|^(?:\w+\.)+\w+$/i

/** Whether a text that is given to something with the name of a secret can be one. */
export function isLikelySecret(value: string): boolean {
  const isWords = /^[a-z]+(?:[-_ ][a-z]+)*$/i.test(value)
  return value.length >= 6 && !isWords && !placeholder.test(value) && new Set(value).size >= 5
}
