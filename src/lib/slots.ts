// A fixed number of places: who finds none waits in line.

/** Makes `count` places. `take` resolves with the function that gives the place back. */
export function createSlots(count: number): { take(): Promise<() => void> } {
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
