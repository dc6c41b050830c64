// Chooses call sites to report, by confidence and distance.
import type { SymbolChange } from './compare-symbols.ts'
import type { UnreadCallSite } from './find-change-callers.ts'

/**
 * Chooses at most `limit` call sites. Each symbol gets a fair share of them.
 *
 * @param callSites refer to `symbols` by index
 */
export function chooseCallers(
  callSites: readonly UnreadCallSite[],
  symbols: readonly Pick<SymbolChange, 'path'>[],
  limit: number,
): UnreadCallSite[] {
  const sitesBySymbol = Map.groupBy(callSites, ({ symbol }) => symbol)
  const ranked = [...sitesBySymbol].flatMap(([symbol, sites]) =>
    rankCallSites(sites, symbols[symbol]?.path ?? ''),
  )
  ranked.sort((a, b) => a.rank - b.rank || a.site.symbol - b.site.symbol)
  return ranked
    .slice(0, limit)
    .map(({ site }) => site)
    .sort(compareForOutput)
}

/** Ranks the call sites of one symbol by test, confidence and distance from its definition. */
function rankCallSites(
  sites: readonly UnreadCallSite[],
  definitionPath: string,
): { site: UnreadCallSite; rank: number }[] {
  return sites
    .map((site) => ({ site, distance: folderDistance(definitionPath, site.path) }))
    .sort(
      (a, b) =>
        compareReliability(a.site, b.site) ||
        a.distance - b.distance ||
        compareLocations(a.site, b.site),
    )
    .map(({ site }, rank) => ({ site, rank }))
}

/** Measures how many steps the folders of two paths are apart. */
function folderDistance(a: string, b: string): number {
  const foldersOfA = a.split('/').slice(0, -1)
  const foldersOfB = b.split('/').slice(0, -1)
  let shared = 0
  while (shared < foldersOfA.length && foldersOfA[shared] === foldersOfB[shared]) shared++
  return foldersOfA.length + foldersOfB.length - 2 * shared
}

function compareForOutput(a: UnreadCallSite, b: UnreadCallSite): number {
  return a.symbol - b.symbol || Number(a.isTest) - Number(b.isTest) || compareLocations(a, b)
}

function compareReliability(a: UnreadCallSite, b: UnreadCallSite): number {
  return (
    Number(a.isTest) - Number(b.isTest) ||
    Math.round(10 * b.confidence) - Math.round(10 * a.confidence)
  )
}

function compareLocations(a: UnreadCallSite, b: UnreadCallSite): number {
  if (a.path === b.path) return a.line - b.line
  return a.path < b.path ? -1 : 1
}
