// Checkpoints and vacuums the embedded engine when it is idle, as a server does in the background.
import type { EmbeddedDatabase } from './embedded-database.ts'
import type { QueryResult } from './query-result.ts'

interface Log {
  warn(fields: object, message: string): void
}

interface MaintenancePlan {
  /** How often maintenance checks whether something is due. */
  checkIntervalMs: number
  /** How long after a checkpoint the next one is due, if anything was written. */
  checkpointIntervalMs: number
  /** A checkpoint is due earlier when this much was written to the log. */
  checkpointBytes: number
  /** How often changed tables are vacuumed and analyzed. */
  vacuumIntervalMs: number
}

const defaultPlan: MaintenancePlan = {
  checkIntervalMs: 10_000,
  checkpointIntervalMs: 60_000,
  checkpointBytes: 64 * 1024 * 1024,
  vacuumIntervalMs: 600_000,
}

/**
 * Runs checkpoints, which keep the log short and the next start fast, and vacuums, which free space
 * and update the planner's statistics. Postpones them up to three times while the database is in
 * use.
 *
 * @returns a function that stops maintenance and resolves when nothing of it is running
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
  const runWhenDue = async () => {
    if (ended) return
    if (!database.idle && state.postponed < 3) {
      state.postponed += 1
      return
    }
    state.postponed = 0
    try {
      await checkpointWhenDue(database, plan, state)
      await vacuumWhenDue(database, plan, state)
    } catch (error) {
      // Closing the database interrupts maintenance, which is no failure.
      if (!ended) log.warn({ err: error }, 'Maintenance of the embedded database failed')
    }
  }
  const timer = setInterval(() => {
    running = running.then(runWhenDue)
  }, plan.checkIntervalMs)
  timer.unref()
  return async () => {
    ended = true
    clearInterval(timer)
    await running
  }
}

interface State {
  /** Where the log ended at the last checkpoint. */
  position: string
  checkpointAt: number
  vacuumAt: number
}

async function checkpointWhenDue(
  database: EmbeddedDatabase,
  plan: MaintenancePlan,
  state: State,
): Promise<void> {
  const readPosition = `
    select pg_current_wal_insert_lsn() as position,
      pg_current_wal_insert_lsn() - $1::pg_lsn as bytes`
  const before = await readRows(database, readPosition, [state.position])
  const { bytes } = before[0] as { bytes: number }
  const isDue = performance.now() - state.checkpointAt >= plan.checkpointIntervalMs
  if (bytes === 0 || (!isDue && bytes < plan.checkpointBytes)) return
  await database.query('checkpoint')
  const after = await readRows(database, readPosition, [state.position])
  state.position = (after[0] as { position: string }).position
  state.checkpointAt = performance.now()
}

async function vacuumWhenDue(
  database: EmbeddedDatabase,
  plan: MaintenancePlan,
  state: State,
): Promise<void> {
  if (performance.now() - state.vacuumAt < plan.vacuumIntervalMs) return
  state.vacuumAt = performance.now()
  // These are the thresholds of PostgreSQL's autovacuum.
  const changed = await readRows(
    database,
    `select format('%I.%I', schemaname, relname) as name from pg_stat_user_tables
     where n_dead_tup + n_ins_since_vacuum > 50 + n_live_tup * 0.2
        or n_mod_since_analyze > 50 + n_live_tup * 0.1`,
  )
  // One statement per table lets others use the connection in between.
  for (const { name } of changed) await database.query(`vacuum (analyze) ${name}`)
}

async function readRows(
  database: EmbeddedDatabase,
  text: string,
  values: unknown[] = [],
): Promise<QueryResult['rows']> {
  return ((await database.query(text, values)) as QueryResult).rows
}
