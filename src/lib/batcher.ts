// Group commit: items that arrive while a batch runs form the next batch.

/** Adds one item to the next batch; resolves with the item's result. */
type Submit<Item, Result> = (item: Item) => Promise<Result>

/**
 * Makes a function that collects items and runs them in batches. A batch starts at once when fewer
 * than `concurrency` batches run; there is no timer, so a single item doesn't wait.
 *
 * @param options.run returns one result per item, in order; an Error fails only its item. When it
 *   throws for several items, each item runs again alone, so that one bad item doesn't fail others.
 * @param options.isShared whether an error affects all items, so that running them again is useless
 */
export function createBatcher<Item, Result>(options: {
  maxSize: number
  concurrency: number
  run: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>
  isShared: (error: unknown) => boolean
}): Submit<Item, Result> {
  type Waiting = { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void }
  let waiting: Waiting[] = []
  let running = 0

  async function runBatch(batch: Waiting[]): Promise<void> {
    try {
      const results = await options.run(batch.map(({ item }) => item))
      batch.forEach(({ resolve, reject }, index) => {
        const result = results[index] as Result | Error
        if (result instanceof Error) reject(result)
        else resolve(result)
      })
    } catch (error) {
      if (batch.length === 1 || options.isShared(error))
        for (const { reject } of batch) reject(error)
      else for (const single of batch) await runBatch([single])
    }
  }

  function startBatches(): void {
    while (running < options.concurrency && waiting.length > 0) {
      const batch = waiting.slice(0, options.maxSize)
      waiting = waiting.slice(options.maxSize)
      running += 1
      void runBatch(batch).finally(() => {
        running -= 1
        startBatches()
      })
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      // Requests that arrived in the same turn of the event loop share a batch.
      if (waiting.length === 1) setImmediate(startBatches)
    })
}
