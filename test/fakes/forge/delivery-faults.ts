// Deliveries that are lost, doubled, late or out of order, by a seeded chance.
import { createHash } from 'node:crypto'
import type { Delivery } from './state.ts'

/** The shares of deliveries, from 0 to 1, that fail in one of these ways. */
export interface DeliveryFaultOptions {
  readonly seed: number
  /** Recorded as failed without reaching the receiver; can be asked for again. */
  readonly drop?: number
  /** Sent twice at once. */
  readonly double?: number
  /** Sent after the next one of the repository was answered. */
  readonly reorder?: number
  /** Sent with `releaseDeliveries`. */
  readonly delay?: number
}

export interface FaultyDeliveries {
  readonly options: DeliveryFaultOptions
  /** Returns the next number from 0 to 1. */
  readonly random: () => number
  /** One for each repository and event, so that others don't change what happens there. */
  readonly streams: Map<string, () => number>
  readonly late: Delivery[]
  /** The deliveries that the next one overtakes. */
  overtaken: Delivery[]
}

export type Fate = 'send' | 'drop' | 'double' | 'reorder' | 'delay'

export function createFaultyDeliveries(options: DeliveryFaultOptions): FaultyDeliveries {
  const random = createRandom(options.seed)
  return { options, random, streams: new Map(), late: [], overtaken: [] }
}

/** Decides what becomes of the next delivery. */
export function decideFate({ options, streams }: FaultyDeliveries, delivery: Delivery): Fate {
  const key = `${delivery.repo} ${delivery.event}`
  const random = streams.get(key) ?? createRandom(hash(`${options.seed} ${key}`))
  streams.set(key, random)
  let rest = random()
  for (const fate of ['drop', 'double', 'reorder', 'delay'] as const) {
    rest -= options[fate] ?? 0
    if (rest < 0) return fate
  }
  return 'send'
}

function hash(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE()
}

/** Mulberry32: the same numbers for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
