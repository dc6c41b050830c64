// Wake-ups for pull requests, on pg-boss. The truth about what is to be done stands in workflow_runs and events:
// a wake-up that is lost or comes twice does no harm (see docs/decisions/).
import { fromKysely, PgBoss } from 'pg-boss'
import type { Db, JobDatabase } from '../db/database.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'
import type { Log } from '../lib/logger.ts'

const queueName = 'review-pull-request'

/** The queue of wake-ups. */
export interface WakeUps {
  /**
   * Asks for these pull requests to be looked at, in the transaction `tx`: when it commits, a worker is woken.
   * One wake-up waits per pull request at most, and one delayed one beside it.
   *
   * @param delaySeconds not before this many seconds from now
   */
  wake(tx: Db, refs: readonly PullRequestRef[], delaySeconds?: number): Promise<void>
  /**
   * Calls `start` for each pull request that is to be looked at, until `close`. `start` resolves when the work was
   * begun, not when it is done; nothing more is fetched while it is pending.
   *
   * @param atOnce how many are fetched together at most
   */
  listen(start: (ref: PullRequestRef) => Promise<void>, atOnce: number): Promise<void>
  /** Stops fetching. Work that was begun goes on. */
  pause(): Promise<void>
  close(): Promise<void>
}

/** Opens the queue; makes its tables where they are missing. */
export async function openWakeUps(input: {
  database: JobDatabase
  embedded: boolean
  supervise: boolean
  log: Pick<Log, 'warn'>
}): Promise<WakeUps> {
  const boss = new PgBoss({
    db: input.database,
    backend: input.embedded ? 'pglite' : 'postgres',
    schema: 'pgboss',
    useListenNotify: true,
    schedule: false,
    supervise: input.supervise,
    registerInstance: false,
    reindex: false,
    monitorVacuum: false,
    openTelemetry: { enabled: false },
  })
  boss.on('error', (error) => input.log.warn({ err: error }, 'The job queue reports an error'))
  boss.on('warning', (warning) => input.log.warn({ warning }, 'The job queue warns'))
  // Of several processes that start at once on an empty database, all but one may trip over the tables being made.
  await boss.start({ attempts: 4 })
  await boss.createQueue(queueName, {
    policy: 'short',
    notify: true,
    retryLimit: 0,
    deleteAfterSeconds: 60,
    retentionSeconds: 14 * 24 * 3600,
  })
  // A queue that isn't in the cache would be looked up on the one embedded connection while a transaction holds it.
  await boss.getQueue(queueName)
  await boss.insert(queueName, [])

  return {
    async wake(tx, refs, delaySeconds = 0) {
      if (refs.length === 0) return
      const kind = delaySeconds > 0 ? 'later' : 'now'
      const jobs = refs.map(({ repo, number }) => ({
        singletonKey: `${repo}#${number} ${kind}`,
        data: { repo, number },
        ...(delaySeconds > 0 ? { startAfter: Math.ceil(delaySeconds) } : {}),
      }))
      await boss.insert(queueName, jobs, { db: fromKysely(tx) })
    },
    async listen(start, atOnce) {
      await boss.work<PullRequestRef>(
        queueName,
        { batchSize: Math.min(16, atOnce), pollingIntervalSeconds: 1, notifyPollingIntervalSeconds: 2 },
        async (jobs) => {
          for (const job of jobs) await start(job.data)
        },
      )
    },
    async pause() {
      await boss.offWork(queueName)
    },
    async close() {
      await boss.stop({ graceful: false, close: false })
    },
  }
}
