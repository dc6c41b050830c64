// Wake-ups for work in the background, on pg-boss. The truth about what is to be done stands in workflow_runs and events, and
// in scans: a wake-up that is lost or comes twice does no harm (see docs/decisions/).
import { fromKysely, PgBoss } from 'pg-boss'
import type { Db, JobDatabase } from '../db/database.ts'
import type { PullRequestRef, RepositoryName } from '../domain/pull-request.ts'
import type { Log } from '../lib/logger.ts'

/** The queues of wake-ups, one for each kind of work. */
export interface Notifications {
  readonly reviews: NotificationQueue<PullRequestRef>
  readonly scans: NotificationQueue<RepositoryName>
  close(): Promise<void>
}

/** A queue of wake-ups. `Subject` is what is to be looked at. */
export interface NotificationQueue<Subject> {
  /**
   * Asks for these to be looked at, in the transaction `tx`: when it commits, a worker is woken. One wake-up waits for each
   * at most, and one delayed one beside it.
   *
   * @param delaySeconds not before this many seconds from now
   */
  notify(tx: Db, subjects: readonly Subject[], delaySeconds?: number): Promise<void>
  /**
   * Calls `start` for each that is to be looked at, until `pause` or `close`. All are fetched as they come, whether or not there
   * is a place for them: those of one owner must not stand before those of another.
   */
  listen(start: (subject: Subject) => void): Promise<void>
  /** Stops fetching. Work that was begun goes on. */
  pause(): Promise<void>
}

const maxFetchBatch = 64

/** Opens the queues; makes their tables where they are missing. */
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
  boss.on('warning', (warning) => input.log.warn({ warning }, 'The job queue warns'))
  // Of several processes that start at once on an empty database, all but one may trip over the tables being made.
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

/** @param keyOf names a subject */
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
  // A queue that isn't in the cache would be looked up on the one embedded connection while a transaction holds it.
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
