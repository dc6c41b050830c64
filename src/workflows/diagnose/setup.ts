// What is to be checked, and what several checks look at: asked once.
import type { Config } from '../../config/config.ts'
import type { Inspection, Platform } from '../../platforms/platform.ts'
import type { DatabaseFacts } from './database-facts.ts'

/** The database as it was reached. */
export interface DatabaseReading {
  /** Null where none was made yet. */
  readonly facts: DatabaseFacts | null
  /** The process of a running service that has it open and was asked; null where it was opened for this. */
  readonly heldBy: number | null
}

/** The set-up, and how to reach its parts. */
export interface Setup {
  readonly config: Config
  readonly platform: Platform
  readDatabase(signal: AbortSignal): Promise<DatabaseReading>
}

/** An answer, and between which moments of our own clock it was given, in milliseconds since 1970. */
export interface Timed<T> {
  readonly answer: T
  readonly askedAt: number
  readonly answeredAt: number
}

/** What several checks look at. Each promise may reject. */
export interface Evidence {
  readonly database: Promise<Timed<DatabaseReading>>
  /** Without a token. */
  readonly platform: Promise<Timed<Inspection>>
}

/** Starts asking. */
export function gatherEvidence({ platform, readDatabase }: Setup, signal: AbortSignal): Evidence {
  const evidence = {
    database: time(() => readDatabase(signal)),
    platform: time(() => platform.inspect(null, signal)),
  }
  // Whoever waits for it hears of it.
  for (const promise of Object.values(evidence)) promise.catch(() => undefined)
  return evidence
}

async function time<T>(ask: () => Promise<T>): Promise<Timed<T>> {
  const askedAt = Date.now()
  const answer = await ask()
  return { answer, askedAt, answeredAt: Date.now() }
}
