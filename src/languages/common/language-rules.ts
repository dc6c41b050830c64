// What a language adds to the rules of the static reviewer.
import type { SyntaxCheck } from './syntax-check.ts'

export interface LanguageRules {
  /** The types of nodes that are functions, apart from those of `functionTypes`. */
  readonly functions?: readonly string[]
  /** Its checks by the id of the rule that they belong to. */
  readonly checks: Readonly<Record<string, RuleChecks>>
}

/** The checks of one rule in a language. Code is that of a whole file. */
interface RuleChecks {
  readonly checks: readonly SyntaxCheck[]
  /** Code in which the rule reports the lines that end in ` ◀`, and no others. */
  readonly fires: readonly string[]
  /** Code in which the rule reports nothing. */
  readonly silent: readonly string[]
}
