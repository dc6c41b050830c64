// Pages of lists that go on from the id of their last entry.

/** As many as are to be asked for: one more shows whether there is a next page. */
export const fetchLimit = (limit: number): number => limit + 1

/**
 * Cuts a page out of what was found.
 *
 * @param found `pageSize(limit)` entries at most
 * @returns with the entries what the next page is asked for with; null on the last one
 */
export function slicePage<Entry extends { readonly id: number }>(
  found: readonly Entry[],
  limit: number,
): { entries: Entry[]; next: number | null } {
  const entries = found.slice(0, limit)
  return { entries, next: found.length > limit ? (entries.at(-1)?.id ?? null) : null }
}
