// Records how long statements of the database take, and how long users wait for a connection.
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import { type Metrics, secondsSince, timed } from '../metrics/metrics.ts'

export type DatabaseMetrics = Pick<Metrics, 'databaseQuery' | 'databaseConnectionWait'>

/** Runs a statement, and records its time. */
export function timeStatement<T>(metrics: DatabaseMetrics, run: () => Promise<T>): Promise<T> {
  return timed((outcome, seconds) => metrics.databaseQuery.observe({ outcome }, seconds), run)
}

/** A pool whose statements are recorded. Of a client it passes on what Kysely uses. */
export function timePool(pool: PostgresPool, metrics: DatabaseMetrics): PostgresPool {
  const connect = async () => {
    const startedAt = performance.now()
    const client = await pool.connect()
    metrics.databaseConnectionWait.observe({}, secondsSince(startedAt))
    return {
      query: (text: string, values: readonly unknown[]) =>
        timeStatement(metrics, () => client.query(text, values) as Promise<unknown>),
      release: (destroy?: boolean) => client.release(destroy),
    } as unknown as PostgresPoolClient
  }
  return { options: pool.options, end: () => pool.end(), connect } as PostgresPool
}
