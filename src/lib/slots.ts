// A fixed number of places: who finds none waits in line.

export interface Slots {
  /** Resolves, in the order of asking, with the function that gives the place back. */
  take(): Promise<() => void>
}

/** Makes `count` places. */
export function createSlots(count: number): Slots {
  let free = count
  const line: (() => void)[] = []
  const release = () => {
    const next = line.shift()
    if (next) next()
    else free += 1
  }
  return {
    async take() {
      if (free > 0) free -= 1
      else await new Promise<void>((resolve) => line.push(resolve))
      return release
    },
  }
}
