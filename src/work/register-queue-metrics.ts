// Queue depth and age as metrics, read from the database at each scrape.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { limitRows } from '../db/limit-rows.ts'
import { withTimeout } from '../db/with-timeout.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { type WorkKind, workKinds } from './work-items.ts'

/** Several scrapers, or short intervals, don't query the database more often than this. */
const scrapeCacheMs = 5_000
/** A scrape waits at most this long for the database. */
const timeoutMs = 2_000
/** The maximum of counted rows; depth and age of a longer queue are lower bounds. */
const maxRows = 10_000

type QueueMetrics = Pick<Metrics, 'onScrape' | 'queueDepth' | 'queueOldestAge' | 'databaseUp'>

interface Queue {
  readonly work: WorkKind
  readonly depth: number
  /** Age of the oldest work in seconds; it is 0 if nothing waits. */
  readonly oldest: number
}

/** Sets the metrics at each scrape; they are absent if the database doesn't answer in time. */
export function registerQueueMetrics(db: Db, metrics: QueueMetrics): void {
  let reading: Promise<readonly Queue[]> | null = null
  let queues: readonly Queue[] | null = null
  let freshUntil = Number.NEGATIVE_INFINITY
  const read = async () => {
    // A slow query isn't started a second time.
    reading ??= readQueues(db).finally(() => {
      reading = null
    })
    queues = await withTimeout(timeoutMs, reading).catch(() => null)
    freshUntil = performance.now() + scrapeCacheMs
  }
  metrics.onScrape(async () => {
    if (performance.now() >= freshUntil) await read()
    metrics.databaseUp.set({}, queues === null ? 0 : 1)
    for (const work of workKinds) {
      const queue = queues?.find((one) => one.work === work)
      metrics.queueDepth.set({ work }, queue?.depth ?? null)
      metrics.queueOldestAge.set({ work }, queue?.oldest ?? null)
    }
  })
}

/** Counts work that no live worker holds: it is pending or its lease has expired. */
async function readQueues(db: Db): Promise<readonly Queue[]> {
  const ofKind = (kind: WorkKind) => sql`
    select ${kind}::text as work, count(*)::int as depth,
      coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as oldest
    from (
      select created_at from work_items
      where kind = ${kind} and (status = 'pending' or due_at < now())
      ${limitRows(maxRows)}) as waiting`
  const { rows } = await sql<Queue>`${sql.join(workKinds.map(ofKind), sql` union all `)}`.execute(
    db,
  )
  return rows
}
