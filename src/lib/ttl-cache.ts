// A bounded cache of results that expire; concurrent loads of one key share a result.

export interface CachedValue<T> {
  readonly value: T
  readonly ttlMs: number
}

interface Entry<T> {
  readonly loading: Promise<CachedValue<T>>
  /** A time of `performance.now()`, which never steps back; infinite while loading. */
  expiresAt: number
}

/**
 * Makes a function that returns the cached value of a key, or loads it.
 *
 * @param maxEntries above it, the entry that was loaded first is removed
 */
export function createTtlCache<T>(
  maxEntries: number,
): (key: string, load: () => Promise<CachedValue<T>>) => Promise<T> {
  const entries = new Map<string, Entry<T>>()

  async function loadEntry(key: string, load: () => Promise<CachedValue<T>>): Promise<T> {
    const entry: Entry<T> = { loading: load(), expiresAt: Number.POSITIVE_INFINITY }
    entries.delete(key)
    entries.set(key, entry)
    for (const oldest of entries.keys()) {
      if (entries.size <= maxEntries) break
      entries.delete(oldest)
    }
    try {
      const { value, ttlMs } = await entry.loading
      entry.expiresAt = performance.now() + ttlMs
      return value
    } catch (error) {
      entry.expiresAt = 0
      throw error
    }
  }

  return async (key, load) => {
    const entry = entries.get(key)
    if (entry === undefined || performance.now() >= entry.expiresAt) return loadEntry(key, load)
    const { value } = await entry.loading
    return value
  }
}
