// The installation to check, and data that several checks share.
import type { Config } from '../../context.ts'
import type { Inspection, Platform } from '../../platforms/platform.ts'
import type { DatabaseFacts } from './database-facts.ts'

export interface DatabaseReading {
  /** It is null if the database doesn't exist yet. */
  readonly facts: DatabaseFacts | null
  /** The process of the running service that was queried; null if the database was opened here. */
  readonly heldBy: number | null
}

export interface Setup {
  readonly config: Config
  /** They belong to the hosts of the configuration, in that order. */
  readonly platforms: readonly Platform[]
  readDatabase(signal: AbortSignal): Promise<DatabaseReading>
}

/** An answer, with the times of our clock before and after it, in milliseconds since 1970. */
export interface Timed<T> {
  readonly answer: T
  readonly askedAt: number
  readonly answeredAt: number
}

/** Data that several checks share. Each promise may reject. */
export interface Evidence {
  readonly database: Promise<Timed<DatabaseReading>>
  /** Of all hosts, in their order. The inspections use no token. */
  readonly platforms: readonly Promise<Timed<Inspection>>[]
}

/** Starts the requests. */
export function gatherEvidence({ platforms, readDatabase }: Setup, signal: AbortSignal): Evidence {
  const evidence = {
    database: time(() => readDatabase(signal)),
    platforms: platforms.map((platform) => time(() => platform.inspect(null, signal))),
  }
  // Errors are thrown in the checks that await the promises.
  for (const promise of [evidence.database, ...evidence.platforms]) promise.catch(() => undefined)
  return evidence
}

async function time<T>(request: () => Promise<T>): Promise<Timed<T>> {
  const askedAt = Date.now()
  const answer = await request()
  return { answer, askedAt, answeredAt: Date.now() }
}
