// What a name stands for where it is used.
import type { SymbolPlace } from './code-view.ts'

export type Meaning =
  | { readonly kind: 'symbols'; readonly places: readonly SymbolPlace[]; readonly confidence: number }
  /** A module or package as a whole: what it defines is behind its name. */
  | { readonly kind: 'modules'; readonly paths: readonly string[]; readonly confidence: number }
  /** Something that isn't part of the repository. */
  | { readonly kind: 'outside' }

export const outsideMeaning: Meaning = { kind: 'outside' }

export function meansSymbols(places: readonly SymbolPlace[], confidence: number): Meaning | undefined {
  return places.length === 0 ? undefined : { kind: 'symbols', places, confidence }
}
