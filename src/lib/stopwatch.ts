// Measures how long steps take, in whole milliseconds.

export interface Stopwatch {
  /** Contains the milliseconds of each step. */
  readonly laps: Readonly<Record<string, number>>
  /** Ends a step that began with the end of the last one. */
  lap(step: string): void
  /** Returns how many milliseconds have passed since the start. */
  total(): number
}

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
