// Counts how often keys occur.

export function addCount(counts: Map<string, number>, key: string, by = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + by)
}

/** Counts each key; the most frequent first, then by name. */
export function countEach(keys: Iterable<string>): [key: string, count: number][] {
  const counts = new Map<string, number>()
  for (const key of keys) addCount(counts, key)
  return sortByCount(counts)
}

/** Keys with larger counts come first, then those whose name is earlier. */
export function sortByCount(counts: ReadonlyMap<string, number>): [key: string, count: number][] {
  return [...counts].sort(([one, less], [other, more]) => more - less || (one < other ? -1 : 1))
}
