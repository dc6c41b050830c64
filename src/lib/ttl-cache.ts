// Answers that are kept for a while, so that the same question isn't asked again; of a bounded number of questions.

/** What was asked, and for how long it is to be kept. */
export interface CachedValue<T> {
  readonly value: T
  readonly ttlMs: number
}

interface Entry<T> {
  readonly answer: Promise<CachedValue<T>>
  /** By the process's own clock, which never steps; endless while the answer is on its way. */
  until: number
}

/**
 * Makes a function that asks, unless the answer to the same question is kept or on its way.
 *
 * @param most how many answers are kept; beyond, the one that was asked for first goes
 */
export function createTtlCache<T>(
  most: number,
): (question: string, ask: () => Promise<CachedValue<T>>) => Promise<T> {
  const entries = new Map<string, Entry<T>>()

  async function askAnew(question: string, ask: () => Promise<CachedValue<T>>): Promise<T> {
    const entry: Entry<T> = { answer: ask(), until: Number.POSITIVE_INFINITY }
    entries.delete(question)
    entries.set(question, entry)
    for (const oldest of entries.keys()) {
      if (entries.size <= most) break
      entries.delete(oldest)
    }
    try {
      const { value, ttlMs: keepMs } = await entry.answer
      entry.until = performance.now() + keepMs
      return value
    } catch (error) {
      entry.until = 0
      throw error
    }
  }

  return async (question, ask) => {
    const known = entries.get(question)
    return known && performance.now() < known.until
      ? (await known.answer).value
      : askAnew(question, ask)
  }
}
