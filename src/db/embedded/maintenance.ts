// What a PostgreSQL server does in background processes, done for the embedded engine in quiet moments.
import type { EmbeddedDatabase } from './embedded-database.ts'
import type { QueryResult } from './query-result.ts'

interface Log {
  warn(fields: object, message: string): void
}

/** Times in milliseconds, sizes in bytes. */
export interface MaintenancePlan {
  /** How often to look. */
  checkIntervalMs: number
  /** A checkpoint so long after the first write since the last one. */
  checkpointIntervalMs: number
  /** A checkpoint at once when so much was written to the log since the last one. */
  checkpointBytes: number
  /** Tables that changed are vacuumed and analysed so often. */
  vacuumIntervalMs: number
}

const defaultPlan: MaintenancePlan = {
  checkIntervalMs: 10_000,
  checkpointIntervalMs: 60_000,
  checkpointBytes: 64 * 1024 * 1024,
  vacuumIntervalMs: 600_000,
}

/**
 * Checkpoints, so that the log stays short and the next start fast, and vacuums, so that space is used again and
 * queries are planned well. Waits up to three looks for a moment in which nothing else runs.
 *
 * @returns a function that ends it; it resolves when nothing is under way any more
 */
export function startMaintenance(
  database: EmbeddedDatabase,
  log: Log,
  plan = defaultPlan,
): () => Promise<void> {
  const state = {
    position: '0/0',
    checkpointAt: performance.now(),
    vacuumAt: performance.now(),
    postponed: 0,
  }
  let running = Promise.resolve()
  let ended = false
  const look = async () => {
    if (ended || (!database.idle && state.postponed++ < 3)) return
    state.postponed = 0
    try {
      await checkpointWhenDue(database, plan, state)
      await vacuumWhenDue(database, plan, state)
    } catch (error) {
      // It can be the end itself that broke it off.
      if (!ended) log.warn({ err: error }, 'Maintenance of the embedded database failed')
    }
  }
  const timer = setInterval(() => {
    running = running.then(look)
  }, plan.checkIntervalMs)
  timer.unref()
  return async () => {
    ended = true
    clearInterval(timer)
    await running
  }
}

interface State {
  /** Of the log, at the last checkpoint. */
  position: string
  checkpointAt: number
  vacuumAt: number
}

async function checkpointWhenDue(
  database: EmbeddedDatabase,
  plan: MaintenancePlan,
  state: State,
): Promise<void> {
  const since = `select pg_current_wal_insert_lsn() as position, pg_current_wal_insert_lsn() - $1::pg_lsn as bytes`
  const [{ bytes }] = (await rowsOf(database, since, [state.position])) as [{ bytes: number }]
  const due = performance.now() - state.checkpointAt >= plan.checkpointIntervalMs
  if (bytes === 0 || (!due && bytes < plan.checkpointBytes)) return
  await database.query('checkpoint')
  const [{ position }] = (await rowsOf(database, since, [state.position])) as [{ position: string }]
  state.position = position
  state.checkpointAt = performance.now()
}

async function vacuumWhenDue(
  database: EmbeddedDatabase,
  plan: MaintenancePlan,
  state: State,
): Promise<void> {
  if (performance.now() - state.vacuumAt < plan.vacuumIntervalMs) return
  state.vacuumAt = performance.now()
  // The thresholds of PostgreSQL's autovacuum.
  const changed = await rowsOf(
    database,
    `select format('%I.%I', schemaname, relname) as name from pg_stat_user_tables
     where n_dead_tup + n_ins_since_vacuum > 50 + n_live_tup * 0.2
        or n_mod_since_analyze > 50 + n_live_tup * 0.1`,
  )
  // One by one: others get their turn in between.
  for (const { name } of changed) await database.query(`vacuum (analyze) ${name}`)
}

async function rowsOf(
  database: EmbeddedDatabase,
  text: string,
  values: unknown[] = [],
): Promise<QueryResult['rows']> {
  return ((await database.query(text, values)) as QueryResult).rows
}
