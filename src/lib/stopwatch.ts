// Measures the steps of a piece of work, in whole milliseconds.

export interface Stopwatch {
  /** Milliseconds by step. */
  readonly laps: Readonly<Record<string, number>>
  /** Ends a step: what passed since the last one counts for it. */
  lap(step: string): void
  /** Milliseconds since the start. */
  total(): number
}

/** Starts the clock. */
export function startStopwatch(): Stopwatch {
  const start = performance.now()
  let last = start
  const laps: Record<string, number> = {}
  return {
    laps,
    lap(step) {
      const now = performance.now()
      laps[step] = Math.round(now - last)
      last = now
    },
    total: () => Math.round(performance.now() - start),
  }
}
