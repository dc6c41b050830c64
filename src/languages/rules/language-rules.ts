// Defines what a language adds to the rules of the static reviewer.
import type { PatternCheck } from './pattern-check.ts'
import type { SyntaxCheck } from './syntax-check.ts'

export interface LanguageRules {
  /** The types of nodes that are functions, apart from those of `functionTypes`. */
  readonly functions?: readonly string[]
  /** Its checks by the id of the rule that they belong to. Their samples are in `samples/`. */
  readonly checks: Readonly<Record<string, readonly (SyntaxCheck | PatternCheck)[]>>
}
