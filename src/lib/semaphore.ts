// A fixed number of places: who finds none waits in line, and parties that share them get them by turns.

export interface Semaphore {
  /**
   * Resolves, in the order of asking, with the function that gives the place back.
   *
   * @throws the signal's reason, to who waits when it fires; they left the line then
   */
  acquire(signal?: AbortSignal): Promise<() => void>
}

/** Places that several parties share. */
export interface FairSemaphore {
  /**
   * As `Slots` has it, for the party of that name. Within a party the order of asking holds. Of those who wait, the party that
   * has least is next, and among equals the one whose last turn is longest ago.
   *
   * @param size how many places are taken together; what is more than a party's share takes the whole share
   */
  acquire(party: string, signal?: AbortSignal, size?: number): Promise<() => void>
  /** Takes places at once, also where none are left: for what turns out to be larger than what was taken for it. */
  acquireNow(party: string, size: number): () => void
}

/** Makes `count` places. */
export function createSemaphore(count: number): Semaphore {
  const slots = createFairSemaphore(count, count)
  return { acquire: (signal) => slots.acquire('all', signal) }
}

interface Waiting {
  readonly size: number
  readonly enter: () => void
}

interface Tenant {
  readonly line: Set<Waiting>
  held: number
  /** The number of its last turn. */
  lastTurn: number
}

/** The first in the line of a party. */
interface Candidate {
  readonly party: Tenant
  readonly first: Waiting
}

/**
 * Makes `count` places of which no party gets more than `perParty`. By default that is three quarters. Up to a quarter of all
 * places is kept for parties that have next to nothing, so that a newcomer need not wait until others are done.
 */
export function createFairSemaphore(
  count: number,
  perParty: number = count - Math.floor(count / 4),
): FairSemaphore {
  const kept = Math.min(Math.floor(count / 4), count - perParty)
  const newcomersPart = Math.max(1, Math.floor(kept / 4))
  const parties = new Map<string, Tenant>()
  let taken = 0
  let turn = 0

  const join = (name: string): Tenant => {
    const party = parties.get(name) ?? { line: new Set(), held: 0, lastTurn: 0 }
    parties.set(name, party)
    return party
  }
  const forgetIfGone = (name: string, { line, held }: Tenant) => {
    if (line.size === 0 && held === 0) parties.delete(name)
  }
  /** What is taken of the places that aren't kept, by all but this party. */
  const takenByOthers = (party: Tenant) => {
    let [byNewcomers, byOthers] = [0, 0]
    for (const each of parties.values()) {
      if (each === party) continue
      if (each.held <= newcomersPart) byNewcomers += each.held
      else byOthers += each.held
    }
    return byOthers + Math.max(0, byNewcomers - kept)
  }
  const isNewcomer = ({ party, first }: Candidate) => party.held + first.size <= newcomersPart
  const hasRoom = (candidate: Candidate) => {
    const { party, first } = candidate
    if (isNewcomer(candidate)) return taken + first.size <= count
    return takenByOthers(party) + party.held + first.size <= count - kept
  }
  const findNext = (mayBeNext: (candidate: Candidate) => boolean): Candidate | undefined => {
    let next: Candidate | undefined
    for (const party of parties.values()) {
      const [first] = party.line
      if (first === undefined || party.held + first.size > perParty || !mayBeNext({ party, first }))
        continue
      const isNext =
        !next || (party.held - next.party.held || party.lastTurn - next.party.lastTurn) < 0
      if (isNext) next = { party, first }
    }
    return next
  }
  /** While the next one waits until there is room for all of it, only newcomers may go before. */
  const chooseNext = () => {
    const next = findNext(() => true)
    return next === undefined || hasRoom(next)
      ? next
      : findNext((one) => isNewcomer(one) && hasRoom(one))
  }
  const admit = () => {
    for (let next = chooseNext(); next !== undefined; next = chooseNext()) {
      const { party, first } = next
      party.line.delete(first)
      party.lastTurn = ++turn
      party.held += first.size
      taken += first.size
      first.enter()
    }
  }
  const occupy = (name: string, size: number) => {
    join(name).held += size
    taken += size
    return makeRelease(name, size)
  }
  const makeRelease = (name: string, size: number) => {
    let isHeld = true
    return () => {
      const party = parties.get(name)
      if (!isHeld || party === undefined) return
      isHeld = false
      party.held -= size
      taken -= size
      forgetIfGone(name, party)
      admit()
    }
  }

  return {
    acquireNow: occupy,
    async acquire(name, signal, wanted = 1) {
      signal?.throwIfAborted()
      const size = Math.min(wanted, perParty)
      const party = join(name)
      await new Promise<void>((resolve, reject) => {
        const waiting: Waiting = {
          size,
          enter() {
            signal?.removeEventListener('abort', leave)
            resolve()
          },
        }
        const leave = () => {
          party.line.delete(waiting)
          forgetIfGone(name, party)
          reject(signal?.reason)
          // Those behind it may ask for less.
          admit()
        }
        party.line.add(waiting)
        signal?.addEventListener('abort', leave, { once: true })
        admit()
      })
      return makeRelease(name, size)
    },
  }
}
