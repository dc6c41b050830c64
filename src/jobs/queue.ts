// Notifications of background work, on pg-boss. The tables workflow_runs, events and scans hold the
// truth about pending work: a lost or duplicate notification does no harm (see docs/decisions/).
import { fromKysely, PgBoss } from 'pg-boss'
import type { Db, JobDatabase } from '../db/database.ts'
import type { PullRequestRef, RepositoryName } from '../domain/pull-request.ts'
import type { Log } from '../lib/logger.ts'

/** Each kind of work has a queue of its own. */
export interface Notifications {
  readonly reviews: NotificationQueue<PullRequestRef>
  readonly scans: NotificationQueue<RepositoryName>
  close(): Promise<void>
}

/** A queue of notifications. `Subject` names a piece of work. */
export interface NotificationQueue<Subject> {
  /**
   * Notifies a worker of these subjects when the transaction `tx` commits. Each subject has at most
   * one immediate and one delayed notification.
   *
   * @param delaySeconds the minimum delay from now
   */
  notify(tx: Db, subjects: readonly Subject[], delaySeconds?: number): Promise<void>
  /**
   * Calls `start` for each notification until `pause` or `close`. Notifications are fetched even if
   * no worker is free, so that one owner's can't block another's.
   */
  listen(start: (subject: Subject) => void): Promise<void>
  /** Stops fetching; work that has begun goes on. */
  pause(): Promise<void>
}

const maxFetchBatch = 64

/** Opens the queues, and creates their tables if they are missing. */
export async function openNotifications(input: {
  database: JobDatabase
  embedded: boolean
  supervise: boolean
  log: Pick<Log, 'warn'>
}): Promise<Notifications> {
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
  boss.on('warning', (warning) => input.log.warn({ warning }, 'The job queue reports a warning'))
  // Several processes that start on an empty database at once can fail while creating the tables.
  await boss.start({ attempts: 4 })
  const reviews = await openQueue<PullRequestRef>(
    boss,
    'review-pull-request',
    ({ repo, number }) => `${repo}#${number}`,
  )
  const scans = await openQueue<{ repo: RepositoryName }>(
    boss,
    'scan-repository',
    ({ repo }) => repo,
  )
  return {
    reviews,
    scans: {
      notify: (tx, repos, delaySeconds) =>
        scans.notify(
          tx,
          repos.map((repo) => ({ repo })),
          delaySeconds,
        ),
      listen: (start) => scans.listen(({ repo }) => start(repo)),
      pause: scans.pause,
    },
    async close() {
      await boss.stop({ graceful: false, close: false })
    },
  }
}

/** @param keyOf returns a unique key of a subject */
async function openQueue<Subject extends object>(
  boss: PgBoss,
  name: string,
  keyOf: (subject: Subject) => string,
): Promise<NotificationQueue<Subject>> {
  await boss.createQueue(name, {
    policy: 'short',
    notify: true,
    retryLimit: 0,
    deleteAfterSeconds: 60,
    retentionSeconds: 14 * 24 * 3600,
  })
  // Fills the queue cache: a lookup during a transaction would wait for the one embedded
  // connection.
  await boss.getQueue(name)
  await boss.insert(name, [])
  return {
    async notify(tx, subjects, delaySeconds = 0) {
      if (subjects.length === 0) return
      const kind = delaySeconds > 0 ? 'later' : 'now'
      const jobs = subjects.map((subject) => ({
        singletonKey: `${keyOf(subject)} ${kind}`,
        data: subject,
        ...(delaySeconds > 0 ? { startAfter: Math.ceil(delaySeconds) } : {}),
      }))
      await boss.insert(name, jobs, { db: fromKysely(tx) })
    },
    async listen(start) {
      const pace = {
        pollingIntervalSeconds: 1,
        notifyPollingIntervalSeconds: 2,
        burstWhenBatchFull: true,
      }
      await boss.work<Subject>(name, { batchSize: maxFetchBatch, ...pace }, async (jobs) => {
        for (const job of jobs) start(job.data)
      })
    },
    async pause() {
      await boss.offWork(name)
    },
  }
}
