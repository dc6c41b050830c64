// A fixed number of places: who finds none waits in line.

export interface Slots {
  /**
   * Resolves, in the order of asking, with the function that gives the place back.
   *
   * @throws the signal's reason, to who waits when it fires; they left the line then
   */
  take(signal?: AbortSignal): Promise<() => void>
}

/** Places that several parties share. */
export interface SharedSlots {
  /** As `Slots` has it, for the party of that name. */
  take(party: string, signal?: AbortSignal): Promise<() => void>
}

/** Makes `count` places. */
export function createSlots(count: number): Slots {
  let free = count
  const line = new Set<() => void>()
  const release = () => {
    const [next] = line
    if (next) next()
    else free += 1
  }
  return {
    async take(signal) {
      signal?.throwIfAborted()
      if (free > 0) free -= 1
      else await waitInLine(line, signal)
      return release
    },
  }
}

function waitInLine(line: Set<() => void>, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const goOn = () => {
      line.delete(goOn)
      signal?.removeEventListener('abort', leave)
      resolve()
    }
    const leave = () => {
      line.delete(goOn)
      reject(signal?.reason)
    }
    line.add(goOn)
    signal?.addEventListener('abort', leave, { once: true })
  })
}

/** Makes `count` places of which no party gets more than `perParty`: each waits for its own before it waits for all. */
export function createSharedSlots(count: number, perParty: number): SharedSlots {
  const all = createSlots(count)
  const parties = new Map<string, { readonly slots: Slots; present: number }>()

  function enter(name: string) {
    const party = parties.get(name) ?? { slots: createSlots(perParty), present: 0 }
    parties.set(name, party)
    party.present += 1
    const leave = () => {
      party.present -= 1
      if (party.present === 0) parties.delete(name)
    }
    return { slots: party.slots, leave }
  }

  return {
    async take(name, signal) {
      using given = new DisposableStack()
      const { slots, leave } = enter(name)
      given.defer(leave)
      given.defer(await slots.take(signal))
      given.defer(await all.take(signal))
      const kept = given.move()
      return () => kept.dispose()
    },
  }
}
