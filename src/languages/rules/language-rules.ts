// Defines what a language adds to the rules of the static reviewer, and reads tables by language.
import type { PatternCheck } from './pattern-check.ts'
import type { ParsedFile, SyntaxCheck } from './syntax-check.ts'

export interface LanguageRules {
  /** Its checks by the id of the rule that they belong to. Their samples are in `samples/`. */
  readonly checks: Readonly<Record<string, readonly (SyntaxCheck | PatternCheck)[]>>
}

/** Returns the language that checks take a grammar for: TypeScript and TSX are JavaScript. */
export function ruleLanguageOf(grammar: string): string {
  return /^(?:typescript|tsx)$/.test(grammar) ? 'javascript' : grammar
}

/** Lists the languages of a table, as those that its check runs in. */
export function languagesOf<Name extends string>(table: Readonly<Record<Name, unknown>>): Name[] {
  return Object.keys(table) as Name[]
}

/** Returns what a table has for the language of a file. */
export function pickByLanguage<Value>(
  table: Readonly<Partial<Record<string, Value>>>,
  { language }: ParsedFile,
): Value | undefined {
  return table[ruleLanguageOf(language)]
}
