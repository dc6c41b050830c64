// A cache with a capacity; the least recently used values are evicted first.

export interface LruCache<Value> {
  get(key: string): Value | undefined
  /** @param weight in the unit of the capacity; a value that exceeds the capacity isn't stored */
  set(key: string, value: Value, weight: number): void
}

/** @param capacity limits the weight of all values together */
export function createLruCache<Value>(capacity: number): LruCache<Value> {
  const entries = new Map<string, { readonly value: Value; readonly weight: number }>()
  let totalWeight = 0
  const remove = (key: string) => {
    totalWeight -= entries.get(key)?.weight ?? 0
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
      remove(key)
      if (weight > capacity) return
      entries.set(key, { value, weight })
      totalWeight += weight
      // The keys are in the order of their last use, because `get` inserts its entry again.
      for (const leastRecent of entries.keys()) {
        if (totalWeight <= capacity) break
        remove(leastRecent)
      }
    },
  }
}
