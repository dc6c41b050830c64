// Creates values of `ResolvedName`.
import type { ResolvedName, SymbolLocation } from './code-model.ts'

export const externalName: ResolvedName = { kind: 'outside' }

export function resolvedToSymbols(
  locations: readonly SymbolLocation[],
  confidence: number,
): ResolvedName | undefined {
  return locations.length === 0 ? undefined : { kind: 'symbols', locations, confidence }
}
