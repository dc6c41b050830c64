// Collects what became of deliveries that led to no event, and stores it about once a second: a
// flood of forged deliveries costs no more than that.
import type { AppContext } from '../context.ts'
import {
  pruneUnusedDeliveries,
  saveUnusedDeliveries,
  type UnusedDelivery,
  type UnusedReason,
} from '../events/unused-deliveries.ts'

const pauseMs = 1000
const pruneMs = 10 * 60_000
/** Limits the memory of one pause. Further verified ones are left out. */
const maxVerified = 5000
/** Further unverified ones are counted without their repository. */
const maxCounts = 1000

export interface DeliveryLedger {
  /** Keeps it in memory until it is stored. */
  note(delivery: Omit<UnusedDelivery, 'count'>): void
  /** Stores what was noted. Never throws: a ledger with a gap is better than a lost delivery. */
  flush(): Promise<void>
}

interface LedgerContext extends Pick<AppContext, 'db' | 'platform' | 'log'> {
  /** Throws when too little space is left. */
  readonly checkSpace: () => void
}

export function createDeliveryLedger(ctx: LedgerContext): DeliveryLedger {
  let verified: UnusedDelivery[] = []
  let counts = new Map<string, UnusedDelivery>()
  let timer: NodeJS.Timeout | null = null
  let saving = Promise.resolve()
  let prunedAt = Number.NEGATIVE_INFINITY

  function count(reason: UnusedReason, named: string | null): void {
    const keyOf = (repo: string | null) => `${reason} ${repo ?? ''}`
    const repo = counts.size < maxCounts || counts.has(keyOf(named)) ? named : null
    const before = counts.get(keyOf(repo))?.count ?? 0
    counts.set(keyOf(repo), { reason, repo, verified: null, count: before + 1 })
  }

  async function save(): Promise<void> {
    const noted = [...verified, ...counts.values()]
    verified = []
    counts = new Map()
    if (noted.length === 0) return
    try {
      ctx.checkSpace()
      await saveUnusedDeliveries(ctx.db, ctx.platform.id, noted)
      if (performance.now() - prunedAt < pruneMs) return
      prunedAt = performance.now()
      await pruneUnusedDeliveries(ctx.db)
    } catch (error) {
      ctx.log.warn({ err: error }, 'Duplicate, ignored and refused deliveries were not recorded')
    }
  }

  function flush(): Promise<void> {
    if (timer !== null) clearTimeout(timer)
    timer = null
    saving = saving.then(save)
    return saving
  }

  return {
    note(delivery) {
      if (delivery.verified === null) count(delivery.reason, delivery.repo)
      else if (verified.length < maxVerified) verified.push({ ...delivery, count: 1 })
      timer ??= setTimeout(() => void flush(), pauseMs).unref()
    },
    flush,
  }
}
