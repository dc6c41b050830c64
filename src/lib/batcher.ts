// Group commit: what is asked for while a batch runs goes into the next batch together.

/** Puts one item into the next batch; resolves with its own result. */
export type Submit<Item, Result> = (item: Item) => Promise<Result>

/**
 * Makes a function that collects items and hands them over in batches. A batch starts at once when fewer than
 * `concurrency` run; there is no timer, so a lone item waits for nothing.
 *
 * @param run one result per item, in order; an Error fails its item alone. When it throws for a batch of several, each
 *   item is run again alone, so that one bad item fails nobody else; `isShared` tells the errors for which that would be
 *   useless.
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
