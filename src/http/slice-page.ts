// Slices pages from lists whose cursor is the ID of the last entry.

/** The number of entries to fetch: one more than the limit shows if there is a next page. */
export const fetchLimit = (limit: number): number => limit + 1

/**
 * Slices a page from the fetched entries.
 *
 * @param fetched at most `fetchLimit(limit)` entries
 * @returns the entries, and the cursor of the next page, or null on the last page
 */
export function slicePage<Entry extends { readonly id: number }>(
  fetched: readonly Entry[],
  limit: number,
): { entries: Entry[]; next: number | null } {
  const entries = fetched.slice(0, limit)
  const hasMore = fetched.length > limit
  return { entries, next: hasMore ? (entries.at(-1)?.id ?? null) : null }
}
