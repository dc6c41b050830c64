// Makes what names stand for.
import type { Meaning, SymbolPlace } from './code-model.ts'

export const outsideMeaning: Meaning = { kind: 'outside' }

export function meansSymbols(
  places: readonly SymbolPlace[],
  confidence: number,
): Meaning | undefined {
  return places.length === 0 ? undefined : { kind: 'symbols', places, confidence }
}
