// Chooses which uses a reader is shown: the surest and nearest of each definition first.
import type { SymbolChange } from './compare-symbols.ts'
import type { UnreadCallSite } from './find-change-callers.ts'

/**
 * The uses that are shown, at most `limit`: no definition keeps those of another one out.
 *
 * @param uses of `symbols`
 */
export function chooseCallers(
  uses: readonly UnreadCallSite[],
  symbols: readonly Pick<SymbolChange, 'path'>[],
  limit: number,
): UnreadCallSite[] {
  const bySymbol = Map.groupBy(uses, ({ symbol }) => symbol)
  const ranked = [...bySymbol].flatMap(([symbol, group]) => {
    const home = symbols[symbol]?.path ?? ''
    const weighed = group.map((use) => ({ use, distance: folderDistance(home, use.path) }))
    weighed.sort(
      (a, b) =>
        compareUses(a.use, b.use) || a.distance - b.distance || compareLocations(a.use, b.use),
    )
    return weighed.map(({ use }, rank) => ({ use, rank }))
  })
  ranked.sort((a, b) => a.rank - b.rank || a.use.symbol - b.use.symbol)
  return ranked
    .slice(0, limit)
    .map(({ use }) => use)
    .sort(
      (a, b) =>
        a.symbol - b.symbol || Number(a.isTest) - Number(b.isTest) || compareLocations(a, b),
    )
}

/** Steps from folder to folder. */
function folderDistance(a: string, b: string): number {
  const one = a.split('/').slice(0, -1)
  const other = b.split('/').slice(0, -1)
  let shared = 0
  while (shared < one.length && one[shared] === other[shared]) shared++
  return one.length + other.length - 2 * shared
}

function compareUses(a: UnreadCallSite, b: UnreadCallSite): number {
  return (
    Number(a.isTest) - Number(b.isTest) ||
    Math.round(10 * b.confidence) - Math.round(10 * a.confidence)
  )
}

function compareLocations(a: UnreadCallSite, b: UnreadCallSite): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line
}
