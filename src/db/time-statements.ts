// Records the duration of statements and of waiting for a connection.
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import { type Metrics, secondsSince, timed } from '../metrics/metrics.ts'

export type DatabaseMetrics = Pick<Metrics, 'databaseQuery' | 'databaseConnectionWait'>

function timeStatement<T>(metrics: DatabaseMetrics, run: () => Promise<T>): Promise<T> {
  return timed((outcome, seconds) => metrics.databaseQuery.observe({ outcome }, seconds), run)
}

/** Wraps a pool. Its clients have only the methods that Kysely uses. */
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
