// Values that are kept while there is room; those that nobody asked for the longest make room first.

export interface LruCache<Value> {
  get(key: string): Value | undefined
  /** @param weight of the value, in the unit of the room; one that is heavier than all of it isn't kept */
  set(key: string, value: Value, weight: number): void
}

/** @param room for all values together */
export function createLruCache<Value>(room: number): LruCache<Value> {
  const entries = new Map<string, { readonly value: Value; readonly weight: number }>()
  let taken = 0
  const forget = (key: string) => {
    taken -= entries.get(key)?.weight ?? 0
    entries.delete(key)
  }
  return {
    get(key) {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      entries.delete(key)
      entries.set(key, entry)
      return entry.value
    },
    set(key, value, weight) {
      forget(key)
      if (weight > room) return
      entries.set(key, { value, weight })
      taken += weight
      for (const oldest of entries.keys()) {
        if (taken <= room) break
        forget(oldest)
      }
    },
  }
}
