// Makes what names stand for.
import type { ResolvedName, SymbolLocation } from './code-model.ts'

export const externalName: ResolvedName = { kind: 'outside' }

export function resolvedToSymbols(
  places: readonly SymbolLocation[],
  confidence: number,
): ResolvedName | undefined {
  return places.length === 0 ? undefined : { kind: 'symbols', places, confidence }
}
