// A limit of concurrent work, and a fair semaphore that shares its capacity between parties.

/** A semaphore that several parties share. */
export interface FairSemaphore {
  /**
   * Resolves with the function that releases the permits. Calls of one party are served in order.
   * The party with the fewest permits is next, among equals the one that was served longest ago.
   *
   * @param size number of permits; at most the limit of a party is acquired
   */
  acquire(party: string, signal?: AbortSignal, size?: number): Promise<() => void>
  /** Acquires permits at once, even above the limit, for work that turns out to be larger. */
  acquireNow(party: string, size: number): () => void
}

/** Makes a function that starts work in the order of its calls, at most `count` at a time. */
export function createLimiter(count: number): <T>(work: () => Promise<T>) => Promise<T> {
  const semaphore = createFairSemaphore(count, count)
  return async (work) => {
    const release = await semaphore.acquire('all')
    return work().finally(release)
  }
}

/** Makes a semaphore with `count` permits, of which a party gets at most `perParty`. */
export function createFairSemaphore(
  count: number,
  perParty: number = count - Math.floor(count / 4),
): FairSemaphore {
  return new PartySemaphore(count, perParty)
}

interface WaitingRequest {
  readonly size: number
  readonly admit: () => void
}

interface Party {
  readonly queue: Set<WaitingRequest>
  held: number
  /** Numbers admissions, so that the least recently served party is known. */
  lastAdmission: number
}

/** The request that a party's queue begins with. */
interface Candidate {
  readonly party: Party
  readonly first: WaitingRequest
}

/**
 * Reserves up to a quarter of the permits for newcomers, parties with next to no permits, so that
 * these don't wait until long work of others ends.
 */
class PartySemaphore implements FairSemaphore {
  readonly #count: number
  readonly #perParty: number
  readonly #reserved: number
  readonly #maxNewcomerPermits: number
  readonly #parties = new Map<string, Party>()
  #held = 0
  #admissions = 0

  constructor(count: number, perParty: number) {
    this.#count = count
    this.#perParty = perParty
    this.#reserved = Math.min(Math.floor(count / 4), count - perParty)
    this.#maxNewcomerPermits = Math.max(1, Math.floor(this.#reserved / 4))
  }

  async acquire(name: string, signal?: AbortSignal, requestedSize = 1): Promise<() => void> {
    signal?.throwIfAborted()
    const size = Math.min(requestedSize, this.#perParty)
    const party = this.#addParty(name)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const request: WaitingRequest = {
      size,
      admit() {
        signal?.removeEventListener('abort', leave)
        resolve()
      },
    }
    const leave = () => {
      party.queue.delete(request)
      this.#removeIfIdle(name, party)
      reject(signal?.reason)
      // The requests behind it may need fewer permits.
      this.#admitWaiting()
    }
    party.queue.add(request)
    signal?.addEventListener('abort', leave, { once: true })
    this.#admitWaiting()
    await promise
    return this.#createRelease(name, size)
  }

  acquireNow(name: string, size: number): () => void {
    this.#addParty(name).held += size
    this.#held += size
    return this.#createRelease(name, size)
  }

  #addParty(name: string): Party {
    const party = this.#parties.get(name) ?? { queue: new Set(), held: 0, lastAdmission: 0 }
    this.#parties.set(name, party)
    return party
  }

  #removeIfIdle(name: string, { queue, held }: Party): void {
    if (queue.size === 0 && held === 0) this.#parties.delete(name)
  }

  #createRelease(name: string, size: number): () => void {
    let isReleased = false
    return () => {
      const party = this.#parties.get(name)
      if (isReleased || party === undefined) return
      isReleased = true
      party.held -= size
      this.#held -= size
      this.#removeIfIdle(name, party)
      this.#admitWaiting()
    }
  }

  #admitWaiting(): void {
    for (let next = this.#chooseNext(); next !== undefined; next = this.#chooseNext()) {
      const { party, first } = next
      party.queue.delete(first)
      this.#admissions += 1
      party.lastAdmission = this.#admissions
      party.held += first.size
      this.#held += first.size
      first.admit()
    }
  }

  /** While the next request waits for enough permits, only newcomers may overtake it. */
  #chooseNext(): Candidate | undefined {
    const next = this.#findNext(() => true)
    if (next === undefined || this.#hasCapacity(next)) return next
    return this.#findNext((each) => this.#isNewcomer(each) && this.#hasCapacity(each))
  }

  #findNext(isAllowed: (candidate: Candidate) => boolean): Candidate | undefined {
    let next: Candidate | undefined
    for (const party of this.#parties.values()) {
      const [first] = party.queue
      if (first === undefined || party.held + first.size > this.#perParty) continue
      const candidate = { party, first }
      if (!isAllowed(candidate)) continue
      if (next === undefined || isBefore(party, next.party)) next = candidate
    }
    return next
  }

  #isNewcomer({ party, first }: Candidate): boolean {
    return party.held + first.size <= this.#maxNewcomerPermits
  }

  #hasCapacity(candidate: Candidate): boolean {
    const { party, first } = candidate
    if (this.#isNewcomer(candidate)) return this.#held + first.size <= this.#count
    const unreserved = this.#count - this.#reserved
    return this.#countHeldByOthers(party) + party.held + first.size <= unreserved
  }

  /** Counts the unreserved permits of other parties; newcomers use the reserved ones first. */
  #countHeldByOthers(party: Party): number {
    let byNewcomers = 0
    let byOthers = 0
    for (const each of this.#parties.values()) {
      if (each === party) continue
      if (each.held <= this.#maxNewcomerPermits) byNewcomers += each.held
      else byOthers += each.held
    }
    return byOthers + Math.max(0, byNewcomers - this.#reserved)
  }
}

function isBefore(one: Party, other: Party): boolean {
  if (one.held !== other.held) return one.held < other.held
  return one.lastAdmission < other.lastAdmission
}
