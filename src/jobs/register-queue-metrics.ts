// How much work waits and for how long, read from the database when somebody scrapes the metrics.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { limitRows } from '../db/limit-rows.ts'
import { withTimeout } from '../db/with-timeout.ts'
import type { LabelValue, Metrics } from '../metrics/metrics.ts'

/** Several scrapers, and short intervals, ask the database no more often. */
const scrapeCacheMs = 5_000
/** A scrape waits no longer. */
const timeoutMs = 2_000
/** No more events and scans are looked at: both figures of a longer queue are lower bounds. */
const maxRows = 10_000

const kinds = ['review', 'scan'] as const
type QueueMetrics = Pick<Metrics, 'onScrape' | 'queueDepth' | 'queueOldestAge' | 'databaseUp'>

/** What waits of one kind of work. */
interface Queue {
  readonly work: LabelValue<'queueDepth', 'work'>
  readonly depth: number
  /** Seconds; 0 where nothing waits. */
  readonly oldest: number
}

/** Sets the figures at each scrape. Where the database doesn't answer in time none are shown. */
export function registerQueueMetrics(db: Db, metrics: QueueMetrics): void {
  let reading: Promise<readonly Queue[]> | null = null
  let known: readonly Queue[] | null = null
  let freshUntil = Number.NEGATIVE_INFINITY
  const read = async () => {
    // One that takes its time isn't joined by another.
    reading ??= readQueues(db).finally(() => {
      reading = null
    })
    known = await withTimeout(timeoutMs, reading).catch(() => null)
    freshUntil = performance.now() + scrapeCacheMs
  }
  metrics.onScrape(async () => {
    if (performance.now() >= freshUntil) await read()
    metrics.databaseUp.set({}, known === null ? 0 : 1)
    for (const work of kinds) {
      const queue = known?.find((one) => one.work === work)
      metrics.queueDepth.set({ work }, queue?.depth ?? null)
      metrics.queueOldestAge.set({ work }, queue?.oldest ?? null)
    }
  })
}

/** What nobody works on: it waits for its turn, or its worker died. */
async function readQueues(db: Db): Promise<readonly Queue[]> {
  const { rows } = await sql<Queue>`
    select 'review' as work, count(distinct (repo, pr_number))::int as depth,
      coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as oldest
    from (
      select repo, pr_number, created_at from events
      where wants_review and status in ('pending', 'processing')
        and (status = 'pending' or (select lease_until from workflow_runs r where r.id = run_id) < now())
      ${limitRows(maxRows)}) as waiting
    union all
    select 'scan', count(*)::int, coalesce(extract(epoch from now() - min(requested_at)), 0)::float8
    from (
      select requested_at from scans
      where status in ('pending', 'processing') and (status = 'pending' or lease_until < now())
      ${limitRows(maxRows)}) as waiting`.execute(db)
  return rows
}
